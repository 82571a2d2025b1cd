"""AutoGen tools (autogen-core): always asynchronous, their arguments validated by pydantic."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, cast

from knitbone.common.ownership import is_own
from knitbone.fuzzing.tools.adapter_calls import attach_to, source_roots, was_refused_in
from knitbone.fuzzing.tools.types import Wrap

__all__ = ["AutoGenTool"]


class AutoGenTool:
    """One ``BaseTool``: a ``FunctionTool`` or a class of the user's own."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        given = getattr(tool, "_func", None)
        self._inner = "run" if given is None else "_func"
        self._roots = source_roots(given, cast("Any", type(tool)))

    def describe(self) -> dict[str, Any]:
        schema: Any = self._tool.schema
        return {
            "name": str(schema["name"]),
            "documentation": str(schema.get("description", "")),
            "schema": dict(schema.get("parameters", {"type": "object", "properties": {}})),
            "roots": self._roots,
            "framework": "autogen",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments  # AutoGen validates inside the call; see rejects()

    def call(self, prepared: dict[str, Any]) -> Any:
        token: Any = cast("Any", sys.modules["autogen_core"]).CancellationToken()
        value = asyncio.run(self._tool.run_json(prepared, token))
        return self._tool.return_value_as_string(value)

    def rejects(self, error: BaseException) -> bool:
        return was_refused_in(error, "autogen_core", "run_json")

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        attach_to(self._tool, self._inner, wrap)

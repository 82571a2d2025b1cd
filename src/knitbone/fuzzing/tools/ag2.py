"""AG2 tools: ``ag2.tools`` since version 1, ``autogen.tools`` before it."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from knitbone.common.ownership import is_own
from knitbone.fuzzing.tools.adapter_calls import (
    attach_to,
    checked_against,
    finish,
    source_roots,
    was_refused_in,
)
from knitbone.fuzzing.tools.types import Wrap

__all__ = ["Ag2ClassicTool", "Ag2Tool"]


class Ag2Tool:
    """A ``FunctionTool`` of AG2 1.x, called with the event that a model's request becomes."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        self._definition = tool.schema.function
        self._roots = source_roots(tool.model.call)

    def describe(self) -> dict[str, Any]:
        return {
            "name": str(self._definition.name),
            "documentation": str(self._definition.description),
            "schema": dict(self._definition.parameters),
            "roots": self._roots,
            "framework": "ag2",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments  # AG2 validates inside the call; see rejects()

    def call(self, prepared: dict[str, Any]) -> Any:
        library: Any = sys.modules
        event = library["ag2.events"].ToolCallEvent(
            name=self._definition.name, arguments=json.dumps(prepared)
        )
        context = library["ag2"].Context(library["ag2"].MemoryStream())
        outcome = asyncio.run(self._tool(event, context))
        if isinstance(outcome, library["ag2.events"].ToolErrorEvent):
            raise outcome.error
        return "\n".join(str(part.content) for part in outcome.result.parts)

    def rejects(self, error: BaseException) -> bool:
        # fast-depends, which AG2 calls tools with, has an error of its own beside pydantic's.
        return type(error).__module__ == "fast_depends.exceptions" or was_refused_in(
            error, "fast_depends", "__call__"
        )

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        self._tool.model.call = wrap(self._tool.model.call)


class Ag2ClassicTool:
    """A ``Tool`` of AG2 0.x. It validates nothing but pydantic models, which it makes."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        given: dict[str, Any] | None = getattr(tool, "_func_schema", None)
        function: dict[str, Any] = given["function"] if given else tool.function_schema
        self._schema: dict[str, Any] = function["parameters"]
        self._check = checked_against(self._schema, tool.name)
        self._roots = source_roots(tool.func)

    def describe(self) -> dict[str, Any]:
        return {
            "name": str(self._tool.name),
            "documentation": str(self._tool.description),
            "schema": self._schema,
            "roots": self._roots,
            "framework": "ag2",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self._check(arguments)
        return dict(arguments)

    def call(self, prepared: dict[str, Any]) -> Any:
        utilities: Any = sys.modules["autogen.tools.function_utils"]
        return finish(utilities.load_basemodels_if_needed(self._tool.func)(**prepared))

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # prepare() has validated; what comes later is the tool's own

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        attach_to(self._tool, "_func", wrap)

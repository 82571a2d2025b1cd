"""CrewAI tools: classes of the user's own and ``@tool`` functions."""

from __future__ import annotations

import sys
from typing import Any, cast

from knitbone.common.ownership import is_own
from knitbone.fuzzing.tools.adapter_calls import (
    attach_to,
    error_result,
    finish,
    is_only_async,
    schema_of_model,
    source_roots,
)
from knitbone.fuzzing.tools.types import Wrap

__all__ = ["CrewAITool"]


class CrewAITool:
    """One ``BaseTool``, called with the arguments that its ``args_schema`` makes."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        given = getattr(tool, "func", None)
        self._given = given is not None
        self._roots = source_roots(given, cast("Any", type(tool)))
        self._only_async = not self._given and is_only_async(tool, "crewai")

    def describe(self) -> dict[str, Any]:
        return {
            "name": str(self._tool.name),
            "documentation": str(self._tool.description),
            "schema": schema_of_model(self._tool.args_schema, self._tool.name),
            "roots": self._roots,
            "framework": "crewai",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments  # CrewAI validates inside the call; see rejects()

    def call(self, prepared: dict[str, Any]) -> Any:
        self._tool.reset_usage_count()  # one call more than allowed is no fault of the tool's
        run = self._tool.arun if self._only_async else self._tool.run
        result = finish(run(**prepared))
        failure = getattr(sys.modules.get("crewai.tools.tool_failure"), "ToolFailure", None)
        if failure is not None and isinstance(result, failure):
            return error_result(result.as_agent_message())
        return result

    def rejects(self, error: BaseException) -> bool:
        """A failure of CrewAI's own validation, which it raises as a ``ValueError``."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        if traceback is None:
            return False
        frame = traceback.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        return module == "crewai.tools.base_tool" and frame.f_code.co_name == "_validate_kwargs"

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        name = "func" if self._given else "_arun" if self._only_async else "_run"
        attach_to(self._tool, name, wrap)

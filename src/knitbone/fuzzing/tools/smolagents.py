"""smolagents tools: ``Tool`` classes and ``@tool`` functions, called as its agents call them."""

from __future__ import annotations

import sys
from typing import Any, cast

from knitbone.common.ownership import is_own
from knitbone.fuzzing.tools.adapter_calls import attach_to, finish, source_roots
from knitbone.fuzzing.tools.types import ArgumentsRejectedError, Wrap

__all__ = ["SmolagentsTool"]


class SmolagentsTool:
    """One ``Tool``; its ``inputs`` are the schema, and smolagents checks arguments against it."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        self._library: Any = sys.modules["smolagents"]
        self._roots = source_roots(cast("Any", type(tool)).forward)

    def describe(self) -> dict[str, Any]:
        function: dict[str, Any] = self._library.models.get_tool_json_schema(self._tool)["function"]
        return {
            "name": str(function["name"]),
            "documentation": str(function["description"]),
            "schema": function["parameters"],
            "roots": self._roots,
            "framework": "smolagents",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            self._library.tools.validate_tool_arguments(self._tool, arguments)
        except (TypeError, ValueError) as error:
            raise ArgumentsRejectedError(str(error)) from error
        return arguments

    def call(self, prepared: dict[str, Any]) -> Any:
        return finish(self._tool(**prepared, sanitize_inputs_outputs=True))

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # prepare() has validated; what comes later is the tool's own

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        attach_to(self._tool, "forward", wrap)

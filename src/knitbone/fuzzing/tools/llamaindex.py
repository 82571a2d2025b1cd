"""LlamaIndex tools. LlamaIndex itself does not validate what a model asks for: a nested model
arrives as the dictionary it was, and ``call_tool`` passes it on."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, cast

from knitbone.common.ownership import is_own
from knitbone.fuzzing.tools.adapter_calls import (
    attach_to,
    checked_against,
    error_result,
    source_roots,
)
from knitbone.fuzzing.tools.injected_parameters import cannot_inject
from knitbone.fuzzing.tools.types import Wrap

__all__ = ["LlamaIndexTool"]


class LlamaIndexTool:
    """One ``BaseTool``: a ``FunctionTool`` or a class of the user's own."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        function = getattr(tool, "real_fn", None)
        self._name = str(tool.metadata.get_name())
        if getattr(tool, "requires_context", False):
            raise cannot_inject(self._name, str(getattr(tool, "ctx_param_name", "ctx")))
        self._schema: dict[str, Any] = tool.metadata.get_parameters_dict()
        self._check = checked_against(self._schema, self._name)
        self._roots = source_roots(function, cast("Any", type(tool)))
        self._is_async = inspect.iscoroutinefunction(function)
        self._is_function = function is not None
        self._call = tool.__call__

    def describe(self) -> dict[str, Any]:
        return {
            "name": self._name,
            "documentation": str(self._tool.metadata.description),
            "schema": self._schema,
            "roots": self._roots,
            "framework": "llamaindex",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self._check(arguments)
        return arguments

    def call(self, prepared: dict[str, Any]) -> Any:
        if self._is_async:
            output = asyncio.run(self._tool.acall(**prepared))
        else:
            output = self._call(**prepared)
        if output.is_error:
            if output.exception is not None:
                raise output.exception
            return error_result(output.content)
        return output.content or output.raw_output

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # prepare() has validated; what comes later is the tool's own

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        if self._is_function:
            attach_to(self._tool, "_async_fn" if self._is_async else "_fn", wrap)
        else:
            self._call = wrap(self._call)

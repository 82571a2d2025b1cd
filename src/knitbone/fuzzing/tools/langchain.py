"""LangChain tools: the schema as the agent sees it, called the way an agent calls them."""

from __future__ import annotations

import asyncio
import sys
from types import TracebackType
from typing import Any, cast

from knitbone.errors import TargetError
from knitbone.fuzzing.tools.ownership import is_owned, own_roots
from knitbone.fuzzing.tools.types import Wrap

__all__ = ["LangChainTool", "is_langchain_class", "is_langchain_tool"]


def _base_tool() -> type[Any] | None:
    """LangChain's base class, if anything has imported it; a LangChain tool has."""
    return getattr(sys.modules.get("langchain_core.tools.base"), "BaseTool", None)


def is_langchain_tool(value: Any) -> bool:
    """Whether ``value`` is an instance of a LangChain tool."""
    base = _base_tool()
    return base is not None and isinstance(value, base)


def is_langchain_class(value: Any) -> bool:
    """Whether ``value`` is a class of LangChain tools."""
    base = _base_tool()
    return base is not None and isinstance(value, type) and issubclass(value, base)


class LangChainTool:
    """One ``BaseTool``; ``StructuredTool`` and ``@tool`` functions are such."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
        source = function or cast("Any", type(tool))
        code = getattr(function, "__code__", None)
        self._roots = own_roots(
            getattr(source, "__module__", None), code.co_filename if code is not None else None
        )
        self._only_async = (
            function is not None and getattr(tool, "func", None) is None
        ) or _refuses_to_run(tool)

    def describe(self) -> dict[str, Any]:
        schema = self._tool.tool_call_schema
        if not isinstance(schema, dict):
            try:
                schema = schema.model_json_schema()
            except Exception as error:  # pydantic runs the annotations' own code
                raise TargetError(
                    f"The arguments of {self._tool.name!r} have no JSON schema: {error}.",
                    next_step="Give the tool an args_schema of types that JSON can carry.",
                ) from error
        return {
            "name": str(self._tool.name),
            "documentation": str(self._tool.description),
            "schema": schema,
            "roots": self._roots,
            "framework": "langchain",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments  # LangChain validates inside the call; see rejects()

    def call(self, prepared: dict[str, Any]) -> Any:
        if self._only_async:
            return asyncio.run(self._tool.ainvoke(prepared))
        return self._tool.invoke(prepared)

    def rejects(self, error: BaseException) -> bool:
        """A validation error that came out of LangChain's own parsing of the arguments."""
        return type(error).__name__ == "ValidationError" and _passes_parsing(error.__traceback__)

    def owns(self, file: str) -> bool:
        return is_owned(file, self._roots)

    def attach(self, wrap: Wrap) -> None:
        own, given = ("_arun", "coroutine") if self._only_async else ("_run", "func")
        # The classes that LangChain itself brings take their function as a field.
        kind = cast("Any", type(self._tool))
        by_langchain = getattr(kind, own).__module__.startswith("langchain_core.")
        name = given if by_langchain and getattr(self._tool, given, None) is not None else own
        # Past pydantic, which has no field for a method.
        vars(self._tool)[name] = wrap(getattr(self._tool, name))


def _refuses_to_run(tool: Any) -> bool:
    """Whether only ``_arun`` does the work; an abstract ``_run`` must be defined all the same."""
    base, kind = _base_tool(), cast("Any", type(tool))
    code = getattr(kind._run, "__code__", None)
    return (
        base is not None
        and kind._arun is not base._arun
        and code is not None
        and "NotImplementedError" in code.co_names
        and getattr(tool, "func", None) is None
    )


def _passes_parsing(traceback: TracebackType | None) -> bool:
    while traceback is not None:
        frame = traceback.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name == "_parse_input" and module.startswith("langchain_core."):
            return True
        traceback = traceback.tb_next
    return False

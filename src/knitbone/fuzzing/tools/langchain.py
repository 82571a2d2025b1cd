"""LangChain tools: the schema as the agent sees it, called the way an agent calls them."""

from __future__ import annotations

import asyncio
import re
from types import TracebackType
from typing import Any, cast

from knitbone.fuzzing.tools.calling import attach_to, is_only_async, schema_of_model, source_roots
from knitbone.fuzzing.tools.ownership import is_owned
from knitbone.fuzzing.tools.types import Wrap

__all__ = ["LangChainTool"]


class LangChainTool:
    """One ``BaseTool``; ``StructuredTool`` and ``@tool`` functions are such."""

    def __init__(self, tool: Any) -> None:
        self._tool = tool
        given = getattr(tool, "func", None)
        given_async = getattr(tool, "coroutine", None)
        self._roots = source_roots(given, given_async, cast("Any", type(tool)))
        self._only_async = given is None and (
            given_async is not None or is_only_async(tool, "langchain_core")
        )

    def describe(self) -> dict[str, Any]:
        return {
            "name": str(self._tool.name),
            "documentation": str(self._tool.description),
            "schema": schema_of_model(self._tool.tool_call_schema, self._tool.name),
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
        """A validation error that came out of LangChain's own parsing of the arguments, or
        arguments that the tool's function does not take: its code is not reached."""
        if type(error) is TypeError:
            return _ends_at_the_call(error)
        return type(error).__name__ == "ValidationError" and _passes_parsing(error.__traceback__)

    def owns(self, file: str) -> bool:
        return is_owned(file, self._roots)

    def attach(self, wrap: Wrap) -> None:
        own, given = ("_arun", "coroutine") if self._only_async else ("_run", "func")
        # The classes that LangChain itself brings take their function as a field.
        kind = cast("Any", type(self._tool))
        by_langchain = getattr(kind, own).__module__.startswith("langchain_core.")
        name = given if by_langchain and getattr(self._tool, given, None) is not None else own
        attach_to(self._tool, name, wrap)


_BINDING = re.compile(
    r"^[\w.<>]+\(\) (?:missing \d+ required|got an unexpected keyword|got multiple values|takes )"
)


def _ends_at_the_call(error: TypeError) -> bool:
    """Whether the error was raised by calling the function, and not inside of it."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or not _BINDING.match(str(error)):
        return False
    module = str(traceback.tb_frame.f_globals.get("__name__", ""))
    return module.startswith(("langchain_core.", "knitbone.fuzzing."))


def _passes_parsing(traceback: TracebackType | None) -> bool:
    while traceback is not None:
        frame = traceback.tb_frame
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name == "_parse_input" and module.startswith("langchain_core."):
            return True
        traceback = traceback.tb_next
    return False

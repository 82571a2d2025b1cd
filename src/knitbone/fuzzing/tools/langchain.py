"""LangChain tools: the schema as the agent sees it, called the way an agent calls them."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import importlib
import inspect
import re
import sys
import typing
from types import TracebackType
from typing import Any, cast

from knitbone.common.ownership import is_own
from knitbone.fuzzing.tools.adapter_calls import (
    attach_to,
    is_only_async,
    schema_of_model,
    source_roots,
)
from knitbone.fuzzing.tools.injected_parameters import (
    AbsentObject,
    InjectedMapping,
    cannot_inject,
    mark_of,
)
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
        own = tool._arun if self._only_async else tool._run
        by_langchain = own.__module__.startswith("langchain_core.")
        function = (given or given_async) if by_langchain else own
        self._inject = functools.partial(_injected, tool, function)
        self._injected = self._inject()
        if self._injected:
            self.attach(self._fill)

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
        if not self._injected:
            asked: Any = prepared
        else:  # as an agent's tool node asks, which injects
            self._injected = self._inject()  # nothing is left of an earlier call's
            # Validation has no type for our context, and makes copies: ``_fill`` has the last word.
            shown = {
                name: dataclasses.replace(each, context=None) if _is_runtime(each) else each
                for name, each in self._injected.items()
            }
            arguments = {**prepared, **shown}
            asked = {"type": "tool_call", "id": "1", "name": self._tool.name, "args": arguments}
        if self._only_async:
            result = asyncio.run(self._tool.ainvoke(asked))
        else:
            result = self._tool.invoke(asked)
        return _content(result) if self._injected else result

    def _fill(self, function: Any) -> Any:
        """Put the stand-ins back that validation has made copies of."""

        def given(arguments: dict[str, Any]) -> dict[str, Any]:
            kept = {k: v for k, v in self._injected.items() if k in arguments}
            return {**arguments, **kept}

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                return await function(*args, **given(kwargs))

            return waiting

        @functools.wraps(function)
        def filled(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **given(kwargs))

        return filled

    def rejects(self, error: BaseException) -> bool:
        """A validation error that came out of LangChain's own parsing of the arguments, or
        arguments that the tool's function does not take: its code is not reached."""
        if type(error) is TypeError:
            return _ends_at_the_call(error)
        return type(error).__name__ == "ValidationError" and _passes_parsing(error.__traceback__)

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        own, given = ("_arun", "coroutine") if self._only_async else ("_run", "func")
        # The classes that LangChain itself brings take their function as a field.
        kind = cast("Any", type(self._tool))
        by_langchain = getattr(kind, own).__module__.startswith("langchain_core.")
        name = given if by_langchain and getattr(self._tool, given, None) is not None else own
        attach_to(self._tool, name, wrap)


def _injected(tool: Any, function: Any) -> dict[str, Any]:
    """What stands for the parameters that an agent's tool node would fill in, by name.

    Raises:
        TargetError: nothing can stand for one of them.
    """
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    except Exception:  # noqa: BLE001 - what cannot be looked at, LangChain says
        return {}
    found: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        mark = mark_of(inspect.Parameter.empty, hints.get(parameter.name))
        kind = mark if isinstance(mark, type) else type(mark)
        if mark is None or kind.__name__ in ("RunnableConfig", "InjectedToolCallId"):
            if kind.__name__ == "InjectedToolCallId":
                found[parameter.name] = "1"
            continue  # LangChain itself passes a configuration
        stand_in = _stand_in(kind, mark, hints[parameter.name])
        if stand_in is not None:
            found[parameter.name] = stand_in
        elif parameter.default is inspect.Parameter.empty:
            raise cannot_inject(str(tool.name), parameter.name)
    return found


def _stand_in(kind: type, mark: Any, hint: Any) -> Any:
    """What stands for a runtime, a whole state or a store; ``None`` where nothing can."""
    state = InjectedMapping("the state", messages=[])
    if kind.__name__ == "InjectedState":
        declared: Any = typing.get_args(hint)[0]
        origin: Any = typing.get_origin(declared) or declared
        is_mapping = isinstance(origin, type) and issubclass(origin, dict)
        wanted: frozenset[str] = getattr(cast("Any", origin), "__required_keys__", frozenset())
        is_whole = not getattr(mark, "field", None) and wanted <= state.keys()
        return state if (is_mapping or origin is Any) and is_whole else None
    memory = sys.modules.get("langgraph.store.memory")
    if memory is None and "langgraph" in sys.modules:
        memory = importlib.import_module("langgraph.store.memory")
    store = None if memory is None else memory.InMemoryStore()
    if kind.__name__ == "InjectedStore":
        return store
    if kind.__name__ != "ToolRuntime":
        return None
    parts: dict[str, Any] = {
        "state": state,
        "context": AbsentObject("the context"),
        "config": InjectedMapping("the configuration"),
        "stream_writer": lambda *_: None,  # pyright: ignore[reportUnknownLambdaType] - anything
        "tool_call_id": "1",
        "store": store,
    }
    try:
        taken = inspect.signature(kind).parameters
        return kind(**{name: part for name, part in parts.items() if name in taken})
    except Exception:  # noqa: BLE001 - of a release that wants more
        return None


def _is_runtime(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and hasattr(value, "context")


def _content(result: Any) -> Any:
    """What a model is shown of the message that answers a call."""
    update: Any = getattr(result, "update", None)
    if type(result).__name__ == "Command" and isinstance(update, dict):
        messages = cast("list[Any]", cast("dict[str, Any]", update).get("messages") or [])
        return "\n".join(str(getattr(each, "content", each)) for each in messages)
    return getattr(result, "content", result)


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

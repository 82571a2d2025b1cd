"""Parameters that a framework fills in, and no model: they are not fuzzed.

A function of an application keeps them when it is fuzzed by its own name: ``Depends`` of FastAPI
and FastDepends, injected state, store and call identifiers of LangChain, the context of MCP servers
and of agent frameworks. They are recognised by their classes' names, without importing any
framework, so that a framework that nobody here knows is recognised by the usual ones.

What stands for a state, a context or a configuration is empty. A tool that asks it for more was
not run: nobody knows here what the framework would have put there.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, NoReturn

from knitbone.errors import TargetError

__all__ = [
    "AbsentObject",
    "InjectedMapping",
    "NotInjectedError",
    "cannot_inject",
    "mark_of",
    "needs_nothing",
    "without_injected",
]

_PACKAGES = frozenset(
    {"fastapi", "starlette", "fast_depends", "langchain_core", "langgraph", "langchain", "mcp",
     "fastmcp", "ag2", "autogen", "pydantic_ai", "agents", "llama_index", "agno", "phi", "strands",
     "google"}
)  # fmt: skip
_CLASSES = frozenset(
    {"Dependant", "Request", "Response", "BackgroundTasks", "WebSocket", "ToolRuntime",
     "RunnableConfig", "Context", "ContextVariables", "RunContext", "RunContextWrapper",
     "ToolContext", "Agent", "Team"}
)  # fmt: skip
"""Of these packages: other people's classes have such names too."""
_MARKS = frozenset(
    {"Depends", "Security", "Inject", "Injected", "FromContext", "InjectedToolArg",
     "InjectedState", "InjectedStore", "InjectedToolCallId"}
)  # fmt: skip
"""Classes of anybody's whose objects, as a default or within ``Annotated``, mean nothing else."""


def without_injected(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function with what a framework injects filled in, as far as that is possible here.

    A dependency that is a function without required parameters is called before each call.

    Raises:
        TargetError: there is no telling what would be injected.
    """
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    except Exception:  # noqa: BLE001 - whoever reads the parameters says what is wrong
        return function
    makers: dict[str, Callable[[], Any]] = {}
    left_out: list[str] = []
    for parameter in signature.parameters.values():
        mark = mark_of(parameter.default, hints.get(parameter.name))
        if mark is None:
            continue
        left_out.append(parameter.name)
        dependency = getattr(mark, "dependency", None)
        if callable(dependency) and needs_nothing(dependency):
            makers[parameter.name] = dependency
        elif parameter.default is inspect.Parameter.empty or parameter.default is mark:
            raise cannot_inject(name, parameter.name)
    return _filled(function, signature, makers, left_out) if left_out else function


def cannot_inject(name: str, parameter: str) -> TargetError:
    """That nothing can stand for what a tool is injected."""
    return TargetError(
        f"{name!r} takes {parameter!r}, which its framework injects.",
        next_step="Write a function without it that calls the tool, and name that one.",
    )


def _filled(
    function: Callable[..., Any],
    signature: inspect.Signature,
    makers: dict[str, Callable[[], Any]],
    left_out: list[str],
) -> Callable[..., Any]:
    @functools.wraps(function)
    def filled(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{name: make() for name, make in makers.items()}, **kwargs)

    kept = [p for p in signature.parameters.values() if p.name not in left_out]
    filled.__signature__ = signature.replace(parameters=kept)  # pyright: ignore[reportAttributeAccessIssue] - inspect reads it
    return filled


def mark_of(default: Any, hint: Any) -> Any:
    """What says that a parameter is injected: its default, its metadata or its type."""
    candidates = [default, *getattr(hint, "__metadata__", ())]
    for candidate in candidates:
        kind = candidate if isinstance(candidate, type) else type(candidate)
        if _is_known(kind) or any(base.__name__ in _MARKS for base in kind.__mro__):
            return candidate
    inner = typing.get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    for option in (inner, *typing.get_args(inner)):
        kind = typing.get_origin(option) or option
        if isinstance(kind, type) and _is_known(kind):
            return kind
    return None


def _is_known(kind: type) -> bool:
    return any(
        base.__name__ in _CLASSES and base.__module__.partition(".")[0] in _PACKAGES
        for base in kind.__mro__
    )


def needs_nothing(function: Callable[..., Any]) -> bool:
    """Whether a function or a class can be called without arguments."""
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return False
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True


class NotInjectedError(KeyError, AttributeError):
    """Something was asked for that a framework would have injected."""

    def __str__(self) -> str:
        return str(self.args[0])


def _refuse(what: str, name: object) -> NoReturn:
    raise NotInjectedError(f"{what}, which the framework injects, has no {name!r} here")


class InjectedMapping(dict[str, Any]):
    """A state or configuration; ``get`` and ``in`` find nothing, as in an empty one."""

    def __init__(self, what: str, *args: Any, **known: Any) -> None:
        super().__init__(*args, **known)
        self._what = what

    def __missing__(self, key: str) -> NoReturn:
        _refuse(self._what, key)


class AbsentObject:
    """An object of which nothing is known; it is false."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(self.__dict__.get("_what", "an object"), name)

    def __getitem__(self, key: object) -> NoReturn:
        _refuse(self._what, key)

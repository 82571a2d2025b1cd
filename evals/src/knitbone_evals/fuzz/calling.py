"""One call of a tool, and what went wrong in it: shared by the baseline and by the tests.

Nothing here knows the fuzzer. What is counted as an error, raised or returned, is a simple rule
that holds for every treatment in the table.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import re
import signal
import threading
import typing
from collections.abc import Callable, Iterator
from operator import attrgetter
from types import TracebackType
from typing import Any

import msgspec

__all__ = [
    "Call",
    "Failure",
    "call",
    "is_own",
    "is_refusal",
    "load",
    "observe",
    "own_modules",
    "returned_error",
]

_ERROR_WORDS = re.compile("error|exception|failed|traceback|invalid")
_ERROR_NAME = re.compile(r"\b[A-Z][A-Za-z]{0,40}(?:Error|Exception)\b")
_QUOTED = re.compile(r"'[^'\n]{0,400}'|\"[^\"\n]{0,400}\"")
_BRACES = re.compile(r"\{.*\}", re.DOTALL)
_WORD = re.compile("(?<![a-z0-9])[a-z]{2,}(?![a-z0-9])")
_LIBRARIES = ("/langchain_community/", "/langchain_experimental/")
_LONGEST_TEXT = 2000
_REFUSALS = ("ValidationError", "TypeError")
"""What arguments are refused with before the tool is entered: by their schema, or by Python because
there is one too many or too few."""
_SHORTEST_ECHO = 4
_FIRST_WORDS = 6


class Failure(msgspec.Struct, frozen=True):
    """A failed call. Two are the same error if their ``key`` is the same."""

    kind: str
    """``raised``, ``returned text`` or ``hang``."""
    exceptions: tuple[str, ...] = ()
    """Names of the exception's type and of the types it derives from."""
    function: str = ""
    line: int = 0
    """Innermost frame in the tool's own modules."""
    text: str = ""
    """Message, or text that was returned."""
    key: str = ""


class Call(msgspec.Struct, frozen=True):
    """What a call gave: a value, a failure, or a refusal of the arguments by their schema."""

    value: Any = None
    failure: Failure | None = None
    rejected: bool = False


class _TimedOut(BaseException):
    pass


def load(target: str) -> Any:
    """The object that ``module:name`` names; ``module:name()`` calls it first."""
    module, _, name = target.partition(":")
    found = attrgetter(name.removesuffix("()"))(importlib.import_module(module))
    return found() if name.endswith("()") else found


def own_modules(tool: Any) -> tuple[str, ...]:
    """Files, or parts of their names, whose frames are the tool's own: the module that its
    function or its class is written in, and for an installed tool its whole library."""
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    source = function or (tool if inspect.isroutine(tool) else type(tool))
    file = inspect.getfile(source)
    return _LIBRARIES if "site-packages" in file else (file,)


def is_own(file: str) -> bool:
    """Whether a file that a fuzzer calls the tool's own is one by the rule of ``own_modules``."""
    return "site-packages" not in file or any(part in file for part in _LIBRARIES)


def is_refusal(exception: str, function: str) -> bool:
    """Whether an exception refuses the arguments: none of the tool's own frames has run."""
    return exception in _REFUSALS and not function


def call(tool: Any, arguments: dict[str, Any]) -> Any:
    """Call a function, a method, or a LangChain tool as an agent's framework does.

    Raises:
        pydantic.ValidationError: The arguments do not meet the tool's schema.
        BaseException: Whatever the tool raises.
    """
    if hasattr(tool, "invoke"):
        if getattr(tool, "func", True) is None:
            return asyncio.run(tool.ainvoke(arguments))
        return tool.invoke(arguments)
    result = tool(**_models(tool, arguments))
    return asyncio.run(result) if inspect.iscoroutine(result) else result


def _models(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with pydantic models built where they are announced and a dict was given."""
    hints = typing.get_type_hints(function)
    return {
        name: hints[name].model_validate(value)
        if isinstance(value, dict) and hasattr(hints.get(name), "model_validate")
        else value
        for name, value in arguments.items()
    }


def observe(tool: Any, arguments: dict[str, Any], *, timeout: float, own: tuple[str, ...]) -> Call:
    """Call a tool and say what happened; ``own`` are file names, or parts of them.

    Must run in the main thread: the time limit is kept by an alarm, which ends a loop in Python
    and a regular expression, but not other code in C.
    """
    try:
        with _alarm(timeout):
            value = call(tool, arguments)
    except _TimedOut:
        return Call(failure=Failure("hang", key="hang"))
    except (Exception, SystemExit, KeyboardInterrupt) as problem:  # noqa: BLE001 - any tool
        failure = _raised(problem, own)
        if is_refusal(failure.exceptions[0], failure.function):
            return Call(rejected=True)
        return Call(failure=failure)
    return Call(value=value, failure=returned_error(value, arguments))


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    assert threading.current_thread() is threading.main_thread()

    def stop(_number: int, _frame: object) -> None:
        raise _TimedOut

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _frames(trace: TracebackType | None) -> Iterator[tuple[str, str, int]]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield code.co_filename, code.co_name, trace.tb_lineno
        trace = trace.tb_next


def _own_frame(problem: BaseException, own: tuple[str, ...]) -> tuple[str, int] | None:
    """Innermost frame in the tool's own files."""
    found = None
    for file, function, line in _frames(problem.__traceback__):
        if any(part in file for part in own):
            found = function, line
    return found


def _raised(problem: BaseException, own: tuple[str, ...]) -> Failure:
    names = tuple(kind.__name__ for kind in type(problem).__mro__[:-2])
    function, line = _own_frame(problem, own) or ("", 0)
    try:
        text = str(problem)
    except Exception:  # noqa: BLE001 - the message is the tool's own code
        text = ""
    key = f"{names[0]} in {function}:{line}"
    return Failure("raised", names, function, line, text[:_LONGEST_TEXT], key)


def returned_error(value: Any, arguments: dict[str, Any]) -> Failure | None:
    """The error that a text tells of, by its words; None for all other values.

    Two texts tell of the same error if they name the same type of exception or, without one, begin
    with the same words once the arguments, quoted text and everything with a digit are taken out.
    """
    if not isinstance(value, str):
        return None
    text = _without(value[:_LONGEST_TEXT], arguments)
    if _ERROR_WORDS.search(text.lower()) is None:
        return None
    name = _ERROR_NAME.search(text)
    words = _WORD.findall(_without_values(text).lower())[:_FIRST_WORDS]
    key = " ".join(words) if name is None else name.group()
    return Failure("returned text", text=value[:_LONGEST_TEXT], key=key)


def _without_values(text: str) -> str:
    """The text without what it quotes, or shows as a set or a dict; an object of JSON is kept."""
    if not text.lstrip().startswith("{"):
        text = _BRACES.sub(" ", text)
    return _QUOTED.sub(" ", text)


def _without(text: str, arguments: dict[str, Any]) -> str:
    """The text without the arguments that it gives back, in any case: they tell of nothing.

    A short one is taken out where it stands alone only: "e" is a part of most messages.
    """
    texts = [argument for argument in arguments.values() if isinstance(argument, str)]
    for argument in sorted(filter(None, texts), key=len, reverse=True):
        pattern = re.escape(argument)
        if len(argument) < _SHORTEST_ECHO:
            pattern = rf"(?<!\w){pattern}(?!\w)"
        text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    return text

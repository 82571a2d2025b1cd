"""Who raised an exception: an operation on the arguments, or code that refuses them on purpose.

Read off the traceback alone: the instruction at which its innermost frame stopped (a ``raise``
statement, or an operation or a call into C), whose code that frame is, and the handler that a
wrapped exception was caught by.
"""

from __future__ import annotations

import ast
import dis
import errno
import linecache
import os
import sys
from collections.abc import Collection, Iterator
from functools import lru_cache
from types import TracebackType
from typing import Any, Literal, NamedTuple

from knitbone.common.ownership import is_ours, is_standard
from knitbone.common.source import parse_source
from knitbone.fuzzing.sandbox.missing_resources import text_of, what_was_lacking
from knitbone.fuzzing.sandbox.wire import Message
from knitbone.fuzzing.tools.types import Tool

__all__ = ["describe_origin", "is_unforeseen"]

By = Literal["operation", "tool", "library", "argument"]

_RAISE = dis.opmap["RAISE_VARARGS"]
_CAUSES = 5
"""Wrappers around wrappers that are looked through."""
_KEPT = 2_000
"""Characters of a cause's message."""
_BASES = 12
_BROAD = frozenset({"Exception", "BaseException"})
_ANY = _BROAD | {"object"}


class _RaisePlace(NamedTuple):
    file: str
    line: int
    explicit: bool
    """It stopped at a ``raise`` (or an ``assert``), and not in what it called."""
    own: bool


def describe_origin(
    tool: Tool, error: BaseException, arguments: dict[str, Any] | None = None, *, depth: int = 0
) -> Message:
    """Who raised it and its base types; where a handler for everything wrapped another exception
    and repeats its message, that one's origin as ``cause``; what the machine lacked, if that.

    Args:
        arguments: of the call; what they name, the machine does not lack.
    """
    place = _innermost(tool, error.__traceback__)
    by = _by(error, place)
    if depth and place is not None and _is_given_code(place.file):
        by = "argument"
    made: Message = {"by": by, "bases": list(_bases(error))}
    if depth:
        made["said"] = text_of(error)[:_KEPT]
        made["line"] = 0 if place is None else place.line
    else:
        on_purpose = place is not None and place.own and place.explicit
        if (lack := what_was_lacking(error, arguments or {}, on_purpose=on_purpose)) is not None:
            made["lacking"] = lack
    cause = _wrapped(error, place) if depth < _CAUSES else None
    if cause is not None:
        made["cause"] = describe_origin(tool, cause, depth=depth + 1)
        made["around"] = not any(map(tool.owns, _files(error))) and any(
            map(tool.owns, _files(cause))
        )
    return made


def is_unforeseen(tool: Tool, error: BaseException) -> bool:
    """Whether an exception that was caught is one that the tool's author did not think of: its own
    code did not raise it, and no handler of its own names its type. That our limit on files was
    met, nobody foresees."""
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return True
    if _by(error, _innermost(tool, error.__traceback__)) == "tool":
        return False
    caught_at = next(_lines(error), None)
    if caught_at is None or not tool.owns(caught_at[0]):
        return True
    handler = _handler_of(caught_at, {kind.__name__ for kind in type(error).__mro__})
    return handler is None or _is_broad(handler)


def _by(error: BaseException, place: _RaisePlace | None) -> By:
    if place is not None and place.explicit:
        if place.own:
            return "tool"
        if not _is_standard(place.file):
            return "library"
    return _by_type(error)


def _is_given_code(file: str) -> bool:
    """Whether a frame runs code that was compiled from a text: ``eval`` of an argument, say."""
    return file in ("<string>", "<stdin>", "<unknown>", "<expr>", "<expression>")


def _is_standard(file: str) -> bool:
    """Whether a file is of the standard library, or no file at all."""
    return is_standard(file) or os.path.basename(file).startswith("<")  # noqa: PTH119


def _by_type(error: BaseException) -> By:
    """A type that an installed library defines is raised on purpose, by its C code too."""
    module = type(error).__module__.partition(".")[0]
    standard = module in sys.stdlib_module_names or module in ("builtins", "__main__")
    return "operation" if standard else "library"


def _bases(error: BaseException) -> Iterator[str]:
    for kind in type(error).__mro__[:_BASES]:
        if kind.__name__ not in _ANY:
            yield kind.__name__


def _innermost(tool: Tool, traceback: TracebackType | None) -> _RaisePlace | None:
    """The last frame that is not ours. What ours was called for is an operation of the tool:
    rewritten modules compute through it."""
    found: _RaisePlace | None = None
    within = False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = _real(code.co_filename)
        if is_ours(file):
            within = True
        else:
            explicit = _stops_at_raise(code.co_code, traceback.tb_lasti)
            found = _RaisePlace(file, traceback.tb_lineno, explicit, tool.owns(file))
            within = False
        traceback = traceback.tb_next
    return found._replace(explicit=False) if found is not None and within else found


def _stops_at_raise(code: bytes, offset: int) -> bool:
    return 0 <= offset < len(code) and code[offset] == _RAISE


def _wrapped(error: BaseException, place: _RaisePlace | None) -> BaseException | None:
    """What a handler for everything caught and raised anew with the same message."""
    inner = error.__cause__ or error.__context__
    if inner is None or place is None or not place.explicit or inner is error:
        return None
    told = text_of(inner).strip()
    repeats = bool(told) and told in text_of(error)
    return inner if repeats and any(map(_catches_everything, _lines(error))) else None


def _lines(error: BaseException) -> Iterator[tuple[str, int]]:
    """Where each frame of its traceback stopped, without ours: a handler may have called what
    raises."""
    traceback = error.__traceback__
    while traceback is not None:
        file = _real(traceback.tb_frame.f_code.co_filename)
        if not is_ours(file):
            yield file, traceback.tb_lineno
        traceback = traceback.tb_next


def _files(error: BaseException) -> Iterator[str]:
    return (file for file, _ in _lines(error))


def _catches_everything(place: tuple[str, int]) -> bool:
    """Whether a line stands in a handler for all exceptions."""
    file, line = place
    innermost: ast.ExceptHandler | None = None
    for handler in _handlers(file):
        if handler.lineno <= line <= (handler.end_lineno or handler.lineno) and (
            innermost is None or handler.lineno > innermost.lineno
        ):
            innermost = handler
    return innermost is not None and _is_broad(innermost)


def _handler_of(place: tuple[str, int], names: Collection[str]) -> ast.ExceptHandler | None:
    """The handler that catches what is raised at a line, by the names of its type and bases."""
    file, line = place
    around = [
        attempt
        for attempt in _attempts(file)
        if attempt.lineno <= line <= (attempt.body[-1].end_lineno or line)
    ]
    for attempt in sorted(around, key=lambda each: -each.lineno):
        for handler in attempt.handlers:
            if handler.type is None or not _named(handler).isdisjoint(names):
                return handler
    return None


def _named(handler: ast.ExceptHandler) -> set[str]:
    """Names of the types that a handler lists."""
    listed = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(each).rpartition(".")[2] for each in listed if each is not None}


def _is_broad(handler: ast.ExceptHandler) -> bool:
    """Whether it catches all exceptions."""
    return handler.type is None or not _named(handler).isdisjoint(_BROAD)


def _handlers(file: str) -> Iterator[ast.ExceptHandler]:
    return (handler for attempt in _attempts(file) for handler in attempt.handlers)


@lru_cache(maxsize=64)
def _attempts(file: str) -> tuple[ast.Try, ...]:
    try:
        tree = parse_source("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Try))


@lru_cache(maxsize=1_024)
def _real(file: str) -> str:
    return file if file.startswith("<") else os.path.realpath(file)

"""What a tool does with its arguments, in a few words for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from knitbone.fuzzing.trace.terms import UNKNOWN, Event, Term

__all__ = ["describe"]

_LONGEST = 100
_COMPARED = {"operator.eq": "is", "operator.ne": "is not", "operator.lt": "<",
             "operator.le": "<=", "operator.gt": ">", "operator.ge": ">="}  # fmt: skip


def describe(event: Event) -> Iterator[str]:
    """Lines such as ``note: split on ";" into 3``; none for what tells nothing."""
    line = _line(event.term)
    if line is not None and len(line) <= _LONGEST:
        yield line


def _line(term: Term) -> str | None:
    arguments = term.args
    match term.op:
        case "unpack":
            inner = arguments[0]
            if type(inner) is Term and inner.op.endswith(".split"):
                return f"{_what(inner.args[0])}: split {_separator(inner)} into {arguments[1]}"
            return f"{_what(inner)}: taken apart into {arguments[1]}"
        case "int" | "float" | "decimal.Decimal" | "json.loads" | "uuid.UUID":
            return f"{term.op} of {_what(arguments[0])}" if type(arguments[0]) is Term else None
        case "datetime.datetime.strptime":
            return f"{_what(arguments[0])}: date {arguments[1]!r}"
        case "in":
            held = arguments[1]
            if type(held) is Term or not isinstance(held, tuple | list | set | frozenset | dict):
                return None
            members = cast("Any", held)
            shown = ", ".join(sorted(repr(m) for m in members if m is not UNKNOWN))
            return f"{_what(arguments[0])} in {{{shown}}}"
        case "operator.truth":
            inner = arguments[0]
            if type(inner) is Term and inner.op.startswith("re.") and len(inner.args) > 1:
                return f"{_what(inner.args[1])}: matches {_pattern(inner.args[0])}"
            return None
        case "operator.truediv" | "operator.floordiv" | "operator.mod":
            sign = {"truediv": "/", "floordiv": "//", "mod": "%"}[term.op.partition(".")[2]]
            return f"{_what(arguments[0])} {sign} {_what(arguments[1])}"
        case op if op in _COMPARED:
            return f"{_what(arguments[0])} {_COMPARED[op]} {_what(arguments[1])}"
        case _:
            return None


def _what(value: Any, depth: int = 0) -> str:
    """A term by what a reader would call it."""
    if type(value) is not Term:
        return "..." if value is UNKNOWN else repr(value)
    if depth > 4:
        return "..."
    arguments = value.args
    match value.op:
        case "input":
            first, *rest = arguments[0]
            return str(first) + "".join(f"[{step!r}]" for step in rest)
        case "operator.getitem":
            if isinstance(arguments[1], int) and type(arguments[0]) is Term:
                return f"part {arguments[1] + 1} of {_what(arguments[0], depth + 1)}"
            return f"{_what(arguments[0], depth + 1)}[{_what(arguments[1], depth + 1)}]"
        case "getattr":
            return f"{arguments[1]} of {_what(arguments[0], depth + 1)}"
        case "len":
            return f"length of {_what(arguments[0], depth + 1)}"
        case op if op.startswith(".str.") and op.removeprefix(".str.") in _QUIET:
            return _what(arguments[0], depth + 1)
        case op if type(arguments[0] if arguments else None) is Term:
            return f"{op.rpartition('.')[2]} of {_what(arguments[0], depth + 1)}"
        case _:
            return "..."


_QUIET = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "split"})


def _separator(split: Term) -> str:
    separator = split.args[1] if len(split.args) > 1 else None
    return f'on "{separator}"' if isinstance(separator, str) else "on blanks"


def _pattern(value: Any) -> str:
    return repr(getattr(value, "pattern", value))

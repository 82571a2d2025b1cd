"""How a value was computed from a tool's arguments, as data.

A term is an operation on terms and constants; ``input`` is a place in the arguments. Terms cross
from the worker to the generator as JSON (``pack``, ``unpack``), and can be computed again there for
other arguments (``fuzzing/solve/evaluate.py``).
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "UNKNOWN",
    "CallTrace",
    "Event",
    "Path",
    "Term",
    "UnknownConstant",
    "pack",
    "type_of",
    "unpack",
]

type_of: Callable[..., Any] = type
"""``type`` for values of which nothing is known: what they say of themselves is not asked."""

Path = tuple["str | int", ...]
"""Keys and positions that lead from the arguments to a value."""


class UnknownConstant:
    """A constant that cannot be told."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = UnknownConstant()


class Term:
    """An operation and what it was applied to: terms, or plain values.

    ``names`` are those of the last arguments, where they were given by keyword; ``depth`` is the
    longest way down to a constant; ``count`` is how many items the list had that it stands for,
    while it was recorded.
    """

    __slots__ = ("args", "count", "depth", "names", "op")

    def __init__(self, op: str, args: tuple[Any, ...], names: tuple[str, ...] = ()) -> None:
        self.op = op
        self.args = args
        self.names = names
        self.count: int | None = None
        depth: int = 0
        for argument in args:
            if type(argument) is Term and argument.depth > depth:
                depth = argument.depth
        self.depth: int = depth + 1

    def __repr__(self) -> str:
        shown = [repr(argument) for argument in self.args]
        first = len(shown) - len(self.names)
        for index, name in enumerate(self.names):
            shown[first + index] = f"{name}={shown[first + index]}"
        return f"{self.op}({', '.join(shown)})"


class Event(NamedTuple):
    """Something that the tool's code decided, or that could have failed."""

    site: int
    """Number of the place in the code."""
    kind: str
    """``branch``: ``term`` was true or false; ``call``: it gave a value or raised."""
    term: Term
    outcome: bool
    """Of a branch, what it was; of a call, whether it gave a value."""


class CallTrace(NamedTuple):
    """What one call of a tool did."""

    events: tuple[Event, ...]
    covered: frozenset[tuple[int, bool]]
    """Conditions of the code, whether their value is known to come from the arguments or not."""
    places: dict[int, tuple[str, int, str]]
    """File, line and source text of each site that occurs."""


_MAX_TEXT = 4_000
_MAX_ITEMS = 300
_MAX_DEPTH = 6
_MAX_NODES = 4_000

_SPECIAL: dict[str, Callable[[str], Any]] = {
    "date": dt.date.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
    "time": dt.time.fromisoformat,
    "timedelta": lambda text: dt.timedelta(seconds=float(text)),
    "Decimal": decimal.Decimal,
    "float": float,
    "bytes": base64.b64decode,
}


def pack(trace: CallTrace) -> dict[str, Any]:
    """A trace as JSON; what does not fit is left out at the end."""
    nodes: list[Any] = []
    numbers: dict[int, int] = {}
    events: list[Any] = []
    for event in trace.events:
        number = _pack_term(event.term, nodes, numbers, 0)
        if len(nodes) > _MAX_NODES:
            break
        events.append([event.site, event.kind, number, event.outcome])
    return {
        "nodes": nodes,
        "events": events,
        "covered": sorted([site, value] for site, value in trace.covered),
        "places": {str(site): list(place) for site, place in trace.places.items()},
    }


def _pack_term(term: Term, nodes: list[Any], numbers: dict[int, int], depth: int) -> int:
    known = numbers.get(id(term))
    if known is not None:
        return known
    if depth > 60 or len(nodes) > _MAX_NODES:
        nodes.append(["unknown", []])
        return len(nodes) - 1
    arguments = [
        ["t", _pack_term(argument, nodes, numbers, depth + 1)]
        if type(argument) is Term
        else _pack_value(argument, 0)
        for argument in term.args
    ]
    nodes.append([term.op, arguments, list(term.names)] if term.names else [term.op, arguments])
    numbers[id(term)] = len(nodes) - 1
    return len(nodes) - 1


def _pack_value(value: Any, depth: int) -> list[Any]:
    kind = type_of(value)
    if value is None or kind is bool:
        return ["c", value]
    if kind is int:
        return ["c", value] if abs(value) < 10**30 else ["u"]
    if kind is str:
        return ["c", value] if len(value) <= _MAX_TEXT else ["u"]
    if kind is float:
        return ["c", value] if math.isfinite(value) else ["s", "float", repr(value)]
    if kind is bytes:
        text = base64.b64encode(value[:_MAX_TEXT]).decode()
        return ["s", "bytes", text] if len(value) <= _MAX_TEXT else ["u"]
    if kind is slice:
        return ["slice", [_pack_value(part, 0) for part in (value.start, value.stop, value.step)]]
    if depth > _MAX_DEPTH:
        return ["u"]
    if kind in (list, tuple, set, frozenset) and len(value) <= _MAX_ITEMS:
        items = sorted(value, key=repr) if kind in (set, frozenset) else value
        return [kind.__name__, [_pack_value(item, depth + 1) for item in items]]
    if kind is dict and len(value) <= _MAX_ITEMS:
        pairs = [[_pack_value(k, depth + 1), _pack_value(v, depth + 1)] for k, v in value.items()]
        return ["dict", pairs]
    return _pack_object(value, kind)


def _pack_object(value: Any, kind: Any) -> list[Any]:
    name = kind.__name__
    if kind is re.Pattern and isinstance(value.pattern, str) and len(value.pattern) <= _MAX_TEXT:
        return ["re", value.pattern, int(value.flags)]
    if kind in (dt.date, dt.datetime, dt.time):
        return ["s", name, value.isoformat()]
    if kind is dt.timedelta:
        return ["s", name, repr(value.total_seconds())]
    if kind is decimal.Decimal:
        return ["s", name, str(value)]
    return ["u"]


def unpack(data: Any) -> CallTrace:
    """The trace that ``pack`` packed; untrusted: what makes no sense is left out."""
    try:
        return _unpack(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        return CallTrace((), frozenset(), {})
    except (re.error, OverflowError, decimal.InvalidOperation):
        return CallTrace((), frozenset(), {})


def _unpack(data: Any) -> CallTrace:
    terms: list[Term] = []
    for node in data["nodes"]:
        arguments: list[Any] = [
            terms[argument[1]] if argument[0] == "t" else _unpack_value(argument)
            for argument in node[1]
        ]
        names = tuple(node[2]) if len(node) > 2 else ()
        if node[0] == "input":
            arguments[0] = tuple(arguments[0])
        terms.append(Term(str(node[0]), tuple(arguments), names))
    events = tuple(
        Event(int(site), str(kind), terms[number], bool(outcome))
        for site, kind, number, outcome in data["events"]
    )
    covered = frozenset((int(site), bool(value)) for site, value in data["covered"])
    places = {
        int(site): (str(place[0]), int(place[1]), str(place[2]))
        for site, place in data["places"].items()
    }
    return CallTrace(events, covered, places)


def _unpack_value(packed: Any) -> Any:
    match packed[0]:
        case "c":
            return packed[1]
        case "u":
            return UNKNOWN
        case "s":
            return _SPECIAL[packed[1]](packed[2])
        case "re":
            return re.compile(packed[1], packed[2])
        case "slice":
            return slice(*(_unpack_value(part) for part in packed[1]))
        case "dict":
            return {_unpack_value(key): _unpack_value(value) for key, value in packed[1]}
        case kind:
            made = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
            return made(_unpack_value(item) for item in packed[1])

"""What an expression may hold, as far as the analysis cares: a model's answer and the way to it.

All are frozen and hashable; an expression has a tuple of them, one for each way to reach it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from knitbone.adaptation.requirements import Step
from knitbone.adaptation.requirements.records import Confidence

__all__ = [
    "Answer",
    "AppClass",
    "AppFunction",
    "AppInstance",
    "AppModule",
    "Awaitable",
    "Constant",
    "External",
    "ExternalInstance",
    "Held",
    "Lines",
    "Origin",
    "Parts",
    "PatternValue",
    "Place",
    "Response",
    "Series",
    "Several",
    "Value",
    "Values",
    "iterate",
    "join",
    "reorigin",
]


class Place(msgspec.Struct, frozen=True):
    """The expression where an answer becomes available."""

    function: str
    """Key of the function that holds it."""
    line: int
    column: int
    end_line: int
    end_column: int


class Origin(msgspec.Struct, frozen=True):
    """The call that produced an answer."""

    text: str
    """As written, such as ``client.chat.completions.create``."""
    file: str
    line: int


class Held(msgspec.Struct, frozen=True):
    """An answer as text: where it became available and what was done to it since."""

    place: Place
    origin: Origin
    confidence: Confidence
    steps: tuple[Step, ...] = ()
    lost: str = ""
    """Why the text can no longer be replayed (a slice, an unknown method)."""


class Answer(Held, frozen=True):
    """The whole text, or one line of it where ``steps`` split it."""


class Lines(Held, frozen=True):
    """A list of its lines."""


class Parts(Held, frozen=True):
    """The result of ``split``/``partition`` at a delimiter inside a line."""

    separator: str = ""


class Response(msgspec.Struct, frozen=True):
    """A response object of an SDK, and the path walked into it."""

    provider: str
    origin: Origin
    confidence: Confidence
    path: str = ""


class External(msgspec.Struct, frozen=True):
    """A dotted name outside the application."""

    name: str


class ExternalInstance(msgspec.Struct, frozen=True):
    """An object of an external class, or an attribute path of one."""

    name: str
    path: str = ""


class AppFunction(msgspec.Struct, frozen=True):
    """A function of the application; ``bound`` where ``self`` is supplied already."""

    key: str
    bound: bool = False


class AppClass(msgspec.Struct, frozen=True):
    """A class of the application."""

    key: str


class AppInstance(msgspec.Struct, frozen=True):
    """An object of such a class."""

    key: str


class AppModule(msgspec.Struct, frozen=True):
    """A module of the application."""

    path: str


class Constant(msgspec.Struct, frozen=True):
    """A literal."""

    value: str | int | bool | None


class PatternValue(msgspec.Struct, frozen=True):
    """A compiled regular expression; ``pattern`` is ``None`` where it is not a constant."""

    pattern: str | None
    flags: int
    file: str
    line: int
    expression: str


class Awaitable(msgspec.Struct, frozen=True):
    """A coroutine; awaiting it makes its answer available."""

    inner: tuple[Any, ...]


class Series(msgspec.Struct, frozen=True):
    """A list, tuple or generator whose items are alike."""

    items: tuple[Any, ...]


class Several(msgspec.Struct, frozen=True):
    """A tuple, item by item."""

    items: tuple[tuple[Any, ...], ...]


Value = (
    Answer
    | Lines
    | Parts
    | Response
    | External
    | ExternalInstance
    | AppFunction
    | AppClass
    | AppInstance
    | AppModule
    | Constant
    | PatternValue
    | Awaitable
    | Series
    | Several
)
Values = tuple[Value, ...]

_MAX_VALUES = 12
"""Ways to reach one expression that are told apart (ours)."""


def join(*several: Values) -> Values:
    """All values once, in order, bounded."""
    return tuple(dict.fromkeys(value for values in several for value in values))[:_MAX_VALUES]


def iterate(values: Values) -> Values:
    """What a loop over the values binds."""
    items: list[Value] = []
    for value in values:
        if isinstance(value, Series):
            items.extend(value.items)
        elif isinstance(value, Several):
            for item in value.items:
                items.extend(item)
        elif isinstance(value, Response):
            items.append(msgspec.structs.replace(value, path=f"{value.path}[]"))
        elif isinstance(value, Lines):
            items.append(
                Answer(value.place, value.origin, value.confidence, value.steps, value.lost)
            )
    return join(tuple(items))


def reorigin(values: Values, place: Place, keep: set[Place], function: str) -> Values:
    """Answers that a call brings from inside the callee become available at the call."""
    moved: list[Value] = []
    for value in values:
        own = isinstance(value, Held) and (value.place in keep or value.place.function == function)
        if isinstance(value, Answer) and not own and not _is_line(value):
            moved.append(Answer(place, value.origin, value.confidence))
        else:
            moved.append(value)
    return join(tuple(moved))


def _is_line(value: Answer) -> bool:
    return any(step.name in ("splitlines", "split") for step in value.steps)

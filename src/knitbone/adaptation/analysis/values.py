"""Values of expressions, as far as the analysis cares: an output and the way to it.

All are frozen and hashable; an expression has a tuple of them, one for each way to reach it. After
``reply = client.chat(...)`` the name holds a ``Response``, after ``text = reply.content`` a
``Tracked``, after ``parts = text.split()`` the ``Tracked`` of another node.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from knitbone.adaptation.analysis.catalogue import Produced
from knitbone.adaptation.requirements import Evidence, Shape
from knitbone.adaptation.requirements.uses import Computed

__all__ = [
    "AppClass",
    "AppFunction",
    "AppInstance",
    "AppModule",
    "Awaitable",
    "Bindings",
    "CallArguments",
    "Chain",
    "ComposedText",
    "Constant",
    "External",
    "FixedItems",
    "Frozen",
    "Keyed",
    "Partial",
    "PatternValue",
    "Place",
    "ProducingCall",
    "Response",
    "Series",
    "Settings",
    "Tracked",
    "Value",
    "Values",
    "beyond_written",
    "drop_vague_instances",
    "freeze",
    "is_constant",
    "join",
    "nodes_of",
    "thaw",
    "tracked_in",
]


class Place(msgspec.Struct, frozen=True, cache_hash=True):
    """An expression of the application."""

    function: str
    """Key of the function that holds it."""
    line: int
    column: int
    end_line: int
    end_column: int


class ProducingCall(msgspec.Struct, frozen=True, cache_hash=True):
    """The call that produced an output."""

    text: str
    """As written, such as ``client.chat.completions.create``."""
    file: str
    line: int
    end_line: int


class Frozen(tuple[Any, ...]):
    """A dictionary of constants as sorted pairs, so that it can be hashed."""

    __slots__ = ()


Settings = tuple[tuple[str, Any], ...]


class Tracked(msgspec.Struct, frozen=True, cache_hash=True):
    """A value that comes from an output: a node of the tree of operations."""

    node: int
    piece: bool = False
    """One piece of a stream; joined, the pieces are the output."""


class Response(msgspec.Struct, frozen=True, cache_hash=True):
    """A response object of a library, before the output is taken out of it."""

    produced: Produced
    shape: str
    origin: ProducingCall
    place: Place
    """The expression of the call, or of its ``await``."""
    looped: bool = False
    """True if it is one of the parts that a loop goes over."""


class Awaitable(msgspec.Struct, frozen=True, cache_hash=True):
    """A coroutine, a task or a future; awaiting it gives what is inside."""

    inner: tuple[Any, ...]


class External(msgspec.Struct, frozen=True, cache_hash=True):
    """Something of a library, by the names and calls that lead to it."""

    path: str
    settings: Settings = ()
    """The arguments of the last call in the path."""
    made: Evidence | None = None
    """The expression that made it, where that says what it does."""
    inside: tuple[Any, ...] = ()
    """Chains that it was given and will run."""
    handed: ProducingCall | None = None
    """The call that handed this method of a client to a function, which calls it."""


class Chain(msgspec.Struct, frozen=True, cache_hash=True):
    """``prompt | model | parser``."""

    parts: tuple[tuple[Any, Any], ...]
    """Each part with the place of its expression."""
    path: str = ""


class AppFunction(msgspec.Struct, frozen=True, cache_hash=True):
    """A function of the application; ``receiver`` where ``self`` is supplied already."""

    key: str
    receiver: tuple[Any, ...] = ()
    closure: int = -1
    raw: bool = False
    """True if its decorators are already taken into account."""


class Partial(msgspec.Struct, frozen=True, cache_hash=True):
    """``functools.partial``."""

    callee: AppFunction | External | Chain
    arguments: tuple[tuple[Any, ...], ...]
    keywords: tuple[tuple[str, tuple[Any, ...]], ...]
    written: ast.Call
    """The call that gives the first arguments."""


class AppClass(msgspec.Struct, frozen=True, cache_hash=True):
    """A class of the application."""

    key: str


class AppInstance(msgspec.Struct, frozen=True, cache_hash=True):
    """An object of a class of the application."""

    key: str
    made: str = ""
    """Where it was constructed, if that is known: objects of one class are told apart by it."""


class AppModule(msgspec.Struct, frozen=True, cache_hash=True):
    """A module of the application."""

    path: str


class Constant(msgspec.Struct, frozen=True, cache_hash=True):
    """A literal."""

    value: str | int | float | bool | bytes | None


class ComposedText(msgspec.Struct, frozen=True, cache_hash=True):
    """A text of which some parts are computed: they stand as ``{expression}``."""

    text: str
    file: str
    line: int


class PatternValue(msgspec.Struct, frozen=True, cache_hash=True):
    """A compiled regular expression; ``pattern`` is ``Computed`` where it is not a constant."""

    pattern: Any
    flags: int


class Series(msgspec.Struct, frozen=True, cache_hash=True):
    """A list, set or generator whose items are alike, as one loop makes them."""

    items: tuple[Any, ...]
    over: tuple[int, ...] = ()
    """Of a list with one item for each of another, as ``[cell.strip() for cell in cells]``: the
    nodes at which the other is iterated. Its third item then is the other's third."""


class FixedItems(msgspec.Struct, frozen=True, cache_hash=True):
    """A tuple or list display, item by item."""

    items: tuple[tuple[Any, ...], ...]
    made: str = ""
    """Where the list was made, if others may add to it (``AnalysisState.fill``)."""


class Keyed(msgspec.Struct, frozen=True, cache_hash=True):
    """A dictionary: constant keys, and what stands under all others."""

    entries: tuple[tuple[Any, tuple[Any, ...]], ...]
    rest: tuple[Any, ...] = ()
    names: tuple[Any, ...] = ()
    """The values that the other keys are taken from: ``fields[name] = value`` of each line."""
    made: str = ""
    """Where the dictionary was made, if others may add to it (``AnalysisState.fill``)."""

    def get(self, key: Any) -> tuple[Any, ...]:
        """Return what stands under a constant key."""
        for known, values in self.entries:
            if known == key:
                return values
        return self.rest


Value = (
    Tracked
    | Response
    | Awaitable
    | External
    | Chain
    | AppFunction
    | Partial
    | AppClass
    | AppInstance
    | AppModule
    | Constant
    | ComposedText
    | PatternValue
    | Series
    | FixedItems
    | Keyed
)
Values = tuple[Value, ...]
Bindings = tuple[tuple[str, Values], ...]
"""The parameters of a function with what they hold."""

_MAX_VALUES = 24
"""Ways to reach one expression that are told apart (ours)."""


def join(*several: Values) -> Values:
    """Return all values once, in order, bounded."""
    held = [values for values in several if values]
    if len(held) <= 1 and (not held or len(held[0]) == 1):
        return held[0] if held else ()
    return tuple(dict.fromkeys(value for values in several for value in values))[:_MAX_VALUES]


class CallArguments(NamedTuple):
    """The arguments of a call, as values."""

    arguments: list[Values]
    keywords: dict[str | None, Values]

    def all(self) -> Values:
        """Return every value, whatever its place."""
        return join(*self.arguments, *self.keywords.values())


def beyond_written(container: Value) -> Values:
    """Return what a list or dictionary that is written out holds besides, once something that is
    not known is added to it; nothing for any other value."""
    if isinstance(container, FixedItems):
        return (Series(()),) if container.items else ()
    if isinstance(container, Keyed):
        return (Keyed(()),) if container.entries else ()
    written = isinstance(container, Constant) and isinstance(container.value, tuple)
    return (Series(()),) if written else ()


def nodes_of(values: Values) -> tuple[int, ...]:
    """Return the nodes of values that all are outputs; none where others are among them."""
    nodes = tuple(value.node for value in values if isinstance(value, Tracked))
    return nodes if len(nodes) == len(values) else ()


def drop_vague_instances(values: Values) -> Values:
    """Leave out objects of which only the class is known, where one of that class is
    known better."""
    made = {value.key for value in values if isinstance(value, AppInstance) and value.made}
    if not made:
        return values
    return tuple(
        value
        for value in values
        if not (isinstance(value, AppInstance) and not value.made and value.key in made)
    )


def tracked_in(values: Values, depth: int = 0) -> Iterator[Tracked]:
    """Find every tracked value inside, containers included."""
    if depth > 6:
        return
    for value in values:
        if isinstance(value, Tracked):
            yield value
        elif isinstance(value, Series):
            yield from tracked_in(value.items, depth + 1)
        elif isinstance(value, FixedItems):
            for item in value.items:
                yield from tracked_in(item, depth + 1)
        elif isinstance(value, Keyed):
            for _, item in value.entries:
                yield from tracked_in(item, depth + 1)
            yield from tracked_in(value.rest, depth + 1)
        elif isinstance(value, Awaitable):
            yield from tracked_in(value.inner, depth + 1)


def freeze(value: Any) -> Any:
    """Return a constant in a form that can be hashed."""
    if isinstance(value, Mapping):
        pairs: list[tuple[str, Any]] = [(str(k), freeze(v)) for k, v in value.items()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return Frozen(sorted(pairs, key=lambda pair: pair[0]))
    if isinstance(value, list | tuple) and not isinstance(value, Frozen):
        return tuple(freeze(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    return value


def thaw(value: Any) -> Any:
    """Return the constant that was frozen."""
    if isinstance(value, Frozen):
        return {key: thaw(inner) for key, inner in value}
    if isinstance(value, tuple):
        return tuple(thaw(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    return value


def is_constant(value: Any) -> bool:
    """Return whether an argument is fully known."""
    if isinstance(value, Computed):
        return False
    if isinstance(value, tuple):
        return all(is_constant(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
    return value is None or isinstance(value, str | int | float | bool | bytes | Shape)

"""The term of a value: its own, or one that puts it together from what its parts come from."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import re
from collections.abc import Iterable
from itertools import chain, islice
from operator import is_
from typing import Any

from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.terms import UNKNOWN, Term, type_of
from knitbone.fuzzing.trace.values import MAX_ITEMS, is_known, is_leaf, own_term, plain, wrap
from knitbone.fuzzing.trace.values import known_by_identity as is_made_anew

__all__ = [
    "argument",
    "holds",
    "is_container",
    "is_free",
    "is_told",
    "keys",
    "make_term",
    "shared",
    "wrapped",
]

_LOOKED_AT = 8
"""Items of a container that are looked at, to see whether it holds something tainted."""
_MAX_CONSTANT = 300
"""Parts of a constant; a larger one is told as unknown."""
_MAX_PARTS = 4 * MAX_ITEMS
_MAX_COMPARED = 2_000
"""Pairs of terms that are compared to see whether items were made alike."""
_DEPTH = 3


def holds(value: Any, depth: int = _DEPTH) -> bool:
    """Whether a container that the code has made holds something from the arguments."""
    kind = type_of(value)
    parts: Iterable[Any]
    if kind is list or kind is tuple or kind is set:
        parts = islice(value, _LOOKED_AT)
    elif kind is dict:
        parts = chain(islice(value, _LOOKED_AT), islice(value.values(), _LOOKED_AT))
    else:
        return False
    return any(is_known(part) or (depth > 1 and holds(part, depth - 1)) for part in parts)


def is_told(value: Any) -> bool:
    """Whether a value, or something in it, comes from the arguments."""
    kind = type_of(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return False
    if kind is list or kind is tuple or kind is dict or kind is set:
        return id(value) in TRACKED.objects or holds(value)
    return is_known(value)


def keys(value: Any) -> Any:
    """What ``in`` looks into: of a dictionary that is not known itself, the keys count."""
    if type_of(value) is dict and not is_known(value):
        return [*islice(value, _MAX_CONSTANT + 1)]
    return value


_FREE = frozenset(
    {"json.loads", "yaml.safe_load", "tomllib.loads", "tomli.loads", "ast.literal_eval", "input"}
)
"""What may give a value of any type."""


def is_free(term: Term) -> bool:
    """Whether a value is part of a document whose parts may be of any type."""
    inner: Any = term
    while type(inner) is Term and inner.op in ("operator.getitem", "items"):
        inner = inner.args[0]
    if type(inner) is not Term or inner.op not in _FREE:
        return False
    # The type of a whole argument is the schema's business.
    return inner is not term if inner.op != "input" else len(inner.args[0]) > 1


def make_term(name: str, *values: Any) -> Term:
    """An operation on values as a term."""
    return Term(name, tuple(map(argument, values)))


def argument(value: Any) -> Any:
    """A value as a part of a term: its term, or a constant that nothing changes later."""
    kind = type_of(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return value
    return _argument(value, kind, _DEPTH, [_MAX_CONSTANT * 2])


def _argument(value: Any, kind: Any, depth: int, left: list[int]) -> Any:
    """The same; ``left`` is how many parts may still be looked at."""
    term = own_term(value)
    if term is not None:
        return UNKNOWN if kind is io.StringIO else term  # its lines are not itself
    if is_leaf(value):
        return plain(value)  # an earlier call has left it behind
    if is_container(kind):
        whole = None
        if depth > 0 and value and len(value) <= _MAX_PARTS and holds(value, depth):
            whole = _together(value, kind, depth, left)
        return _CONSTANTS.get(value) if whole is None else whole
    if kind is slice:
        return slice(plain(value.start), plain(value.stop), plain(value.step))
    if kind is re.RegexFlag:
        return int(value)
    return value if any(kind is known for known in _TELLABLE) else UNKNOWN


_TELLABLE = (
    *(str, int, float, bool, bytes, type(None), range, re.Pattern),
    *(dt.date, dt.datetime, dt.time, dt.timedelta, decimal.Decimal),
)
"""Constants that can be told; to any other nothing is done."""


def is_container(kind: Any) -> bool:
    """Whether a type is one of those whose items are looked at."""
    return kind is list or kind is tuple or kind is dict or kind is set or kind is frozenset


def _together(value: Any, kind: Any, depth: int, left: list[int]) -> Term:
    """A container of parts of which some have terms."""
    values = value.values() if kind is dict else value
    parts: list[Any] = []
    for part in values:
        left[0] -= 1
        made = UNKNOWN if left[0] < 0 else _argument(part, type_of(part), depth - 1, left)
        parts.append(made)
    if kind is dict:
        return Term("dict", (_CONSTANTS.get(list(value)), *parts))
    return (_each(parts) if kind is list else None) or Term(kind.__name__, tuple(parts))


class _Constants:
    """Copies of containers that are no terms; the same table is looked at again and again."""

    def __init__(self) -> None:
        self._copies: dict[int, tuple[Any, tuple[Any, ...], Any]] = {}

    def get(self, value: Any) -> Any:
        """A plain copy, or ``UNKNOWN`` of what is large."""
        if len(value) > _MAX_CONSTANT:
            return UNKNOWN
        parts: tuple[Any, ...] = (*value, *value.values()) if type_of(value) is dict else (*value,)
        found = self._copies.get(id(value))
        if (
            found is not None
            and found[0] is value
            and len(found[1]) == len(parts)
            and all(map(is_, found[1], parts))
        ):
            return found[2]
        made = _copy(value, [_MAX_CONSTANT * 2])
        if not any(is_container(type_of(part)) for part in parts):
            if len(self._copies) >= _LOOKED_AT:
                self._copies.clear()
            self._copies[id(value)] = (value, parts, made)
        return made


_CONSTANTS = _Constants()


def _copy(value: Any, left: list[int]) -> Any:
    kind = type_of(value)
    if not is_container(kind):
        bare = plain(value)
        return bare if any(type_of(bare) is known for known in _TELLABLE) else UNKNOWN
    left[0] -= len(value) + 1
    if left[0] < 0:
        return UNKNOWN
    if (kind is dict or kind is set or kind is frozenset) and not all(map(_is_key, value)):
        return UNKNOWN  # what it is equal to cannot be told
    if kind is dict:
        return {_copy(key, left): _copy(part, left) for key, part in value.items()}
    return _made(kind, [_copy(part, left) for part in value])


def _made(kind: Any, parts: list[Any]) -> Any:
    return kind(parts)


def _is_key(value: Any) -> bool:
    """Whether a key or member can be told, with what is in it."""
    kind = type_of(value)
    if kind is tuple or kind is frozenset:
        return len(value) <= _LOOKED_AT and all(map(_is_key, value))
    return is_leaf(value) or any(kind is known for known in _TELLABLE)


def wrapped(done: Any, term: Term) -> Any:
    """A result; truth values and ``None`` say nothing more."""
    return done if done is NotImplemented else wrap(done, term)


def shared(done: Any, term: Term, holder: Any) -> Any:
    """A part of something: only leaves, and what is made anew, are known by their term; a list
    inside of a constant table is everybody's."""
    kind = type_of(done)
    if kind is str or kind is int or kind is float or kind is bytes or is_made_anew(done):
        return wrap(done, term)
    if is_container(kind) and _is_ordered(holder) and own_term(holder) is not None:
        return wrap(done, term)
    return done


def _is_ordered(value: Any) -> bool:
    kind = type_of(value)
    return kind is list or kind is tuple


def _each(parts: list[Any]) -> Term | None:
    """Items that were made alike from all items of one list, in their order: ``each`` of that
    list, so that it is known where their number comes from."""
    first = parts[0]
    if type(first) is not Term:
        return None
    left = [_MAX_COMPARED]
    for base in _bases(first, left):
        if base.count == len(parts) and all(
            type(part) is Term and _alike(first, part, base, n, left)
            for n, part in enumerate(parts)
        ):
            template = _with_hole(first, base, left)
            return base if template.op == "hole" else Term("each", (base, template))
    return None


def _bases(term: Term, left: list[int]) -> list[Term]:
    """The lists of whose first item the term makes something."""
    left[0] -= 1
    if left[0] < 0:
        return []
    if term.op == "operator.getitem" and type(term.args[0]) is Term and term.args[1] == 0:
        return [term.args[0], *_bases(term.args[0], left)]
    return [base for part in term.args if type(part) is Term for base in _bases(part, left)]


def _is_item(term: Term, base: Term, number: int) -> bool:
    return (
        term.op == "operator.getitem"
        and term.args[0] is base
        and type(term.args[1]) is int
        and term.args[1] == number
    )


def _alike(first: Any, other: Any, base: Term, number: int, left: list[int]) -> bool:
    left[0] -= 1
    if left[0] < 0:
        return False
    if type(first) is not Term or type(other) is not Term:
        return first is other or (
            type(first) is type(other)
            and any(type(first) is kind for kind in _COMPARED)
            and first == other
        )
    if _is_item(first, base, 0):
        return _is_item(other, base, number)
    if first is other:
        return True
    return (
        (first.op == other.op and first.names == other.names)
        and len(first.args) == len(other.args)
        and all(
            _alike(a, b, base, number, left) for a, b in zip(first.args, other.args, strict=True)
        )
    )


_COMPARED = (str, int, float, bytes, bool)
"""Constants that are compared by value; others are alike only if they are the same object."""


def _with_hole(term: Term, base: Term, left: list[int]) -> Term:
    if _is_item(term, base, 0):
        return Term("hole", ())
    left[0] -= 1
    if left[0] < 0:
        return term
    parts = tuple(_with_hole(p, base, left) if type(p) is Term else p for p in term.args)
    return Term(term.op, parts, term.names)

"""Operators and parts in rewritten code: the same operation, told to the recorder.

Each gives exactly what the expression gave, and raises what it raised. What does not come from the
arguments passes after a look at its type.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.compose import (
    argument,
    holds,
    is_free,
    is_told,
    keys,
    make_term,
    shared,
    wrapped,
)
from knitbone.fuzzing.trace.loops import PartIterator
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term, type_of
from knitbone.fuzzing.trace.values import (
    PLAIN_TYPES,
    is_known,
    is_leaf,
    own_term,
    plain,
)

__all__ = [
    "attribute",
    "binary",
    "chain",
    "compare",
    "contains",
    "in_place",
    "item",
    "matched",
    "method",
    "truth",
    "unary",
]

_NAMES = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("lshift", "rshift", "and_", "or_", "xor"),
)
_BINARY: dict[str, Callable[[Any, Any], Any]] = {name: getattr(operator, name) for name in _NAMES}
_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, f"i{name.rstrip('_')}") for name in _NAMES
}
_TERMS = {name: "pow" if name == "pow" else f"operator.{name}" for name in _NAMES}
_NEVER_RAISING = frozenset({"and_", "or_", "xor", "matmul"})
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


def binary(site: int, name: str, left: Any, right: Any) -> Any:
    """``left + right`` and the like."""
    if is_known(left) or is_known(right) or (name == "mod" and type(left) is str and holds(right)):
        return _binary(site, name, left, right, _BINARY[name])
    return _BINARY[name](left, right)


def in_place(site: int, name: str, left: Any, right: Any) -> Any:
    """``left += right`` and the like, without the assignment."""
    if is_known(left) or is_known(right):
        return _binary(site, name, left, right, _IN_PLACE[name])
    return _IN_PLACE[name](left, right)


def _binary(site: int, name: str, left: Any, right: Any, function: Any) -> Any:
    term = make_term(_TERMS[name], left, right)
    try:
        done = function(left, right)
    except Exception:
        RECORDER.call(site, term, False)
        raise
    if name not in _NEVER_RAISING:
        RECORDER.call(site, term, True)
    return wrapped(done, term)


def unary(name: str, value: Any) -> Any:
    """``-value``, ``+value``, ``~value``."""
    done = getattr(operator, name)(value)
    return wrapped(done, make_term(f"operator.{name}", value)) if is_known(value) else done


def compare(site: int, name: str, left: Any, right: Any) -> Any:
    """``left < right`` and the like."""
    try:
        done = _COMPARE[name](left, right)
    except TypeError:
        if RECORDER.active and (is_told(left) or is_told(right)):
            RECORDER.call(site, make_term(f"operator.{name}", left, right), False)
        raise
    if RECORDER.active and (done is True or done is False):
        RECORDER.covered.add((site, done))
        if is_told(left) or is_told(right):
            RECORDER.branch(site, make_term(f"operator.{name}", left, right), done)
    return done


def contains(site: int, left: Any, right: Any, *, negated: bool) -> Any:
    """``left in right``."""
    done = left in right
    if RECORDER.active:
        RECORDER.covered.add((site, done))
        if is_told(right) or is_known(left):
            RECORDER.branch(site, make_term("in", left, keys(right)), done)
    return not done if negated else done


def chain(site: int, names: tuple[str, ...], first: Any, *rest: Any) -> Any:
    """``a < f(b) < c``; what follows the first is given as functions."""
    left, done = first, True
    for name, make in zip(names, rest, strict=True):
        right = make()
        if name == "in":
            done = contains(site, left, right, negated=False)
        else:
            done = compare(site, name, left, right)
        if not done:
            return done
        left = right
    return done


def truth(site: int, value: Any) -> Any:
    """A condition: the value itself, its truth told."""
    if not RECORDER.active:
        return value
    if value is True or value is False:
        RECORDER.covered.add((site, value))
    elif value is None or _is_builtin(type_of(value)) or is_known(value):
        if type_of(value) is ET.Element:
            return value  # false without children: nothing that a term tells
        held = bool(value)
        RECORDER.covered.add((site, held))
        if is_told(value):
            RECORDER.branch(site, make_term("operator.truth", value), held)
    return value


def _is_builtin(kind: Any) -> bool:
    return kind is str or kind is int or kind is list or kind is dict or kind is tuple


def item(site: int, holder: Any, key: Any) -> Any:
    """``holder[key]``."""
    kind = type_of(holder)
    if kind is PartIterator:
        return holder.release()[key]  # which says that it has no items
    if is_known(holder) or is_known(key) or ((kind is list or kind is tuple) and holds(holder)):
        term = make_term("operator.getitem", holder, key)
    else:
        if kind is dict and holds(holder):
            # Before the look-up: it may fail.
            RECORDER.branch(site, make_term("in", key, keys(holder)), _has(holder, key))
        return holder[key]
    try:
        done = holder[key]
    except Exception:
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return done if is_known(done) else shared(done, term, holder)


def _has(holder: dict[Any, Any], key: Any) -> bool:
    """Whether a key is there, without asking what is not a plain key."""
    kind = type_of(key)
    return (kind is str or kind is int or is_leaf(key)) and key in holder


def attribute(site: int, holder: Any, name: str) -> Any:
    """``holder.name``, for names under which dates, addresses and the like keep their parts."""
    if name == "__class__":
        kind = holder.__class__
        return PLAIN_TYPES.get(kind, kind) if is_leaf(holder) else kind
    if is_leaf(holder):
        return getattr(plain(holder), name)
    done = getattr(holder, name)
    term = own_term(holder)
    if term is None or callable(done):
        return done
    made = Term("getattr", (term, name))
    RECORDER.call(site, made, True)
    return wrapped(done, made)


def method(site: int, holder: Any, name: str) -> Any:
    """``holder.name``, about to be called: of what may be of any type, whether it has that."""
    term = own_term(holder) if RECORDER.active and is_known(holder) else None
    if term is None:
        return getattr(holder, name)
    try:
        done = getattr(holder, name)
    except AttributeError:
        RECORDER.call(site, Term("method", (term, name)), False)
        raise
    if is_free(term):
        RECORDER.call(site, Term("method", (term, name)), True)
    return done


def matched(site: int, subject: Any, literals: tuple[Any, ...]) -> Any:
    """The subject of ``match``, compared with the literals that stand alone in its cases."""
    if is_known(subject):
        term = argument(subject)
        for literal in literals:
            same = bool(subject == literal)
            RECORDER.branch(site, Term("operator.eq", (term, literal)), same)
            if same:
                break
    return subject

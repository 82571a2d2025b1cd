"""Operators, parts and f-strings in rewritten code: the same operation, told to the recorder.

Each gives exactly what the expression gave, and raises what it raised. What does not come from the
arguments passes after a look at its type.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.pure import ATTRIBUTES
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term
from knitbone.fuzzing.trace.told import argument, collection, holds, make_term, shared, wrapped
from knitbone.fuzzing.trace.values import TAINTED, TRACKED, is_known, plain, term_of, wrap

__all__ = [
    "attribute",
    "binary",
    "chain",
    "compare",
    "contains",
    "in_place",
    "item",
    "loop",
    "matched",
    "pieces",
    "spread",
    "truth",
    "unary",
    "unpack",
]


_MAX_PIECES = 64

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in (
        [
            "add",
            "sub",
            "mul",
            "truediv",
            "floordiv",
            "mod",
            "pow",
            "lshift",
            "rshift",
            "and_",
            "or_",
            "xor",
            "matmul",
        ]
    )
}

_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "and_": operator.iand,
    "or_": operator.ior,
    **{
        name: getattr(operator, f"i{name}")
        for name in [
            "add",
            "sub",
            "mul",
            "truediv",
            "floordiv",
            "mod",
            "pow",
            "lshift",
            "rshift",
            "xor",
            "matmul",
        ]
    },
}

_RAISING = frozenset({"truediv", "floordiv", "mod", "pow", "lshift", "rshift", "sub", "add", "mul"})


def binary(site: int, name: str, left: Any, right: Any) -> Any:
    """``left + right`` and the like."""
    return _binary(site, name, left, right, _BINARY[name])


def in_place(site: int, name: str, left: Any, right: Any) -> Any:
    """``left += right`` and the like, without the assignment."""
    return _binary(site, name, left, right, _IN_PLACE[name])


def _binary(site: int, name: str, left: Any, right: Any, function: Any) -> Any:
    if not (is_known(left) or is_known(right)):
        return function(left, right)
    term = make_term(f"operator.{name}" if name != "pow" else "pow", left, right)
    try:
        done = function(plain(left), plain(right))
    except Exception:
        RECORDER.call(site, term, False)
        raise
    if name in _RAISING:
        RECORDER.call(site, term, True)
    return wrapped(done, term)


def unary(name: str, value: Any) -> Any:
    """``-value``, ``+value``, ``~value``."""
    function = getattr(operator, name)
    if not is_known(value):
        return function(value)
    return wrapped(function(plain(value)), make_term(f"operator.{name}", value))


def compare(site: int, name: str, left: Any, right: Any) -> Any:
    """``left < right`` and the like."""
    done = getattr(operator, name)(left, right)
    if type(done) is bool:
        RECORDER.cover(site, done)
        if is_known(left) or is_known(right) or holds(left) or holds(right):
            RECORDER.branch(site, make_term(f"operator.{name}", left, right), done)
    return done


def contains(site: int, left: Any, right: Any, *, negated: bool) -> Any:
    """``left in right``."""
    done = left in right
    RECORDER.cover(site, done)
    if is_known(left) or is_known(right) or holds(right):
        RECORDER.branch(site, make_term("in", left, collection(right)), done)
    return not done if negated else done


def chain(site: int, names: tuple[str, ...], first: Any, *rest: Any) -> Any:
    """``a < b < c``; what follows the first is given as functions."""
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
    if value is True or value is False:
        RECORDER.cover(site, value)
        return value
    if is_known(value) or holds(value):
        held = bool(value)
        RECORDER.cover(site, held)
        RECORDER.branch(site, make_term("operator.truth", value), held)
    elif value is None or type(value) in (str, int, float, list, dict, tuple, set):
        RECORDER.cover(site, bool(value))
    return value


def item(site: int, holder: Any, key: Any) -> Any:
    """``holder[key]``."""
    if not (is_known(holder) or is_known(key)):
        kind: Any = cast("Any", type(holder))
        if kind in (list, tuple) and holds(holder):
            return _own_item(site, holder, key)
        if kind is dict and holds(holder):
            RECORDER.branch(site, make_term("in", key, tuple(holder)), key in holder)
        return holder[key]
    term = make_term("operator.getitem", holder, _key(key))
    try:
        # A tainted position or key finds what the plain one finds.
        done = holder[key] if type(holder) not in TAINTED else plain(holder)[key]
    except (LookupError, TypeError, ValueError):
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return done if is_known(done) else shared(done, term, holder)


def _own_item(site: int, holder: Any, key: Any) -> Any:
    term = make_term("operator.getitem", holder, _key(key))
    try:
        done = holder[key]
    except (LookupError, TypeError):
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return done


def _key(key: Any) -> Any:
    if type(key) is slice:
        return slice(plain(key.start), plain(key.stop), plain(key.step))
    return key


def attribute(site: int, holder: Any, name: str) -> Any:
    """``holder.name``, for names under which dates, addresses and the like keep their parts."""
    done = getattr(holder, name)
    if holder in TRACKED and not callable(done) and name in ATTRIBUTES:
        term = Term("getattr", (term_of(holder), name))
        RECORDER.call(site, term, True)
        return wrapped(done, term)
    return done


def unpack(site: int, value: Any, count: int) -> Any:
    """A value that is about to be taken apart to ``count`` names."""
    if is_known(value) or holds(value):
        length = len(value) if hasattr(value, "__len__") else count
        RECORDER.call(site, Term("unpack", (argument(value), count)), length == count)
        if type(value) in TAINTED and length == count:
            return tuple(_characters(value))
    return value


def spread(value: Any) -> Any:
    """A value that is about to be taken apart to names of which one takes the rest."""
    return list(_characters(value)) if type(value) in TAINTED else value


def loop(site: int, value: Any) -> Any:
    """What a loop goes over."""
    if type(value) in TAINTED:
        RECORDER.branch(site, make_term("operator.truth", value), bool(value))
        return _characters(value)
    if type(value) is ET.Element and value in TRACKED:
        term = Term("items", (term_of(value),))
        return [wrap(p, Term("operator.getitem", (term, n))) for n, p in enumerate(value)]
    if value in TRACKED or holds(value):
        RECORDER.branch(site, make_term("operator.truth", value), bool(value))
    return value


def _characters(value: Any) -> Iterator[Any]:
    term = term_of(value)
    for index, character in enumerate(plain(value)):
        yield wrap(character, Term("operator.getitem", (term, index)))


def pieces(*parts: Any) -> str:
    """An f-string: texts, and (value, conversion, specification) of what is put in."""
    texts = [part if type(part) is str else _formatted(*part) for part in parts]
    text = "".join(texts)
    if len(parts) > _MAX_PIECES or all(type(p) is str or not is_known(p[0]) for p in parts):
        return text
    terms = tuple(
        part
        if type(part) is str
        else Term("format", (term_of(part[0]), part[2]))
        if is_known(part[0]) and part[1] in (-1, 115)
        else shown
        for part, shown in zip(parts, texts, strict=True)
    )
    return wrap(text, Term("join", terms))


def _formatted(value: Any, conversion: int, specification: str) -> str:
    value = plain(value)
    if conversion == 114:
        value = repr(value)
    elif conversion == 97:
        value = ascii(value)
    elif conversion == 115:
        value = str(value)
    return format(value, specification)


def matched(site: int, subject: Any, literals: tuple[Any, ...]) -> Any:
    """The subject of ``match``, compared with the literals that stand alone in its cases."""
    if is_known(subject):
        for literal in literals:
            same = bool(subject == literal)
            RECORDER.branch(site, make_term("operator.eq", subject, literal), same)
            if same:
                break
    return subject

"""Settings that ``configparser`` read from a text: known as a dictionary of sections."""

from __future__ import annotations

import configparser
from typing import Any

from knitbone.fuzzing.trace.compose import argument
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term, type_of
from knitbone.fuzzing.trace.tracked import TRACKED
from knitbone.fuzzing.trace.values import own_term, plain, wrap

__all__ = ["is_settings", "of_settings"]

_KINDS = (configparser.ConfigParser, configparser.RawConfigParser, configparser.SectionProxy)
_PARSERS = _KINDS[:2]
_GETTERS = {"get": None, "getint": "int", "getfloat": "float"}
_READING = frozenset(
    {"sections", "options", "items", "keys", "values", "defaults", "has_section", "has_option"}
    | {"getboolean", "write"}
)
"""Methods that change nothing."""


def is_settings(value: Any) -> bool:
    """Whether a value is a parser of settings, or a section of one; no subclass of theirs."""
    kind = type_of(value)
    return any(kind is known for known in _KINDS)


def of_settings(site: int, function: Any, owner: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A method of a parser or section, called with plain values; ``NotImplemented`` where nothing
    is known of it."""
    name = function.__name__
    kind = type_of(owner)
    if name == "read_string" and len(args) == 1 and not kwargs:
        return _read(site, function, owner, args[0])
    term = own_term(owner)
    if term is None:
        return NotImplemented
    keys = args[: 2 if any(kind is known for known in _PARSERS) else 1]
    if name in ("has_section", "has_option") and not kwargs:
        return _asked(site, function, term, args)
    if name in _GETTERS and keys and all(isinstance(key, str) for key in keys):
        return _got(site, function, term, keys, (args, kwargs))
    if name not in _READING:
        for changed in _KINDS:
            TRACKED.forget(changed)
    return NotImplemented


def _read(site: int, function: Any, owner: Any, text: Any) -> Any:
    term = Term("configparser", (argument(text),))
    known = owner.sections() == []
    failed = True
    try:
        done = function(*map(plain, (text,)))
        failed = False
    finally:
        if known:
            RECORDER.call(site, term, not failed)
    if known:
        TRACKED.add(owner, term)
    else:
        TRACKED.forget(type_of(owner))
    return done


def _asked(site: int, function: Any, term: Term, args: Any) -> Any:
    """``has_section`` and ``has_option``: one look-up in another."""
    done = function(*map(plain, args))
    RECORDER.branch(site, Term("in", (argument(args[0]), term)), plain(args[0]) in _owner(function))
    if len(args) == 2 and plain(args[0]) in _owner(function):
        section = _part(term, args[0])
        RECORDER.branch(site, Term("in", (_lowered(args[1]), section)), done)
    return done


def _got(site: int, function: Any, term: Term, keys: Any, given: Any) -> Any:
    """``get`` and the like: each look-up, and what a number is read from."""
    held: Any = function.__self__
    there = True
    for number, key in enumerate(keys):
        last = number == len(keys) - 1
        asked = _lowered(key) if last else argument(key)
        there = there and plain(key) in held
        RECORDER.branch(site, Term("in", (asked, term)), there)
        held = held[plain(key)] if there and not last else held
        term = Term("operator.getitem", (term, asked))
    number_of = _GETTERS[function.__name__]
    term = Term(number_of, (term,)) if number_of else term
    args, kwargs = given
    try:
        done = function(*map(plain, args), **{name: plain(v) for name, v in kwargs.items()})
    except ValueError:
        RECORDER.call(site, term, False)
        raise
    if number_of and there:
        RECORDER.call(site, term, True)
    return wrap(done, term) if there else done


def _part(term: Term, key: Any) -> Term:
    """A part of what has a term."""
    return Term("operator.getitem", (term, argument(key)))


def _owner(function: Any) -> Any:
    return function.__self__


def _lowered(key: Any) -> Any:
    """Options are kept in lower case."""
    return plain(key).lower() if isinstance(key, str) else argument(key)

"""Calls of functions whose result is known from what they get (``pure``): results with terms."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from types import FunctionType, MethodDescriptorType, MethodType
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.compose import argument, holds, keys, make_term, shared
from knitbone.fuzzing.trace.loops import PartIterator
from knitbone.fuzzing.trace.pure import is_builtin, name_of_function, name_of_method
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.settings import is_settings, of_settings
from knitbone.fuzzing.trace.strip import Stripped
from knitbone.fuzzing.trace.terms import UNKNOWN, Term, type_of
from knitbone.fuzzing.trace.tracked import TRACKED
from knitbone.fuzzing.trace.values import is_known, is_leaf, own_term, plain, wrap

__all__ = ["result"]

_PATTERN = frozenset(
    {"match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"}
)
_MAY_BE_EMPTY = frozenset({"urllib.parse.parse_qs", "urllib.parse.parse_qsl", "re.findall"})
"""What finds nothing without a word, and so leaves nothing that is known."""
_MAX_SUMMED = 300
"""Items of an iterator that are remembered while it is summed up."""


def result(site: int, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the call gives, its term known; ``NotImplemented`` if nothing is known of the function
    and it has not been called."""
    kind = type_of(function)
    if function is io.StringIO and len(args) == 1 and not kwargs:
        made = io.StringIO(plain(args[0]))
        TRACKED.add(made, Term("splitlines", (argument(args[0]),)))
        return made
    if (function is csv.reader or function is csv.DictReader) and args:
        return _rows(function, args, kwargs)
    name = name_of_function(function)
    if name is not None:
        return _pure(site, name, function, None, args, kwargs)
    if kind is MethodType or is_builtin(function):
        return _method(site, function, cast("Any", function).__self__, args, kwargs)
    if kind is MethodDescriptorType and args:
        name = name_of_method(args[0], function.__name__)
        if name is not None and not name.startswith(("dict.", "list.", "set.")):
            return _pure(site, f".{name}", function, None, args, kwargs)
    return NotImplemented


def _method(
    site: int, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if type(owner) is io.StringIO:
        TRACKED.forget(io.StringIO)  # it may be written to
        return NotImplemented
    if type(owner) is ET.Element and name_of_method(owner, function.__name__) is None:
        TRACKED.forget(ET.Element)  # it changes, and so does what it belongs to
        return NotImplemented
    if type(owner) is re.Pattern:
        return _of_pattern(site, function, owner, args, kwargs)
    if is_settings(owner):
        return of_settings(site, function, owner, args, kwargs)
    name = name_of_method(owner, function.__name__)
    if type(owner) is dict:
        return _of_dictionary(site, function, owner, args, kwargs)
    if name is None:
        return NotImplemented
    if name == "str.join" and len(args) == 1 and not isinstance(args[0], list | tuple):
        args = (list(args[0]),)  # as ``join`` itself does first
    return _pure(site, f".{name}", function, owner, args, kwargs)


def _pure(
    site: int,
    name: str,
    function: Any,
    owner: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call a function whose result is known from its arguments."""
    if name in ("sorted", "getattr") or (name == "str" and len(args) > 1):
        return NotImplemented
    if any(type(value) is FunctionType for value in (*args, *kwargs.values())):
        return NotImplemented
    kept: list[Any] | None = None
    if name in ("sum", "statistics.mean", "math.prod") and args and hasattr(args[0], "__next__"):
        kept = []
        args = (_passing(args[0], kept), *args[1:])
    receiver = () if owner is None else (owner,)
    parts = [argument(value) for value in (*receiver, *args, *kwargs.values())]
    stripped = Stripped(args, kwargs)
    if is_leaf(owner):
        # Some methods give the very text back where there is nothing to do: it is a result all the
        # same.
        function = getattr(plain(owner), function.__name__)
    done, failed = None, True
    try:
        done = function(*stripped.args, **stripped.kwargs)
        failed = False
    finally:
        stripped.restore()
        if kept is not None:
            parts[0] = argument(kept) if len(kept) <= _MAX_SUMMED else UNKNOWN
        term = Term(name, tuple(parts), tuple(kwargs))
        RECORDER.call(site, term, not failed)
    return _told(site, done, term)


def _passing(items: Any, kept: list[Any]) -> Iterator[Any]:
    """The items of an iterator, plain, as they are asked for; the first are kept."""
    for item in items:
        if len(kept) <= _MAX_SUMMED:
            kept.append(item)
        yield plain(item)


def _told(site: int, done: Any, term: Term) -> Any:
    """A result; one that says yes or no is a branch."""
    if done is None or type(done) is bool:
        RECORDER.branch(site, Term("operator.truth", (term,)), bool(done))
        return done
    if type(done) is re.Match or (type(done) is ET.Element and term.op == ".Element.find"):
        RECORDER.branch(site, Term("operator.truth", (term,)), True)
    elif term.op in _MAY_BE_EMPTY:
        RECORDER.branch(site, Term("operator.truth", (term,)), bool(done))
    elif hasattr(done, "__next__"):
        return PartIterator(done, term)
    return wrap(done, term)


def _of_pattern(
    site: int, function: Any, pattern: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A method of a compiled expression is the function of ``re``, where it goes over the whole
    text."""
    name = function.__name__
    whole = name in ("split", "sub", "subn") or len(args) == 1
    if kwargs or name not in _PATTERN or not whole:
        return NotImplemented
    if name in ("sub", "subn") and callable(args[0]):
        return NotImplemented
    return _pure(site, f"re.{name}", function, pattern, args, {})


def _of_dictionary(
    site: int, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``get``, ``pop`` and the like: whether the key is there, and what lies under it."""
    if not args or kwargs or function.__name__ not in ("get", "pop", "setdefault"):
        return NotImplemented
    key = args[0]
    if not is_known(key) and own_term(owner) is None and not holds(owner):
        return NotImplemented
    try:
        found = key in owner
    except TypeError:  # no key; the function says so itself
        return function(*args, **kwargs)
    term = make_term("operator.getitem", owner, key)
    RECORDER.branch(site, make_term("in", key, keys(owner)), found)
    done = function(*args, **kwargs)
    return shared(done, term, owner) if found and is_known(key) and not is_known(done) else done


def _rows(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    source = args[0]
    parts = [argument(value) for value in (*args, *kwargs.values())]
    if type(source) is io.StringIO and source.tell() == 0:
        parts[0] = own_term(source) or UNKNOWN
    name = "csv.reader" if function is csv.reader else "csv.DictReader"
    term = Term(name, tuple(parts), tuple(kwargs))
    # What it reads from it reads later: the lines stay as they are.
    inner = source.release() if type(source) is PartIterator else source
    stripped = Stripped(args[1:], kwargs)
    return PartIterator(function(inner, *stripped.args, **stripped.kwargs), term)

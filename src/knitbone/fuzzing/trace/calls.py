"""Calls in rewritten code: does the function get something from the arguments?

A function of the tool's own is called as it is. One whose result follows from its arguments makes a
term (``results``); one that only passes values on gets them as they are; any other gets plain
values.
"""

from __future__ import annotations

import collections
import configparser
import csv
import io
import re
import sys
import types
import warnings
from collections.abc import Iterator
from enum import EnumMeta
from functools import partial
from types import FunctionType, MethodDescriptorType, MethodType
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.compose import argument, holds, is_told, keys, make_term, shared
from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.loops import PartIterator, spread
from knitbone.fuzzing.trace.pure import is_builtin, name_of_function, name_of_method
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.strip import Stripped
from knitbone.fuzzing.trace.terms import UNKNOWN, Term, type_of
from knitbone.fuzzing.trace.values import PLAIN_TYPES, is_known, is_leaf, own_term, plain, wrap

__all__ = ["call", "call_spread", "is_settings", "of_settings", "own_files", "result"]


# Settings that ``configparser`` read from a text: known as a dictionary of sections.

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


# Calls of functions whose result is known from what they get (``pure``): results with terms.

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


_own: set[str] = set()

_DIRECT = frozenset(
    id(function)
    for function in (
        # These look at the frame that calls them.
        *(eval, exec, locals, globals, super, breakpoint, __import__, sys.exc_info),
        *(sys._getframe, collections.namedtuple, warnings.warn),  # pyright: ignore[reportPrivateUsage]
        # These hand on what they get, or ask nothing about it that taint would change.
        *(issubclass, setattr, delattr, iter, next, dict, print, id, hash, callable, slice),
        *(object, property, staticmethod, classmethod),
    )
)
_FRAME_MODULES = frozenset({"inspect", "logging", "warnings", "traceback", "typing", "sys"})
"""Modules of functions that look at their caller."""
_PASSING = frozenset(
    {"functools", "itertools", "collections", "operator", "_operator", "copy", "dataclasses"}
    | {
        "asyncio",
        "_asyncio",
        "concurrent",
        "threading",
        "contextlib",
        "contextvars",
        "_contextvars",
    }
    | {"queue", "_queue", "heapq", "_heapq", "bisect", "_bisect", "types", "typing", "weakref"}
)
"""Modules that hand values on, compare them at most, and ask nothing about their type."""
_HOLDERS = (list, dict, set, tuple, frozenset, collections.deque)


def call(site: int, function: Any) -> Any:
    """What to call in place of ``function``: itself, where there is nothing to tell."""
    if not RECORDER.active or _is_direct(function):
        return function
    return partial(_through, site, function)


def call_spread(site: int, function: Any) -> Any:
    """The same for a call with ``*`` or ``**``, whose failing names the function."""
    if not RECORDER.active or _is_direct(function):
        return function
    return _NamedFunction(_through, site, function)


def _is_direct(function: Any) -> bool:
    """Whether a function is the tool's own, hands on what it gets, or looks at its caller."""
    kind = type_of(function)
    if kind is FunctionType or kind is MethodType:
        inner = function if kind is FunctionType else function.__func__
        return type(inner) is FunctionType and (
            inner.__code__.co_filename in _own
            or inner.__globals__.get("__name__", "") in _FRAME_MODULES
        )
    if id(function) in _DIRECT:
        return True
    return kind is type and _is_own(type.__getattribute__(function, "__module__"))


class _NamedFunction(partial[Any]):
    """A function that is about to be called; in messages it bears the function's own name."""

    def __str__(self) -> str:
        function = self.args[1]
        name = getattr(function, "__qualname__", None)
        if name is None:
            return str(function)
        module = getattr(function, "__module__", None)
        return f"{name}()" if module in (None, "builtins") else f"{module}.{name}()"


def _through(site: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
    for value in args:
        if is_told(value) or type(value) is PartIterator:
            break
    else:
        # The receiver of a method: only of what is written in C is it asked for.
        owner = _self(function) if is_builtin(function) else None
        if not (
            (owner is not None and is_told(owner))
            or (kwargs and any(map(is_told, kwargs.values())))
            or (function is type and len(args) == 3)
            or (type_of(function) is MethodType and is_known(_self(function)))
        ):
            return function(*args, **kwargs)
    return _recorded(site, function, args, kwargs)


def _self(function: Any) -> Any:
    return function.__self__


def _recorded(site: int, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call that gets something from the arguments."""
    if function is type:
        return _type(*args, **kwargs)
    if function is isinstance and len(args) == 2:
        return _is_instance(site, args[0], args[1])
    if id(function) in _LISTS and len(args) == 1 and type_of(args[0]) is PartIterator:
        return args[0].all(function)
    made = result(site, function, args, kwargs)
    if made is not NotImplemented:
        return made
    if function is hasattr or function is getattr or function is vars or function is dir:
        return function(*map(plain, args), **kwargs)
    if id(function) in _REARRANGING and len(args) == 1 and not kwargs:
        return _rearranged(site, function, args[0])
    if id(function) in _BUILTIN or _passes(function):
        return function(*_gone_through(site, function, args), **kwargs)
    kind = type_of(function)
    if issubclass(kind, EnumMeta) and len(args) == 1 and not kwargs:
        return _member(site, function, args[0])
    return _foreign(function, args, kwargs)


_REARRANGING = frozenset(map(id, (set, frozenset, sorted)))


def _rearranged(site: int, function: Any, value: Any) -> Any:
    """A list in another order, or without what comes twice: known as that of the whole list, since
    its parts do not tell how many there were."""
    term = argument(value)
    done = function(*_gone_through(site, function, (value,)))
    if type(term) is Term and done:
        TRACKED.add(done, Term("sorted_of" if function is sorted else "set_of", (term,)))
    return done


def _gone_through(site: int, function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a builtin that goes through texts, with their characters known as such; what
    ``map`` and ``filter`` call is told like any call."""
    if id(function) in _MAPPING and len(args) > 1:
        return (call(site, args[0]), *map(spread, args[1:]))
    if function is zip:
        return tuple(map(spread, args))
    if id(function) in _GOING_THROUGH and args and (len(args) == 1 or function is enumerate):
        return (spread(args[0]), *args[1:])
    return args


_MAPPING = frozenset(map(id, (map, filter)))
_GOING_THROUGH = frozenset(
    map(id, (enumerate, list, tuple, set, frozenset, sorted, reversed, min, max, any, all))
)
_BUILTIN = _MAPPING | _GOING_THROUGH | {id(zip)}


def _foreign(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of which nothing is known, with plain values."""
    stripped = Stripped(args, kwargs)
    try:
        return function(*stripped.args, **stripped.kwargs)
    finally:
        stripped.restore()


def _passes(function: Any) -> bool:
    """Whether a function hands its arguments on, or belongs to the tool."""
    kind = type_of(function)
    if is_builtin(function):
        owner = function.__self__
        if isinstance(owner, types.ModuleType):
            return str(function.__module__).partition(".")[0] in _PASSING
        owner_kind = type_of(owner)
        return issubclass(owner_kind, _HOLDERS)
    if kind is FunctionType or kind is MethodType:
        inner = function if kind is FunctionType else function.__func__
        if type(inner) is not FunctionType:
            return False
        module = str(inner.__globals__.get("__name__", ""))
        return module.partition(".")[0] in _PASSING or "__wrapped__" in inner.__dict__
    if issubclass(kind, type):
        module = str(type.__getattribute__(function, "__module__"))
        return module.partition(".")[0] in _PASSING or _is_own(module)
    module = str(type.__getattribute__(kind, "__module__"))
    return module.partition(".")[0] in _PASSING or _is_own(module)


def _is_own(module: Any) -> bool:
    return type(module) is str and getattr(sys.modules.get(module), "__file__", None) in _own


def _type(*args: Any, **kwargs: Any) -> Any:
    """``type``: of one argument the plain type; of three a new class, in the module that asked."""
    if len(args) == 1 and not kwargs:
        kind = type_of(args[0])
        if kind is PartIterator:
            return args[0].kind()
        return PLAIN_TYPES[kind] if is_leaf(args[0]) else kind
    if len(args) == 3 and type_of(args[2]) is dict:
        module = sys._getframe(3).f_globals.get("__name__")  # pyright: ignore[reportPrivateUsage]
        args = (plain(args[0]), args[1], {**args[2], "__module__": module, **args[2]})
    return type_of(*args, **kwargs)


_LISTS = frozenset((id(list), id(tuple)))
_JSON = (str, int, float, bool, list, dict, type(None))


def _is_instance(site: int, value: Any, kinds: Any) -> bool:
    """``isinstance``, of a value from the arguments and types of JSON."""
    done = isinstance(value, kinds)
    if is_known(value):
        kind_of = type_of(kinds)
        asked: Any = kinds if kind_of is tuple else (kinds,)
        if kind_of is types.UnionType:
            asked = kinds.__args__
        if all(any(kind is known for known in _JSON) for kind in asked):
            names = tuple(kind.__name__ for kind in asked)
            RECORDER.branch(site, Term("isinstance", (argument(value), names)), done)
    return done


def _member(site: int, kind: Any, value: Any) -> Any:
    """A member of an enumeration, by its value."""
    values = tuple(member.value for member in kind)
    term = Term("member", (argument(values), argument(value)))
    try:
        done = kind(plain(value))
    except ValueError:
        RECORDER.call(site, term, False)
        raise
    if any(member is done for member in kind) and done.value == value:
        RECORDER.call(site, term, True)
    return done


def own_files() -> set[str]:
    """Files whose code is rewritten: calls of their functions need no helper."""
    return _own

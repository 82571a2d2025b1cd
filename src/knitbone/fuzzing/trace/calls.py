"""Calls in rewritten code: does the function get something from the arguments?

A function of the tool's own is called as it is. One whose result follows from its arguments makes a
term; any other gets plain values.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from enum import EnumMeta
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.pure import name_of_function, name_of_method
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term
from knitbone.fuzzing.trace.told import argument, collection, holds, make_term, shared
from knitbone.fuzzing.trace.values import (
    LEAVES,
    TAINTED,
    TRACKED,
    deeply_plain,
    is_known,
    plain,
    term_of,
    wrap,
)

__all__ = ["call", "own_files"]


_COPIED = frozenset({"yaml", "msgspec", "orjson", "numpy", "pandas", "pyarrow", "polars", "pickle"})
"""Libraries that look at exact types at any depth: they get plain copies."""

_CHANGING = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update"}
    | {"setdefault", "popitem", "add", "discard"}
)

_own: set[str] = set()


def call(site: int, function: Any) -> Any:
    """What to call in place of ``function``: itself, where it is the tool's own."""
    kind: Any = cast("Any", type(function))
    if kind is FunctionType:
        if function.__code__.co_filename in _own:
            return function
    elif kind is MethodType:
        inner = function.__func__
        if type(inner) is FunctionType and inner.__code__.co_filename in _own:
            return function
    return _Call(site, function)


class _Call:
    """A function that is about to be called."""

    __slots__ = ("_function", "_site")

    def __init__(self, site: int, function: Any) -> None:
        self._site = site
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = self._function
        if not RECORDER.active:
            return function(*args, **kwargs)
        if function is type and len(args) == 1 and not kwargs:
            kind = type(args[0])
            return next((p for p, t in LEAVES.items() if t is kind), kind)
        if (function is list or function is tuple) and args and type(args[0]) is _Parts:
            return args[0].all(function)
        if function is isinstance and len(args) == 2:
            return _is_instance(self._site, args[0], args[1])
        owner: Any = getattr(function, "__self__", None)
        known = (
            any(map(_matters, args))
            or any(map(_matters, kwargs.values()))
            or (owner is not None and _matters(owner))
        )
        if not known:
            return function(*args, **kwargs)
        return _recorded(self._site, function, owner, args, kwargs)


def _is_instance(site: int, value: Any, kinds: Any) -> bool:
    """``isinstance``, of a value from the arguments and types of JSON."""
    done = isinstance(value, kinds)
    asked: tuple[Any, ...] = cast("Any", kinds) if isinstance(kinds, tuple) else (kinds,)
    if is_known(value) and all(kind in _JSON for kind in asked):
        names = tuple(kind.__name__ for kind in asked)
        RECORDER.branch(site, Term("isinstance", (argument(value), names)), done)
    return done


_JSON = (str, int, float, bool, list, dict, type(None))


def _matters(value: Any) -> bool:
    return type(value) in TAINTED or value in TRACKED or holds(value)


def _recorded(
    site: int, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if type(owner) is type(re.compile("")):
        return _of_pattern(site, function, owner, args, kwargs)
    if function is io.StringIO and len(args) == 1 and not kwargs:
        made = io.StringIO(plain(args[0]))
        TRACKED.add(made, Term("splitlines", (argument(args[0]),)))
        return made
    if function in (csv.reader, csv.DictReader):
        return _rows(function, args, kwargs)
    name = name_of_function(function)
    if name is not None:
        return _pure(site, name, function, args, kwargs, None)
    if owner is not None and isinstance(function, BuiltinFunctionType | MethodType):
        if isinstance(owner, list | dict | set) and function.__name__ in _CHANGING:
            TRACKED.forget(owner)
            return _of_dictionary(site, function, owner, args, kwargs)
        name = name_of_method(owner, function.__name__)
        if name is not None:
            return _method(site, name, function, owner, args, kwargs)
    elif type(function) is MethodDescriptorType and args:
        name = name_of_method(args[0], function.__name__)
        if name is not None:
            return _pure(site, f".{name}", function, args, kwargs, None)
    return _unknown(site, function, args, kwargs)


def _method(
    site: int, name: str, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    kind, _, method = name.partition(".")
    if kind == "dict" and method != "get":
        return function(*args, **kwargs)  # its parts are tainted already
    if kind == "dict":
        return _of_dictionary(site, function, owner, args, kwargs)
    if kind == "str" and method == "join" and len(args) == 1:
        args = (list(args[0]),)  # as ``join`` itself does first
    return _pure(site, f".{name}", function, args, kwargs, owner)


def _pure(
    site: int,
    name: str,
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    owner: Any,
) -> Any:
    """Call a function whose result is known from its arguments."""
    if name in ("sorted", "list", "tuple") or (name == "str" and len(args) > 1):
        return function(*args, **kwargs)
    if any(callable(value) and type(value) is FunctionType for value in (*args, *kwargs.values())):
        return _unknown(site, function, args, kwargs)
    if name in ("sum", "statistics.mean") and args and hasattr(args[0], "__next__"):
        args = (list(args[0]), *args[1:])
    # A match holds a text from the arguments and is no text itself.
    receiver = () if owner is None else (owner,)
    term = Term(
        name,
        tuple(argument(value) for value in (*receiver, *args, *kwargs.values())),
        tuple(kwargs),
    )
    called = function
    if owner is not None and type(owner) in TAINTED:
        called = getattr(plain(owner), function.__name__)
    values = tuple(deeply_plain(value) for value in args)
    named = {key: deeply_plain(value) for key, value in kwargs.items()}
    try:
        done = called(*values, **named)
    except Exception:
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return _told(site, done, term)


def _told(site: int, done: Any, term: Term) -> Any:
    """A result; one that says yes or no is a branch."""
    if done is None or type(done) is bool:
        RECORDER.branch(site, Term("operator.truth", (term,)), bool(done))
        return done
    if type(done) is re.Match or (type(done) is ET.Element and term.op == ".Element.find"):
        RECORDER.branch(site, Term("operator.truth", (term,)), True)
    elif hasattr(done, "__next__"):
        return _Parts(done, term)
    return wrap(done, term)


def _of_pattern(
    site: int, function: Any, pattern: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A method of a compiled expression is the function of ``re``."""
    name = function.__name__
    if kwargs or name not in (
        "match",
        "fullmatch",
        "search",
        "findall",
        "finditer",
        "split",
        "sub",
    ):
        return _unknown(site, function, args, kwargs)
    if name == "sub" and callable(args[0]):
        return _unknown(site, function, args, kwargs)
    return _pure(site, f"re.{name}", getattr(re, name), (pattern, *args), {}, None)


def _of_dictionary(
    site: int, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``get``, ``pop`` and the like: whether the key is there, and what lies under it."""
    name = function.__name__
    if type(owner) is not dict or not args or name not in ("get", "pop", "setdefault"):
        return function(*args, **kwargs)
    key = args[0]
    found = key in owner
    holder = term_of(owner)
    if is_known(key) or type(holder) is Term:
        RECORDER.branch(site, make_term("in", key, collection(owner)), found)
    done = function(*args, **kwargs)
    if found and is_known(key) and not is_known(done):
        return shared(done, make_term("operator.getitem", owner, key), owner)
    return done


def _rows(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    source = args[0] if args else None
    inner = source._rows if isinstance(source, _Parts) else source
    term = Term(
        "csv.reader" if function is csv.reader else "csv.DictReader",
        (argument(source), *(deeply_plain(value) for value in (*args[1:], *kwargs.values()))),
        tuple(kwargs),
    )
    return _Parts(function(inner, *args[1:], **kwargs), term)


class _Parts:
    """An iterator whose parts are known as parts; otherwise it is the iterator that it holds."""

    def __init__(self, rows: Any, term: Term) -> None:
        self._rows = rows
        self._term = Term("items", (term,))
        self._next = 0

    def __iter__(self) -> _Parts:
        return self

    def __next__(self) -> Any:
        number, self._next = self._next, self._next + 1
        return wrap(next(self._rows), Term("operator.getitem", (self._term, number)))

    def all(self, kind: type[Any]) -> Any:
        """What is left, as a list or a tuple."""
        first, made = self._next, kind(self)
        if made and not first:
            TRACKED.add(made, self._term)
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


_PASSED_ON = frozenset(
    {isinstance, issubclass, getattr, setattr, hasattr, iter, next, zip, enumerate, map, filter}
    | {list, tuple, dict, set, frozenset, min, max, any, all, print, id, hash, callable, reversed}
    | {super, vars, dir}
)


def _unknown(site: int, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of which nothing is known: it gets plain values, but for containers, which
    it may change."""
    if isinstance(function, EnumMeta) and len(args) == 1 and not kwargs:
        return _member(site, function, args[0])
    head = str(getattr(function, "__module__", "") or "").partition(".")[0]
    try:
        carries = function in _PASSED_ON
    except TypeError:
        carries = False
    if carries or head in (
        "functools",
        "itertools",
        "collections",
        "operator",
        "copy",
        "dataclasses",
    ):
        return function(*args, **kwargs)
    if isinstance(function, type) and _is_own_class(function):
        return function(*args, **kwargs)
    strip = deeply_plain if head in _COPIED else plain
    values = tuple(strip(value) for value in args)
    named = {key: strip(value) for key, value in kwargs.items()}
    if isinstance(function, type) and head == "builtins" and issubclass(function, BaseException):
        return function(*values, **named)
    owner: Any = getattr(function, "__self__", None)
    if type(owner) in TAINTED:
        function = getattr(plain(owner), function.__name__)
    return function(*values, **named)


def _member(site: int, kind: Any, value: Any) -> Any:
    """A member of an enumeration, by its value."""
    values = tuple(member.value for member in kind)
    term = Term("member", (values, argument(value)))
    try:
        done = kind(plain(value))
    except ValueError:
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return done


def _is_own_class(kind: type[Any]) -> bool:
    module = sys.modules.get(kind.__module__)
    return getattr(module, "__file__", None) in _own


def own_files() -> set[str]:
    """Files whose code is rewritten: calls of their functions need no helper."""
    return _own

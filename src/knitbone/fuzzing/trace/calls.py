"""Calls in rewritten code: does the function get something from the arguments?

A function of the tool's own is called as it is. One whose result follows from its arguments makes a
term (``results``); one that only passes values on gets them as they are; any other gets plain
values.
"""

from __future__ import annotations

import collections
import sys
import types
import warnings
from enum import EnumMeta
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from knitbone.fuzzing.trace.compose import argument, is_told
from knitbone.fuzzing.trace.loops import PartIterator, spread
from knitbone.fuzzing.trace.pure import is_builtin
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.results import result
from knitbone.fuzzing.trace.strip import Stripped
from knitbone.fuzzing.trace.terms import Term, type_of
from knitbone.fuzzing.trace.tracked import TRACKED
from knitbone.fuzzing.trace.values import PLAIN_TYPES, is_known, is_leaf, plain

__all__ = ["call", "call_spread", "own_files"]

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

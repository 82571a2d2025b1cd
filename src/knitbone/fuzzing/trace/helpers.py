"""What rewritten code calls in place of its operations: the same operation, told to the recorder.

Each helper gives exactly what the expression gave, and raises what it raised. What does not come
from the arguments passes after a look at its type.
"""

from __future__ import annotations

import builtins
import csv
import io
import operator
import re
import sys
from collections.abc import Callable, Iterator
from enum import EnumMeta
from itertools import chain as chain_of
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.pure import ATTRIBUTES, name_of_function, name_of_method
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term
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

__all__ = ["HELPERS", "install", "own_files"]

_MAX_PIECES = 64
_LOOKED_AT = 8
"""Items of a container that are looked at, to see whether it holds something tainted."""
_COPIED = frozenset({"yaml", "msgspec", "orjson", "numpy", "pandas", "pyarrow", "polars", "pickle"})
"""Libraries that look at exact types at any depth: they get plain copies."""
_CHANGING = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "add",
        "discard",
    ]
)
_own: set[str] = set()


def own_files() -> set[str]:
    """Files whose code is rewritten: calls of their functions need no helper."""
    return _own


# -- operators --------------------------------------------------------------------------------

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
    term = _term(f"operator.{name}" if name != "pow" else "pow", left, right)
    try:
        done = function(plain(left), plain(right))
    except Exception:
        RECORDER.call(site, term, False)
        raise
    if name in _RAISING:
        RECORDER.call(site, term, True)
    return _wrapped(done, term)


def unary(name: str, value: Any) -> Any:
    """``-value``, ``+value``, ``~value``."""
    function = getattr(operator, name)
    if not is_known(value):
        return function(value)
    return _wrapped(function(plain(value)), _term(f"operator.{name}", value))


def compare(site: int, name: str, left: Any, right: Any) -> Any:
    """``left < right`` and the like."""
    done = getattr(operator, name)(left, right)
    if type(done) is bool:
        RECORDER.cover(site, done)
        if is_known(left) or is_known(right) or _holds(left) or _holds(right):
            RECORDER.branch(site, _term(f"operator.{name}", left, right), done)
    return done


def contains(site: int, left: Any, right: Any, *, negated: bool) -> Any:
    """``left in right``."""
    done = left in right
    RECORDER.cover(site, done)
    if is_known(left) or is_known(right) or _holds(right):
        RECORDER.branch(site, _term("in", left, _collection(right)), done)
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
    if is_known(value) or _holds(value):
        held = bool(value)
        RECORDER.cover(site, held)
        RECORDER.branch(site, _term("operator.truth", value), held)
    elif value is None or type(value) in (str, int, float, list, dict, tuple, set):
        RECORDER.cover(site, bool(value))
    return value


def _holds(value: Any) -> bool:
    """Whether a container that the code has made holds something from the arguments."""
    kind: Any = cast("Any", type(value))
    if kind not in (list, tuple, set, dict) or not value:
        return False
    if kind is dict:
        parts = chain_of(islice(value, _LOOKED_AT), islice(value.values(), _LOOKED_AT))
    else:
        parts = islice(value, _LOOKED_AT)
    return any(type(part) in TAINTED or part in TRACKED for part in parts)


def _collection(value: Any) -> Any:
    """What ``in`` looks into: of a dictionary the keys count."""
    if type(value) is dict and value not in TRACKED:
        return tuple(value)
    return value


def _term(name: str, *values: Any) -> Term:
    return Term(name, tuple(_argument(value) for value in values))


def _argument(value: Any) -> Any:
    made = term_of(value)
    return deeply_plain(made) if type(made) is not Term else made


def _wrapped(done: Any, term: Term) -> Any:
    """A result; truth values and ``None`` say nothing more."""
    if done is None or type(done) is bool or done is NotImplemented:
        return done
    return wrap(done, term)


# -- parts ------------------------------------------------------------------------------------


def item(site: int, holder: Any, key: Any) -> Any:
    """``holder[key]``."""
    if not (is_known(holder) or is_known(key)):
        kind: Any = cast("Any", type(holder))
        if kind in (list, tuple) and _holds(holder):
            return _own_item(site, holder, key)
        if kind is dict and _holds(holder):
            RECORDER.branch(site, _term("in", key, tuple(holder)), key in holder)
        return holder[key]
    term = _term("operator.getitem", holder, _key(key))
    try:
        # A tainted position or key finds what the plain one finds.
        done = holder[key] if type(holder) not in TAINTED else plain(holder)[key]
    except (LookupError, TypeError, ValueError):
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return done if is_known(done) else _shared(done, term, holder)


def _own_item(site: int, holder: Any, key: Any) -> Any:
    term = _term("operator.getitem", holder, _key(key))
    try:
        done = holder[key]
    except (LookupError, TypeError):
        RECORDER.call(site, term, False)
        raise
    RECORDER.call(site, term, True)
    return done


def _shared(done: Any, term: Term, holder: Any) -> Any:
    """A part of something: only leaves, and what is made anew, are known by their term; a list
    inside of a constant table is everybody's."""
    if type(done) in LEAVES:
        return wrap(done, term)
    if type(holder) in (list, tuple) and type(done) in (list, tuple) and holder in TRACKED:
        return wrap(done, term)
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
        return _wrapped(done, term)
    return done


def unpack(site: int, value: Any, count: int) -> Any:
    """A value that is about to be taken apart to ``count`` names."""
    if is_known(value) or _holds(value):
        length = len(value) if hasattr(value, "__len__") else count
        RECORDER.call(site, Term("unpack", (_argument(value), count)), length == count)
        if type(value) in TAINTED and length == count:
            return tuple(_characters(value))
    return value


def spread(value: Any) -> Any:
    """A value that is about to be taken apart to names of which one takes the rest."""
    return list(_characters(value)) if type(value) in TAINTED else value


def loop(site: int, value: Any) -> Any:
    """What a loop goes over."""
    if type(value) in TAINTED:
        RECORDER.branch(site, _term("operator.truth", value), bool(value))
        return _characters(value)
    if type(value) is ET.Element and value in TRACKED:
        term = Term("items", (term_of(value),))
        return [wrap(p, Term("operator.getitem", (term, n))) for n, p in enumerate(value)]
    if value in TRACKED or _holds(value):
        RECORDER.branch(site, _term("operator.truth", value), bool(value))
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
            RECORDER.branch(site, _term("operator.eq", subject, literal), same)
            if same:
                break
    return subject


# -- calls ------------------------------------------------------------------------------------


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
        RECORDER.branch(site, Term("isinstance", (_argument(value), names)), done)
    return done


_JSON = (str, int, float, bool, list, dict, type(None))


def _matters(value: Any) -> bool:
    return type(value) in TAINTED or value in TRACKED or _holds(value)


def _recorded(
    site: int, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if type(owner) is type(re.compile("")):
        return _of_pattern(site, function, owner, args, kwargs)
    if function is io.StringIO and len(args) == 1 and not kwargs:
        made = io.StringIO(plain(args[0]))
        TRACKED.add(made, Term("splitlines", (_argument(args[0]),)))
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
        tuple(_argument(value) for value in (*receiver, *args, *kwargs.values())),
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
    if type(done) is re.Match:
        RECORDER.branch(site, Term("operator.truth", (term,)), True)
    elif type(done) is ET.Element and term.op == ".Element.find":
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
        RECORDER.branch(site, _term("in", key, _collection(owner)), found)
    done = function(*args, **kwargs)
    if found and is_known(key) and not is_known(done):
        return _shared(done, _term("operator.getitem", owner, key), owner)
    return done


def _rows(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    source = args[0] if args else None
    inner = source._rows if isinstance(source, _Parts) else source
    term = Term(
        "csv.reader" if function is csv.reader else "csv.DictReader",
        (_argument(source), *(deeply_plain(value) for value in (*args[1:], *kwargs.values()))),
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
    term = Term("member", (values, _argument(value)))
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


HELPERS: dict[str, Callable[..., Any]] = {
    "__kb_binary__": binary,
    "__kb_in_place__": in_place,
    "__kb_unary__": unary,
    "__kb_compare__": compare,
    "__kb_contains__": contains,
    "__kb_chain__": chain,
    "__kb_truth__": truth,
    "__kb_item__": item,
    "__kb_attribute__": attribute,
    "__kb_unpack__": unpack,
    "__kb_spread__": spread,
    "__kb_loop__": loop,
    "__kb_pieces__": pieces,
    "__kb_matched__": matched,
    "__kb_call__": call,
}
"""By the names that rewritten code knows them by."""


def install() -> None:
    """Make the helpers known to rewritten code."""
    for name, helper in HELPERS.items():
        setattr(builtins, name, helper)

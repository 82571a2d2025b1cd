"""Calls in rewritten code: whether the function gets something tainted, and what it returns.

``watch(function)(...)`` calls exactly ``function``; what is not tainted passes at once, and an
error of ours leaves the call as it was. A frame of ours stands between application and function
only where the function is not the application's own.
"""

from __future__ import annotations

import logging
import re
import sys
from collections import OrderedDict
from collections.abc import Iterable
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple, cast

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.adaptation.learning.taint.marks import Mark, Varying, Written, application_frame
from knitbone.adaptation.learning.taint.places import Scope
from knitbone.adaptation.learning.taint.strings import TaintStr
from knitbone.adaptation.learning.taint.tainted_kinds import (
    TAINTED,
    deeply_plain,
    kind_of,
    mark_of,
    plain,
    taint,
)

__all__ = [
    "CONTAINERS",
    "LEAVES",
    "MAX_LISTED",
    "forget_objects",
    "is_silent",
    "name_of",
    "set_scope",
    "text_keys",
    "track_object",
    "tracked",
    "watch",
]


# Objects that came out of a tainted text and cannot record themselves: matches, XML elements, ...
#
# A bounded table remembers them by identity.

_MAX_OBJECTS = 2_000
"""Objects kept alive; the oldest are forgotten first."""

_lock = new_lock()
_objects: OrderedDict[int, tuple[Any, Mark]] = OrderedDict()


def track(value: Any, mark: Mark | None) -> Any:
    """Remember an object; return it."""
    if mark is not None and value is not None:
        mark.note_live()
        with _lock:
            # The object is kept: while it lives, no other can have its identity.
            _objects[id(value)] = (value, mark)
            _objects.move_to_end(id(value))
            while len(_objects) > _MAX_OBJECTS:
                _objects.popitem(last=False)
    return value


def tracked(value: Any) -> Mark | None:
    """Return the mark of an object."""
    found = _objects.get(id(value))
    return found[1] if found is not None and found[0] is value else None


def forget_objects() -> None:
    """Forget all objects."""
    with _lock:
        _objects.clear()


# Names of functions that receive a tainted value, and tables of what is known of some.

_MODULES = {
    "_csv": "csv", "_io": "io", "_sqlite3": "sqlite3", "_datetime": "datetime", "_json": "json",
    "_decimal": "decimal", "_pydecimal": "decimal", "_pydatetime": "datetime", "_operator":
    "operator", "_sre": "re", "_strptime": "datetime", "builtins": "", "_ast": "ast",
    "_bisect": "bisect", "_collections": "collections", "posix": "os", "nt": "os",
    "re._compiler": "re", "sre_compile": "re",
}  # fmt: skip
"""Modules written in C, by the name that code imports."""

_RECEIVERS = {
    "sqlite3.Cursor": "sqlite3.connect().cursor()",
    "sqlite3.Connection": "sqlite3.connect()",
    "psycopg.Cursor": "psycopg.connect().cursor()",
    "psycopg.Connection": "psycopg.connect()",
    "psycopg2.extensions.cursor": "psycopg2.connect().cursor()",
    "psycopg2.extensions.connection": "psycopg2.connect()",
    "pymysql.cursors.Cursor": "pymysql.connect().cursor()",
    "sqlalchemy.engine.base.Connection": "sqlalchemy.create_engine().connect()",
    "json.decoder.JSONDecoder": "json.JSONDecoder()",
    "datetime.datetime": "datetime.datetime",
}
"""Objects, by the calls that make them."""

NEW_CONTAINER_FUNCTIONS = frozenset(
    {"json.loads", "json.JSONDecoder().decode", "json.JSONDecoder().raw_decode", "orjson.loads"}
    | {"ujson.loads", "simplejson.loads", "json5.loads", "json_repair.loads", "hjson.loads"}
    | {"json_repair.json_repair.loads", "msgspec.json.decode", "pydantic_core.from_json"}
    | {"yaml.safe_load", "yaml.load", "yaml.full_load", "yaml.unsafe_load", "toml.loads"}
    | {"tomllib.loads", "tomli.loads", "tomllib._parser.loads", "tomli._parser.loads", "eval"}
    | {"ast.literal_eval", "xmltodict.parse", "re.findall", "re.split", "shlex.split"}
    | {"urllib.parse.parse_qs", "urllib.parse.parse_qsl", "urllib.parse.urlsplit"}
    | {"langchain_core.utils.json.parse_json_markdown", "textwrap.wrap"}
    | {"langchain_core.utils.json.parse_partial_json", "sorted", "list", "tuple", "reversed"}
)
"""Functions whose lists and dictionaries are made for the caller: nobody else holds them, so that
they can be exchanged for recording ones. They get the plain text: nothing but the value counts."""

OBJECT_FUNCTIONS = frozenset(
    {"re.match", "re.search", "re.fullmatch", "re.finditer", "csv.reader", "csv.DictReader"}
    | {"io.StringIO", "io.BytesIO", "yaml.safe_load_all", "yaml.load_all"}
    | {"xml.etree.ElementTree.fromstring", "xml.etree.ElementTree.XML"}
    | {"xml.etree.ElementTree.parse", "defusedxml.ElementTree.fromstring"}
    | {"defusedxml.common.fromstring", "lxml.etree.fromstring", "lxml.etree.XML"}
)
"""Functions that return an object whose methods lead to the text's parts."""

SILENT_BUILTINS = frozenset(
    {"print", "isinstance", "issubclass", "type", "id", "hash", "repr", "hasattr", "callable"}
    | {"super", "setattr", "getattr", "delattr", "vars", "dir", "locals", "globals", "iter"}
    | {"next", "enumerate", "zip", "str", "any", "all", "min", "max", "sum", "input", "open"}
    | {"breakpoint", "__import__", "object", "property", "staticmethod", "classmethod", "slice"}
    | {"dict", "set", "frozenset", "list", "tuple", "sorted", "reversed", "format", "ascii"}
    | {"len", "bool", "memoryview", "bytearray", "BaseException", "Exception"}
)
"""Builtins that say nothing about the text, or whose use the text itself sees."""

_SILENT_MODULES = frozenset(
    {"logging", "warnings", "inspect", "typing", "typing_extensions", "types", "unittest", "pytest"}
    | {"_pytest", "traceback", "pdb", "sys", "gc", "contextlib", "dataclasses", "collections"}
    | {"enum", "abc", "importlib", "threading", "weakref", "knitbone", "click", "functools"}
    | {"atexit", "signal", "asyncio", "concurrent", "queue", "multiprocessing", "time", "os"}
    | {"pathlib", "copy", "pickle", "rich", "structlog", "loguru", "hypothesis", "builtins"}
    | {"itertools", "operator", "contextvars", "anyio", "trio", "random", "hashlib", "attr"}
    | {"pprint", "_thread", "_weakref", "_functools", "_asyncio", "_queue", "_contextvars"}
    | {"_abc", "tqdm", "attrs", "typer", "genericpath", "posixpath", "io"}
)
"""Modules whose functions ask which frame calls them, call back, or only carry values."""


def name_of(function: Any) -> str:
    """Return the name under which code knows a function: ``json.loads``, ``re.findall``,
    ``sqlite3.connect().cursor().execute``, ``int``; empty where it has none."""
    kind = kind_of(function)
    native = issubclass(kind, BuiltinFunctionType)
    if (kind is MethodType or native) and not isinstance(
        owner := getattr(function, "__self__", None), ModuleType | type(None)
    ):
        name = function.__name__
        if isinstance(owner, type):
            return _dotted(owner.__module__, f"{owner.__qualname__}.{name}")
        return f"{_receiver(kind_of(owner))}.{name}"
    if isinstance(function, type) or kind is FunctionType or native:
        return _dotted(function.__module__ or "", function.__qualname__)
    return ""


def _receiver(kind: type) -> str:
    """Return the calls that make an object of a type."""
    for base in kind.__mro__:
        known = _RECEIVERS.get(_dotted(base.__module__, base.__qualname__))
        if known is not None:
            return known
    if kind.__module__ == "re":
        return "re"
    return f"{_dotted(kind.__module__, kind.__qualname__)}()"


def _dotted(module: str, name: str) -> str:
    """Return the dotted name that code imports."""
    module = _MODULES.get(module, module)
    return f"{module}.{name}" if module else name


def is_silent(name: str) -> bool:
    """Return whether a call of the function is not recorded."""
    if "." not in name:
        return name in SILENT_BUILTINS
    return name.partition(".")[0] in _SILENT_MODULES and name not in OBJECT_FUNCTIONS


_logger = get_logger(__name__)

CONTAINERS: frozenset[type[Any]] = frozenset(
    {list, dict, tuple, set, frozenset, bytes, str, int, float, bool, type(None)}
)
"""Plain types: never looked up among the objects that came out of a text."""
LEAVES: tuple[type[Any], ...] = (str, bytes, int, float, bool, type(None))
MAX_LISTED = 32
"""Items of a list argument that are looked at."""

_HIGHER_ORDER = frozenset({"map", "filter"})
"""Builtins that call the function that they are given, on each item."""
_FRAME_READERS = frozenset({"exec", "eval"})
"""Builtins that use the names of the frame that calls them."""
_EXACT_TYPE_LIBRARIES = frozenset({"json", "re", "ast", "yaml", "sys", "marshal", "csv"})
"""Libraries that look at the exact type, or whose own steps say nothing."""
_ENCODERS = frozenset({"msgspec", "yaml", "marshal"})
"""Libraries that refuse what is not exactly a string, a list or a dictionary, at any depth."""
_UNICODE = int(re.UNICODE)

_scope: Scope | None = None


def set_scope(scope: Scope | None) -> Scope | None:
    """Say which files are the application's; return what was said before."""
    global _scope
    before, _scope = _scope, scope
    return before


def watch(function: Any) -> Any:
    """Return what to call instead of ``function``: the function itself, or one that does the same
    and records if it got something tainted."""
    try:
        return _watched(function)
    except Exception:  # noqa: BLE001 - fail open: the application calls what it wanted to call
        log(_logger, logging.DEBUG, "call not watched", exc_info=True)
        return function


def _watched(function: Any) -> Any:
    """Return the function, or a watcher where it may get something tainted."""
    kind = kind_of(function)
    if kind is FunctionType or (kind is MethodType and type(function.__func__) is FunctionType):
        if kind is MethodType and type(function.__self__) in TAINTED:
            return function
        code = (function.__func__ if kind is MethodType else function).__code__
        if _is_application(code.co_filename):
            return function
    elif issubclass(kind, BuiltinFunctionType):
        owner = kind_of(function.__self__)
        if owner in CONTAINERS:
            wanted = (owner is str and function.__name__ in ("join", "format")) or (
                owner is dict and function.__name__ == "get"
            )
            return _Watcher(function, f".{function.__name__}") if wanted else function
    elif not isinstance(function, type):
        return function
    elif _is_application_class(cast("type[Any]", function)):
        # What a structure of such a library holds is encoded later.
        head = str(kind.__module__).partition(".")[0]
        return _Watcher(function, f"{head}.Struct") if head in _ENCODERS else function
    name = name_of(function)
    if not name or (is_silent(name) and tracked(getattr(function, "__self__", None)) is None):
        return function
    return _Watcher(function, name)


def _is_application(filename: str) -> bool:
    """Return whether a file is the application's."""
    scope = _scope
    return scope is not None and scope.contains(filename)


def _is_application_class(kind: type[Any]) -> bool:
    """Return whether a class is the application's."""
    module = sys.modules.get(kind.__module__)
    filename = getattr(module, "__file__", None)
    return isinstance(filename, str) and _is_application(filename)


class _Watcher:
    """A function that is about to be called, and the name it is recorded by."""

    __slots__ = ("_function", "_name")

    def __init__(self, function: Any, name: str) -> None:
        self._function = function
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function, name = self._function, self._name
        if name == ".join" and len(args) == 1 and type(args[0]) is GeneratorType:
            args = (list(cast("Any", args[0])),)  # as ``join`` itself does first
        found = _find_marks(function, args, kwargs)
        result_mark = _note(_Call(function, name, args, kwargs), found) if found else None
        if name in _FRAME_READERS and len(args) == 1 and not kwargs:
            # They take the names of the frame that calls them.
            frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
            args = (*args, frame.f_globals, frame.f_locals)
        if name.partition(".")[0] in _ENCODERS:
            args = tuple(map(deeply_plain, args))
            kwargs = {key: deeply_plain(value) for key, value in kwargs.items()}
        if not found:
            return function(*args, **kwargs)
        if name in _HIGHER_ORDER and args:
            args = (_each(args[0]), *args[1:])
        elif name in NEW_CONTAINER_FUNCTIONS or name in OBJECT_FUNCTIONS or _takes_plain(name):
            args = tuple(plain(a) for a in args)
            kwargs = {key: plain(value) for key, value in kwargs.items()}
        try:
            result = function(*args, **kwargs)
        except Exception:
            if result_mark is not None:
                result_mark.note_raised()
            raise
        return _result(result, name, result_mark, getattr(function, "__self__", None))


def _takes_plain(name: str) -> bool:
    """Return whether a function needs exact types, so that it gets plain values."""
    return "." not in name or name.partition(".")[0] in _EXACT_TYPE_LIBRARIES


def _each(function: Any) -> Any:
    """Return a function that ``map`` or ``filter`` calls, watched at each call."""
    return watch(function) if callable(function) else function


class _Call(NamedTuple):
    """One call: function, name and arguments."""

    function: Any
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __getitem__(self, key: Any) -> Any:
        return self.args[key] if isinstance(key, int) else self.kwargs[key]


_RECEIVER = -1
"""In the place of an argument: the object whose method is called."""
_Found = list[tuple["int | str", Mark]]
"""Which arguments came out of an answer, with their marks."""


def _find_marks(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Found:
    """Return which arguments came out of an answer; the receiver alone, if it did."""
    try:
        owner = getattr(function, "__self__", None)
        if owner is not None and (mark := tracked(owner)) is not None:
            return [(_RECEIVER, mark)]
        found = [(key, _mark_of_argument(v)) for key, v in (*enumerate(args), *kwargs.items())]
        return [(key, mark) for key, mark in found if mark is not None]
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.DEBUG, "arguments not looked at", exc_info=True)
        return []


def _mark_of_argument(value: Any) -> Mark | None:
    """Return the mark of an argument, or of the first text in a list."""
    kind = kind_of(value)
    if kind in TAINTED:
        return mark_of(value)
    if kind is list or kind is tuple:
        items = cast("list[Any]", value)[:MAX_LISTED]
        return next((mark_of(item) for item in items if type(item) is TaintStr), None)
    return None if kind in CONTAINERS else tracked(value)


def _note(call: _Call, found: _Found) -> Mark | None:
    """Record the call at each tainted argument; return the mark of the result."""
    result_mark: Mark | None = None
    try:
        frame = application_frame(found[0][1].answer.tree.scope)
        if frame is None:
            return None
        for key, mark in found:
            if key == _RECEIVER:
                name = f".{call.function.__name__}"
                return mark.record(name, _constants(call.args), _pairs(call.kwargs), frame=frame)
            result_mark = _note_argument(call, key, mark, frame) or result_mark
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.DEBUG, "argument not recorded", exc_info=True)
        return result_mark
    return result_mark


def _note_argument(call: _Call, key: int | str, mark: Mark, frame: FrameType) -> Mark | None:
    """Record the call at one tainted argument."""
    function, name = call.function, call.name
    if name in _HIGHER_ORDER:
        return None
    if name == ".join":
        if not function.__self__ and mark.node.depth == 0:
            return mark  # the pieces of a streamed answer
        return mark.record("join", (function.__self__,), frame=frame)
    if name == ".format":
        return mark.record("format", (Varying("..."), ""), frame=frame)
    if name == ".get":
        # The text chooses among the keys of a dictionary of the application.
        mark.record("in", (text_keys(function.__self__),), frame=frame)
        return None
    held = _listed(mark, call[key], name, frame)
    if held is None:
        return None
    others = [i for i in range(len(call.args)) if i != key]
    rest = _of_pattern(function, [call.args[i] for i in others])
    keywords = {k: _of_regex(v) for k, v in call.kwargs.items() if k != key}
    return held.record(
        name,
        _constants(rest),
        _pairs(keywords),
        position=str(key) if key != 0 else "",
        written_at=tuple(others) if len(others) == len(rest) else None,
        frame=frame,
    )


def text_keys(holder: dict[Any, Any]) -> tuple[str, ...]:
    """Return the keys of a dictionary that are texts."""
    return tuple(key for key in holder if type(key) is str)


def _listed(mark: Mark, value: Any, name: str, frame: FrameType) -> Mark | None:
    """Record that a text stands in a list, where the argument is one."""
    if (
        kind_of(value) not in (list, tuple)
        or name in NEW_CONTAINER_FUNCTIONS
        or name in OBJECT_FUNCTIONS
    ):
        return mark
    items = cast("list[Any]", value)[:MAX_LISTED]
    index = next((i for i, item in enumerate(items) if type(item) is TaintStr), 0)
    shown = tuple(item if type(item) is str else "..." for item in items)
    return mark.record("listed", (Written(index), shown), frame=frame)


def _of_pattern(function: Any, rest: list[Any]) -> tuple[Any, ...]:
    """Return the arguments of a compiled pattern's method as the function of ``re`` gets them: the
    pattern and its flags."""
    owner: Any = getattr(function, "__self__", None)
    if type(owner) is not re.Pattern:
        return tuple(_of_regex(value) for value in rest)
    pattern: Any = cast("Any", owner).pattern
    if function.__name__ in ("sub", "subn"):
        return (pattern, *rest)
    flags: int = cast("Any", owner).flags
    return (pattern, Written(flags & ~_UNICODE if isinstance(pattern, str) else flags))


def _of_regex(value: Any) -> Any:
    """Return the pattern of a compiled one, and flags as numbers."""
    if type(value) is re.Pattern:
        return cast("Any", value).pattern
    return Written(int(value)) if isinstance(value, re.RegexFlag) else value


def _constants(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the arguments; those that came out of an answer are no constants."""
    return tuple(Varying("...") if _mark_of_argument(v) is not None else v for v in values)


def _pairs(kwargs: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return keyword arguments as pairs."""
    return tuple(zip(kwargs, _constants(kwargs.values()), strict=True))


def _result(result: Any, name: str, result_mark: Mark | None, owner: Any) -> Any:
    """Return the result, recording where that is possible."""
    if result_mark is None:
        return result
    try:
        kind = kind_of(result)
        fresh = name in NEW_CONTAINER_FUNCTIONS or type(owner) is re.Match
        if kind is str or (kind in (list, dict, tuple) and fresh):
            return taint(result, result_mark)
        if name in OBJECT_FUNCTIONS or tracked(owner) is not None:
            if kind is list:
                for item in result:
                    track_object(item, result_mark)
            return track_object(result, result_mark)
        if result is not None and result is not False:
            result_mark.note_live()
    except Exception:  # noqa: BLE001 - fail open
        log(_logger, logging.DEBUG, "result not followed", exc_info=True)
        return result
    return result


def track_object(value: Any, mark: Mark | None) -> Any:
    """Remember an object, unless it is plain data; return it."""
    return value if kind_of(value) in CONTAINERS else track(value, mark)

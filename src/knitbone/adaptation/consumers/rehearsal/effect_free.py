"""Values and functions that a rehearsal may use as they are, because using them has no effect."""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import builtins
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

__all__ = ["BUILTINS", "MUTATING", "is_enumeration", "is_library", "is_plain"]

_PLAIN = frozenset(
    {str, bytes, int, float, bool, complex, type(None), list, tuple, dict, set, frozenset, range}
    | {slice, type(...), re.Match, re.Pattern, dt.date, dt.datetime, dt.time}
    | {dt.timedelta, dt.timezone, decimal.Decimal, fractions.Fraction, deque, Counter}
    | {defaultdict, OrderedDict, type({}.keys()), type({}.values()), type({}.items())}
    | {types.MappingProxyType}
)
_OPERATORS = ("__eq__", "__bool__", "__len__", "__iter__", "__contains__", "__getitem__")

MUTATING = frozenset(
    {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault"}
    | {"add", "discard", "sort", "reverse", "intersection_update", "difference_update"}
    | {"symmetric_difference_update", "appendleft", "extendleft", "popleft", "rotate", "subtract"}
    | {"move_to_end", "write", "writelines", "read", "readline", "readlines", "seek", "truncate"}
    | {"close", "send", "throw", "__next__", "__setitem__", "__delitem__"}
)
"""Methods that change their object."""

BUILTINS = frozenset(
    getattr(builtins, name)
    for name in (
        *(
            "abs",
            "all",
            "any",
            "ascii",
            "bin",
            "callable",
            "chr",
            "divmod",
            "format",
            "hash",
            "hex",
        ),
        *("id", "isinstance", "issubclass", "iter", "len", "max", "min", "next", "oct", "ord"),
        *("repr", "round", "sorted", "sum"),
        *("bool", "bytes", "complex", "dict", "enumerate", "filter", "float", "frozenset", "int"),
        *("list", "map", "object", "range", "reversed", "set", "slice", "str", "tuple", "zip"),
    )
)

_LIBRARY = frozenset(
    {"ast", "base64", "binascii", "bisect", "calendar", "cmath", "collections", "configparser"}
    | {
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fractions",
    }
    | {"functools", "hashlib", "heapq", "html", "io", "ipaddress", "itertools", "json", "keyword"}
    | {"math", "numbers", "operator", "pprint", "pydantic", "pydantic_core", "re", "regex"}
    | {"shlex", "statistics", "string", "struct", "textwrap", "tomllib", "tomli", "types"}
    | {"typing", "typing_extensions", "unicodedata", "urllib.parse", "uuid", "yaml", "zlib"}
    | {"xml.etree.ElementTree", "xml.dom.minidom", "xml.dom.expatbuilder", "xml.sax.saxutils"}
    | {"lxml.etree", "json_repair", "dateutil.parser", "email.utils", "msgspec"}
)
"""Modules whose functions and classes read nothing but what they are given."""
_EFFECTS = frozenset(
    {"now", "today", "utcnow", "localtime", "getcontext", "setcontext", "localcontext", "uuid1"}
    | {"uuid4", "parse", "iterparse", "open", "open_code", "FileIO", "dump", "getnode", "pprint"}
    | {"field_size_limit", "register_dialect", "run", "fromtimestamp", "BufferedReader"}
)
"""Functions of these modules that read a clock, a file or a setting. ``parse`` of a document reads
a file; of a date it is given as ``dateutil.parser.parse``."""


def is_plain(value: Any) -> bool:
    """Return whether operators, loops and printing of a value run no code of the application."""
    kind = type(value)
    if kind in _PLAIN:
        return True
    if isinstance(value, enum.Enum):
        return not any(name in vars(kind) for name in _OPERATORS)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return True
    if dataclasses.is_dataclass(kind):
        own = set(vars(kind)) - {"__eq__"}
        return not any(name in own for name in _OPERATORS)
    return isinstance(value, BaseException)


def is_enumeration(value: Any) -> bool:
    """Return whether a value is an enumeration class."""
    return isinstance(value, enum.EnumMeta)


def is_library(function: Any) -> bool:
    """Return whether a function, class or method of a library reads nothing but its arguments."""
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        owner = getattr(function, "__self__", None) or getattr(function, "__objclass__", None)
        module = owner.__name__ if isinstance(owner, types.ModuleType) else _module_of(owner)
    name = str(getattr(function, "__name__", ""))
    if name in _EFFECTS:
        return module == "dateutil.parser._parser" or (name == "parse" and module == "ast")
    top = module.lstrip("_")
    while top:
        if top in _LIBRARY:
            return True
        top = top.rpartition(".")[0]
    return False


def _module_of(owner: Any) -> str:
    kind = owner if isinstance(owner, type) else type(owner)
    return str(getattr(kind, "__module__", ""))

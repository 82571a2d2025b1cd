"""Names of functions that receive a tainted value, and tables of what is known of some."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from knitbone.adaptation.learning.taint.tainted_kinds import kind_of

__all__ = ["NEW_CONTAINER_FUNCTIONS", "OBJECT_FUNCTIONS", "SILENT_BUILTINS", "is_silent", "name_of"]

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

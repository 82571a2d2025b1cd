"""Functions whose result is known from their arguments alone, by the names that terms use.

What is named here is recorded as a term, and computed again by the generator in its own process:
nothing here reads files, keeps state, or calls back.
"""

from __future__ import annotations

import base64
import binascii
import calendar
import datetime as dt
import decimal
import fractions
import functools
import hashlib
import html
import ipaddress
import json
import math
import operator
import os.path
import pathlib
import re
import shlex
import statistics
import string
import textwrap
import unicodedata
import urllib.parse
import uuid
import zlib
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.readings import name_of_reading
from knitbone.fuzzing.trace.terms import type_of

__all__ = ["ATTRIBUTES", "FUNCTIONS", "METHODS", "is_builtin", "name_of_function", "name_of_method"]


def _named(prefix: str, module: Any, names: str) -> dict[str, Callable[..., Any]]:
    return {f"{prefix}.{name}": getattr(module, name) for name in names.split()}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (int, float, str, len, abs, round, sum, ord, chr, divmod, pow)},
    **{f.__name__: f for f in (repr, bool, hex, oct, bin, bytes, sorted, format, range)},
    **_named("math", math, "ceil floor sqrt log log2 log10 exp isclose isfinite isnan isinf gcd"),
    **_named(
        "math", math, "trunc fabs fmod hypot sin cos tan asin acos atan atan2 radians degrees"
    ),
    **_named("math", math, "isqrt factorial comb prod copysign"),
    **_named("re", re, "match fullmatch search findall finditer split sub subn escape"),
    **_named("json", json, "loads"),
    **_named("base64", base64, "b64decode b64encode urlsafe_b64decode b32decode b16decode"),
    **_named("binascii", binascii, "unhexlify hexlify crc32 a2b_base64"),
    **_named("zlib", zlib, "crc32 adler32"),
    **_named("hashlib", hashlib, "md5 sha1 sha256"),
    **_named("html", html, "escape unescape"),
    **_named("ipaddress", ipaddress, "ip_address ip_network IPv4Address IPv4Network IPv6Address"),
    **_named("ipaddress", ipaddress, "ip_interface"),
    **_named("uuid", uuid, "UUID"),
    **_named("statistics", statistics, "mean median mode stdev pstdev variance fmean"),
    **_named("textwrap", textwrap, "dedent wrap fill shorten"),
    **_named("unicodedata", unicodedata, "normalize category name numeric digit"),
    **_named("shlex", shlex, "split quote"),
    **_named("urllib.parse", urllib.parse, "urlparse urlsplit parse_qs parse_qsl quote unquote"),
    **_named("urllib.parse", urllib.parse, "unquote_plus quote_plus urljoin"),
    **_named("posixpath", os.path, "basename dirname splitext normpath join isabs split"),
    **_named("string", string, "capwords"),
    **_named("pathlib", pathlib, "Path PurePath"),
    **_named("calendar", calendar, "isleap monthrange weekday timegm"),
    **_named("decimal", decimal, "Decimal"),
    **_named("fractions", fractions, "Fraction"),
    **_named("datetime", dt, "date datetime time timedelta"),
    **_named("datetime.date", dt.date, "fromisoformat fromordinal fromisocalendar"),
    **_named("datetime.datetime", dt.datetime, "fromisoformat strptime combine"),
    "datetime.time.fromisoformat": dt.time.fromisoformat,
    "int.from_bytes": int.from_bytes,
    "bytes.fromhex": bytes.fromhex,
    "float.fromhex": float.fromhex,
    **_named("operator", operator, "add sub mul truediv floordiv mod lshift rshift and_ or_ xor"),
    **_named("operator", operator, "neg pos invert eq ne lt le gt ge not_ truth getitem concat"),
    "xml.fromstring": ET.fromstring,
    "in": lambda value, holder: value in holder,  # pyright: ignore[reportUnknownLambdaType] - any values
    "getattr": getattr,
}
"""Functions by name; operators under the names of the module ``operator``."""

METHODS: frozenset[str] = frozenset(
    f"{kind.__name__}.{name}"
    for kind in (str, bytes, int, float, dt.date, dt.datetime, dt.time)
    for name in dir(kind)
    if not name.startswith("_") and name not in ("today", "now", "utcnow", "fromtimestamp")
) | {
    *(f"Match.{name}" for name in ("group", "groups", "groupdict", "span", "start", "end")),
    *(f"list.{name}" for name in ("index", "count", "copy")),
    *(f"tuple.{name}" for name in ("index", "count")),
    *(f"dict.{name}" for name in ("get", "keys", "values", "items", "copy")),
    *(f"set.{name}" for name in ("issubset", "issuperset", "isdisjoint", "union", "difference")),
    *(f"set.{name}" for name in ("intersection", "symmetric_difference")),
    *(f"timedelta.{name}" for name in ("total_seconds",)),
    *(f"Decimal.{name}" for name in ("quantize", "is_nan", "is_infinite", "is_zero", "as_tuple")),
    *(f"Decimal.{name}" for name in ("to_integral_value", "sqrt", "is_signed", "normalize")),
    *(f"UUID.{name}" for name in ("hex", "int", "version")),
    *(f"Element.{name}" for name in ("find", "findall", "findtext", "iter", "get", "itertext")),
    "hash.hexdigest", "hash.digest",
}  # fmt: skip
"""``type.method``: methods that change nothing."""

ATTRIBUTES: frozenset[str] = frozenset(
    {"year", "month", "day", "hour", "minute", "second", "microsecond", "days", "seconds"}
    | {"scheme", "netloc", "path", "query", "fragment", "hostname", "port", "username"}
    | {"password", "params", "version", "is_private", "is_loopback", "is_global", "is_multicast"}
    | {"numerator", "denominator", "lastindex", "string", "tzinfo", "hex", "real", "imag"}
    | {"num_addresses", "prefixlen", "text", "tag", "attrib", "tail", "suffix", "stem", "name"}
    | {"parts"}
)
"""Attributes under which dates, addresses, documents and the like keep their parts."""

_BY_FUNCTION: dict[int, str] = {
    id(ET.XML): "xml.fromstring",
    **{id(function): name for name, function in FUNCTIONS.items() if name != "in"},
}
_CLASS_METHODS = {
    (dt.date, "fromisoformat"), (dt.date, "fromordinal"),
    (dt.date, "fromisocalendar"), (dt.datetime, "fromisoformat"),
    (dt.datetime, "strptime"), (dt.datetime, "combine"),
    (dt.time, "fromisoformat"), (int, "from_bytes"), (bytes, "fromhex"), (float, "fromhex"),
}  # fmt: skip


_BUILTIN = frozenset((id(type_of(len)), id(type_of(re.compile("").match))))


def is_builtin(function: Any) -> bool:
    """Whether a function, or bound method, is written in C."""
    return id(type_of(function)) in _BUILTIN


def name_of_function(function: Any) -> str | None:
    """The name of a function of ``FUNCTIONS``."""
    found = _BY_FUNCTION.get(id(function))
    if found is not None:
        return found
    # Anything else may do as it likes when it is asked for an attribute.
    owner = function.__self__ if is_builtin(function) else None
    if isinstance(owner, type):
        kind = cast("type[Any]", owner)
        name = function.__name__
        for known, method in _CLASS_METHODS:
            if method == name and kind is known:
                module = "" if known.__module__ == "builtins" else f"{known.__module__}."
                return f"{module}{known.__name__}.{name}"
        return None
    if type_of(function) is FunctionType or owner is not None:
        return name_of_reading(function)
    return None


def name_of_method(owner: Any, name: str) -> str | None:
    """``type.method`` where the method is one of ``METHODS``."""
    kind: Any = cast("Any", type(owner))
    return _name_of_method(kind, name) if type(kind) is type else None


@functools.lru_cache(maxsize=1_000)
def _name_of_method(kind: type[Any], name: str) -> str | None:
    for base in kind.__mro__:
        full = f"{base.__name__}.{name}"
        if full in METHODS:
            return full
    return None

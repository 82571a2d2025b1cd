"""What is too large to compute while a campaign waits: C code cannot be interrupted, and may
fill the memory."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any, cast

__all__ = ["UndefinedError", "bounded_list", "refuse_large"]


class UndefinedError(Exception):
    """Nothing can be told: the term holds what is unknown or too large, or a part of it failed."""


_MAX_SIZE = 20_000
"""Characters of a text, items of a list."""
_MAX_BITS = 70_000
_MAX_EXPONENT = 1_000
_MAX_MADE = 1_000_000
"""Characters that two texts may make together."""
_WIDE_FORMAT = re.compile(r"%[^%A-Za-z]{0,20}(?:\d{4}|\*)")
_LONG_NUMBER = re.compile(r"\d{4}")
_WIDE_FIELD = re.compile(r"\d{4}|\{[^{}]*\{")
_LONG_EXPONENT = re.compile(r"[eE][+-]?\d{4}")

_AT_MOST: dict[str, int] = {
    **{f".str.{name}": _MAX_SIZE for name in ("ljust", "rjust", "center", "zfill", "expandtabs")},
    **{f".bytes.{name}": _MAX_SIZE for name in ("ljust", "rjust", "center", "zfill", "expandtabs")},
    **dict.fromkeys(("bytes", ".int.to_bytes"), _MAX_SIZE),
    **dict.fromkeys(("range", "operator.mul"), 10**12),
    **dict.fromkeys(("pow", "operator.lshift", "math.factorial"), 1000),
    "math.comb": 10_000,
}
"""The largest number that an operation takes, whatever its sign."""
_ITERATING = frozenset({"items", "sorted", "sorted_of", "set_of", "sum"})
_SIZED = (str, bytes, list, tuple, set, frozenset, range, Mapping)


def refuse_large(op: str, values: list[Any]) -> None:
    """Let an operation pass only if it ends soon and makes nothing large.

    Raises:
        UndefinedError: it may not.
    """
    if any(_is_large(value) for value in values):
        raise UndefinedError
    most = _AT_MOST.get(op)
    if most is not None and any(isinstance(v, int) and abs(v) > most for v in values):
        raise UndefinedError
    if op in _ITERATING and any(
        isinstance(v, _NETWORKS) and v.num_addresses > _MAX_SIZE for v in values
    ):
        raise UndefinedError
    refuses = _BY_OPERATION.get(op)
    if refuses is not None and refuses(values):
        raise UndefinedError


def bounded_list(values: Iterable[Any]) -> list[Any]:
    """The items of whatever can be iterated.

    Raises:
        UndefinedError: they are too many.
    """
    items = list(islice(values, _MAX_SIZE + 1))
    if len(items) > _MAX_SIZE:
        raise UndefinedError
    return items


_NETWORKS = (ipaddress.IPv4Network, ipaddress.IPv6Network)


def _is_large(value: Any) -> bool:
    if isinstance(value, int):
        return value.bit_length() > _MAX_BITS
    if isinstance(value, range):
        return _length(value) > _MAX_SIZE
    if isinstance(value, _SIZED):
        return len(cast("Any", value)) > _MAX_SIZE
    if isinstance(value, Decimal):
        return value.is_finite() and abs(value.adjusted()) > _MAX_EXPONENT
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS
    return False


def _length(value: range) -> int:
    """Which ``len`` cannot tell beyond the machine's word."""
    return max(0, (value.stop - value.start) // value.step)


def _repeats(values: list[Any]) -> bool:
    numbers = [v for v in values if isinstance(v, int)]
    sizes = [len(cast("Any", v)) for v in values if isinstance(v, str | bytes | list | tuple)]
    return any(size * number > _MAX_MADE for size in sizes for number in numbers)


def _rounds(values: list[Any]) -> bool:
    return any(isinstance(v, int) and abs(v) > _MAX_EXPONENT for v in values[1:])


def _replaces(values: list[Any]) -> bool:
    return len(values) > 2 and (len(values[0]) + 1) * (len(values[2]) + 1) > _MAX_MADE


def _joins(values: list[Any]) -> bool:
    return len(values) > 1 and (len(values[0]) + 1) * (len(values[1]) + 1) > _MAX_MADE


_BY_OPERATION: dict[str, Callable[[list[Any]], bool]] = {
    "operator.mul": _repeats,
    "operator.mod": lambda values: bool(_WIDE_FORMAT.search(str(values[0])[:_MAX_SIZE])),
    "round": _rounds,
    "fractions.Fraction": lambda values: any(_LONG_EXPONENT.search(str(v)) for v in values),
    # An entity may stand for gigabytes.
    "xml.fromstring": lambda values: "<!" in str(values[0]),
    "format": lambda values: bool(_LONG_NUMBER.search(str(values[-1]))),
    ".str.format": lambda values: bool(_WIDE_FIELD.search(str(values[0]))),
    ".str.format_map": lambda values: bool(_WIDE_FIELD.search(str(values[0]))),
    ".str.replace": _replaces,
    ".bytes.replace": _replaces,
    ".str.join": _joins,
    ".bytes.join": _joins,
}

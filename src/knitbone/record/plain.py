"""Any value in the types that JSON knows, read without running a line of its own class.

What an application hands to its tools may do anything when it is looked at: a ``repr`` that asks a
database, an attribute that loads itself, a proxy that waits for its server. The agent would wait
for it, too. So an object is asked for nothing: of the classes that are known here, the values they
hold are read where the interpreter or the library keeps them; of all others, the name.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import sys
import types
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any, cast

from knitbone.record.plain_records import class_of, fields_of, held, mro_of, name_of

__all__ = ["PLAIN", "is_plain", "message_of", "plain", "snapshot"]


# Arrays and tables of numpy and pandas as lists, small ones whole; neither is loaded for it.

_CELLS = 1_000
"""Cells of an array or a table that are read; the time for them is about 0.1 ms (ours)."""
_PLAIN_CELLS = "biufcSUmM"
"""numpy's kinds of cells that are numbers, texts or times, no objects."""


def array_of(value: Any, kind: type) -> Any:
    """A number, an array, a column or a table in lists; ``None`` for anything else."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "ndarray"):
        if kind is numpy.ndarray:
            return _array(value)
        if issubclass(kind, numpy.generic):
            return numpy.generic.item(value)
    pandas: Any = sys.modules.get("pandas")
    if pandas is not None and hasattr(pandas, "DataFrame"):
        if kind is pandas.DataFrame:
            return _table(value)
        if kind in (pandas.Series, pandas.Index) and _is_known(value.dtype):
            left = len(value) - _CELLS
            return value[:_CELLS].tolist() + ([_note(left, len(value), "rows")] if left > 0 else [])
    return None


def _array(value: Any) -> Any:
    if value.size <= _CELLS and value.dtype.kind in _PLAIN_CELLS:
        return value.tolist()
    shape = " x ".join(map(str, value.shape))
    return f"[numpy.ndarray of {shape} {value.dtype.name}]"


def _table(value: Any) -> dict[str, Any] | None:
    rows, columns = value.shape
    shown = value.iloc[: max(1, _CELLS // max(columns, 1)), :_CELLS]
    if not all(map(_is_known, shown.dtypes)):
        return None
    names, cells = shown.columns.tolist(), shown.to_numpy(dtype=object).tolist()
    further = [_note(columns - _CELLS, columns, "columns")] if columns > _CELLS else []
    left = rows - len(cells)
    return {
        "columns": names + further,
        "rows": cells + ([_note(left, rows, "rows")] if left else []),
    }


def _is_known(dtype: Any) -> bool:
    """Whether the cells are kept by numpy or pandas, and not by a class of another library."""
    return type(dtype).__module__.startswith(("numpy", "pandas"))


def _note(left: int, count: int, what: str) -> str:
    return f"[{left:,} of {count:,} {what} not recorded]"


PLAIN = frozenset(
    {str, int, float, bool, type(None), list, dict, tuple, set, frozenset}
)  # fmt: skip
"""The types of what :func:`plain` gives."""
_SCALARS = frozenset({str, int, float, bool, type(None), bytes})
_BYTES = 100_000
"""Bytes kept of a value that is no text: written out, one takes up to four characters (ours)."""
MAX_COPIED = 50_000
"""Values that a snapshot copies, in 40 ms or so (ours)."""
_DEEPEST = 64
_MAX_SEEN = 1_000
"""Values inside one that are looked at to know whether all are plain (ours)."""


def plain(value: object) -> Any:
    """The value as one of ``PLAIN``; what a container or a record holds stays as it is.

    Subclasses of the built-in types are read as these; dataclasses, attrs classes, pydantic models
    and msgspec's are mappings of their fields, but for fields that they do not print and classes
    that print themselves in their own way; arrays and tables of numpy and pandas are lists up to
    1,000 cells. Of any other object only its class is known: ``[module.Class]``.
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    try:
        found = _read(value, kind)
        return found if type(found) in PLAIN else f"[{name_of(kind)}]"
    except Exception:  # noqa: BLE001 - what a library's own class keeps may be broken
        return f"[{name_of(kind)}]"


def _read(value: Any, kind: type) -> Any:
    """What the value holds, its class's name where that is not known."""
    exact = _EXACT.get(kind)
    if exact is not None:
        return exact(value)
    for base in mro_of(kind):
        reader = _READERS.get(base)
        if reader is not None:
            return reader(value)
    fields = fields_of(value, kind)
    if fields is None:
        fields = array_of(value, kind)
    if fields is None or type(fields) is kind:  # such as a number that Python has no type for
        return f"[{name_of(kind)}]"
    return plain(fields)


def snapshot(value: object) -> Any:
    """The value as it is now: containers, and what they hold, are copied, so that whoever changes
    them later does not change the copy. Of large values (``MAX_COPIED``) the rest stays shared."""
    return _copied(value, [MAX_COPIED], 0)


def _copied(value: object, left: list[int], depth: int) -> Any:
    value = plain(value)
    kind = cast("type[Any]", type(value))
    if kind in _SCALARS or left[0] <= 0 or depth > _DEEPEST:
        return value
    items = cast("Any", value)
    copied = max(min(left[0], len(items)), 0)
    left[0] -= len(items)
    if kind is dict:
        pairs = list(items.items())
        own = {
            key: item if type(item) in _SCALARS else _copied(item, left, depth + 1)
            for key, item in pairs[:copied]
        }
        return own | dict(pairs[copied:])
    listed = list(items)
    return [_copied(item, left, depth + 1) for item in listed[:copied]] + listed[copied:]


def message_of(error: BaseException) -> str:
    """What an exception says, as a traceback does. One whose class prints itself is asked to; the
    arguments of all others are looked at first, since they may be any object."""
    kind = type(error)
    printer = next(base for base in mro_of(kind) if "__str__" in vars(base))
    try:
        args = _args_of(error)
        if printer not in (BaseException, KeyError) or is_plain(args):
            return str(error)
        said = [str(shown) if is_plain(shown) else f"[{class_of(arg)}]"
                for arg in args for shown in [plain(arg)]]  # fmt: skip
        return said[0] if len(said) == 1 else f"({', '.join(said)})"
    except Exception as failure:  # noqa: BLE001 - untrusted
        return f"[its text cannot be made: {class_of(failure)}]"


def is_plain(value: object) -> bool:
    """Whether a value holds nothing but built-in types, so that to print or to compare it calls
    nothing of the application's; of large values it is not known."""
    waiting = [value]
    for _ in range(_MAX_SEEN):
        if not waiting:
            return True
        item = waiting.pop()
        if type(item) is dict:
            waiting += [*item, *cast("dict[Any, Any]", item).values()]
        elif type(item) in (list, tuple, set, frozenset):
            waiting += cast("list[Any]", item)
        elif type(item) not in _SCALARS:
            return False
    return False


def _bytes(value: bytes | bytearray) -> str:
    head = bytes(memoryview(value)[:_BYTES])
    left = memoryview(value).nbytes - len(head)
    return f"{head!r}… [{left:,} bytes not recorded]" if left else repr(head)


_DATE = tuple(dt.date.__dict__[name].__get__ for name in ("year", "month", "day"))
_TIME = tuple(
    dt.datetime.__dict__[name].__get__ for name in ("hour", "minute", "second", "microsecond")
)
_args_of: Callable[[BaseException], tuple[Any, ...]] = vars(BaseException)["args"].__get__
_ZONE = dt.datetime.__dict__["tzinfo"].__get__
_ZONES = (type(None), dt.timezone, zoneinfo.ZoneInfo)
"""Those of other libraries compute their offset in Python."""


def _moment(value: dt.datetime) -> str | None:
    if type(value).__name__ == "NaTType":
        return None
    zone: Any = _ZONE(value)
    known = type(zone) in _ZONES
    parts = [get(value) for get in (*_DATE, *_TIME)]
    text = dt.datetime(*parts, tzinfo=zone if known else None).isoformat()
    return text if known else f"{text} {class_of(zone)}"


def _clock(value: dt.time) -> str:
    return value.isoformat() if type(value.tzinfo) in _ZONES else f"[{class_of(value)}]"


def _member(value: enum.Enum) -> Any:
    inner = held(value, "_value_")
    return inner if type(inner) in _SCALARS - {bytes} else held(value, "_name_")


def _class(value: type[Any]) -> str:
    return f"[class {name_of(value)}]"


def _kept(value: Any) -> Any:
    """What a container of the standard library keeps in a field of its own."""
    return plain(held(value, "data"))


_EMPTY: dict[Any, Any] = {}
_VIEWS: list[type] = [type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items())]
_EXACT: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys((complex, range, decimal.Decimal, fractions.Fraction, uuid.UUID), str),
    **dict.fromkeys((dt.timedelta, zoneinfo.ZoneInfo, dt.timezone), str),
    **dict.fromkeys((pathlib.PosixPath, pathlib.PurePosixPath), str),
    **dict.fromkeys((pathlib.WindowsPath, pathlib.PureWindowsPath), str),
    dt.time: _clock,
    types.FunctionType: lambda value: f"[function {value.__qualname__}]",
    types.BuiltinFunctionType: lambda value: f"[function {value.__name__}]",
    **dict.fromkeys(_VIEWS, list),
}
"""By the class itself."""
_READERS: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    bytes: _bytes,
    bytearray: _bytes,
    # Its own copy() would ask a class that iterates in its own way.
    dict: lambda value: dict(dict[Any, Any].items(value)),
    list: list[Any].copy,
    tuple: lambda value: tuple[Any, ...].__getitem__(value, slice(None)),
    set: lambda value: list(set[Any].__iter__(value)),
    frozenset: lambda value: list(frozenset[Any].__iter__(value)),
    collections.deque: lambda value: list(collections.deque[Any].__iter__(value)),
    collections.UserDict: _kept,
    collections.UserList: _kept,
    enum.Enum: _member,
    dt.datetime: _moment,
    dt.date: lambda value: dt.date(*[get(value) for get in _DATE]).isoformat(),
    type: _class,
    BaseException: lambda value: f"{class_of(value)}: {message_of(value)}",
}
"""By a class or one that it is made of: the built-in type's own methods read its part."""

"""Arrays and tables of numpy and pandas as lists, small ones whole; neither is loaded for it."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["array_of"]

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

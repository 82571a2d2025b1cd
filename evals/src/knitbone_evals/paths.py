"""Where the evaluation's results lie, how they are written, and the repository that they are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["REPOSITORY", "RESULTS", "write_result"]

RESULTS = Path(__file__).parents[2] / "results"
"""One file a table; a task writes its own."""
REPOSITORY = Path(__file__).parents[3]
"""The checkout: the tests of the product, its documentation."""
_WIDTH = 120
"""Characters of a value that stands on one line."""


def write_result(path: Path, result: Any) -> None:
    """Write a result as JSON, a number to four decimals, what is short on one line."""
    path.write_text(_shown(_rounded(result), "\n") + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return value


def _shown(value: Any, line: str) -> str:
    short = json.dumps(value, ensure_ascii=False)
    if len(short) <= _WIDTH or not isinstance(value, (dict, list)):
        return short
    inner = line + " "
    if isinstance(value, list):
        return "[" + ",".join(inner + _shown(each, inner) for each in value) + line + "]"
    entries = (f"{json.dumps(str(name))}: {_shown(each, inner)}" for name, each in value.items())
    return "{" + ",".join(inner + entry for entry in entries) + line + "}"

"""Findings of an earlier campaign as calls to begin with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Json

__all__ = ["read_findings"]

_LISTS = ("findings", "refused")
_MOST = 500
"""Findings that are read: more of them say little more."""

Calls = tuple[tuple[str | None, dict[str, Json]], ...]


def read_findings(path: Path) -> Calls:
    """The failing arguments of saved findings: of ``ID/finding.json`` in a folder, or of what
    ``knitbone fuzz --json`` printed.

    Raises:
        InputFormatError: nothing is there, or it is something else.
    """
    files = sorted(path.glob("*/finding.json")) if path.is_dir() else [path]
    found: list[tuple[str | None, dict[str, Json]]] = []
    for file in files[:_MOST]:
        try:
            text = file.read_text(encoding="utf-8")
            found += [call for value in _values(text) for call in _calls(value)]
        except (OSError, ValueError, RecursionError) as error:
            raise InputFormatError(
                f"{file} cannot be read: {error}.", next_step="Name what knitbone fuzz wrote."
            ) from error
    if not found:
        raise InputFormatError(
            f"There are no findings in {path}.",
            next_step="Name a folder of knitbone fuzz, or what knitbone fuzz --json printed.",
        )
    return tuple(found[:_MOST])


def _values(text: str) -> Iterator[Any]:
    """The JSON values of a file: one, or one a line."""
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines():
            if line.strip():
                yield json.loads(line)


def _calls(value: Any) -> Iterator[tuple[str | None, dict[str, Json]]]:
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _calls(item)
    if not isinstance(value, dict):
        return
    record = cast("dict[str, Any]", value)
    listed = [
        item for name in _LISTS if isinstance(record.get(name), list) for item in record[name]
    ]
    name = record.get("tool")
    for item in listed or [record]:
        arguments: Any = cast("Any", item).get("arguments") if isinstance(item, dict) else None
        if isinstance(arguments, dict):
            tool = name if isinstance(name, str) and listed else None
            yield tool, cast("dict[str, Json]", arguments)

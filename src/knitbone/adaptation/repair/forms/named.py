"""The values of an answer that stand under the names of a form: in lines, in a table, in JSON."""

# ruff: noqa: RUF001 - the dashes and quotes that models write
from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from knitbone.adaptation.text.wrappers.remarks import is_surrounding

__all__ = ["find_named_values"]

_RULE = re.compile(r"[|:\s-]*-[|:\s-]*")
_MARKS = " \t*_`|"
_GAP = re.compile(r"[\s_-]+")


def find_named_values(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the one value under each name; ``None`` where one is missing, stands there twice, or
    anything else is in the answer."""
    for read in (_of_document, _of_table, _of_labels):
        values = read(text, names)
        if values is not None:
            return values if all(values) else None
    return None


def _key(name: str) -> str:
    return _GAP.sub(" ", name.strip(_MARKS)).casefold()


def _chosen(found: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the values in the order of the names, where there are no others."""
    keys = [_key(name) for name in names]
    return tuple(found[key] for key in keys) if sorted(found) == sorted(keys) else None


def _of_document(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end or not all(
        map(is_surrounding, (text[:start] + text[end:]).split("\n"))
    ):
        return None
    try:
        read = json.loads(text[start:end], parse_float=str, parse_int=str)
    except ValueError:
        return None
    held = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    if not all(isinstance(value, str) and "\n" not in value for value in held.values()):
        return None
    found = {_key(name): value.strip() for name, value in held.items()}
    return _chosen(found, names) if len(found) == len(held) else None


def _of_table(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    lines = text.strip().split("\n")
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    others = [line for line in lines if not line.strip().startswith("|")]
    if len(rows) < 2 or not all(map(is_surrounding, others)):
        return None
    cells = [
        [cell.strip(_MARKS) for cell in row.strip("|").split("|")]
        for row in rows
        if not _RULE.fullmatch(row)
    ]
    if len(cells) == 2 and len(cells[0]) == len(cells[1]):
        found = dict(zip(map(_key, cells[0]), cells[1], strict=True))
        if len(found) == len(cells[0]) and (values := _chosen(found, names)) is not None:
            return values
    if any(len(row) != 2 for row in cells):
        return None
    keys = [_key(row[0]) for row in cells]
    found = {key: row[1] for key, row in zip(keys, cells, strict=True)}
    # The first row may be a header.
    headed = len(cells) == len(names) + 1 and keys[0] not in map(_key, names)
    return _chosen({k: v for k, v in found.items() if not headed or k != keys[0]}, names)


def _of_labels(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    one_of = "|".join(
        re.escape(_key(name)).replace(r"\ ", r"[\s_-]+")
        for name in sorted(names, key=len, reverse=True)
    )
    label = re.compile(
        rf"(?:^|(?<=[;,|]))[^\w\n]*({one_of})[*_`\"']*[ \t]*(?:[:=→]|->|[ \t][–—-][ \t])"
        r"[*_`]*[ \t]*",
        re.IGNORECASE | re.MULTILINE,
    )
    places = list(label.finditer(text))
    if len(places) != len(names):
        return None
    found: dict[str, str] = {}
    others = text[: places[0].start()].split("\n")
    for place, behind in zip(places, (*places[1:], None), strict=True):
        held = text[place.end() : behind.start() if behind is not None else None]
        value, _, rest = held.partition("\n")
        found[_key(place[1])] = value.strip().rstrip(";,|").strip(_MARKS)
        others += rest.split("\n")
    return _chosen(found, names) if all(map(is_surrounding, others)) else None

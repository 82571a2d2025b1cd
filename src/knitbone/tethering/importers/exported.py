"""knitbone's own runs, as ``knitbone runs export`` writes them: one JSON object a line."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from knitbone.core.events import Json, Run, encode_json
from knitbone.core.printable import printable
from knitbone.errors import InputFormatError
from knitbone.tethering.importers.imported_run import ImportedRun
from knitbone.tethering.untrusted_json import Place, first_object

__all__ = ["exported", "read", "recognises"]

FORMAT = "knitbone"
CHECKSUM = "checksum"


def recognises(value: Json) -> bool:
    """An object with an ``id`` and fields of a run alone, or a list of such objects."""
    first = first_object(value)
    if first is None or not isinstance(first.get("id"), str):
        return False
    events = first.get("events", [])
    if not isinstance(events, list):
        return False
    kinds = first_object(cast("list[Any]", events))
    return "schema_version" in first or (
        set(first) <= {*Run.__struct_fields__, CHECKSUM} and (not events or "kind" in (kinds or {}))
    )


def exported(run: Run) -> bytes:
    """A run as one line of JSON, with a checksum of what the line says."""
    line = encode_json(run)
    return line[:-1] + b',"%s":"%s"}' % (CHECKSUM.encode(), _checksum(json.loads(line)).encode())


def _checksum(item: Json) -> str:
    """Of the values, whatever the order of keys and the spacing are."""
    text = json.dumps(item, sort_keys=True, separators=(",", ":"))
    return f"{zlib.crc32(text.encode('ascii')):08x}"


def _check(item: Json, place: Place) -> None:
    if not isinstance(item, dict) or CHECKSUM not in item:
        return  # of an earlier version, or by hand
    values = dict(cast("dict[str, Any]", item))
    if values.pop(CHECKSUM) != _checksum(values):
        raise InputFormatError(
            f"{place} is not as it was exported: its checksum differs.",
            next_step=f"Export it again; if it was changed on purpose, remove its {CHECKSUM!r}.",
        )


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The exported runs, as they were."""
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = Place(path, number if many else None)
        _check(item, place)
        try:
            run = msgspec.convert(item, Run)
        except (msgspec.ValidationError, OverflowError) as error:
            raise InputFormatError(
                f"{place} is not an exported run: {printable(str(error))}.",
                next_step="Export it again.",
            ) from error
        yield ImportedRun(run=run)

"""knitbone's own runs, as ``knitbone runs export`` writes them: one JSON object a line.

The last run says beside itself how many there are, so that a file which was cut between two lines,
or lost one, is no shorter file. Whoever reads runs alone need not know.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import InputFormatError
from knitbone.record.events import Json, Run, encode_json
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.untrusted_json import JsonPlace, describe, first_object

__all__ = ["exported", "read", "recognises"]

FORMAT = "knitbone"
CHECKSUM = "checksum"
END = "knitbone_export"
"""What the last run of an export has beside its fields."""
UNCOUNTED = (
    "it does not say how many runs it should hold (its last lines are missing, or it was written by"
    " hand), so whether it is whole is not known"
)


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
        set(first) <= {*Run.__struct_fields__, CHECKSUM, END}
        and (not events or "kind" in (kinds or {}))
    )


def exported(run: Run, *, runs: int | None = None) -> bytes:
    """A run as one line of JSON, with a checksum of what the line says.

    Args:
        runs: of the last run of an export: how many there are.
    """
    line = encode_json(run)
    if runs is not None:
        line = line[:-1] + b',"%s":{"runs":%d}}' % (END.encode(), runs)
    return line[:-1] + b',"%s":"%s"}' % (CHECKSUM.encode(), _checksum(json.loads(line)).encode())


def _checksum(item: Json) -> str:
    """Of the values, whatever the order of keys and the spacing are."""
    text = json.dumps(item, sort_keys=True, separators=(",", ":"))
    return f"{zlib.crc32(text.encode('ascii')):08x}"


def _check(item: Json, place: JsonPlace) -> None:
    if not isinstance(item, dict) or CHECKSUM not in item:
        return  # written by hand
    values = dict(cast("dict[str, Any]", item))
    if values.pop(CHECKSUM) != _checksum(values):
        raise InputFormatError(
            f"{place} is not as it was exported: its checksum differs.",
            next_step=f"Export it again; if it was changed on purpose, remove its {CHECKSUM!r}.",
        )


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The exported runs, as they were; several exports may stand in one file.

    Raises:
        InputFormatError: a line is no run or was altered; or there are more or fewer than the last
            one says.
    """
    many = isinstance(value, list)
    items = cast("list[Any]", value) if many else [value]
    counted = max((n for n, item in enumerate(items) if _ends(item)), default=-1)
    """The place up to which the file says how many runs it holds."""
    since = 0
    for number, item in enumerate(items):
        place = JsonPlace(path, number if many else None)
        _check(item, place)
        since += 1
        if _ends(item):
            _check_count(item, since, place)
            since = 0
        told = number <= counted or not (many or (isinstance(item, dict) and CHECKSUM in item))
        yield ImportedRun(run=_run(item, place), unsure="" if told else UNCOUNTED)


def _ends(item: Any) -> bool:
    return isinstance(item, dict) and END in item


def _check_count(item: Any, found: int, place: JsonPlace) -> None:
    said: Any = item[END]
    runs: Any = cast("dict[str, Any]", said).get("runs") if isinstance(said, dict) else None
    if isinstance(runs, int) and not isinstance(runs, bool) and runs == found:
        return
    raise InputFormatError(
        f"{place} is the last of {describe(cast('Json', runs))} exported runs, and number {found:,}"
        " here: lines are missing, or stand twice.",
        next_step="Copy the file or export the runs again; if lines were left out on purpose,"
        f" remove {END!r} and {CHECKSUM!r} from this one.",
    )


def _run(item: Json, place: JsonPlace) -> Run:
    try:
        return msgspec.convert(item, Run)
    except (msgspec.ValidationError, OverflowError) as error:
        raise InputFormatError(
            f"{place} is not an exported run: {printable(str(error))}.",
            next_step="Export it again.",
        ) from error

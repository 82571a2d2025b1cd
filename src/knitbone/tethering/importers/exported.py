"""knitbone's own runs, as ``knitbone runs export`` writes them: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from knitbone.core.events import Json, Run
from knitbone.errors import InputFormatError
from knitbone.tethering.importers.imported_run import ImportedRun
from knitbone.tethering.untrusted_json import Place, first_object

__all__ = ["read", "recognises"]

FORMAT = "knitbone"


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
        set(first) <= set(Run.__struct_fields__) and (not events or "kind" in (kinds or {}))
    )


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The exported runs, as they were."""
    many = isinstance(value, list)
    for number, item in enumerate(cast("list[Any]", value) if many else [value]):
        place = Place(path, number if many else None)
        try:
            run = msgspec.convert(item, Run)
        except (msgspec.ValidationError, OverflowError) as error:
            raise InputFormatError(
                f"{place} is not an exported run: {error}.", next_step="Export it again."
            ) from error
        yield ImportedRun(run=run)

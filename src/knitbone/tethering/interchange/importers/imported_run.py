"""What an importer gives, and the identifier of what it read."""

from __future__ import annotations

import hashlib
import json
import math

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    Annotation,
    Event,
    Json,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
)
from knitbone.tethering.interchange.untrusted_json import JsonPlace

__all__ = ["ImportedRun", "LabelsOnlyError", "check_numbers", "fingerprint"]

_TIMES = range(-(2**63), 2**63)
"""Nanoseconds that a store holds."""


class LabelsOnlyError(InputFormatError):
    """The file holds labels and no runs; in a folder it is passed over."""


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run, and apart from it whatever the file says about the run after the fact.

    Labels never enter the run, so that no diagnosis can see them.
    """

    run: Run
    labels: tuple[Annotation, ...] = ()
    unsure: str = ""
    """What the file leaves open of whether it holds all that it should."""


def check_numbers(run: Run, place: JsonPlace) -> None:
    """Nothing, where every number of the run can be stored as it is.

    Raises:
        InputFormatError: one is infinite or no number at all, or a time is beyond 64 bits.
    """
    times = {"started_ns": run.started_ns, "ended_ns": run.ended_ns}
    for number, event in enumerate(run.events):
        inner = place.at("events").at(number)
        for name, value in _numbers_of(event):
            if value is not None and not math.isfinite(value):
                raise _unfit(inner.at(name), value, "a finite number")
        times |= {f"events[{number}].started_ns": event.started_ns,
                  f"events[{number}].ended_ns": event.ended_ns}  # fmt: skip
    for name, value in times.items():
        if value is not None and value not in _TIMES:
            raise _unfit(place.at(name), value, "nanoseconds in 64 bits")


def _numbers_of(event: Event) -> list[tuple[str, float | None]]:
    match event:
        case ModelCall() if event.usage is not None:
            return [("usage.cost_usd", event.usage.cost_usd)]
        case Retrieval():
            return [(f"documents[{n}].score", d.score) for n, d in enumerate(event.documents)]
        case Outcome():
            return [("reward", event.reward)]
        case _:
            return []


def _unfit(place: JsonPlace, value: float, expected: str) -> InputFormatError:
    return InputFormatError(
        f"{place}: expected {expected}, found {str(value)[:40]}.", next_step="Correct the file."
    )


def fingerprint(*parts: Json) -> str:
    """An identifier made of content alone: the same run imported twice is the same run."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(json.dumps(part, sort_keys=True).encode("ascii"))
        digest.update(b"\0")
    return digest.hexdigest()

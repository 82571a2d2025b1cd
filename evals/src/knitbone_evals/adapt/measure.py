"""One treatment over many cases, and what it did to each."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec

import knitbone
from knitbone.adaptation.testing import SUMMARY, forget_counts
from knitbone.record.events import Adaptation
from knitbone_evals.adapt.bare import Result, Stage, right
from knitbone_evals.adapt.cases import AppSpec, Case
from knitbone_evals.adapt.treatments import Load

__all__ = ["Note", "Run", "Scored", "Specs", "run", "score"]

Specs: TypeAlias = dict[tuple[str, str], AppSpec]

_KINDS = {
    "template discrepancy": "template",
    "improper segmentation": "segmentation",
    "incorrect context construction": "context",
    "syntax-parser misalignment": "syntax",
    "inconsistent lexical features": "lexical",
    "redundant behaviour": "behaviour",
    "redundant semantics": "semantics",
}


class Note(msgspec.Struct, frozen=True):
    """What a treatment said about one value."""

    defect: str
    """The cases' word for it."""
    action: str
    said: str


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One case run once."""

    result: Result
    notes: tuple[Note, ...] = ()
    seconds: float = 0.0
    """Of the whole case, the model's simulated answer included."""


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one case under one treatment."""

    case: Case
    bare_right: bool
    """Whether the application is right without any treatment."""
    right: bool
    changed: bool
    """Whether the application gave something else than without the treatment."""
    delivered: bool
    """Whether any value was replaced on its way."""
    result: Result
    raw: Result
    notes: tuple[Note, ...] = ()
    seconds: float = 0.0

    @property
    def reported(self) -> bool:
        """Whether the treatment said or did anything; not that it had no time to look."""
        return any(note.action != "unread" for note in self.notes) or self.changed

    def reported_as(self, defect: str) -> bool:
        """Whether it said so of this kind of defect."""
        return any(note.defect == defect and note.action != "unread" for note in self.notes)


def run(specs: Specs, cases: Iterable[Case], load: Load | None = None) -> list[Run]:
    """Run every case, each in a session of its own.

    Args:
        specs: by half and name.
        load: how an application is imported; by default as it is.
    """
    runs: list[Run] = []
    # One stage at a time: the applications read the server's address when they are imported.
    with Stage(load) as stage:
        for case in cases:
            forget_counts()
            started = time.perf_counter()
            with knitbone.session():
                result = stage.run(specs[case.half, case.app], case)
            spent = time.perf_counter() - started
            notes = tuple(_note(event) for event in SUMMARY.adaptations)
            runs.append(Run(result=result, notes=notes, seconds=spent))
    return runs


def _note(event: Adaptation) -> Note:
    said = "; ".join(event.rules) + (f" ({event.reason})" if event.reason else "")
    return Note(_KINDS[event.defect], event.action, said)


def score(
    specs: Specs, cases: Sequence[Case], bare: Sequence[Run], treated: Sequence[Run]
) -> Iterator[Scored]:
    """Compare the runs of the same cases without and with a treatment."""
    for case, raw, now in zip(cases, bare, treated, strict=True):
        spec = specs[case.half, case.app]
        yield Scored(
            case=case,
            bare_right=right(spec, case, raw.result, raw.result),
            right=right(spec, case, now.result, raw.result),
            changed=now.result != raw.result,
            delivered=any(note.action == "repaired" for note in now.notes),
            result=now.result,
            raw=raw.result,
            notes=now.notes,
            seconds=now.seconds,
        )

"""One treatment over many cases, and what it did to each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import NamedTuple, TypeAlias

import msgspec

from benchmarks.adapt.bare import Result, Stage, right
from benchmarks.adapt.cases import AppSpec, Case
from knitbone.adaptation.runtime import SUMMARY, forget_counts
from knitbone.core.events import Adaptation

__all__ = ["Run", "Scored", "Specs", "run", "score"]

Specs: TypeAlias = dict[tuple[str, str], AppSpec]


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one case under one treatment."""

    case: Case
    bare_right: bool
    """Whether the application is right without any treatment."""
    right: bool
    detected: bool
    """Whether the treatment reported or changed anything."""
    changed: bool
    """Whether the application gave something else than without the treatment."""
    result: Result
    raw: Result
    seconds: float
    """Of the whole case, the model's simulated answer included."""
    records: tuple[str, ...] = ()
    """What the treatment said about it."""


class Run(NamedTuple):
    """One case run once."""

    result: Result
    records: tuple[str, ...]
    seconds: float


def run(
    specs: Specs, cases: Iterable[Case], load: Callable[[AppSpec], ModuleType] | None = None
) -> list[Run]:
    """Run every case.

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
            result = stage.run(specs[case.half, case.app], case)
            spent = time.perf_counter() - started
            runs.append(Run(result, tuple(map(_said, SUMMARY.adaptations)), spent))
    return runs


def _said(event: Adaptation) -> str:
    return f"{event.defect} {event.action}: {'; '.join(event.rules)} {event.reason}"


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
            detected=bool(now.records),
            changed=now.result != raw.result,
            result=now.result,
            raw=raw.result,
            seconds=now.seconds,
            records=now.records,
        )

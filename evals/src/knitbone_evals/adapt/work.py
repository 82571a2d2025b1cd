"""The work of one process: all cases of one application under every treatment."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

import msgspec

from knitbone_evals.adapt import natural
from knitbone_evals.adapt.cases import AppSpec, Case, conforming, generate, specs
from knitbone_evals.adapt.measure import Scored, run, score
from knitbone_evals.adapt.treatments import Treatment

__all__ = ["Job", "Outcome", "jobs", "perform", "perform_all"]

HALVES = ("seen", "unseen", "natural")
QUICK = 25
"""Every so many cases are run with ``--quick``."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One application, and what is to be run on it."""

    half: str
    app: str
    data: str | None
    seed: int
    every: int = 1
    """Of this many cases one."""
    harmless: bool = True
    """Whether the cases for harm alone are run."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The cases of a job under one treatment; ``harmless`` are the further conforming ones."""

    job: Job
    treatment: str
    scored: list[Scored]
    harmless: list[Scored]


Treatments: TypeAlias = Callable[[], dict[str, Treatment]]
"""Makes the treatments, by name, in the process that uses them; a function of a module."""


def jobs(
    halves: Sequence[str], data: Path | None, seed: int, *, app: str | None, every: int
) -> list[Job]:
    """One job for each application of the halves."""
    named = {
        half: sorted(natural.SPECS) if half == "natural" else [spec.name for spec in specs(half)]
        for half in halves
    }
    folder = None if data is None else str(data)
    return [
        Job(half=half, app=name, data=folder, seed=seed, every=every)
        for half, names in named.items()
        for name in names
        if app in (None, name) and (half != "natural" or data is not None)
    ]


def perform_all(
    todo: Sequence[Job],
    treatments: Treatments,
    processes: int,
    *,
    defects: Sequence[str] | None = None,
) -> Iterator[Outcome]:
    """Perform jobs side by side; outcomes as they come.

    Args:
        defects: no cases for harm alone, no natural answers, and only applications that have
            cases of these kinds (of any kind where it is empty).
    """
    if defects is not None:
        todo = [
            msgspec.structs.replace(job, harmless=False)
            for job in todo
            if job.half != "natural" and (not defects or _has(job, defects))
        ]
    if processes == 1:
        for job in todo:
            yield from perform(job, treatments)
        return
    # Fresh processes: the applications' clients and our model server have threads.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    with pool:
        running = [pool.submit(perform, job, treatments) for job in todo]
        for done in as_completed(running):
            yield from done.result()


def perform(job: Job, treatments: Treatments) -> list[Outcome]:
    """Run one application's cases bare and under every treatment."""
    # What a treatment logs about every case is in the scores.
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    spec, cases, harmless = _cases(job)
    everything = [*cases, *harmless]
    known = {(spec.half, spec.name): spec}
    bare = run(known, everything)
    outcomes: list[Outcome] = []
    for name, treatment in treatments().items():
        applies = treatment.applies(spec)
        print(f"{job.half}/{job.app}: {name}", file=sys.stderr, flush=True)
        treated = run(known, everything, treatment.load) if applies else bare
        scored = list(score(known, everything, bare, treated))
        outcomes.append(
            Outcome(
                job=job,
                treatment=name,
                scored=scored[: len(cases)],
                harmless=scored[len(cases) :],
            )
        )
    return outcomes


def _cases(job: Job) -> tuple[AppSpec, list[Case], list[Case]]:
    data = None if job.data is None else Path(job.data)
    if job.half == "natural":
        if data is None:
            raise ValueError("natural answers lie in the data folder, and none was given")
        cases = [case for case in natural.natural_cases(data) if case.app == job.app]
        return natural.SPECS[job.app], cases[:: job.every], []
    (spec,) = specs(job.half, job.app)
    cases = list(generate(data, job.seed, job.half, app=job.app))
    harmless = list(conforming(job.seed, job.half, app=job.app)) if job.harmless else []
    return spec, cases[:: job.every], harmless[:: job.every]


def _has(job: Job, defects: Sequence[str]) -> bool:
    _, cases, _ = _cases(msgspec.structs.replace(job, harmless=False))
    return any(defect in case.defects for case in cases for defect in defects)

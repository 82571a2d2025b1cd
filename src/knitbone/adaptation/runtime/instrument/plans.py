"""The plans of an application: its sites by file, from one analysis of each package, folder or
script."""

from __future__ import annotations

import os
import time
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from knitbone._forks import new_rlock
from knitbone.adaptation.cells import cells_beside, file_of
from knitbone.adaptation.requirements.findings import is_suppressed
from knitbone.adaptation.requirements.merge import requirements_for
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.instrument.cache import UnitPlan, cached_plan
from knitbone.adaptation.runtime.instrument.reasons import keep_reason
from knitbone.common.ownership import python_files
from knitbone.errors import InputFormatError

if TYPE_CHECKING:
    from knitbone.adaptation.analysis import Analysis

__all__ = ["Analysed", "analysed_units", "plan_of_module", "plan_of_unit", "sites_of"]

MAX_FILES = 5_000
"""A folder with more files is not an application's own (ours)."""

_UNIT_FACTOR = 6
"""A program that is started with ``knitbone run`` may be read for so many times the budget of one
decorated function: somebody waits for it on purpose, and a result is kept (ours)."""

_lock = new_rlock()
_plans: dict[tuple[str, str], UnitPlan] = {}
_analysed: list[Analysed] = []


class Analysed(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of one analysis to this process."""

    unit: str
    files: int
    sites: int
    seconds: float
    """Seconds in this process: for reading the cache, or for the analysis itself."""
    origin: Literal["cache", "analysis"]


def analysed_units() -> tuple[Analysed, ...]:
    """Return the units that this process analysed or took from the cache."""
    with _lock:
        return tuple(_analysed)


def plan_of_unit(paths: Sequence[Path], seconds: float | None = None) -> UnitPlan:
    """Return the plan of folders, with all their files, and of single files that belong together.

    Args:
        seconds: the budget of a decorated function (``adapt.analysis_s``).

    Raises:
        ValueError: there are too many files for one application.
    """
    with _lock:
        limit = None if seconds is None else seconds * _UNIT_FACTOR
        key = (os.pathsep.join(map(str, paths)), "")
        if key not in _plans:
            listed = list(islice(_files_of(paths), MAX_FILES + 1))
            if len(listed) > MAX_FILES:
                raise ValueError(f"{paths[0]} holds more than {MAX_FILES:,} Python files")
            _plans[key] = _make_timed(
                key[0],
                lambda: cached_plan(
                    key[0],
                    listed,
                    lambda: _analysed_within(limit, paths[0], listed),
                    extra=str(limit),
                ),
                paths[0],
            )
            if not _plans[key].functions:
                for where, why in _plans[key].errors.items():
                    keep_reason(where, why)
        return _plans[key]


def plan_of_module(path: Path, source: str, seconds: float) -> UnitPlan:
    """Return the plan of a module and of everything in its package that it leads to.

    Args:
        seconds: what the analysis may take, in CPU time; beyond it the plan has no sites, and
            ``errors`` say why.
    """
    with _lock:
        beside = cells_beside(str(path))
        key = (str(path), "\0".join((source, *beside.values())))
        if key not in _plans:

            def analyse() -> UnitPlan:
                return _analysed_within(seconds, path, [path], source, beside)

            if path.is_file():
                # What a module imports is known after its analysis; a file that appears beside it
                # may answer to an import that led nowhere before.
                around = " ".join(sorted(other.name for other in path.parent.glob("*")))
                extra = f"{seconds} {around}{source}"
                _plans[key] = _make_timed(
                    str(path), lambda: cached_plan(str(path), None, analyse, extra=extra), path
                )
            else:
                # A cell of a notebook: it never comes again, and has the current folder's imports.
                texts = {str(path): source, **beside}
                _plans[key] = _make_timed(str(path), lambda: (analyse(), False), Path.cwd(), texts)
        return _plans[key]


def _files_of(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from python_files(path)
        elif path.is_file():
            yield path


def _make_timed(
    unit: str,
    make: Callable[[], tuple[UnitPlan, bool]],
    place: Path,
    texts: Mapping[str, str] | None = None,
) -> UnitPlan:
    """Make a plan, and note what it cost."""
    started = time.perf_counter()
    plan, hit = make()
    plan = _with_review(plan, place, dict(texts or {}))
    _analysed.append(
        Analysed(
            unit=unit,
            files=len({file for file, _, _ in plan.functions.values()}),
            sites=len(plan.sites),
            seconds=time.perf_counter() - started,
            origin="cache" if hit else "analysis",
        )
    )
    return plan


def _with_review(plan: UnitPlan, place: Path, texts: dict[str, str]) -> UnitPlan:
    """Return the plan with the requirements that a person has reviewed, where there are any.

    Args:
        texts: sources that are at hand, by file.
    """
    folder = place if place.is_dir() else place.parent
    kept = tuple(_not_silenced(plan.sites, texts))
    try:
        kept = requirements_for(kept, folder)
    except (InputFormatError, OSError) as error:
        keep_reason(str(folder), f"its requirements file is not used: {error}")
    left = {site.number for site in kept}
    silenced = tuple(site for site in plan.sites if site.number not in left)
    return msgspec.structs.replace(plan, sites=kept, silenced=silenced)


def _not_silenced(sites: Sequence[Site], texts: dict[str, str]) -> Iterator[Site]:
    """Yield the sites without ``# knitbone: ignore``."""
    for site in sites:
        if site.file not in texts:
            try:
                with tokenize.open(site.file) as stream:
                    texts[site.file] = stream.read()
            except (OSError, SyntaxError, UnicodeDecodeError):
                texts[site.file] = ""
        text = texts[site.file]
        if "knitbone:" not in text or not is_suppressed(site, text):
            yield site


def _analysed_within(
    seconds: float | None,
    unit: Path,
    files: Sequence[Path],
    source: str | None = None,
    beside: Mapping[str, str] | None = None,
) -> UnitPlan:
    """Analyse files, or one whose source is at hand; the plan has no sites where it takes too
    long."""
    # Loaded where nothing is cached: it takes longer than all the rest.
    from knitbone.adaptation.analysis import (  # noqa: PLC0415
        Budget,
        OverBudget,
        analyse_files,
        analyse_module,
    )

    budget = Budget(seconds)
    try:
        if source is None:
            return _plan(analyse_files(files, budget=budget))
        return _plan(analyse_module(unit, source, budget=budget, beside=beside))
    except OverBudget as error:
        why = (
            f"{error}: put the functions that call the model into a smaller module, or raise "
            "analysis_s in [tool.knitbone.adapt]"
        )
        errors = {file_of(str(unit)): why}
        return UnitPlan(sites=(), edges={}, functions={}, errors=errors, passing=error.busy)


def _plan(analysis: Analysis) -> UnitPlan:
    return UnitPlan(
        sites=tuple(analysis.sites),
        edges=dict(analysis.edges),
        functions=dict(analysis.functions),
        errors=dict(analysis.errors),
    )


def sites_of(plan: UnitPlan, file: str) -> list[Site]:
    """Return the sites of a file, and those of other files to which it brings the arguments of
    tool calls.

    Of these the file tells the model the tools, which has to be seen.
    """
    return [
        site
        for site in plan.sites
        if site.file == file
        or (site.brings_call and any(origin == file for origin, _, _ in site.origins))
    ]

"""Which sites an application has, by file: the analysis of a package, a folder or a script, made
once and kept."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.adaptation.analysis import Analysis, analyse_files, analyse_module
from knitbone.adaptation.instrument.cache import Plan, cached_plan
from knitbone.adaptation.sites import Site

__all__ = [
    "MAX_FILES",
    "Analysed",
    "analysed_units",
    "files_below",
    "plan_of_module",
    "plan_of_unit",
    "sites_by_file",
]

MAX_FILES = 5_000
"""A folder with more files is not an application's own (ours)."""

_SKIPPED = frozenset(
    {"__pycache__", "node_modules", "site-packages", "dist-packages", "build", "dist", "venv"}
    | {"env"}
)
_lock = threading.RLock()
_plans: dict[tuple[str, str], Plan] = {}
_analysed: list[Analysed] = []


class Analysed(msgspec.Struct, frozen=True, kw_only=True):
    """What an analysis cost this process."""

    unit: str
    files: int
    sites: int
    seconds: float
    """In this process: reading the cache, or the analysis itself."""
    origin: Literal["cache", "analysis"]


def analysed_units() -> tuple[Analysed, ...]:
    """The units that this process looked at."""
    with _lock:
        return tuple(_analysed)


def files_below(folder: Path) -> Iterator[Path]:
    """The Python files of an application's folder, without environments and build products."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED
            and not name.startswith(".")
            and not name.endswith(".egg-info")
            and not Path(place, name, "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            if name.endswith(".py"):
                yield Path(place, name)


def plan_of_unit(unit: Path) -> Plan:
    """The plan of a package or folder with all its files, or of one file with what it imports.

    Raises:
        ValueError: the folder has too many files to be one application.
    """
    with _lock:
        key = (str(unit), "")
        if key not in _plans:
            _plans[key] = _make(unit, None)
        return _plans[key]


def plan_of_module(path: Path, source: str) -> Plan:
    """The plan that holds for a module: that of its package, or of the script with what it
    imports."""
    package = _package_of(path)
    if package is not None:
        return plan_of_unit(package)
    with _lock:
        key = (str(path), source)
        if key not in _plans:
            _plans[key] = _make(path, source)
        return _plans[key]


def _package_of(path: Path) -> Path | None:
    folder = path.resolve().parent
    package = None
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        package, folder = folder, folder.parent
    return package


def _make(unit: Path, source: str | None) -> Plan:
    started = time.perf_counter()
    if unit.is_dir():
        listed: list[Path] = []
        for path in files_below(unit):
            listed.append(path)
            if len(listed) > MAX_FILES:
                raise ValueError(f"{unit} holds more than {MAX_FILES:,} Python files")
        plan, hit = cached_plan(str(unit), listed, lambda: _plan(analyse_files(listed)))
    else:
        # What a script imports is known after its analysis; a file that appears beside it may
        # answer to an import that led nowhere before.
        beside = " ".join(sorted(path.name for path in unit.parent.glob("*")))
        plan, hit = cached_plan(
            str(unit),
            None,
            lambda: _plan(
                analyse_files([unit]) if source is None else analyse_module(unit, source)
            ),
            extra=beside + (source or ""),
        )
    files = {file for file, _, _ in plan.functions.values()}
    _analysed.append(
        Analysed(
            unit=str(unit),
            files=len(files),
            sites=len(plan.sites),
            seconds=time.perf_counter() - started,
            origin="cache" if hit else "analysis",
        )
    )
    return plan


def _plan(analysis: Analysis) -> Plan:
    return Plan(
        sites=tuple(analysis.sites),
        edges=dict(analysis.edges),
        functions=dict(analysis.functions),
        errors=dict(analysis.errors),
    )


def sites_by_file(plan: Plan) -> dict[str, list[Site]]:
    """The sites of a plan, file by file."""
    found: dict[str, list[Site]] = {}
    for site in plan.sites:
        found.setdefault(site.file, []).append(site)
    return found

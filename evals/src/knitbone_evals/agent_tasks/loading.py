"""Tasks by benchmark, split and seed."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from knitbone_evals.agent_tasks.files.domains import domain_tasks
from knitbone_evals.agent_tasks.github.projects import project_tasks
from knitbone_evals.agent_tasks.records import Benchmark, Split, Task

__all__ = ["DATA", "SPLIT_SEED", "VALIDATION", "domains", "draw_split", "load_tasks"]

DATA = Path(__file__).parent / "data"
_FOLDERS: Mapping[Benchmark, str] = {"FMB": "files", "GHB": "github"}
VALIDATION: Mapping[Benchmark, int] = {"FMB": 14, "GHB": 3}
"""Domains that are for validation, a third; all others are for tests."""
SPLIT_SEED = 18
_MAKERS = {"FMB": domain_tasks, "GHB": project_tasks}


def load_tasks(benchmark: Benchmark, split: Split = "all", *, seed: int = 0) -> list[Task]:
    """The tasks of a benchmark, in the order of their domains.

    Args:
        split: ``validation`` and ``test`` have no domain in common.
        seed: draws names, dates and states in files and requests. The wording and the kinds of
            tasks do not depend on it, nor does the split.
    """
    wanted = _read(DATA / "split.toml")[benchmark]
    names = domains(benchmark) if split == "all" else sorted(wanted[split])
    make = _MAKERS[benchmark]
    folder = DATA / _FOLDERS[benchmark]
    return [task for name in names for task in make(name, _read(folder / f"{name}.toml"), seed)]


def domains(benchmark: Benchmark) -> list[str]:
    """The names of a benchmark's data files."""
    return sorted(path.stem for path in (DATA / _FOLDERS[benchmark]).glob("*.toml"))


def draw_split(benchmark: Benchmark, names: Iterable[str]) -> dict[str, list[str]]:
    """The split that ``data/split.toml`` holds, drawn anew."""
    names = sorted(names)
    chance = random.Random(f"{benchmark}:{SPLIT_SEED}")
    validation = sorted(chance.sample(names, VALIDATION[benchmark]))
    return {"validation": validation, "test": [n for n in names if n not in validation]}


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))

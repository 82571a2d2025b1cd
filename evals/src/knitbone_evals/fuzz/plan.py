"""Which tools are run, how often, and by whom; what was run already is not run again."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from knitbone_evals.fuzz import library
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.reports import Report, Task
from knitbone_evals.fuzz.running import Treatment, reports

__all__ = ["SPLITS", "Run", "Runner", "Tools", "library_tools", "planted_targets"]

_TIMEOUTS: dict[Treatment, float] = {"knitbone": 5.0, "baseline": 1.0}
"""Seconds allowed to one call: knitbone's default; the baseline tries a hang again, for ten."""
_LOOPBACK = ("127.0.0.1",)
SPLITS: dict[str, frozenset[str]] = {
    "dev": frozenset(("travel", "measures", "tables", "references", "days")),
}
SPLITS["held"] = frozenset(registry.THEMES) - SPLITS["dev"]
SPLITS["second"] = frozenset(registry.SECOND_THEMES)
SPLITS["third"] = frozenset(registry.THIRD_THEMES)
"""Themes that may be looked at to improve the fuzzer, and those that may not."""


class Tools(msgspec.Struct, frozen=True):
    """A set of tools, as targets."""

    name: str
    targets: tuple[str, ...]
    files: str = ""
    allow_hosts: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True):
    """One treatment over a set of tools, with one seed."""

    treatment: Treatment
    calls: int
    seed: int
    generator: str = ""


def planted_targets(*, split: str = "", only: str = "") -> Tools:
    """The planted tools of a split whose target contains ``only``; the first set without either."""
    themes = SPLITS[split] if split else frozenset(registry.THEMES)
    targets = (
        target
        for target in registry.by_target()
        if target.partition(":")[0].rpartition(".")[2] in themes and only in target
    )
    return Tools("planted", tuple(targets))


def library_tools(folder: Path, *, only: str = "") -> Tools:
    """The tools of langchain-community whose target contains ``only``.

    Their service is on the loopback address.

    Args:
        folder: An empty one, which gets the files that they work on.
    """
    library.write_files(folder)
    targets = (target for target in library.targets() if only in target)
    return Tools("library", tuple(targets), str(folder), _LOOPBACK)


class Runner:
    """Runs tools in workers, or takes the reports of an earlier run from ``folder``.

    What no worker could report of is run again the next time.
    """

    def __init__(
        self, *, processes: int = 1, folder: Path | None = None, python: str = sys.executable
    ) -> None:
        self._processes = processes
        self._folder = folder
        self._python = python
        self._done: dict[tuple[str, Run], dict[str, Report]] = {}

    def run(self, tools: Tools, run: Run) -> list[Report]:
        """The reports of all tools, in their order."""
        kept = self._kept(tools, run)
        known = self._done.setdefault((tools.name, run), {})
        known |= {report.target: report for report in self._read(kept)}
        missing = [target for target in tools.targets if target not in known]
        if missing:
            self._say(f"{tools.name}: {run.treatment}, {run.calls} calls, seed {run.seed}")
        begin = time.monotonic()
        tasks = self._tasks(tools, run, missing)
        for report in reports(run.treatment, tasks, processes=self._processes, python=self._python):
            known[report.target] = report
            if report.problem:
                self._say(f"{report.target}: {report.problem}")
            elif kept is not None:
                with kept.open("ab") as file:
                    file.write(msgspec.json.encode(report) + b"\n")
        if missing:
            self._say(f"{len(missing)} tools in {time.monotonic() - begin:.0f} s")
        return [known[target] for target in tools.targets]

    @staticmethod
    def _tasks(tools: Tools, run: Run, targets: Sequence[str]) -> list[Task]:
        timeout = _TIMEOUTS[run.treatment]
        return [
            Task(
                target,
                run.calls,
                run.seed,
                timeout,
                generator=run.generator,
                files=tools.files,
                allow_hosts=tools.allow_hosts,
            )
            for target in targets
        ]

    def _kept(self, tools: Tools, run: Run) -> Path | None:
        if self._folder is None:
            return None
        self._folder.mkdir(parents=True, exist_ok=True)
        parts = (tools.name, run.treatment, run.generator, str(run.calls), str(run.seed))
        return self._folder / ("-".join(filter(None, parts)) + ".jsonl")

    @staticmethod
    def _read(kept: Path | None) -> list[Report]:
        if kept is None or not kept.exists():
            return []
        lines = kept.read_bytes().splitlines()
        read = (msgspec.json.decode(line, type=Report) for line in lines)
        return [report for report in read if not report.problem]

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

"""One check or guard taken away: ``python -m knitbone_evals.recover.supervision.ablations --data
DIR``.

On cheap ground, dry: the written sequences (stuck ones found, others flagged; without guidance, so
that only loops speak) and the recorded runs of τ airline and τ retail (failed ones with guidance
built from that very run, successful ones with guidance of another task). Drift is left out: it says
nothing without a verifier.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from knitbone.config import SupervisionSettings
from knitbone.tethering.supervision.checks.expectation import ExpectationCheck
from knitbone.tethering.supervision.checks.loop import LoopCheck
from knitbone.tethering.supervision.checks.structural import StructuralCheck
from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.recover.supervision import recorded, sequences
from knitbone_evals.recover.supervision.dry_run import dry_run

RESULT = RESULTS / "supervision_ablations.json"
FOLDERS = ("sequences", "sequences_second", "sequences_third")
SETS = ("τ airline", "τ retail")
NEVER = 10**6
_HOOKS = ("tool_returned", "text_answered")
_COUNTS = ("interventions in them", "interventions in those")
_PACKAGE = "knitbone.tethering.supervision."
GUARDS: dict[str, dict[str, Any]] = {
    "all of it": {},
    "without the cooldown": {"deciding.COOLDOWN_STEPS": 0},
    "without the cap on answers sent back": {"deciding.REROUTES": NEVER},
    "without falling silent around one action": {"deciding.AROUND_ONE_ACTION": NEVER},
    "without the caps on reminders": {
        "checks.structural.FIRES": NEVER,
        "checks.structural.REPEATS": NEVER,
    },
    "without waiting for five steps and calls": {
        "checks.structural.STEPS": 0,
        "checks.structural.CALLS": 0,
    },
    "without patience for work under way": {"checks.loop.POLLING": 3},
    "cycles of one call only": {"checks.loop.CYCLE": 1},
}
CHECKS = {
    "without the loop check": LoopCheck,
    "without the expectation check": ExpectationCheck,
    "without the structural check": StructuralCheck,
}
MINIMAL = {
    "without silence after all that was expected": "all_done",
    "without loops alone after an expected change": "state_changed",
}


def evaluate(data: Path) -> dict[str, Any]:
    """A row for each thing that is taken away."""
    ground = _Ground(data)
    rows = {name: ground.row(changed) for name, changed in GUARDS.items()}
    for name, check in CHECKS.items():
        silent: dict[str, Any] = dict.fromkeys(_HOOKS, _sees_nothing)
        with mock.patch.multiple(check, **silent):
            rows[name] = ground.row({})
    for name, said in MINIMAL.items():
        with mock.patch.object(ExpectedCalls, said, _Never(), create=True):
            rows[name] = ground.row({})
    return {"title": "Supervision without one check or guard", "rows": rows}


class _Never:
    """An attribute that reads false, whatever it is set to."""

    def __get__(self, one: object, owner: object = None) -> bool:
        return False

    def __set__(self, one: object, value: object) -> None:
        return None


def _sees_nothing(*_: object) -> None:
    """What a check notices that is taken away."""


class _Ground:
    """The sequences, and the runs with their guidance, which is built once."""

    def __init__(self, data: Path) -> None:
        here = Path(__file__).parent
        self._sequences = [
            json.loads(file.read_text(encoding="utf-8"))
            for folder in FOLDERS
            for file in sorted((here / folder).glob("*.json"))
        ]
        self._failed: list[Any] = []
        self._good: list[Any] = []
        cases = recorded.recorded_cases(data)
        for name in SETS:
            guided = [(case, recorded.guidance_of(case)) for case in cases[name] if not case.good]
            others = [guidance for _, guidance in guided if guidance.directives]
            good = [case for case in cases[name] if case.good]
            self._failed += [pair for pair in guided if pair[1].directives]
            self._good += [
                (case, recorded.other_guidance(case, others, number))
                for number, case in enumerate(good)
            ]

    def row(self, changed: Mapping[str, Any]) -> dict[str, Any]:
        """Counts with other figures."""
        with ExitStack() as patched:
            for name, value in changed.items():
                patched.enter_context(mock.patch(_PACKAGE + name, value))
            return self._counted()

    def _counted(self) -> dict[str, Any]:
        settings = SupervisionSettings()
        unguided = SupervisionSettings(loops_without_guidance=True)
        with mock.patch.object(sequences, "SupervisionSettings", return_value=unguided):
            found = [
                (
                    one["label"],
                    sequences.verdict(one, sequences.supervised(one["steps"], one["task"])),
                )
                for one in self._sequences
            ]
        stuck = [verdict for label, verdict in found if label == "stuck"]
        free = [verdict for label, verdict in found if label != "stuck"]
        failed, good = _spoken(self._failed, settings), _spoken(self._good, settings)
        return {
            "stuck found": recorded.share_of(stuck.count("right"), len(stuck)),
            "not stuck, flagged": recorded.share_of(free.count("false"), len(free)),
            "failed runs spoken to": recorded.share_of(sum(map(bool, failed)), len(failed)),
            "interventions in them": sum(failed),
            "good runs spoken to": recorded.share_of(sum(map(bool, good)), len(good)),
            "interventions in those": sum(good),
        }


def _spoken(guided: Sequence[Any], settings: SupervisionSettings) -> list[int]:
    return [
        sum(one.action != "silence" for one in dry_run(case.run, guidance, settings=settings))
        for case, guidance in guided
    ]


def render(result: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    names = list(next(iter(result["rows"].values())))
    lines = [f"### {result['title']}", "", "| | " + " | ".join(names) + " |",
             "| --- " * (len(names) + 1) + "|"]  # fmt: skip
    for name, row in result["rows"].items():
        cells = [str(row[n]) if n in _COUNTS else recorded.share_text(row[n]) for n in names]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", "Exact 95 % intervals (Clopper and Pearson).", ""])


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = evaluate(arguments.data)
    write_result(arguments.out, result)
    arguments.out.with_suffix(".md").write_text(render(result), encoding="utf-8")
    print(render(result))


if __name__ == "__main__":
    main()

"""Supervision of recorded runs, dry: ``python -m knitbone_evals.recover.supervision.recorded
--data DIR``.

DIR holds ``tau_airline``, ``agentrx`` and ``who_and_when``. Nobody heard what would have been said,
so nothing here says that it helps; it says how often supervision would have spoken, and when.

- *without guidance*: only loops can speak, and are let to (``loops_without_guidance``);
- *its own guidance*: a failed run with the guidance that is built from the diagnosis of that very
  run, as if it were made again in the same way;
- *guidance of another try*: a successful run with the guidance of a failed run of the same task;
- *guidance of another task*: a successful run with guidance that it cannot follow, the worst case.

Without a verifier drift is not said, so nothing is embedded; *all drift confirmed* has the embedded
embedder and a verifier that says yes to everything, on the sets with successful runs. A failed run
counts as met where something is said at or after the blamed step (τ airline: the first change of
state that is none of the reference solution).
"""

from __future__ import annotations

import argparse
import json
import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scipy import stats

from knitbone import __version__
from knitbone.common.similarity import TextEmbedder
from knitbone.config import SupervisionSettings
from knitbone.models.embedders import MiniLmEmbedder
from knitbone.record.events import Run
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.guidance.builder import build_guidance
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.interchange.importers import import_file
from knitbone.tethering.supervision.engine import DriftVerifier
from knitbone.tethering.supervision.records import SupervisionDecision
from knitbone_evals.diagnose.claims.__main__ import airline_label
from knitbone_evals.diagnose.localization.sets import labelled_runs
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.recover.supervision.dry_run import dry_run, moments_of

RESULT = RESULTS / "supervision_recorded.json"
CHECKS = ("loop", "expectation", "drift", "structural")
UNGUIDED = SupervisionSettings(loops_without_guidance=True)
_SHARES = ("runs with one", "runs with one but a reminder", "at or after the blamed step")
GOAL = 0.05
"""Successful runs in which something but a reminder may be said (issue: 1 of 20)."""


class RecordedCase(NamedTuple):
    """A recorded run and what is known of it."""

    run: Run
    good: bool
    label: int | None
    task: str


def recorded_cases(data: Path) -> dict[str, list[RecordedCase]]:
    """The sets."""
    airline = import_file(data / "tau_airline" / "gpt-4o-runs.json")
    labelled = labelled_runs(data)
    causes = {case.run.id: case.label for each in labelled.values() for case in each}
    return {
        "τ airline": [
            RecordedCase(item.run, good, None if good else airline_label(item), _task(item.run))
            for item in airline
            for good in [_good(item.run)]
        ],
        "τ retail": [
            RecordedCase(item.run, _good(item.run), causes.get(item.run.id), _task(item.run))
            for item in import_file(data / "agentrx" / "tau_retail_runs.json")
        ],
        "Magentic-One": [
            RecordedCase(item.run, False, causes.get(item.run.id), _task(item.run))
            for file in sorted((data / "agentrx" / "magentic_one").glob("*.json"))
            for item in import_file(file)
        ],
        "Who&When": [
            RecordedCase(case.run, False, case.label, case.group)
            for name in ("algorithm-generated", "hand-crafted")
            for case in labelled[name]
        ],
    }  # fmt: skip


def _good(run: Run) -> bool:
    return bool(run.outcome and run.outcome.success)


def _task(run: Run) -> str:
    identity = run.origin.identity if run.origin else {}
    return str(identity.get("task_id", identity.get("trajectory_id", run.id)))


class Watched(NamedTuple):
    """A run with the decisions on it."""

    case: RecordedCase
    decisions: tuple[SupervisionDecision, ...]

    def spoken(self) -> list[tuple[str, int]]:
        """Check and place (the source's index) of each intervention."""
        moments = list(moments_of(self.case.run))
        return [
            (decision.signals[0].check, _place(moments[decision.step].event.position))
            for decision in self.decisions
            if decision.action != "silence"
        ]


def _place(position: Any) -> int:
    return position.index if position is not None else 0


def watched(
    cases: Iterable[tuple[RecordedCase, Guidance | None]],
    embedder: TextEmbedder | None = None,
    verifier: DriftVerifier | None = None,
) -> list[Watched]:
    """Dry runs; without guidance with the settings for that."""
    return [
        Watched(case, dry_run(case.run, guidance, embedder=embedder, verifier=verifier,
                              settings=UNGUIDED if guidance is None else None))
        for case, guidance in cases
    ]  # fmt: skip


class YesVerifier:
    """Confirms everything."""

    def confirms(self, intent: str, action: str, *, seconds: float) -> bool | None:  # noqa: ARG002
        """See ``DriftVerifier``."""
        return True


def row(runs: Sequence[Watched]) -> dict[str, Any]:
    """What was said in some runs."""
    spoken = [one.spoken() for one in runs]
    by_check = {check: sum(any(c == check for c, _ in said) for said in spoken) for check in CHECKS}
    met = [
        any(place >= one.case.label for _, place in said)
        for one, said in zip(runs, spoken, strict=True)
        if one.case.label is not None
    ]
    held = Counter(decision.reason for one in runs for decision in one.decisions if decision.reason)
    return {
        "n": len(runs),
        "interventions a run": round(sum(map(len, spoken)) / max(len(runs), 1), 3),
        "runs with one": share_of(sum(map(bool, spoken)), len(runs)),
        "runs with one but a reminder": share_of(
            sum(any(check != "structural" for check, _ in said) for said in spoken), len(runs)
        ),
        "labelled": len(met), "at or after the blamed step": share_of(sum(met), len(met)),
        "runs by check": by_check, "held back": dict(held.most_common()),
        "kinds": dict(Counter(d.signals[0].kind for one in runs for d in one.decisions
                              if d.action != "silence").most_common()),
    }  # fmt: skip


def share_of(hits: int, total: int) -> list[float]:
    """Hits, total, and the exact 95 % interval (Clopper and Pearson)."""
    if not total:
        return []
    interval = stats.binomtest(hits, total).proportion_ci()
    return [hits, total, round(float(interval.low), 3), round(float(interval.high), 3)]


class RememberingEmbedder:
    """An embedder that embeds each text once."""

    def __init__(self) -> None:
        self._inner = MiniLmEmbedder()
        self.name = self._inner.name
        self._rows: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Any:
        """See ``Embedder.embed``."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        self._rows.update(zip(new, self._inner.embed(new), strict=True))
        return [self._rows[text] for text in texts]


def evaluate(data: Path, only: str | None = None) -> dict[str, Any]:
    """All tables, or those of one set."""
    embedder = RememberingEmbedder()
    tables: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, cases in recorded_cases(data).items():
        if only not in (None, name):
            continue
        good, bad = [c for c in cases if c.good], [c for c in cases if not c.good]
        guided = [(case, guidance_of(case)) for case in bad]
        guided = [(case, guidance) for case, guidance in guided if guidance.directives]
        by_task = {case.task: guidance for case, guidance in guided}
        others = [guidance for _, guidance in guided]
        table = tables[name]
        table["succeeded, without guidance"] = watched([(case, None) for case in good])
        table["failed, without guidance"] = watched([(case, None) for case in bad])
        table["failed, its own guidance"] = watched(guided)
        tried = [(case, by_task[case.task]) for case in good if case.task in by_task]
        foreign = [
            (c, other_guidance(c, others, number)) for number, c in enumerate(good) if others
        ]
        table["succeeded, guidance of another try"] = watched(tried)
        table["succeeded, guidance of another task"] = watched(foreign)
        if not good:
            continue
        yes = YesVerifier()
        table["failed, its own guidance, all drift confirmed"] = watched(guided, embedder, yes)
        table["succeeded, guidance of another try, all drift confirmed"] = watched(
            tried, embedder, yes
        )
        table["succeeded, guidance of another task, all drift confirmed"] = watched(
            foreign, embedder, yes
        )
    return {
        "title": "Supervision of recorded runs, dry", "knitbone": __version__,
        "python": platform.python_version(), "embedder": embedder.name,
        "tables": {name: {kind: row(runs) for kind, runs in table.items() if runs}
                   for name, table in tables.items()},
    }  # fmt: skip


def guidance_of(case: RecordedCase) -> Guidance:
    return build_guidance(diagnose(case.run), case.run, task=case.task)


def other_guidance(case: RecordedCase, others: Sequence[Guidance], number: int) -> Guidance:
    """Guidance of another task, in turn."""
    turned = [*others[number % len(others) :], *others[: number % len(others)]]
    return next((guidance for guidance in turned if guidance.task != case.task), turned[0])


def render(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [f"### {result['title']}", "",
             "| runs | n | interventions a run | with one | with one but a reminder | at or after"
             " the blamed step | loop | expectation | drift | structural |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, table in result["tables"].items():
        for kind, found in table.items():
            shares = [share_text(found[share]) for share in _SHARES]
            cells = [found["n"], found["interventions a run"], *shares,
                     *found["runs by check"].values()]  # fmt: skip
            lines.append(f"| {name}: {kind} | " + " | ".join(map(str, cells)) + " |")
    lines += ["", "Runs by check count a run once a check. Exact 95 % intervals (Clopper and"
              f" Pearson). No verifier; embedder {result['embedder']}; knitbone"
              f" {result['knitbone']}, Python {result['python']}.", ""]  # fmt: skip
    return "\n".join(lines)


def share_text(share: Sequence[float]) -> str:
    if not share:
        return ""
    hits, total, low, high = share
    return f"{hits} of {total} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--only", help="one set; the others of the result stay as they are")
    arguments = parser.parse_args()
    result = evaluate(arguments.data, arguments.only)
    if arguments.only and arguments.out.exists():
        before = json.loads(arguments.out.read_text(encoding="utf-8"))
        result["tables"] = {**before["tables"], **result["tables"]}
    write_result(arguments.out, result)
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

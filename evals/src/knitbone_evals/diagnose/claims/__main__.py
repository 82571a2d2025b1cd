"""How often something is claimed of good and of bad runs, and how often rightly: ``python -m
knitbone_evals.diagnose.claims --data DIR``.

DIR holds ``tau_airline``, ``agentrx`` and ``who_and_when``. Every verdict is taken out of the runs
(an exception that ended the program is none, and stays) before they are diagnosed, and a claim is
asked for (``diagnose(run, claim=True)``): what is claimed rests on the record alone. A second
column tells the diagnosis which runs failed.

Runs are halved by their position, the programs by their trades. No model is involved.
"""

from __future__ import annotations

import argparse
import platform
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from scipy import stats

from knitbone import __version__
from knitbone.record.events import Event, ModelCall, Outcome, Run
from knitbone.samples import bank_agent
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.records import Diagnosis
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_file
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone_evals.diagnose.claims.fresh import Program, fresh_programs
from knitbone_evals.diagnose.claims.programs import programs
from knitbone_evals.diagnose.localization.sets import labelled_runs
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "claims.json"
SEED = 20261123
GOOD_PROGRAMS, BAD_PROGRAMS = 141, 96
FRESH = "programs by another author"
ASKED_FOR = ("τ airline", "τ retail", "samples", "recorded programs")
"""The sets that hold runs of both kinds: what is claimed of the others shows no false claim."""


class Judged(NamedTuple):
    """One run, what is known of it, and what was said without knowing it."""

    run: Run
    good: bool
    label: int | None
    half: int
    kind: str
    blind: Diagnosis
    told: Diagnosis


def _judge(run: Run, good: bool, label: int | None, half: int, kind: str = "") -> Judged:
    blind = diagnose(without_verdict(run), claim=True)
    return Judged(run, good, label, half, kind, blind, diagnose(run))


def without_verdict(run: Run) -> Run:
    """The run as if nobody had judged it. That an exception ended the program is no verdict."""
    events: list[Event] = []
    for event in run.events:
        if not isinstance(event, Outcome):
            events.append(event)
        elif "exception.type" in event.attributes:
            events.append(msgspec.structs.replace(event, success=None, reward=None, reason=""))
    return msgspec.structs.replace(run, events=tuple(events))


def _fresh(program: Program, number: int) -> Judged:
    """A program by somebody else; the runs hold no verdict, so the second column is given one."""
    run = program.run
    calls = [k for k, event in enumerate(run.events) if isinstance(event, ModelCall)]
    label = None if program.wrong_call is None else calls[program.wrong_call]
    verdict = Outcome(id="verdict", success=program.good)
    told = diagnose(msgspec.structs.replace(run, events=(*run.events, verdict)))
    blind = diagnose(without_verdict(run), claim=True)
    return Judged(run, program.good, label, number % 2, program.kind, blind, told)


def airline_label(item: ImportedRun) -> int | None:
    """The first state change that is none of the gold actions: derived, not annotated."""
    body = item.labels[0].body if item.labels else {}
    gold = [(action["name"], action["kwargs"]) for action in body.get("gold_actions") or ()]
    for unit in build_units(item.run):
        for call in unit.calls:
            if unit.side_effect and (call.tool, call.arguments) not in gold:
                return unit.index
    return None


def _sets(data: Path) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    airline = import_file(data / "tau_airline" / "gpt-4o-runs.json")
    found["τ airline"] = [
        _judge(item.run, good, None if good else airline_label(item), number % 2)
        for number, item in enumerate(airline)
        for good in [bool(item.run.outcome and item.run.outcome.success)]
    ]
    labelled = labelled_runs(data)
    retail = import_file(data / "agentrx" / "tau_retail_runs.json")
    causes = {case.run.id: case.label for case in labelled["tau-retail"]}
    found["τ retail"] = [
        _judge(item.run, bool(item.run.outcome and item.run.outcome.success),
               causes.get(item.run.id), number % 2)
        for number, item in enumerate(retail)
    ]  # fmt: skip
    recorded = Path(bank_agent.__file__).parent / "runs" / "bank_runs.json"
    steps = bank_agent.faults()
    found["samples"] = [
        _judge(item.run, bool(item.run.outcome and item.run.outcome.success),
               steps.get(number), number % 2)
        for number, item in enumerate(import_file(recorded))
    ]  # fmt: skip
    found["recorded programs"] = [
        _judge(one.run, one.good, one.label, half, one.kind)
        for half in (0, 1)
        for count, wanted in (
            ((GOOD_PROGRAMS + 1 - half) // 2, True), ((BAD_PROGRAMS + 1 - half) // 2, False)
        )
        for one in programs(count, seed=SEED, half=half)
        if one.good == wanted
    ]  # fmt: skip
    found[FRESH] = [_fresh(one, number) for number, one in enumerate(fresh_programs(SEED))]
    for name in ("algorithm-generated", "hand-crafted"):
        found[name] = [
            _judge(case.run, False, case.label, number % 2)
            for number, case in enumerate(labelled[name])
        ]
    return found


def _share(hits: int, total: int) -> list[float]:
    """A share and its exact 95 % interval (Clopper and Pearson)."""
    if not total:
        return []
    interval = stats.binomtest(hits, total).proportion_ci()
    return [round(float(x), 3) for x in (hits / total, interval.low, interval.high)]


def _row(runs: Sequence[Judged], *, told: bool = False) -> dict[str, Any]:
    said = [(run.told if told else run.blind) for run in runs]
    claimed = [one.claim is not None for one in said]
    right = [
        (abs(place(run, one.turning_point) - place(run, run.label)) if one.turning_point is not None
         else None)
        for run, one in zip(runs, said, strict=True)
        if one.claim is not None and run.label is not None and not run.good
    ]  # fmt: skip
    placed = [error for error in right if error is not None]
    return {
        "n": len(runs), "claimed": sum(claimed), "share": _share(sum(claimed), len(runs)),
        "labelled claims": len(right), "with a turning point": len(placed),
        "exact": _share(sum(error == 0 for error in placed), len(placed)),
        "within one step": _share(sum(error <= 1 for error in placed), len(placed)),
        "kinds": dict(Counter(one.claim.kind for one in said if one.claim).most_common()),
    }  # fmt: skip


def place(run: Judged, step: int | None) -> int:
    """The position among the agent's steps of a source index, or of the step that it answers."""
    indices = sorted(run.blind.ranking)
    at = [k for k, index in enumerate(indices) if step is not None and index <= step]
    return at[-1] if at else 0


def evaluate(data: Path) -> dict[str, Any]:
    """All tables."""
    sets = _sets(data)
    tables: dict[str, Any] = {}
    for name, runs in sets.items():
        good, bad = [r for r in runs if r.good], [r for r in runs if not r.good]
        tables[name] = {"succeeded": _row(good), "failed": _row(bad),
                        "failed, told so": _row(bad, told=True)}  # fmt: skip
    every = [run for name in ASKED_FOR for run in sets[name]]
    real = [run for name in ("τ airline", "τ retail", "samples") for run in sets[name]]
    pools = {
        "the four sets": every,
        "the four sets, even half": [run for run in every if run.half == 0],
        "the four sets, odd half": [run for run in every if run.half == 1],
        "without the recorded programs": real,
        "all sets": [run for runs in sets.values() for run in runs],
    }
    for name, runs in pools.items():
        tables[name] = {
            "succeeded": _row([r for r in runs if r.good]),
            "failed": _row([r for r in runs if not r.good]),
            "failed, told so": _row([r for r in runs if not r.good], told=True),
        }
    kinds: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for run in sets["recorded programs"]:
        name = ("good: " if run.good else "bad: ") + run.kind
        known = kinds.setdefault(name, [0, 0])
        known[0] += 1
        known[1] += run.blind.claim is not None
    for run in sets[FRESH]:
        name = ("good: " if run.good else "bad: ") + run.kind
        known = others.setdefault(name, [0, 0])
        known[0] += 1
        known[1] += run.blind.claim is not None
    share = [len(run.blind.region) / max(run.blind.units, 1) for run in every if run.blind.units]
    return {
        "title": "Claims without a verdict, no model", "seed": SEED, "knitbone": __version__,
        "python": platform.python_version(), "tables": tables, "programs": kinds,
        "programs by another author": others,
        "mean share of a run in its region": round(sum(share) / len(share), 3),
    }  # fmt: skip


def render(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [f"### {result['title']}", "",
             "| runs | succeeded | claimed | failed | claimed | turning points | exact | within one"
             " step | failed, told so: claimed | exact |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, rows in result["tables"].items():
        good, bad, told = rows["succeeded"], rows["failed"], rows["failed, told so"]
        cells = [good["n"], _text(good, "share"), bad["n"], _text(bad, "share"),
                 bad["with a turning point"], _text(bad, "exact"), _text(bad, "within one step"),
                 _text(told, "share"), _text(told, "exact")]  # fmt: skip
        lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    lines += ["", "Claims by kind (succeeded / failed), the four sets:", ""]
    whole = result["tables"]["the four sets"]
    for kind in {**whole["failed"]["kinds"], **whole["succeeded"]["kinds"]}:
        good, bad = (whole[side]["kinds"].get(kind, 0) for side in ("succeeded", "failed"))
        lines.append(f"- {kind}: {good} / {bad}")
    lines += ["", "Recorded programs (written by the author of the claims), claimed of runs:", ""]
    lines += [f"- {name}: {hit} of {n}" for name, (n, hit) in result["programs"].items()]
    lines += ["", "Programs by another author, with a claim (all others have none):", ""]
    lines += [f"- {name}: {hit} of {n}" for name, (n, hit) in result[FRESH].items() if hit]
    lines += ["", f"A region holds {result['mean share of a run in its region']:.0%} of a run's"
              " steps on average. Exact 95 % intervals (Clopper and Pearson); *exact* and *within"
              " one step* count the agent's steps, of claims with a turning point in runs with a"
              f" label. Seed {result['seed']}, knitbone {result['knitbone']}, Python"
              f" {result['python']}.", ""]  # fmt: skip
    return "\n".join(lines)


def _text(row: dict[str, Any], name: str) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*row[name]) if row[name] else ""


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = evaluate(arguments.data)
    write_result(arguments.out, result)
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

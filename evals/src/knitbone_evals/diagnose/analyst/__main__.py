"""What a weak analyst does to a diagnosis: ``python -m knitbone_evals.diagnose.analyst --data
DIR``.

Some thirty labelled runs, drawn once with a seed, are diagnosed by the graph alone and with an
analyst, paired; those for which nothing is recorded are left out. The analysts are small real
models whose answers were recorded (``answers/MODEL.jsonl``) and are replayed; beside the diagnosis
as it is stands the one in which every answer that fits the run replaces the graph's.

``--record URL --model NAME`` asks a model behind the OpenAI protocol for what is not recorded yet,
and writes it down at once. An answer is replayed to the run and attempt for which it was given;
where the request has changed since, that is counted as *stale*.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from scipy.stats import binomtest

from knitbone.config import TetherConfig
from knitbone.tethering.diagnosis import analyst as analyst_module
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.records import Diagnosis
from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.diagnose.localization.sets import Labelled, labelled_runs
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.real_model.recorder import Replay, real_model

HERE = Path(__file__).parent
RESULT = RESULTS / "analyst.json"
DRAWN = {"algorithm-generated": 12, "hand-crafted": 10, "tau-retail": 8}
SEED = 25
CHARACTERS = 6_000
"""Of a packet: what a model with a small context reads in half a minute on two cores."""
CONFIG = TetherConfig(packet_characters=CHARACTERS)


class Measured(NamedTuple):
    run: str
    label: int
    alone: Diagnosis
    helped: Diagnosis
    trusting: Diagnosis


def drawn(data: Path) -> list[tuple[str, Labelled]]:
    """The thirty runs, by name of their set and place in it; the sets take turns."""
    sets: dict[str, list[Labelled]] = labelled_runs(data)
    chosen: list[list[tuple[str, Labelled]]] = []
    for name, count in DRAWN.items():
        usable = [
            (f"{name} {place}", case)
            for place, case in enumerate(sets[name])
            if any(unit.index == case.label for unit in build_units(case.run))
        ]
        found = random.Random(f"{SEED}{name}").sample(usable, min(count, len(usable)))
        chosen.append(sorted(found, key=lambda pair: pair[0]))
    return [pair for turn in zip_longest(*chosen) for pair in turn if pair is not None]


def measure(model: Replay, data: Path) -> list[Measured]:
    """The graph alone, the analyst as it counts, and as it would if each fitting answer did."""
    found: list[Measured] = []
    for name, case in drawn(data):
        if not model.knows(name):
            continue
        alone = diagnose(case.run, config=CONFIG)
        model.begin(name)
        helped = diagnose(case.run, config=CONFIG, analyst=model)
        model.begin(name)
        with mock.patch.object(analyst_module, "_not_borne_out", return_value=None):
            trusting = diagnose(case.run, config=CONFIG, analyst=model)
        found.append(Measured(name, case.label, alone, helped, trusting))
        print(f"  {name}: label {case.label}, graph {named(alone)}, {helped.analysis.state}"
              f" {named(helped)}, trusting {named(trusting)}", flush=True)  # fmt: skip
    return found


def named(diagnosis: Diagnosis) -> int | None:
    """The step that a reader would look at first."""
    if diagnosis.turning_point is not None:
        return diagnosis.turning_point
    return next(iter(diagnosis.ranking), None)


def table(model: str, found: Sequence[Measured], stale: int) -> dict[str, Any]:
    """Exact hits of each, and the paired differences to the graph alone."""

    hits = {
        which: [named(getattr(m, which)) == m.label for m in found]
        for which in ("alone", "helped", "trusting")
    }

    def against_alone(which: str) -> dict[str, float]:
        """Runs won and lost against the graph alone, and McNemar's exact p."""
        pairs = list(zip(hits[which], hits["alone"], strict=True))
        won, lost = pairs.count((True, False)), pairs.count((False, True))
        p = float(binomtest(won, won + lost).pvalue) if won + lost else 1.0
        return {"won": won, "lost": lost, "p": round(p, 3)}

    states = [m.helped.analysis.state for m in found]
    return {
        "model": model,
        "n": len(found),
        "stale answers": stale,
        "states": {state: states.count(state) for state in sorted(set(states))},
        "exact": {which: sum(hit) for which, hit in hits.items()},
        "moved": sum(named(m.helped) != named(m.alone) for m in found),
        "moved if each fitting answer counted": sum(
            named(m.trusting) != named(m.alone) for m in found
        ),
        "against the graph alone": against_alone("helped"),
        "each fitting answer against the graph alone": against_alone("trusting"),
    }


def main() -> None:
    """Replay, or record and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--record", metavar="URL", help="ask the server at this address")
    parser.add_argument("--model", help="which one; without it all that are recorded")
    options = parser.parse_args()
    names = [options.model] if options.model else sorted(
        path.stem for path in (HERE / "answers").glob("*.jsonl")
    )  # fmt: skip
    results = []
    for name in names:
        real = None
        if options.record:
            real = real_model(options.record, name, max_tokens=600)
        model = Replay(HERE / "answers" / f"{name}.jsonl", name, real)
        print(name)
        found = measure(model, options.data)
        results.append(table(name, found, model.stale))
        print(json.dumps(results[-1], indent=1))
    if not options.model:
        write_result(RESULT, results)


if __name__ == "__main__":
    main()

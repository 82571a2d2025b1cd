"""τ-bench airline, a regression check: the first state-changing call that the task's reference
solution does not hold is taken for the blamed step.

A label made this way is always a write, so that naming a write is half of the answer: the first and
the last write stand beside our ranking, and nothing here is evidence of quality. Failed runs in
which every write is of the reference solution have no such label and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knitbone.tethering.diagnosis.vocabulary import intent_of_tool, is_state_changing
from knitbone.tethering.interchange.importers import import_file
from knitbone_evals.diagnose.localization.methods import KNITBONE, Scored, score
from knitbone_evals.diagnose.localization.metrics import interval, measures, paired
from knitbone_evals.diagnose.localization.sets import Labelled

FILE = Path("tau_airline") / "gpt-4o-runs.json"
OTHERS = ("no conduct plane", "first write", "last write")


def airline(data: Path, generator: np.random.Generator) -> dict[str, Any]:
    """Exact and top-3 of our ranking, of it without the conduct plane, and of two writes."""
    runs = [score(case) for case in labelled(data / FILE)]
    found = {
        name: [measures(run.by_score(_scores(run, name)), run.case.label) for run in runs]
        for name in (KNITBONE, *OTHERS)
    }
    return {
        "n": len(runs),
        "methods": {
            name: {metric: interval([row[metric] for row in rows], generator)
                   for metric in ("exact", "top-3")}
            for name, rows in found.items()
        },
        "label-free less": {
            name: paired(found[KNITBONE], found[name], generator) for name in OTHERS
        },
    }  # fmt: skip


def _scores(run: Scored, name: str) -> list[float]:
    if name not in ("first write", "last write"):
        return run.scores[name]
    sign = -1 if name == "first write" else 1
    return [len(run.units) * u.side_effect + sign * u.ordinal / 2 for u in run.units]


def labelled(file: Path) -> list[Labelled]:
    records = json.loads(file.read_text(encoding="utf-8"))
    cases: list[Labelled] = []
    for item, record in zip(import_file(file), records, strict=True):
        if record["reward"] >= 1:
            continue
        wanted = [(a["name"], a["kwargs"]) for a in record["info"]["task"]["actions"]]
        label = _first_unwanted(record["traj"], wanted)
        if label is not None:
            cases.append(Labelled(item.run, label, f"airline {record['task_id']}"))
    return cases


def _first_unwanted(
    messages: Sequence[Mapping[str, Any]], wanted: Sequence[tuple[str, Any]]
) -> int | None:
    for index, message in enumerate(messages):
        for call in message.get("tool_calls") or []:
            name = call["function"]["name"]
            if not is_state_changing(intent_of_tool(name)):
                continue
            if (name, json.loads(call["function"]["arguments"])) not in wanted:
                return index
    return None

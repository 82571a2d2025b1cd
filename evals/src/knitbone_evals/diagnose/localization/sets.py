"""The labelled runs: Who&When and AgentRx.

The Magentic-One runs of AgentRx overlap the hand-crafted part of Who&When, and some tasks stand in
several sets: runs of one task form a group, and what is fitted never sees another run of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from knitbone.record.events import Run
from knitbone.tethering.interchange.importers import import_file
from knitbone_evals.formats.agentrx import read_ground_truth

POOLED = ("algorithm-generated", "hand-crafted", "tau-retail")
"""Never pooled with magentic-one, which overlaps hand-crafted."""


class Labelled(NamedTuple):
    """A run, the 0-based index of the blamed message, and the task it belongs to."""

    run: Run
    label: int
    group: str


def labelled_runs(data: Path) -> dict[str, list[Labelled]]:
    """The sets, each a list of labelled runs in the order of the files."""
    sets: dict[str, list[Labelled]] = {}
    for name, folder in (
        ("algorithm-generated", "Algorithm-Generated"),
        ("hand-crafted", "Hand-Crafted"),
    ):
        files = sorted((data / "who_and_when" / folder).glob("*.json"))
        items = [item for file in files for item in import_file(file)]
        sets[name] = [
            Labelled(item.run, item.labels[0].body["index"], _group(item.run, name))
            for item in items
            if item.labels and item.labels[0].body["index"] is not None
        ]
    for name, truth, files in (
        ("tau-retail", "tau_ground_truth.json", [data / "agentrx" / "tau_retail_runs.json"]),
        (
            "magentic-one",
            "magentic_one_ground_truth.json",
            sorted((data / "agentrx" / "magentic_one").glob("*.json")),
        ),
    ):
        content = json.loads((data / "agentrx" / truth).read_text(encoding="utf-8"))
        causes = {cause.trajectory: cause.index for cause in read_ground_truth(content, truth)}
        sets[name] = []
        for item in (item for file in files for item in import_file(file)):
            identity = item.run.origin.identity if item.run.origin else {}
            key = str(identity.get("trajectory_id", identity.get("task_id")))
            if key in causes:
                sets[name].append(Labelled(item.run, causes[key], _group(item.run, name)))
    return sets


def _group(run: Run, name: str) -> str:
    identity = run.origin.identity if run.origin else {}
    shared = identity.get("question_ID") or identity.get("trajectory_id")
    return str(shared) if shared else f"{name} {identity.get('task_id', run.id)}"

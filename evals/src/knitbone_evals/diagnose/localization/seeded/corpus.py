"""The simulated runs by kind, as labelled runs; the same seed gives the same runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from knitbone_evals.diagnose.localization.seeded.script import Script
from knitbone_evals.diagnose.localization.seeded.service import DOMAINS, SERVICE_FAULTS, service
from knitbone_evals.diagnose.localization.seeded.teams import (
    CHAT_FAULTS,
    TEAM_FAULTS,
    THEMES,
    chat,
    team,
)
from knitbone_evals.diagnose.localization.sets import Labelled
from knitbone_evals.formats import tau_bench, who_and_when

__all__ = ["seeded_runs"]

_Writer = Callable[[random.Random, str, tuple[Any, ...]], Script]
_KINDS: dict[str, tuple[_Writer, tuple[str, ...], tuple[Any, ...]]] = {
    "group chat": (chat, CHAT_FAULTS, THEMES),
    "orchestrated team": (team, TEAM_FAULTS, THEMES),
    "customer service": (service, SERVICE_FAULTS, DOMAINS),
}


def seeded_runs(count: int, *, seed: int, held_out: bool) -> dict[str, list[tuple[str, Labelled]]]:
    """By kind of run, the runs, each with the kind of its fault.

    Args:
        count: runs of each kind of run; the kinds of faults take turns.
        held_out: the subjects (themes, trades) that nobody looked at while developing, or the
            others.
    """
    found: dict[str, list[tuple[str, Labelled]]] = {}
    for kind, (write, faults, subjects) in _KINDS.items():
        half = subjects[1::2] if held_out else subjects[::2]
        found[kind] = []
        number = 0
        while len(found[kind]) < count:
            fault = faults[number % len(faults)]
            script = write(random.Random(f"{seed} {kind} {number}"), fault, half)
            number += 1
            if script.label is None:
                continue  # the run had no place for the fault, or came out right
            found[kind].append((fault, _labelled(kind, script, number)))
    return found


def _labelled(kind: str, script: Script, number: int) -> Labelled:
    assert script.label is not None
    task = f"{kind} {number}"
    if kind == "customer service":
        record: dict[str, Any] = {
            "task_id": number, "trial": 0, "reward": 0.0, "traj": script.messages,
            "info": {"task": {"instruction": script.task}},
        }  # fmt: skip
        imported: Sequence[Any] = list(tau_bench.read(record, task))
    else:
        record = {"question": script.task, "history": script.messages, "is_correct": False}
        imported = list(who_and_when.read(record, task))
    return Labelled(imported[0].run, script.label, task)

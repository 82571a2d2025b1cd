"""Twenty-five features of a unit within its own run (AgentTether §III.C.2, run-local detector).

The paper fixes the number and three families and names an example of each: structural (in and
out degree), attribute-level (inconsistency of status and feedback), macro-level (error ratio per
macro). The list below fills the families; nothing in it depends on a tool or a domain.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from knitbone.tethering.units import TransitionUnit

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.graph import CriticalTransitionGraph

__all__ = ["FEATURES", "SIGNALS", "features_of"]

FEATURES: dict[str, str] = {
    # structural
    "in_degree": "dependency edges into the unit: how much earlier state it builds on",
    "out_degree": "dependency edges out of the unit: how many later steps build on it",
    "in_weight": "weight of the edges in: how specific what it builds on is",
    "out_weight": "weight of the edges out",
    "longest_back": "steps back to the farthest unit it depends on, as a share of the run",
    "longest_forward": "steps to the farthest unit that depends on it, as a share of the run",
    "neighbour_errors": "share of failed units one hop away",
    "neighbour_effects": "share of state-changing units one hop away",
    # attribute-level
    "action_length": "characters of the action, log scale",
    "belief_length": "characters of the reasoning beside it, log scale",
    "feedback_length": "characters of what came back, log scale",
    "artifacts_used": "values that the action mentions, log scale",
    "artifacts_new": "values that the action mentions and nothing before it did, log scale",
    "unsupported_share": "share of its values that no earlier step or message had shown",
    "artifacts_returned": "values in what came back that were not seen before, log scale",
    "failed": "the step's status is error",
    "inconsistent": "status and next step disagree: an error passed over, or a success redone",
    "repeats": "how often the same action was taken before, log scale",
    "kind_rarity": "how rare it is in this run that this agent does this sort of thing",
    "side_effect": "the step changes state",
    # macro-level: a macro is a contiguous block of one agent and tool family
    "macro_length": "units in the macro, log scale",
    "macro_position": "position in the macro, 0 first to 1 last",
    "macro_errors": "share of failed units in the macro",
    "macro_repeats": "share of the macro's actions that were taken before",
    "macro_rarity": "how rare macros of this family are in this run",
}  # fmt: skip

SIGNALS = (
    "artifacts_used",
    "action_length",
    "artifacts_new",
    "kind_rarity",
    "side_effect",
    "in_degree",
)
"""Features whose high values are suspicious in themselves, in whatever run: a decision that
carries much state, brings in new values, is of a rare kind, or changes the world."""


def features_of(graph: CriticalTransitionGraph) -> list[list[float]]:
    """One row a unit, one column a feature, in the order of ``FEATURES``."""
    units = graph.units
    columns: dict[str, list[float]] = {
        **_structural(graph),
        **_attributes(units),
        **_macros(units, _repeats(units)),
    }
    return [[columns[name][unit.ordinal] for name in FEATURES] for unit in units]


def _structural(graph: CriticalTransitionGraph) -> dict[str, list[float]]:
    units, n = graph.units, max(len(graph.units), 1)
    into = [graph.dependencies_into.get(unit.ordinal, []) for unit in units]
    out = [graph.dependencies_from.get(unit.ordinal, []) for unit in units]
    near = [graph.neighbours(unit.ordinal) for unit in units]
    return {
        "in_degree": [float(len(edges)) for edges in into],
        "out_degree": [math.log1p(len(edges)) for edges in out],
        "in_weight": [math.log1p(sum(edge.weight for edge in edges)) for edges in into],
        "out_weight": [math.log1p(sum(edge.weight for edge in edges)) for edges in out],
        "longest_back": [
            max((e.target - e.source for e in edges), default=0) / n for edges in into
        ],
        "longest_forward": [
            max((e.target - e.source for e in edges), default=0) / n for edges in out
        ],
        "neighbour_errors": [_share(units[k].status == "error" for k in around) for around in near],
        "neighbour_effects": [_share(units[k].side_effect for k in around) for around in near],
    }


def _attributes(units: Sequence[TransitionUnit]) -> dict[str, list[float]]:
    kinds = Counter(unit.kind for unit in units)
    repeats = _repeats(units)
    new: list[float] = []
    unsupported: list[float] = []
    returned: list[float] = []
    seen: set[str] = set()
    for unit in units:
        seen |= unit.observed
        unseen = len(unit.used - seen)
        new.append(math.log1p(unseen))
        unsupported.append(unseen / max(len(unit.used), 1))
        seen |= unit.used
        returned.append(math.log1p(len(unit.produced - seen)))
        seen |= unit.produced
    return {
        "action_length": [math.log1p(len(unit.action)) for unit in units],
        "belief_length": [math.log1p(len(unit.belief)) for unit in units],
        "feedback_length": [math.log1p(len(unit.feedback)) for unit in units],
        "artifacts_used": [math.log1p(len(unit.used)) for unit in units],
        "artifacts_new": new,
        "unsupported_share": unsupported,
        "artifacts_returned": returned,
        "failed": [float(unit.status == "error") for unit in units],
        "inconsistent": _inconsistent(units, repeats),
        "repeats": [math.log1p(count) for count in repeats],
        "kind_rarity": [-math.log(kinds[unit.kind] / len(units)) for unit in units],
        "side_effect": [float(unit.side_effect) for unit in units],
    }


def _inconsistent(units: Sequence[TransitionUnit], repeats: Sequence[int]) -> list[float]:
    values: list[float] = []
    for unit in units:
        after = units[unit.ordinal + 1] if unit.ordinal + 1 < len(units) else None
        passed_over = unit.status == "error" and (after is None or after.tool != unit.tool)
        redone = unit.status == "ok" and after is not None and repeats[after.ordinal] > 0
        values.append(float(passed_over or redone))
    return values


def _repeats(units: Sequence[TransitionUnit]) -> list[int]:
    """How often each unit's very action was taken before it."""
    taken: Counter[str] = Counter()
    counts: list[int] = []
    for unit in units:
        key = f"{unit.agent} {unit.action[:2_000]}"
        counts.append(taken[key])
        taken[key] += 1
    return counts


def _macros(units: Sequence[TransitionUnit], repeats: Sequence[int]) -> dict[str, list[float]]:
    blocks: list[list[TransitionUnit]] = []
    for unit in units:
        if blocks and _family(blocks[-1][-1]) == _family(unit):
            blocks[-1].append(unit)
        else:
            blocks.append([unit])
    families = Counter(_family(block[0]) for block in blocks)
    columns: dict[str, list[float]] = {name: [] for name in FEATURES if name.startswith("macro_")}
    for block in blocks:
        size = len(block)
        errors = _share(unit.status == "error" for unit in block)
        again = _share(repeats[unit.ordinal] > 0 for unit in block)
        rarity = -math.log(families[_family(block[0])] / len(blocks))
        for position in range(size):
            columns["macro_length"].append(math.log1p(size))
            columns["macro_position"].append(position / max(size - 1, 1))
            columns["macro_errors"].append(errors)
            columns["macro_repeats"].append(again)
            columns["macro_rarity"].append(rarity)
    return columns


def _family(unit: TransitionUnit) -> tuple[str, str]:
    return unit.agent, unit.tool or unit.intent


def _share(values: Iterable[bool]) -> float:
    flags = list(values)
    return sum(flags) / len(flags) if flags else 0.0

"""Twenty-five features of a unit within its own run (AgentTether §III.C.2, run-local detector).

The paper fixes the number, the one-hop graph context (§IV.A) and three families, and names an
example of each: *structural* (in and out degree), *attribute-level* (inconsistency of status and
feedback), *macro-level* (error ratio per macro, a macro being a contiguous block of units that
share a sub-goal or tool family). The list below fills the families; nothing in it depends on a tool
or a domain. Counts and lengths are on a log scale: an outlier in length should not drown the rest.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from knitbone.tethering.diagnosis.units import TransitionUnit

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["FAMILIES", "FEATURES", "SIGNALS", "features_of"]

_STRUCTURAL: dict[str, str] = {
    "in_degree": "dependency edges into the unit: how much earlier state it builds on",
    "out_degree": "dependency edges out of the unit: how many later steps build on it",
    "in_weight": "weight of the edges in: how specific what it builds on is",
    "out_weight": "weight of the edges out",
    "longest_back": "steps back to the farthest unit it depends on, as a share of the run",
    "longest_forward": "steps to the farthest unit that depends on it, as a share of the run",
    "neighbour_errors": "share of failed units within the hops (one) of graph context",
    "neighbour_effects": "share of state-changing units within them",
}
_ATTRIBUTES: dict[str, str] = {
    "action_length": "characters of the action, log scale",
    "belief_length": "characters of the reasoning beside it, log scale",
    "feedback_length": "characters of what came back, log scale",
    "artifacts_used": "values that the action mentions, log scale",
    "artifacts_new": "values that the action mentions and nothing before it did, log scale",
    "unsupported_share": "share of its values that no earlier step or message spells so",
    "artifacts_returned": "values in what came back that were not seen before, log scale",
    "failed": "the step's status is error",
    "inconsistent": "status disagrees with the feedback (no error, but the answer refuses or finds "
    "nothing) or with the next step (an error passed over, a success redone)",
    "repeats": "how often the same action was taken before, log scale",
    "kind_rarity": "how rare it is in this run that this agent does this sort of thing",
    "side_effect": "the step changes state",
}
_MACRO: dict[str, str] = {
    "macro_length": "units in the macro, log scale",
    "macro_position": "position in the macro, 0 first to 1 last",
    "macro_errors": "share of failed units in the macro",
    "macro_repeats": "share of the macro's actions that were taken before",
    "macro_rarity": "how rare macros of this family are in this run",
}

FAMILIES: dict[str, tuple[str, ...]] = {
    "structural": tuple(_STRUCTURAL),
    "attribute-level": tuple(_ATTRIBUTES),
    "macro-level": tuple(_MACRO),
}
FEATURES: dict[str, str] = {**_STRUCTURAL, **_ATTRIBUTES, **_MACRO}
"""Name and meaning, in the order of the columns."""

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


_REFUSED = re.compile(
    r"\bnot (?:found|available|allowed|permitted|possible|supported)\b"
    r"|\bno (?:results?|match\w*|such)\b"
    r"|\b(?:unable|cannot|can't|could not|couldn't|does not exist|denied|unsuccessful|failed)\b",
    re.IGNORECASE,
)
_HEAD = 400
"""Characters of the feedback in which a refusal counts: an answer says first how it went."""


def features_of(graph: CriticalTransitionGraph, *, hops: int = 1) -> list[list[float]]:
    """One row a unit, one column a feature, in the order of ``FEATURES``.

    Args:
        hops: how far the graph context of a unit reaches (AgentTether §IV.A: one hop).
    """
    units = graph.units
    columns: dict[str, list[float]] = {
        **_structural(graph, hops),
        **_attributes(units),
        **_macros(units, _repeats(units)),
    }
    return [[columns[name][unit.ordinal] for name in FEATURES] for unit in units]


def _structural(graph: CriticalTransitionGraph, hops: int) -> dict[str, list[float]]:
    units, n = graph.units, max(len(graph.units), 1)
    into = [graph.dependencies_into.get(unit.ordinal, []) for unit in units]
    out = [graph.dependencies_from.get(unit.ordinal, []) for unit in units]
    near = [_around(graph, unit.ordinal, hops) for unit in units]
    return {
        "in_degree": [math.log1p(len(edges)) for edges in into],
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


def _around(graph: CriticalTransitionGraph, ordinal: int, hops: int) -> list[int]:
    reached, edge = {ordinal}, [ordinal]
    for _ in range(hops):
        edge = [far for near in edge for far in graph.neighbours(near) if far not in reached]
        reached.update(edge)
    return sorted(reached - {ordinal})


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
        refused = unit.status != "error" and _REFUSED.search(unit.feedback[:_HEAD]) is not None
        redone = unit.status == "ok" and after is not None and repeats[after.ordinal] > 0
        values.append(float(passed_over or redone or refused))
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
    """Agent and intent: the tools of one intent are a family, and serve one sub-goal."""
    return unit.agent, unit.intent


def _share(values: Iterable[bool]) -> float:
    flags = list(values)
    return sum(flags) / len(flags) if flags else 0.0

"""What graph and detectors make of a run, in parts that have nothing to do with each other.

Conversations that one began in another hang together: they are one part, with one graph. What runs
beside it or after it is another part: four agents that are asked the same and say the same are no
loop, and a step is unusual only among those of its own part.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.conversations import (
    Conversation,
    conversations_of,
    families_of,
    part_of,
)
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph, Dependency, build_graph
from knitbone.tethering.diagnosis.planes import read_planes
from knitbone.tethering.diagnosis.rules import Violation
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.suspicion import by_plane, suspicions
from knitbone.tethering.diagnosis.units import TransitionUnit, build_units

__all__ = ["evidence_of_run"]


class RunEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What graph and detectors make of a run."""

    graph: CriticalTransitionGraph
    scores: tuple[float, ...]
    evidence: tuple[PlaneEvidence, ...]
    violations: tuple[Violation, ...]
    missing_planes: tuple[str, ...]
    conversations: tuple[Conversation, ...]
    shown: Shown
    """What the run had shown up to each step, in whatever conversation."""


def evidence_of_run(run: Run) -> RunEvidence:
    """The graph, the scores and the evidence of a run, part by part and put together.

    Loads networkx and, for runs with tool calls, onnxruntime.
    """
    conversations = conversations_of(run)
    families = families_of(conversations)
    shown = Shown(run)
    readings = [_read(run, family, shown, alone=len(families) == 1) for family in families]
    if len(readings) == 1:
        return msgspec.structs.replace(readings[0], conversations=conversations)
    return _joined(readings, conversations, shown)


def _read(run: Run, family: Sequence[Conversation], shown: Shown, *, alone: bool) -> RunEvidence:
    numbers = [number for conversation in family for number in conversation.events]
    part = run if alone else part_of(run, numbers)
    units = build_units(run) if alone and len(family) == 1 else _units(run, family)
    graph = build_graph(units)
    planes = read_planes(part, graph, shown=shown)
    scores = suspicions(units, planes.evidence)
    return RunEvidence(
        graph=graph, scores=tuple(scores), evidence=planes.evidence,
        violations=planes.rules.violations, missing_planes=planes.missing, conversations=(),
        shown=shown,
    )  # fmt: skip


def _units(run: Run, family: Sequence[Conversation]) -> tuple[TransitionUnit, ...]:
    """The units of conversations that hang together, in the order of the run."""
    order = {event.id: number for number, event in enumerate(run.events)}
    root = family[0].number
    begun = {conversation.parent for conversation in family}
    found: list[TransitionUnit] = []
    for conversation in family:
        for unit in build_units(part_of(run, conversation.events)):
            role = unit.role
            if role == "agent" and len(family) > 1:
                role = "orchestrator" if conversation.number in begun else "worker"
            found.append(
                msgspec.structs.replace(
                    unit, conversation=conversation.number, family=root, role=role
                )
            )
    found.sort(key=lambda unit: order[unit.event])
    return tuple(msgspec.structs.replace(unit, ordinal=k) for k, unit in enumerate(found))


def _joined(
    readings: Sequence[RunEvidence], conversations: tuple[Conversation, ...], shown: Shown
) -> RunEvidence:
    """Several parts as one, their units in the order of the run. A part's chances count by its
    share of the steps: in a conversation of one step that step is the first, whatever it did."""
    placed = sorted(
        ((unit.index, part, unit.ordinal) for part, reading in enumerate(readings)
         for unit in reading.graph.units),
    )  # fmt: skip
    places = {(part, own): ordinal for ordinal, (_, part, own) in enumerate(placed)}
    units = tuple(
        msgspec.structs.replace(readings[part].graph.units[own], ordinal=ordinal)
        for ordinal, (_, part, own) in enumerate(placed)
    )
    scores = [0.0] * len(units)
    dependencies: list[Dependency] = []
    evidence: list[PlaneEvidence] = []
    violations: list[Violation] = []
    for part, reading in enumerate(readings):
        share = len(reading.scores) / max(len(units), 1)
        for own, score in enumerate(reading.scores):
            certain = float(int(score))  # suspicion.py adds a whole number for a loop: no chance
            scores[places[part, own]] = certain + (score - certain) * share
        for edges in reading.graph.dependencies_into.values():
            dependencies += [
                msgspec.structs.replace(
                    edge, source=places[part, edge.source], target=places[part, edge.target]
                )
                for edge in edges
            ]
        for item in reading.evidence:
            evidence.append(msgspec.structs.replace(item, ordinal=places[part, item.ordinal]))
        for broken in reading.violations:
            moved = places[part, broken.ordinal]
            violations.append(msgspec.structs.replace(broken, ordinal=moved))
    missing = dict.fromkeys(note for reading in readings for note in reading.missing_planes)
    return RunEvidence(
        graph=CriticalTransitionGraph(units, dependencies), scores=tuple(scores),
        evidence=tuple(_ranked(evidence, len(units))),
        violations=tuple(sorted(violations, key=lambda violation: violation.ordinal)),
        missing_planes=tuple(missing), conversations=conversations, shown=shown,
    )  # fmt: skip


def _ranked(evidence: Sequence[PlaneEvidence], units: int) -> list[PlaneEvidence]:
    """Each plane's records in the order of the units, ranked over the whole run. Of a part of which
    a plane knows nothing, it has nothing against any unit."""
    found: list[PlaneEvidence] = []
    for plane, known in by_plane(evidence).items():
        least = min(0.0, *(record.score for record in known))
        told = {record.ordinal: record for record in known}
        records = [
            told.get(k) or PlaneEvidence(plane=plane, ordinal=k, score=least, rank=1)
            for k in range(units)
        ]
        places = ranks([record.score for record in records])
        found += [
            msgspec.structs.replace(record, rank=rank)
            for record, rank in zip(records, places, strict=True)
        ]
    return found

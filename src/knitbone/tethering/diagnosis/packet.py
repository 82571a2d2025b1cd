"""The evidence packet: what of a run is worth a reader's attention (AgentTether §III.C.3).

For each suspicious region its peak unit as a candidate turning point, the signals and facts that
support it, and the minimal local context: what it depends on, what depends on it, the path back
from where the failure shows, its neighbours in time. Low-scoring connectors and routine steps are
left out, and the whole keeps to a budget of characters, so that a run of 10,000 steps costs a
model no more than one of fifty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from knitbone.common.printable import printable
from knitbone.tethering.diagnosis.case import Case
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.findings import broken_rules, findings_at
from knitbone.tethering.diagnosis.region import analyst_region, contiguous
from knitbone.tethering.diagnosis.suspicion import by_plane
from knitbone.tethering.diagnosis.units import TransitionUnit, asked, system_texts

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["EvidencePacket", "build_packet", "render"]

SCHEMA = "knitbone.packet/1"

_TIES = 3
"""Dependency edges into and out of a candidate that are followed, heaviest first."""
_CANDIDATE_TEXT, _CONTEXT_TEXT = 1_600, 500
"""Characters of one text of a candidate, and of a step around it."""
_TASK_SHARE, _PROMPT_SHARE = 6, 5
"""The task and the prompts get at most one part in so many of the budget each."""
_SMALLEST = 6_000
"""Characters below which a packet could not hold one candidate."""


class PlaneSignal(msgspec.Struct, frozen=True, kw_only=True):
    """What one evidence plane says about a candidate."""

    plane: str
    rank: int
    """1 is the plane's most suspicious unit of the run."""
    score: float
    names: tuple[str, ...] = ()


class CandidateUnit(msgspec.Struct, frozen=True, kw_only=True):
    """The peak unit of one suspicious region."""

    step: int
    score: float
    region: tuple[int, ...]
    """The steps of the region that it is the peak of."""
    signals: tuple[PlaneSignal, ...]
    facts: tuple[str, ...]
    """What the recorded events show about it, in words."""


class PacketStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step as the reader sees it; long texts are cut in their middle."""

    step: int
    why: str
    """Why it is here: ``candidate``, ``path``, ``depends``, ``neighbour``, ``end``."""
    agent: str
    role: str
    tool: str | None
    intent: str
    phase: str
    status: str
    side_effect: bool
    observation: str
    belief: str
    action: str
    feedback: str
    telemetry: tuple[str, ...] = ()


class PacketLink(msgspec.Struct, frozen=True, kw_only=True):
    """A dependency between two steps of the packet."""

    source: int
    target: int
    sharing: str
    artifacts: tuple[str, ...] = ()


class EvidencePacket(msgspec.Struct, frozen=True, kw_only=True):
    """A run's evidence, pruned. All step numbers are the source's own."""

    schema: str = SCHEMA
    run: str
    task: str
    rules: str
    """The beginning of the prompts and policies that stand in the run."""
    outcome: str
    verdict: str
    """The evaluator's words, where the run carries any."""
    total_steps: int
    candidates: tuple[CandidateUnit, ...]
    """The most suspicious first."""
    steps: tuple[PacketStep, ...]
    """In the order of the run."""
    links: tuple[PacketLink, ...]


def build_packet(case: Case, *, candidates: int = 5, characters: int = 24_000) -> EvidencePacket:
    """The packet of a run.

    Args:
        candidates: greatest number of candidate turning points.
        characters: upper bound of ``len(render(packet))``; at least 6,000. About four
            characters are one token of English text.
    """
    run, graph, scores = case.run, case.graph, case.scores
    characters = max(characters, _SMALLEST)
    wide = analyst_region(graph, scores, case.evidence)
    groups = sorted(contiguous(wide), key=lambda group: -max(scores[k] for k in group))
    groups = groups[:candidates]
    peaks = [max(group, key=lambda k: (scores[k], -k)) for group in groups]
    rules = "\n".join(system_texts(run))
    whole = EvidencePacket(
        run=run.id,
        task=_cut(asked(run), characters // _TASK_SHARE),
        rules=_cut(rules, characters // _PROMPT_SHARE),
        outcome=case.outcome,
        verdict=_cut(run.outcome.reason if run.outcome else "", 400),
        total_steps=len(graph.units),
        candidates=tuple(
            CandidateUnit(
                step=graph.units[peak].index,
                score=round(scores[peak], 6),
                region=tuple(graph.units[k].index for k in group[:40]),
                signals=tuple(_signal(plane[peak]) for plane in by_plane(case.evidence).values()),
                facts=tuple(
                    _cut(finding.text, 300)
                    for finding in [
                        *broken_rules(graph.units[peak], case.violations)[:4],
                        *findings_at(graph, graph.units[peak], case.shown),
                    ][:8]
                ),
            )
            for peak, group in zip(peaks, groups, strict=True)
        ),
        steps=(),
        links=(),
    )
    return _fill(whole, graph, _wanted(graph, peaks), characters)


def _signal(evidence: PlaneEvidence) -> PlaneSignal:
    return PlaneSignal(
        plane=evidence.plane, rank=evidence.rank, score=evidence.score, names=evidence.signals
    )


def _wanted(graph: CriticalTransitionGraph, peaks: Sequence[int]) -> dict[int, str]:
    """The units of the packet and why each is in it, the most important first."""
    wanted: dict[int, str] = dict.fromkeys(peaks, "candidate")
    units = graph.units
    if not units:
        return wanted
    last = len(units) - 1
    failed = next((u.ordinal for u in reversed(units) if u.status == "error"), last)
    for symptom in (failed, last):
        wanted.setdefault(symptom, "end")
    for peak in peaks:
        for ordinal in graph.path_back(failed, peak) or graph.path_back(last, peak):
            wanted.setdefault(ordinal, "path")
        for ordinal in _tied(graph, peak):
            wanted.setdefault(ordinal, "depends")
        for ordinal in (peak - 1, peak + 1):
            if 0 <= ordinal <= last:
                wanted.setdefault(ordinal, "neighbour")
    return wanted


def _tied(graph: CriticalTransitionGraph, ordinal: int) -> Iterator[int]:
    into = sorted(graph.dependencies_into.get(ordinal, ()), key=lambda edge: -edge.weight)
    yield from (edge.source for edge in into[:_TIES])
    out = sorted(graph.dependencies_from.get(ordinal, ()), key=lambda edge: -edge.weight)
    yield from (edge.target for edge in out[:_TIES])


def _fill(
    empty: EvidencePacket,
    graph: CriticalTransitionGraph,
    wanted: Mapping[int, str],
    characters: int,
) -> EvidencePacket:
    """The packet with as many of the wanted steps as the budget has room for."""
    # A candidate without a step could not be judged: candidates give way first.
    packet = _header(empty, characters // 2)
    room = characters - len(render(packet))
    chosen: dict[int, PacketStep] = {}
    for ordinal, why in wanted.items():
        step = _step(graph.units[ordinal], why)
        if len(_step_text(step)) > room:
            step = _step(graph.units[ordinal], why, _CONTEXT_TEXT // 2)
        size = len(_step_text(step))
        if size <= room:
            chosen[ordinal] = step
            room -= size
    links: list[PacketLink] = []
    for ordinal in sorted(chosen):
        for edge in graph.dependencies_into.get(ordinal, ()):
            link = PacketLink(
                source=graph.units[edge.source].index,
                target=graph.units[ordinal].index,
                sharing=edge.sharing,
                artifacts=tuple(_cut(artifact, 60) for artifact in edge.artifacts[:3]),
            )
            size = len(_link_text(link))
            if edge.source in chosen and size <= room:
                links.append(link)
                room -= size
    steps = tuple(chosen[ordinal] for ordinal in sorted(chosen))
    shown = {step.step for step in steps}
    return msgspec.structs.replace(
        packet,
        steps=steps,
        links=tuple(links),
        candidates=tuple(c for c in packet.candidates if c.step in shown),
    )


def _header(packet: EvidencePacket, room: int) -> EvidencePacket:
    """The packet without steps, in half of the budget whatever the run's texts are."""
    while len(render(packet)) > room and len(packet.candidates) > 1:
        packet = msgspec.structs.replace(packet, candidates=packet.candidates[:-1])
    for shorter in (
        {"rules": ""},
        {"task": _cut(packet.task, room // 10)},
        {"candidates": tuple(msgspec.structs.replace(c, facts=()) for c in packet.candidates)},
    ):
        if len(render(packet)) > room:
            packet = msgspec.structs.replace(packet, **shorter)
    return packet


def _step(unit: TransitionUnit, why: str, limit: int | None = None) -> PacketStep:
    if limit is None:
        limit = _CANDIDATE_TEXT if why == "candidate" else _CONTEXT_TEXT
    telemetry = [
        f"{node.kind} {node.name}: {node.text or node.status}"
        for node in unit.context
        if node.kind == "verification" or node.status == "error"
    ]
    return PacketStep(
        step=unit.index,
        why=why,
        agent=unit.agent[:80],
        role=unit.role,
        tool=unit.tool[:80] if unit.tool else None,
        intent=unit.intent,
        phase=unit.phase,
        status=unit.status,
        side_effect=unit.side_effect,
        observation=_cut(unit.observation, limit // 2) if why == "candidate" else "",
        belief=_cut(unit.belief, limit // 2),
        action=_cut(unit.action, limit),
        feedback=_cut(unit.feedback, limit),
        telemetry=tuple(_cut(line, 160) for line in telemetry[:4]),
    )


def _cut(text: str, limit: int) -> str:
    """The text without control characters; of a long one its beginning and its end, the cut
    shown between them."""
    head = _clean(text[:limit])
    if len(text) <= limit and len(head) <= limit:
        return head
    return f"{head[: limit * 2 // 3]} […] {_clean(text[-limit:])[-(limit // 3) :]}"


def _clean(text: str) -> str:
    lines = (printable(line, limit=len(line)) for line in text.splitlines() if line.strip())
    return "\n".join(lines)


def render(packet: EvidencePacket) -> str:
    """The packet as the text that a model reads.

    What the run said stands on lines that begin with ``| ``, whatever line breaks it holds, and
    control characters are shown as escapes: no text of the run can pass for a heading, another
    step or an instruction of ours.
    """
    parts = [
        f"OUTCOME {packet.outcome}, {packet.total_steps} steps in all\n",
        _block("verdict", packet.verdict),
        _block("what was asked", packet.task),
        _block("prompts and rules that the agent was given", packet.rules),
        *(_candidate_text(candidate) for candidate in packet.candidates),
        *(_step_text(step) for step in packet.steps),
        *(_link_text(link) for link in packet.links),
    ]
    return "".join(parts)


def _candidate_text(candidate: CandidateUnit) -> str:
    signals = "; ".join(
        f"{signal.plane} rank {signal.rank}"
        + (f" ({', '.join(signal.names)})" if signal.names else "")
        for signal in candidate.signals
    )
    head = f"CANDIDATE step {candidate.step}, peak of steps {_numbers(candidate.region)}"
    return f"{head}; {signals}\n" + _block("facts", "\n".join(candidate.facts))


def _step_text(step: PacketStep) -> str:
    effect = ", changes state" if step.side_effect else ""
    return "".join(
        (
            f"STEP {step.step} ({step.why}): {step.role}, {step.intent}, {step.phase}, "
            f"{step.status}{effect}\n",
            _block("agent and tool", f"{step.agent} {step.tool or ''}".strip()),
            _block("saw", step.observation),
            _block("thought", step.belief),
            _block("did", step.action),
            _block("came back", step.feedback),
            _block("telemetry", "\n".join(step.telemetry)),
        )
    )


def _link_text(link: PacketLink) -> str:
    line = f"LINK step {link.target} depends on step {link.source}: {link.sharing}\n"
    return line + _block("shared", ", ".join(link.artifacts))


def _numbers(steps: Sequence[int]) -> str:
    return f"{steps[0]} to {steps[-1]}" if len(steps) > 1 else str(steps[0])


def _block(name: str, text: str) -> str:
    if not text:
        return ""
    return f" {name}:\n" + "".join(f" | {line}\n" for line in _clean(text).split("\n"))

"""The graph flattened into nodes and edges, with what a diagnosis marked in it.

Every text is made one printable line here, once for all formats: no control character, lone
surrogate or noncharacter is left that XML, DOT or a terminal could not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Literal

import msgspec

from knitbone.common.printable import printable
from knitbone.tethering.diagnosis.context import ContextNode
from knitbone.tethering.diagnosis.findings import describe
from knitbone.tethering.diagnosis.units import TransitionUnit

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["GraphEdge", "GraphNode", "GraphView", "view_of"]

SCHEMA = "knitbone.graph/1"

MAX_ARTIFACTS = 20
"""Artifacts shown of one unit, in the order of the alphabet."""

MAX_LABEL = 160


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    """A transition unit with its derived attributes (AgentTether §III.B.2)."""

    id: str
    """``u`` and the unit's ordinal."""
    step: int
    """0-based position of the action in the source."""
    event: str
    label: str
    """The action in a few words, on one line."""
    agent: str
    role: str
    tool: str | None
    intent: str
    phase: str
    status: str
    error_signature: str | None
    side_effect: bool
    used: tuple[str, ...]
    produced: tuple[str, ...]
    in_region: bool
    turning_point: bool
    context: tuple[ContextNode, ...] = ()


class GraphEdge(msgspec.Struct, frozen=True, kw_only=True):
    """An edge from an earlier unit to a later one."""

    source: str
    target: str
    kind: Literal["temporal", "dependency"]
    sharing: str = ""
    """Of a dependency: ``produced-consumed``, ``shared artifact`` or ``shared error``."""
    weight: float = 0.0
    artifacts: tuple[str, ...] = ()


class GraphView(msgspec.Struct, frozen=True, kw_only=True):
    """A critical transition graph as data."""

    schema: str = SCHEMA
    run: str
    task: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


def view_of(
    graph: CriticalTransitionGraph,
    *,
    run: str,
    task: str = "",
    turning_point: int | None = None,
    region: Collection[int] = (),
) -> GraphView:
    """The graph as data.

    Args:
        turning_point: the step, as the source counts.
        region: steps, as the source counts.
    """
    inside = set(region)
    nodes = tuple(
        _node(unit, inside=unit.index in inside, turn=unit.index == turning_point)
        for unit in graph.units
    )
    edges = [
        GraphEdge(source=f"u{k}", target=f"u{k + 1}", kind="temporal")
        for k in range(len(nodes) - 1)
    ]
    edges += [
        GraphEdge(
            source=f"u{edge.source}", target=f"u{edge.target}", kind="dependency",
            sharing=edge.sharing, weight=round(edge.weight, 4), artifacts=_lines(edge.artifacts),
        )
        for unit in graph.units
        for edge in graph.dependencies_into.get(unit.ordinal, ())
    ]  # fmt: skip
    return GraphView(run=_line(run), task=_line(task), nodes=nodes, edges=tuple(edges))


def _node(unit: TransitionUnit, *, inside: bool, turn: bool) -> GraphNode:
    return GraphNode(
        id=f"u{unit.ordinal}",
        step=unit.index,
        event=_line(unit.event),
        label=_line(describe(unit), MAX_LABEL),
        agent=_line(unit.agent),
        role=unit.role,
        tool=_line(unit.tool) if unit.tool is not None else None,
        intent=unit.intent,
        phase=unit.phase,
        status=unit.status,
        error_signature=_line(unit.error_signature) if unit.error_signature else None,
        side_effect=unit.side_effect,
        used=_lines(sorted(unit.used)),
        produced=_lines(sorted(unit.produced)),
        in_region=inside,
        turning_point=turn,
        context=tuple(
            msgspec.structs.replace(node, name=_line(node.name), text=_line(node.text))
            for node in unit.context
        ),
    )


def _line(text: str, limit: int = 300) -> str:
    return printable(text, limit=limit).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(_line(text) for text in islice(texts, MAX_ARTIFACTS))

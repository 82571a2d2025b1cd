"""GraphML, written by networkx: units, context nodes, and the edges between them.

Source: the GraphML specification, http://graphml.graphdrawing.org/specification.html.
"""

from __future__ import annotations

import importlib
from typing import Any

from knitbone.tethering.diagnosis.graph_exports.view import GraphEdge, GraphNode, GraphView

__all__ = ["to_graphml"]


def to_graphml(view: GraphView) -> str:
    """The graph as GraphML; ``networkx.parse_graphml`` reads it back.

    Nodes have ``kind`` ``unit`` or ``context``; edges ``temporal``, ``dependency`` or
    ``context``. Two units may be joined by several edges, hence a multigraph.
    """
    # Loaded here: the package of the writers is imported for the other formats, too.
    networkx: Any = importlib.import_module("networkx")
    graph = networkx.MultiDiGraph(run=view.run, task=view.task)
    for node in view.nodes:
        graph.add_node(node.id, **_unit(node))
        for number, context in enumerate(node.context):
            name = f"{node.id}c{number}"
            graph.add_node(
                name, kind="context", context=context.kind, label=context.name,
                status=context.status, text=context.text,
                **({} if context.value is None else {"value": context.value}),
            )  # fmt: skip
            graph.add_edge(node.id, name, kind="context")
    for edge in view.edges:
        graph.add_edge(edge.source, edge.target, **_edge(edge))
    # ``generate_graphml`` writes with the standard library, which escapes; lxml is not needed.
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def _unit(node: GraphNode) -> dict[str, Any]:
    return {
        "kind": "unit",
        "step": node.step,
        "event": node.event,
        "label": node.label,
        "agent": node.agent,
        "role": node.role,
        "tool": node.tool or "",
        "intent": node.intent,
        "phase": node.phase,
        "status": node.status,
        "error_signature": node.error_signature or "",
        "side_effect": node.side_effect,
        "used": ", ".join(node.used),
        "produced": ", ".join(node.produced),
        "in_region": node.in_region,
        "turning_point": node.turning_point,
    }


def _edge(edge: GraphEdge) -> dict[str, Any]:
    if edge.kind == "temporal":
        return {"kind": "temporal"}
    return {
        "kind": "dependency",
        "sharing": edge.sharing,
        "weight": edge.weight,
        "artifacts": ", ".join(edge.artifacts),
    }

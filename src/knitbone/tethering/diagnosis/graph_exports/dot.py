"""Graphviz DOT.

Source: https://graphviz.org/doc/info/lang.html: an ID is any double-quoted string in which the
only escaped character is the quote; a label besides gives a meaning to the backslash, so that one
from the run is doubled.
"""

from __future__ import annotations

from knitbone.common.printable import printable
from knitbone.tethering.diagnosis.graph_exports.view import GraphEdge, GraphNode, GraphView

__all__ = ["to_dot"]

_LIMIT = 70
_EDGE_STYLE = {
    "produced-consumed": 'color="#4a6fa5"',
    "shared artifact": 'color="#8a8a8a", style="dashed"',
    "shared error": 'color="#b3261e", style="dotted"',
}


def to_dot(view: GraphView) -> str:
    """The graph as a DOT ``digraph``, from top to bottom in time."""
    lines = [
        f"digraph {_quoted(view.run)} {{",
        '  graph [rankdir="TB", fontname="sans-serif"];',
        '  node [shape="box", style="rounded,filled", fillcolor="#ffffff", '
        'fontname="sans-serif", fontsize="10"];',
        '  edge [fontname="sans-serif", fontsize="8"];',
        *(f"  {node.id} [{_node(node)}];" for node in view.nodes),
        *(f"  {edge.source} -> {edge.target} [{_edge(edge)}];" for edge in view.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(node: GraphNode) -> str:
    label = _quoted(f"{node.step}  {node.label}")
    attributes = [f"label={label}", f'class="{node.status}"']
    if node.in_region:
        attributes.append('fillcolor="#ffe9b8"')
    if node.status == "error":
        attributes.append('fontcolor="#b3261e"')
    if node.side_effect:
        attributes.append('peripheries="2"')
    if node.turning_point:
        attributes.append('color="#b3261e", penwidth="3"')
    return ", ".join(attributes)


def _edge(edge: GraphEdge) -> str:
    if edge.kind == "temporal":
        return 'color="#bbbbbb", arrowhead="open", weight="10"'
    shared = f", label={_quoted(edge.artifacts[0], 24)}" if edge.artifacts else ""
    return f'{_EDGE_STYLE[edge.sharing]}, constraint="false"{shared}'


def _quoted(text: str, limit: int = _LIMIT) -> str:
    return '"' + printable(text, limit=limit).replace("\\", "\\\\").replace('"', '\\"') + '"'

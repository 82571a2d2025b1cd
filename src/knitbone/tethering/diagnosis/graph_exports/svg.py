"""The graph as a picture: one row a step, time downwards, dependencies as arcs on the left.

Written as an element tree, so that everything from the run is escaped by the library and the
picture is well-formed whatever a tool said. It needs no script, loads nothing, and follows the
reader's light or dark scheme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from knitbone.tethering.diagnosis.graph_exports.view import GraphEdge, GraphNode, GraphView

__all__ = ["MAX_ROWS", "rows_of", "to_svg"]

MAX_ROWS = 160
"""Steps drawn of one run. Of a longer one the region, failed steps and what the turning point is
tied to are drawn, and how many are left out between them."""

MAX_ARCS = 240
"""Dependencies drawn, the heaviest first; those of the turning point always."""

_ROW, _GUTTER, _LABEL = 24, 190, 670
_TOP = 12
_LEGEND_ROOM = 52
_TEXT_LIMIT = 78

_STYLE = """
.ctg{font:13px system-ui,sans-serif;--ink:#1c1c1e;--dim:#5c5c66;--bad:#b3261e;--use:#4a6fa5;
--region:#ffe9b8;--paper:#ffffff;color:var(--ink)}
@media (prefers-color-scheme:dark){.ctg{--ink:#ececf0;--dim:#9a9aa2;--bad:#ff8a80;--use:#8fb4ea;
--region:#4d3d12;--paper:#1c1c1e}}
.ctg text{fill:var(--ink)}.ctg .dim{fill:var(--dim)}.ctg .error{fill:var(--bad)}
.ctg .turn{font-weight:700;fill:var(--bad)}.ctg .region{fill:var(--region)}
.ctg .line{stroke:var(--dim);stroke-opacity:.5}
.ctg .node{fill:var(--paper);stroke:var(--ink);stroke-width:1.5}
.ctg .node.write{fill:var(--ink)}.ctg .node.error{stroke:var(--bad);stroke-width:2}
.ctg .node.write.error{fill:var(--bad)}
.ctg .ring{fill:none;stroke:var(--bad);stroke-width:2.5}
.ctg .arc{fill:none;stroke:var(--use);stroke-opacity:.28;stroke-width:1.2}
.ctg .arc.near{stroke-opacity:.95;stroke-width:1.8}
.ctg .artifact{stroke:var(--dim);stroke-dasharray:4 3}
.ctg .fault{stroke:var(--bad);stroke-dasharray:2 3}
"""
_LEGEND = (
    "○ step   ■ changes state   ◎ turning point   red: failed   shaded: suspicious region",
    "arcs: a value used later, dashed: the same value, dotted: the same error",
)
_ARC_CLASS = {"shared artifact": " artifact", "shared error": " fault"}


def to_svg(view: GraphView, *, links: str | None = None) -> str:
    """The picture as one ``<svg>`` element.

    Args:
        links: prefix of the anchors that the rows link to, such as ``step-``; without one the
            rows are no links.
    """
    rows = rows_of(view)
    place = {node.id: number for number, node in enumerate(rows) if isinstance(node, GraphNode)}
    width, height = _GUTTER + _LABEL, _TOP + len(rows) * _ROW + _LEGEND_ROOM
    root = Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}",
        width=str(width), height=str(height),
        role="img" if links is None else "group",  # a picture hides what is in it, links too
    )  # fmt: skip
    root.set("class", "ctg")
    SubElement(root, "title").text = "Steps of the run and the dependencies between them"
    SubElement(root, "style").text = _STYLE
    _bands(root, rows)
    _arcs(root, view, place)
    if rows:
        x = str(_GUTTER)
        SubElement(root, "line", {"class": "line", "x1": x, "x2": x, "y1": str(_y(0)),
                                  "y2": str(_y(len(rows) - 1))})  # fmt: skip
    for number, row in enumerate(rows):
        if isinstance(row, GraphNode):
            _step(root, row, number, links)
        else:
            text = SubElement(root, "text", {"class": "dim", "x": str(_GUTTER + 16),
                                             "y": str(_y(number) + 4)})  # fmt: skip
            text.text = f"… {row} {'step' if row == 1 else 'steps'} not shown"
    for line, words in enumerate(_LEGEND):
        y = height - _LEGEND_ROOM + 24 + 18 * line
        SubElement(root, "text", {"class": "dim", "x": "16", "y": str(y)}).text = words
    return tostring(root, encoding="unicode")


def _y(row: int) -> float:
    return _TOP + row * _ROW + _ROW / 2


def rows_of(view: GraphView) -> list[GraphNode | int]:
    """The nodes that are drawn, and in place of each gap how many it leaves out."""
    wanted = _wanted(view)
    rows: list[GraphNode | int] = []
    for node in view.nodes:
        if node.id in wanted:
            rows.append(node)
        elif rows and isinstance(rows[-1], int):
            rows[-1] += 1
        else:
            rows.append(1)
    return rows


def _wanted(view: GraphView) -> set[str]:
    if len(view.nodes) <= MAX_ROWS:
        return {node.id for node in view.nodes}
    turn = next((node.id for node in view.nodes if node.turning_point), None)
    tied = {turn} if turn is not None else set[str]()
    for edge in view.edges:
        if turn in (edge.source, edge.target):
            tied |= {edge.source, edge.target}
    ends = {view.nodes[0].id, view.nodes[-1].id}
    position = int(turn[1:]) if turn is not None else 0

    def order(node: GraphNode) -> tuple[bool, bool, bool, int]:
        near = abs(int(node.id[1:]) - position)
        return (node.id not in tied | ends, near > 6, not node.in_region, near)

    return {node.id for node in sorted(view.nodes, key=order)[:MAX_ROWS]}


def _bands(root: Element, rows: Sequence[GraphNode | int]) -> None:
    for number, row in enumerate(rows):
        if isinstance(row, GraphNode) and row.in_region:
            SubElement(
                root, "rect", {"class": "region", "x": str(_GUTTER - 12), "width": str(_LABEL + 4),
                               "y": str(_y(number) - _ROW / 2), "height": str(_ROW)},
            )  # fmt: skip


def _arcs(root: Element, view: GraphView, place: dict[str, int]) -> None:
    turn = next((node.id for node in view.nodes if node.turning_point), None)
    drawn = [
        edge for edge in view.edges
        if edge.kind == "dependency" and edge.source in place and edge.target in place
    ]  # fmt: skip
    drawn.sort(key=lambda edge: (turn in (edge.source, edge.target), edge.weight), reverse=True)
    for edge in reversed(drawn[:MAX_ARCS]):  # those of the turning point lie on top
        _arc(root, edge, place, near=turn in (edge.source, edge.target))


def _arc(root: Element, edge: GraphEdge, place: dict[str, int], *, near: bool) -> None:
    top, bottom = _y(place[edge.source]), _y(place[edge.target])
    reach = min(_GUTTER - 16, 22 + 34 * math.log2(1 + abs(bottom - top) / _ROW))
    left = _GUTTER - reach * 4 / 3  # a cubic reaches three quarters of its control points
    path = SubElement(root, "path", {
        "class": "arc" + _ARC_CLASS.get(edge.sharing, "") + (" near" if near else ""),
        "d": f"M{_GUTTER - 6} {top} C{left:.1f} {top} {left:.1f} {bottom} {_GUTTER - 6} {bottom}",
    })  # fmt: skip
    shared = f": {', '.join(edge.artifacts)}" if edge.artifacts else ""
    SubElement(path, "title").text = f"{edge.sharing}{shared}"


def _step(root: Element, node: GraphNode, number: int, links: str | None) -> None:
    y = _y(number)
    holder = root
    if links is not None:
        holder = SubElement(root, "a", {"href": f"#{links}{node.step}"})
    failed = node.status == "error"
    shape = "node" + " write" * node.side_effect + " error" * failed
    if node.side_effect:
        SubElement(holder, "rect", {"class": shape, "x": str(_GUTTER - 5), "y": str(y - 5),
                                    "width": "10", "height": "10"})  # fmt: skip
    else:
        SubElement(holder, "circle", {"class": shape, "cx": str(_GUTTER), "cy": str(y), "r": "5"})
    if node.turning_point:
        SubElement(holder, "circle", {"class": "ring", "cx": str(_GUTTER), "cy": str(y), "r": "10"})
    number_text = SubElement(holder, "text", {"class": "dim", "x": str(_GUTTER + 44),
                                              "y": str(y + 4), "text-anchor": "end"})  # fmt: skip
    number_text.text = str(node.step)
    style = "turn" if node.turning_point else "error" if failed else ""
    label = SubElement(holder, "text", {"class": style, "x": str(_GUTTER + 54), "y": str(y + 4)})
    label.text = node.label[:_TEXT_LIMIT] + ("…" if len(node.label) > _TEXT_LIMIT else "")
    SubElement(
        holder, "title"
    ).text = f"step {node.step}: {node.agent}, {node.intent}, {node.phase}, {node.status}"

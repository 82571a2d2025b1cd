"""Indentation: blocks that were shifted, tabs among blanks, levels that do not match."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from knitbone.adaptation.defects.syntax.edits import Edit, Proposal, proposal
from knitbone.adaptation.defects.syntax.language import Scene
from knitbone.adaptation.defects.syntax.lexis import CLOSER, Token

__all__ = ["indentation"]

_GOES_ON = frozenset({",", "+", "-", "*", "/", "=", "and", "or", "\\"})
_TAB = 4
"""Blanks that a tab stands for, where both occur in one text."""


class _Line(NamedTuple):
    """A logical line: one that begins outside of strings and brackets, and holds code."""

    start: int
    indent: str
    end: int
    last: str
    """Its last code token."""


def _lines(tokens: list[Token]) -> list[_Line]:
    lines: list[_Line] = []
    level = 0
    start, indent, last, at_start = 0, "", "", True
    for kind, begin, end, said in tokens:
        if kind == "space":
            if at_start:
                indent = said
        elif kind == "newline":
            if level == 0:
                if last:
                    lines.append(_Line(start, indent, begin, last))
                start, indent, last, at_start = end, "", "", True
            continue
        elif kind == "bracket":
            last = said
            level = level + 1 if said in CLOSER else max(level - 1, 0)
        elif kind != "comment":
            last = said
        at_start = False
    if last:
        lines.append(_Line(start, indent, tokens[-1].end, last))
    return lines


def _physical(scene: Scene) -> Iterator[tuple[int, int]]:
    """Start and width of the blanks of every line that does not begin inside a string."""
    begins = True
    for index, token in enumerate(scene.tokens):
        if begins and token.kind != "newline":
            width = len(token.text) if token.kind == "space" else 0
            following = scene.tokens[index + 1].kind if index + 1 < len(scene.tokens) else "newline"
            if not (width and following == "newline"):
                yield token.start, width
        begins = token.kind == "newline"


def indentation(scene: Scene) -> Iterator[Proposal]:
    """All of them, the most common first."""
    lines = _lines(scene.tokens)
    yield from _common_indent(scene, lines)
    yield from _tabs(scene)
    yield from _misplaced_lines(lines)


def _common_indent(scene: Scene, lines: list[_Line]) -> Iterator[Proposal]:
    """All lines are indented, or all but the first, which lost its blanks to ``strip``."""
    for rule, considered in (
        ("common indentation removed", lines),
        ("indentation under the first line removed", lines[1:]),
    ):
        widths = [len(line.indent) for line in considered]
        least = min(widths, default=0)
        if not least or not (considered is lines or _lost_blanks(lines, least)):
            continue
        skipped = considered[0].start
        edits = [
            Edit(start, start + min(least, width), "")
            for start, width in _physical(scene)
            if start >= skipped and width
        ]
        yield proposal(edits, f"{rule} ({least} blanks)")


def _lost_blanks(lines: list[_Line], least: int) -> bool:
    """Whether the first line stood under the same blanks: it opens no block, or a later line is
    between its level and that of its block."""
    first, second = lines[0], lines[1]
    return not first.indent and (first.last != ":" or least + 1 < len(second.indent))


def _tabs(scene: Scene) -> Iterator[Proposal]:
    """Tabs in the indentation of some lines, blanks in that of others."""
    if "\t" not in scene.text:
        return
    indents = [(start, scene.text[start : start + width]) for start, width in _physical(scene)]
    if not any("\t" in i for _, i in indents) or not any(" " in i for _, i in indents):
        return
    edits = [
        Edit(start, start + len(indent), indent.expandtabs(_TAB))
        for start, indent in indents
        if "\t" in indent
    ]
    yield proposal(edits, f"tabs -> {_TAB} blanks in {len(edits)} lines")


def _misplaced_lines(lines: list[_Line]) -> Iterator[Proposal]:
    """A line deeper than its block, or between two levels; or the only line of a block, at the
    level of its header."""
    levels = [0]
    for index, line in enumerate(lines):
        width = len(line.indent)
        opens = index > 0 and lines[index - 1].last == ":"
        if opens:
            if width <= levels[-1]:
                yield from _only_line(lines, index, levels)
                return
            levels.append(width)
        elif width > levels[-1]:
            if index and lines[index - 1].last in _GOES_ON:
                return  # the rest of the line above, which lacks a bracket
            yield _shift(lines, index, levels[-1])
            return
        else:
            left = [level for level in levels if level <= width]
            if left[-1] != width:
                yield from _nearest(lines, index, levels)
                return
            levels = left


def _shift(lines: list[_Line], index: int, level: int) -> Proposal:
    """The lines of one depth, and what is under them, moved to ``level``."""
    depth = len(lines[index].indent)
    edits: list[Edit] = []
    for line in lines[index:]:
        width = len(line.indent)
        if width < depth:
            break
        edits.append(Edit(line.start, line.start + width, " " * (width - depth + level)))
    return proposal(edits, f"indentation of {len(edits)} lines {depth} -> {level} blanks")


def _nearest(lines: list[_Line], index: int, levels: list[int]) -> Iterator[Proposal]:
    """One blank too many or too few; further off nobody knows which block is meant."""
    width = len(lines[index].indent)
    near = [level for level in levels if abs(level - width) == 1]
    if near == levels[-1:]:
        # Or those above it are off.
        edits: list[Edit] = []
        for line in reversed(lines[:index]):
            if len(line.indent) != near[0]:
                break
            edits.append(Edit(line.start, line.start + near[0], " " * width))
        yield proposal(edits, f"indentation of {len(edits)} lines {near[0]} -> {width} blanks")
    if len(near) == 1:
        edits = []
        for line in lines[index:]:
            if len(line.indent) != width:
                break
            edits.append(Edit(line.start, line.start + width, " " * near[0]))
        yield proposal(edits, f"indentation of {len(edits)} lines {width} -> {near[0]} blanks")


def _only_line(lines: list[_Line], index: int, levels: list[int]) -> Iterator[Proposal]:
    """A block needs one line; where only one can be it, it is."""
    header, line = lines[index - 1], lines[index]
    following = lines[index + 1] if index + 1 < len(lines) else None
    if len(line.indent) != len(header.indent):
        return
    if following is not None and len(following.indent) >= len(line.indent):
        return
    step = next((b - a for a, b in pairwise(levels)), 4)
    indent = " " * (len(header.indent) + step)
    edit = Edit(line.start, line.start + len(line.indent), indent)
    yield proposal([edit], "the only line of a block indented")

"""Wrong indentation: blocks that were shifted, tabs among blanks, levels that do not match."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import CLOSER_OF, HEADERS, Token, code_tokens
from knitbone.adaptation.repair.syntax.records import Scene

__all__ = ["indentation"]

_GOES_ON = frozenset({",", "+", "-", "*", "/", "=", "and", "or", "\\"})
_TAB = 4
"""Blanks that a tab stands for, where both occur in one text."""


class _LogicalLine(NamedTuple):
    """A logical line: one that begins outside of strings and brackets, and holds code."""

    start: int
    indent: str
    end: int
    last: str
    """Its last code token."""


def _logical_lines(tokens: list[Token]) -> Iterator[_LogicalLine]:
    """Yield the logical lines of a program."""
    level = 0
    start, indent, last, at_start = 0, "", "", True
    for kind, begin, end, said in tokens:
        if kind == "space":
            if at_start:
                indent = said
        elif kind == "newline":
            if level == 0:
                if last:
                    yield _LogicalLine(start, indent, begin, last)
                start, indent, last, at_start = end, "", "", True
            continue
        elif kind == "bracket":
            last = said
            level = level + 1 if said in CLOSER_OF else max(level - 1, 0)
        elif kind != "comment":
            last = said
        at_start = False
    if last:
        yield _LogicalLine(start, indent, tokens[-1].end, last)


def _leading_blanks(scene: Scene) -> Iterator[tuple[int, int]]:
    """Yield start and width of the blanks of every line that does not begin inside a string."""
    begins = True
    for index, token in enumerate(scene.tokens):
        if begins and token.kind != "newline":
            width = len(token.text) if token.kind == "space" else 0
            following = scene.tokens[index + 1].kind if index + 1 < len(scene.tokens) else "newline"
            if not (width and following == "newline"):
                yield token.start, width
        begins = token.kind == "newline"


def indentation(scene: Scene) -> Iterator[RepairProposal]:
    """Propose all repairs of the indentation, the most common first."""
    yield from _common_indent(scene)
    yield from _tabs(scene)
    yield from _misplaced_lines(scene)


def _common_indent(scene: Scene) -> Iterator[RepairProposal]:
    """Remove blanks that all lines have, or all but the first, which lost its blanks to
    ``strip``."""
    lines: list[_LogicalLine] = []
    for line in _logical_lines(scene.tokens):
        if lines and not line.indent:
            return
        lines.append(line)
    for rule, considered in (
        ("common indentation removed", lines),
        ("indentation under the first line removed", lines[1:]),
    ):
        widths = [len(line.indent) for line in considered]
        least = min(widths, default=0)
        if not least or not (considered is lines or _first_line_lost_blanks(lines, least)):
            continue
        skipped = considered[0].start
        edits = [
            Edit(start, start + min(least, width), "")
            for start, width in _leading_blanks(scene)
            if start >= skipped and width
        ]
        yield proposal(edits, f"{rule} ({least} blanks)")


def _first_line_lost_blanks(lines: list[_LogicalLine], least: int) -> bool:
    """Return whether the first line stood under the same blanks.

    It did where it opens no block, or a later line is between its level and that of its block.
    """
    first, second = lines[0], lines[1]
    return not first.indent and (first.last != ":" or least + 1 < len(second.indent))


def _tabs(scene: Scene) -> Iterator[RepairProposal]:
    """Replace tabs in the indentation of some lines by the blanks that others have."""
    if "\t" not in scene.text:
        return
    indents = [
        (start, scene.text[start : start + width]) for start, width in _leading_blanks(scene)
    ]
    if not any("\t" in i for _, i in indents) or not any(" " in i for _, i in indents):
        return
    edits = [
        Edit(start, start + len(indent), indent.expandtabs(_TAB))
        for start, indent in indents
        if "\t" in indent
    ]
    yield proposal(edits, f"tabs -> {_TAB} blanks in {len(edits)} lines")


def _misplaced_lines(scene: Scene) -> Iterator[RepairProposal]:
    """Move a line that is deeper than its block, or between two levels; or the only line of a
    block, at the level of its header."""
    levels = [0]
    above: _LogicalLine | None = None
    for index, line in enumerate(_logical_lines(scene.tokens)):
        width = len(line.indent)
        if above is not None and above.last == ":":
            if width <= levels[-1]:
                yield from _indent_only_line(list(_logical_lines(scene.tokens)), index, levels)
                return
            levels.append(width)
        elif width > levels[-1]:
            if above is None or not _is_unfinished(scene, above):
                yield _shift(list(_logical_lines(scene.tokens)), index, levels[-1])
            return
        else:
            left = [level for level in levels if level <= width]
            if left[-1] != width:
                yield from _move_to_nearest(list(_logical_lines(scene.tokens)), index, levels)
                return
            levels = left
        above = line


def _is_unfinished(scene: Scene, line: _LogicalLine) -> bool:
    """Return whether a line lacks a bracket, and goes on in the next one, or its colon."""
    if line.last in _GOES_ON:
        return True
    code = code_tokens(scene.between(line.start, line.end))
    return code[0].text in HEADERS and all(token.text != ":" for token in code)


def _shift(lines: list[_LogicalLine], index: int, level: int) -> RepairProposal:
    """Move the lines of one depth, and what is under them, to ``level``."""
    depth = len(lines[index].indent)
    edits: list[Edit] = []
    for line in lines[index:]:
        width = len(line.indent)
        if width < depth:
            break
        edits.append(Edit(line.start, line.start + width, " " * (width - depth + level)))
    return proposal(edits, f"indentation of {len(edits)} lines {depth} -> {level} blanks")


def _move_to_nearest(
    lines: list[_LogicalLine], index: int, levels: list[int]
) -> Iterator[RepairProposal]:
    """Move a line by one blank; further off nobody knows which block is meant."""
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


def _indent_only_line(
    lines: list[_LogicalLine], index: int, levels: list[int]
) -> Iterator[RepairProposal]:
    """Indent the only line that can be a block's: a block needs one."""
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

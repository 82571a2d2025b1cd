"""Changes to a parsed value, written into the JSON text it came from.

Only what changes is written; everything else stays byte for byte as it was. Subtrees without a
change are passed over by Python's own scanner.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any, cast

from knitbone.common.structured.changes import ValueChange

__all__ = ["apply_changes", "item_texts", "without_members"]

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\n\r]*")
_KEY = re.compile(r'("(?:[^"\\]|\\.)*")[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_NEXT = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")


class _EditNode:
    """A place in the value: the changes there, and the places below it."""

    def __init__(self) -> None:
        self.changes: list[ValueChange] = []
        self.below: dict[str | int, _EditNode] = {}


def apply_changes(text: str, changes: Iterable[ValueChange]) -> str:
    """The text of the changed value.

    Args:
        text: valid JSON, one document.
    """
    root = _EditNode()
    for change in changes:
        node = root
        for step in change.path:
            node = node.below.setdefault(step, _EditNode())
        node.changes.append(change)
    writer = _Writer(text)
    start = _after_blank(text, 0)
    writer.value(start, root)
    return writer.written()


def item_texts(text: str) -> list[str]:
    """The items of a JSON array, each as it is written."""
    items: list[str] = []
    position = _after_blank(text, _after_blank(text, 0) + 1)
    while text[position] != "]":
        end = _end_of(text, position)
        items.append(text[position:end])
        position = _after_blank(text, end, _NEXT)
    return items


def without_members(text: str, keys: Collection[str]) -> str:
    """A JSON object without some of its members, all others as they are written."""
    start = _after_blank(text, 0) + 1
    kept: list[str] = []
    position = _after_blank(text, start)
    while (match := _KEY.match(text, position)) is not None:
        end = _end_of(text, match.end())
        if json.loads(match.group(1), strict=False) not in keys:
            kept.append(text[position:end])
        position = _after_blank(text, end, _NEXT)
    return text[:start] + ", ".join(kept) + text[position:]


class _Writer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[tuple[int, int, str]] = []

    def value(self, start: int, node: _EditNode) -> int:
        """Write what changes in the value at ``start``; the place behind it. Recursion goes no
        deeper than the longest path of a change."""
        inner: tuple[int, int] | None = None
        if node.below:
            wanted = next((c.value for c in node.changes if c.action == "unwrap"), None)
            end, inner = self._members(start, node, wanted)
        else:
            end = _end_of(self.text, start)
            wanted = next((c.value for c in node.changes if c.action == "unwrap"), None)
            if wanted is not None:
                end, inner = self._members(start, node, wanted)
        for change in node.changes:
            if change.action == "unwrap" and inner is not None:
                self.pieces.append((start, inner[0], ""))
                self.pieces.append((inner[1], end, ""))
            elif change.action == "wrap":
                self.pieces.append((start, start, "["))
                self.pieces.append((end, end, "]"))
            elif change.action in ("replace", "quote"):
                self.pieces.append((start, end, _dump(change.value)))
        return end

    def _members(
        self, start: int, node: _EditNode, wanted: str | int | None
    ) -> tuple[int, tuple[int, int] | None]:
        """The place behind an object or array, and that of the member that is ``wanted``."""
        text = self.text
        is_object = text[start] == "{"
        closer = "}" if is_object else "]"
        position = _after_blank(text, start + 1)
        inner: tuple[int, int] | None = None
        index = 0
        while text[position] != closer:
            step: str | int = index
            if is_object:
                match = _KEY.match(text, position)
                if match is None:
                    raise ValueError("the text is not JSON")
                step = cast("str", json.loads(match.group(1), strict=False))
                self._rename(match, node.below.get(step))
                position = match.end()
            below = node.below.get(step)
            end = self.value(position, below) if below else _end_of(text, position)
            if step == wanted:
                inner = (position, end)
            position = _after_blank(text, end, _NEXT)
            index += 1
        return position + 1, inner

    def _rename(self, key: re.Match[str], node: _EditNode | None) -> None:
        for change in node.changes if node else ():
            if change.action == "rename":
                self.pieces.append((*key.span(1), _dump(change.value)))

    def written(self) -> str:
        parts: list[str] = []
        done = 0
        # Stable: an insertion stands before what is removed from its place.
        for start, end, new in sorted(self.pieces, key=lambda piece: piece[:2]):
            parts += (self.text[done:start], new)
            done = end
        return "".join(parts) + self.text[done:]


def _end_of(text: str, start: int) -> int:
    return _DECODER.raw_decode(text, start)[1]


def _after_blank(text: str, start: int, pattern: re.Pattern[str] = _BLANK) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

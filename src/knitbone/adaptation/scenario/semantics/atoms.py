"""Atoms: the smallest parts of an answer that can repeat (sentences, lines, headings), and
repetitions.

What is never cut (code, tables, quotations, data) is one atom that equals nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.blocks import Block, read_blocks
from knitbone.adaptation.scenario.facts import Statement, read_statement, read_words
from knitbone.common.sentences import split_sentences

__all__ = ["AnswerAtoms", "Atom", "Repetition", "read_answer"]

_TITLED = re.compile(r"(?:\*\*|__)?[A-Z0-9][^\n.!?:*]{0,60}(?:\*\*|__)?:(?:\*\*|__)?(?:\s|\Z)")
"""``Parking: the garage is open``: from here on another thing is spoken of."""


_MAX_MARKS = 10_000
"""Line breaks, full stops and the like of one answer; splitting at as many takes 50 ms
(measured)."""


class Atom(msgspec.Struct, frozen=True, kw_only=True):
    """One atom: ``text[start:end]`` without the blanks around it."""

    kind: Literal["sentence", "line", "heading", "other"]
    start: int
    end: int
    text: str
    words: tuple[str, ...]
    """The words as ``adaptation/scenario/facts.py`` reads them; empty for what is never cut."""
    block: int
    """Index into ``Answer.blocks``."""
    scope: int
    """Pieces of the same scope speak of the same thing, as far as headings and items tell."""

    @property
    def closed(self) -> bool:
        """True where it ends as a statement does."""
        bare = self.text.rstrip("\"')*_\u201d\u2019")
        return bare.endswith((".", "!", "\u3002", "\uff01")) and not bare.endswith("..")


class Claims(dict[str, Statement]):
    """The statements of texts, each read when it is first asked for."""

    def __missing__(self, text: str) -> Statement:
        claim = self[text] = read_statement(text)
        return claim


class AnswerAtoms(msgspec.Struct, frozen=True, kw_only=True):
    """An answer split into atoms."""

    text: str
    blocks: tuple[Block, ...]
    atoms: tuple[Atom, ...]
    """The atoms in order."""
    claims: Claims
    """The statement of each text, read at most once."""


class Repetition(msgspec.Struct, frozen=True, kw_only=True):
    """Atoms that repeat what others say, to be removed unless there is a reason to keep them."""

    kept: int
    """Index of the first of the atoms that say it first, or better."""
    gone: tuple[int, ...]
    """Indices of the consecutive atoms that repeat it."""
    kind: str
    """``sentence``, ``list item`` or ``entry``."""
    reason: str = ""
    """Why they are kept; empty: they may be removed."""


def read_answer(text: str, deadline: Deadline, *, claims: Claims | None = None) -> AnswerAtoms:
    """Split an answer into atoms, in linear time.

    Args:
        claims: what another reading has found out already.

    Raises:
        TimeoutError: the deadline has passed.
    """
    if sum(map(text.count, ".!?\n")) > _MAX_MARKS:
        raise TimeoutError("so many sentences and lines would take longer than the time budget")
    blocks = read_blocks(text)
    atoms: list[Atom] = []
    scopes = _Scopes(text, blocks)
    for index, block in enumerate(blocks):
        deadline.check()
        atoms.extend(_atoms(text, index, block, scopes.at(index), deadline))
    return AnswerAtoms(
        text=text,
        blocks=blocks,
        atoms=tuple(atoms),
        claims=Claims() if claims is None else claims,
    )


class _Scopes:
    """The blocks that speak of the same thing.

    A heading, an item or a title opens a scope; a paragraph behind the end of a list speaks again
    of what the paragraph before it did.
    """

    def __init__(self, text: str, blocks: Sequence[Block]) -> None:
        self._text = text
        self._blocks = blocks
        self._count = 0
        self._outer = 0
        """The scope outside of the list."""
        self._current = 0
        self._behind_lists = self._find_behind_lists()

    def at(self, index: int) -> int:
        """Return the scope of a block; to be asked in order."""
        block = self._blocks[index]
        if block.kind == "item":
            self._current = self._open()
        elif block.kind in ("heading", "rule", "dialogue") or self._has_title(block):
            self._current = self._outer = self._open()
        elif index in self._behind_lists:
            self._current = self._outer
        return self._current

    def _open(self) -> int:
        self._count += 1
        return self._count

    def _has_title(self, block: Block) -> bool:
        return block.kind == "paragraph" and bool(_TITLED.match(self._text, block.body, block.end))

    def _find_behind_lists(self) -> set[int]:
        """Return the blocks behind the end of a list, up to the next heading.

        Where blocks stand between the items, or there is one item only, what follows the last may
        belong to it.
        """
        behind: set[int] = set()
        section: list[int] = []
        for index in range(len(self._blocks) + 1):
            if index < len(self._blocks) and self._blocks[index].kind != "heading":
                section.append(index)
                continue
            items = [x for x in section if self._blocks[x].kind == "item"]
            if len(items) > 1:
                outside = [x for x in section if x > items[0] and self._is_outside(x)]
                if not outside or outside[0] > items[-1]:
                    behind.update(outside)
            section = []
        return behind

    def _is_outside(self, place: int) -> bool:
        block = self._blocks[place]
        return block.kind != "item" and block.start == block.body


def _atoms(text: str, index: int, block: Block, scope: int, deadline: Deadline) -> list[Atom]:
    """Return the atoms of one block: sentences of prose, lines of verse, or the whole block."""
    if block.kind in ("paragraph", "item"):
        spans = split_sentences(text, block.body, block.end)
        kind: Literal["sentence", "line", "heading", "other"] = "sentence"
    elif block.kind in ("lines", "dialogue"):
        spans = _lines(text, block)
        kind = "line"
    else:
        spans = [(block.body, block.end)]
        kind = "heading" if block.kind == "heading" else "other"
    atoms: list[Atom] = []
    for start, end in spans:
        deadline.check()
        part = text[start:end]
        bare = part.strip()
        if not bare:
            continue
        first = start + part.index(bare[0])
        atoms.append(
            Atom(
                kind=kind,
                start=first,
                end=first + len(bare),
                text=bare,
                words=() if kind == "other" else read_words(bare),
                block=index,
                scope=scope,
            )
        )
    return atoms


def _lines(text: str, block: Block) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans

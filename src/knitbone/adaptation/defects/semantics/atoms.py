"""The smallest pieces of an answer that can repeat: sentences, lines, headings.

What is never cut (code, tables, quotations, data) is one piece that equals nothing.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from knitbone.core.blocks import Block, read_blocks
from knitbone.core.facts import read_words
from knitbone.core.sentences import split_sentences

__all__ = ["Answer", "Atom", "read_answer"]

_TITLED = re.compile(r"(?:\*\*|__)?[A-Z0-9][^\n.!?:*]{0,60}(?:\*\*|__)?:(?:\*\*|__)?(?:\s|\Z)")
"""``Parking: the garage is open``: from here on another thing is spoken of."""


class Atom(msgspec.Struct, frozen=True, kw_only=True):
    """One piece: ``text[start:end]`` without the blanks around it."""

    kind: Literal["sentence", "line", "heading", "other"]
    start: int
    end: int
    text: str
    words: tuple[str, ...]
    """As ``core/facts.py`` reads them; empty for what is never cut."""
    block: int
    """Index into ``Answer.blocks``."""
    scope: int
    """Pieces of the same scope speak of the same thing, as far as headings and items tell."""

    @property
    def closed(self) -> bool:
        """Whether it ends as a statement does."""
        return self.text.rstrip("\"')*_\u201d\u2019").endswith((".", "!", "\u3002", "\uff01"))


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer taken apart."""

    text: str
    blocks: tuple[Block, ...]
    atoms: tuple[Atom, ...]
    """In order."""


def read_answer(text: str) -> Answer:
    """Take an answer apart. Linear in its length."""
    blocks = read_blocks(text)
    atoms: list[Atom] = []
    scope = 0
    for place, block in enumerate(blocks):
        if _opens_scope(text, block):
            scope += 1
        atoms.extend(_atoms(text, place, block, scope))
    return Answer(text=text, blocks=blocks, atoms=tuple(atoms))


def _opens_scope(text: str, block: Block) -> bool:
    if block.kind in ("heading", "item", "rule", "dialogue"):
        return True
    return block.kind == "paragraph" and bool(_TITLED.match(text, block.body, block.end))


def _atoms(text: str, place: int, block: Block, scope: int) -> list[Atom]:
    if block.kind in ("paragraph", "item"):
        spans = split_sentences(text, block.body, block.end)
        kind: Literal["sentence", "line", "heading", "other"] = "sentence"
    elif block.kind in ("lines", "dialogue"):
        spans = _lines(text, block)
        kind = "line"
    else:
        spans = [(block.body, block.end)]
        kind = "heading" if block.kind == "heading" else "other"
    found: list[Atom] = []
    for start, end in spans:
        piece = text[start:end]
        bare = piece.strip()
        if not bare:
            continue
        first = start + piece.index(bare[0])
        found.append(
            Atom(
                kind=kind,
                start=first,
                end=first + len(bare),
                text=bare,
                words=() if kind == "other" else read_words(bare),
                block=place,
                scope=scope,
            )
        )
    return found


def _lines(text: str, block: Block) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans

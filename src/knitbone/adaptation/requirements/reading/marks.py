"""Marks that code looks for by position (``find``) or at the start (``startswith``)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.adaptation.requirements.reading.cells import SLOT, Cell, Cut, mark_of
from knitbone.adaptation.requirements.reading.conversions import conversion, type_of
from knitbone.adaptation.requirements.reading.patterns import FENCE
from knitbone.adaptation.requirements.reading.texts import (
    Consumer,
    Inner,
    consumers_of,
    items_of,
)
from knitbone.adaptation.requirements.records import Element
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["by_position", "by_prefix"]

_FINDS = frozenset({".find", ".index", ".rfind", ".rindex"})
_TESTS = frozenset({".startswith", ".endswith", "contains"})


def by_position(consumers: Sequence[Consumer], inner: Inner) -> tuple[Cut | None, set[int]]:
    """Positions that the code looks for, and what it does with the text between them."""
    finds = [
        i
        for i, c in enumerate(consumers)
        if c.name in _FINDS and FENCE not in (mark_of(c) or FENCE)
    ]
    if not finds:
        return None, set()
    slices = [
        i
        for i, c in enumerate(consumers)
        if c.name == "slice" and any(isinstance(a, Computed) for a in c.use.operation.arguments)
    ]
    if not slices:
        return None, set()
    contents = [
        found
        for i in slices
        for found in consumers_of(consumers[i].use, consumers[i].text.then("slice", exact=False))
    ]
    below = tuple(inner(contents))
    marks = tuple(dict.fromkeys(mark_of(consumers[i]) for i in finds))
    named = tuple(mark for mark in marks if any(c.isalnum() for c in mark))
    converted = conversion(c.use for c in contents)
    slot = SLOT if converted is None else msgspec.structs.replace(SLOT, type=converted[0])
    cells = tuple(Cell(mark, () if mark.startswith("</") else (slot,)) for mark in named)
    return Cut((), cells, below, certain=False), {*finds, *slices}


def by_prefix(consumers: Sequence[Consumer], marks: set[str]) -> tuple[Cut | None, set[int]]:
    """``startswith("Title:")`` before what stands behind it is taken: a mark, not an answer."""
    used: set[int] = set()
    cells: list[Cell] = []
    removed = [c for c in consumers if c.name in ("slice", ".removeprefix", ".replace")]
    for index, consumer in enumerate(consumers):
        found = _spelled(consumer)
        if consumer.name == ".removeprefix" and found:
            if any(_spelled(c) == found for c in consumers if c.name == ".startswith"):
                used.add(index)
            continue
        if consumer.name not in _TESTS or not found:
            continue
        if all(mark.strip() in marks for mark in found):
            used.add(index)
        elif consumer.name == ".startswith" and (
            any(_removes(c, mark) for c in removed for mark in found)
            or all(mark.rstrip()[-1:] in ":=>]" for mark in found)
        ):
            used.add(index)
            cells.extend(Cell(mark, _after(consumers, mark)) for mark in found)
    if not cells:
        return None, used
    for index, consumer in enumerate(consumers):
        removes = any(_is_behind(consumer, cell.mark) for cell in cells)
        if removes and (type_of(consumer.name) or consumer.name == ".isdigit"):
            used.add(index)
    return Cut((), tuple(cells)), used


def _spelled(consumer: Consumer) -> tuple[str, ...]:
    values = [v for argument in consumer.use.operation.arguments[:1] for v in items_of(argument)]
    texts = tuple(v for v in values if isinstance(v, str) and v.strip() and FENCE not in v)
    return texts if len(texts) == len(values) else ()


def _removes(consumer: Consumer, mark: str) -> bool:
    arguments = consumer.use.operation.arguments
    if consumer.name == "slice":
        start = arguments[0] if arguments else None
        return isinstance(start, Computed) or start == len(mark)
    return arguments[:1] == (mark,)


def _is_behind(consumer: Consumer, mark: str) -> bool:
    """Whether the consumer reads the text behind the mark."""
    for step in consumer.text.steps:
        if step.name in ("removeprefix", "replace") and step.arguments[:1] == (mark,):
            return True
        if step.name == "slice" and step.arguments[:1] == (len(mark),):
            return True
    return False


def _after(consumers: Sequence[Consumer], mark: str) -> tuple[Element, ...]:
    converted = conversion(c.use for c in consumers if _is_behind(c, mark))
    return (SLOT if converted is None else msgspec.structs.replace(SLOT, type=converted[0]),)

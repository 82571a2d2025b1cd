"""What is said twice in the same words: sentences, runs of them, and list items.

The same words prove themselves; whether saying it twice was needed is for ``guards.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec

from knitbone.adaptation.checks import Invocation
from knitbone.adaptation.defects.semantics.atoms import Answer
from knitbone.adaptation.defects.semantics.guards import (
    MIN_ITEM_WORDS,
    MIN_WORDS,
    Guards,
    asks_for_procedure,
    states,
)
from knitbone.core.facts import read_words

__all__ = ["Duplicate", "find_repeated_items", "find_repeated_sentences"]

_LONG_ITEM = 12
_MIN_SIBLINGS = 5
"""A list of fewer short items may be a tally."""
_MIN_NAME = 4
_MIN_STEP_WORDS = 6


class Duplicate(msgspec.Struct, frozen=True, kw_only=True):
    """Atoms that say what others say."""

    kept: int
    """The first of the atoms that stay."""
    gone: tuple[int, ...]
    """Consecutive atoms."""
    kind: str
    """``sentence`` or ``list item``."""
    reason: str = ""
    """Why they stay all the same."""


def find_repeated_sentences(answer: Answer, invocation: Invocation) -> list[Duplicate]:
    """Sentences, or runs of them, in the words of earlier ones; the later go."""
    atoms = answer.atoms
    earlier: dict[tuple[str, ...], int] = {}
    found: list[Duplicate] = []
    guards: Guards | None = None
    place = 0
    while place < len(atoms):
        words = atoms[place].words
        origin = earlier.get(words) if len(words) >= MIN_WORDS else None
        if origin is None:
            earlier.setdefault(words, place)
            place += 1
            continue
        invocation.deadline.check()
        if guards is None:
            procedure = asks_for_procedure(invocation.query, answer)
            guards = Guards(answer, procedure=procedure)
        size = 1
        while (
            place + size < len(atoms)
            and origin + size < place
            and atoms[origin + size].words == atoms[place + size].words != ()
            and atoms[place + size].scope == atoms[place].scope
        ):
            size += 1
        gone = tuple(range(place, place + size))
        reason = guards.why_kept(origin, gone)
        found.append(Duplicate(kept=origin, gone=gone, kind="sentence", reason=reason))
        place += size
    return found


def find_repeated_items(answer: Answer, invocation: Invocation) -> list[Duplicate]:
    """Items in the words of an earlier one of the same list, nested ones included."""
    series: dict[int, list[int]] = defaultdict(list)
    for place, block in enumerate(answer.blocks):
        if block.kind == "item":
            series[block.series].append(place)
    atoms_of: dict[int, list[int]] = defaultdict(list)
    for place, atom in enumerate(answer.atoms):
        atoms_of[atom.block].append(place)
    if not series:
        return []
    steps = asks_for_procedure(invocation.query, answer)
    found: list[Duplicate] = []
    for places in series.values():
        earlier: dict[tuple[str, ...], int] = {}
        for order, place in enumerate(places):
            invocation.deadline.check()
            block = answer.blocks[place]
            whole = answer.text[block.body : block.extent]
            words = read_words(whole)
            origin = earlier.setdefault(words, order) if words else order
            if origin == order:
                continue
            gone: list[int] = []
            for inside in range(place, len(answer.blocks)):
                if answer.blocks[inside].start >= block.extent:
                    break
                gone.extend(atoms_of[inside])
            reason = _item_kept(
                whole,
                words,
                distance=order - origin if block.number is not None else 0,
                siblings=len(places),
                steps="yes" if steps else "no" if invocation.query else "unknown",
            )
            kept = atoms_of[places[origin]][0]
            found.append(Duplicate(kept=kept, gone=tuple(gone), kind="list item", reason=reason))
    return found


def _item_kept(
    text: str,
    words: Sequence[str],
    *,
    distance: int,
    siblings: int,
    steps: Literal["yes", "no", "unknown"],
) -> str:
    """Why an item that comes twice stays.

    Args:
        distance: items to the first one; 0 where no numbers say that the order matters.
        siblings: items of the list.
        steps: whether it is a procedure, or the ingredients of one.
    """
    if words[-1] == "?":
        return "it is a question"
    if words[0][0].isdigit() and (steps != "no" or len(words) < MIN_ITEM_WORDS):
        return "it is a quantity"  # of another dish, on another day
    if len(words) < MIN_ITEM_WORDS:
        if distance or siblings < _MIN_SIBLINGS or not _says_much(words):
            return "it is short"
    elif len(words) < _MIN_STEP_WORDS and (distance > 1 or steps == "yes"):
        return "it is short"
    titled = ":" in text and len(words) >= _LONG_ITEM
    if distance > 1 and steps != "no" and not titled and not states(words):
        return "a step may come twice"
    return ""


def _says_much(words: Sequence[str]) -> bool:
    """Not ``yes``, ``1`` or ``-``: of those a list may hold many."""
    return any(len(word) >= _MIN_NAME and word.isalpha() for word in words)

"""Repetitions in the same words: sentences and runs of them.

The same words prove themselves; whether saying it twice was needed is for ``guards.py``.
"""

from __future__ import annotations

import msgspec

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.semantics.atoms import AnswerAtoms
from knitbone.adaptation.repair.semantics.guards import (
    MIN_WORDS,
    Guards,
    asks_for_procedure,
)

__all__ = ["Duplicate", "find_repeated_sentences"]


class Duplicate(msgspec.Struct, frozen=True, kw_only=True):
    """Atoms that say what others say."""

    kept: int
    """The first of the atoms that stay."""
    gone: tuple[int, ...]
    """Consecutive atoms."""
    kind: str
    """``sentence``, ``list item`` or ``entry``."""
    reason: str = ""
    """Why they stay all the same."""


def find_repeated_sentences(answer: AnswerAtoms, invocation: Invocation) -> list[Duplicate]:
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
            procedure = asks_for_procedure(invocation, answer)
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

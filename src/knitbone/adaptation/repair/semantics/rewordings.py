"""Sentences that say in other words what another one says: the same facts, and the embedder agrees.

Source: Comfrey §4.5.2.
"""

from __future__ import annotations

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.semantics.atoms import AnswerAtoms
from knitbone.adaptation.repair.semantics.duplicates import Duplicate
from knitbone.adaptation.repair.semantics.guards import MIN_WORDS, Guards, asks_for_procedure
from knitbone.adaptation.repair.semantics.pairs import Pair, candidate_pairs, judge

__all__ = ["MAX_SENTENCES", "find_reworded"]

MAX_SENTENCES = 1_000
"""Sentences that are compared; a longer answer is looked at for the same words only."""


def find_reworded(answer: AnswerAtoms, invocation: Invocation) -> list[Duplicate]:
    """Find sentences with the facts of another one, in other words.

    Of two that say exactly the same the one less similar to the query goes (Comfrey §4.5.2),
    without a query the later one; else the one that says less.
    """
    places = [
        place
        for place, atom in enumerate(answer.atoms)
        if atom.kind == "sentence" and len(atom.words) >= MIN_WORDS
    ]
    if not 1 < len(places) <= MAX_SENTENCES:
        return []
    found: list[Duplicate] = []
    open_: list[Pair] = []
    guards: Guards | None = None
    for pair in candidate_pairs(answer, places, invocation.deadline):
        if answer.atoms[pair.kept].words == answer.atoms[pair.gone].words:
            continue  # not reworded: see duplicates.py
        if guards is None:
            guards = Guards(answer, procedure=asks_for_procedure(invocation, answer))
        # The guards look at the later of the two, whichever goes.
        if reason := guards.why_kept(min(pair.kept, pair.gone), (max(pair.kept, pair.gone),)):
            found.append(_duplicate(pair, reason))
        else:
            open_.append(pair)
    for pair, alike in judge(answer, open_, invocation):
        reason = _why_earlier_kept(answer, pair) if alike else "no embedder to compare the meaning"
        if alike and reason and pair.both:
            pair, reason = Pair(kept=pair.gone, gone=pair.kept, both=True), ""  # noqa: PLW2901
        found.append(_duplicate(pair, reason))
    return found


def _duplicate(pair: Pair, reason: str) -> Duplicate:
    return Duplicate(kept=pair.kept, gone=(pair.gone,), kind="sentence", reason=reason)


def _why_earlier_kept(answer: AnswerAtoms, pair: Pair) -> str:
    """The earlier one may go only where nothing leans on it."""
    following = pair.gone + 1
    if pair.kept <= following:
        return ""
    if answer.atoms[following].block == answer.atoms[pair.gone].block:
        return "what follows may speak of it"
    return ""

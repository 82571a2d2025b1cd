"""Sentences that are said twice: in the same words, or in other words with the same facts.

The same words prove themselves, other words need an embedder that agrees; whether saying it twice
was needed is for ``guards.py``. Source: Comfrey §4.5.2.
"""

from __future__ import annotations

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Repetition
from knitbone.adaptation.scenario.semantics.guards import MIN_WORDS, Guards, asks_for_procedure
from knitbone.adaptation.scenario.semantics.sentence_pairs import Pair, candidate_pairs, judge_pairs

__all__ = ["MAX_SENTENCES", "find_repeated_sentences", "find_reworded_sentences"]

MAX_SENTENCES = 1_000
"""Sentences that are compared; a longer answer is looked at for the same words only."""


def find_repeated_sentences(answer: AnswerAtoms, invocation: Invocation) -> list[Repetition]:
    """Find sentences, or runs of them, in the words of earlier ones; the later ones are to go."""
    atoms = answer.atoms
    earlier: dict[tuple[str, ...], int] = {}
    repetitions: list[Repetition] = []
    guards: Guards | None = None
    index = 0
    while index < len(atoms):
        words = atoms[index].words
        origin = earlier.get(words) if len(words) >= MIN_WORDS else None
        if origin is None:
            earlier.setdefault(words, index)
            index += 1
            continue
        invocation.deadline.check()
        if guards is None:
            procedure = asks_for_procedure(invocation, answer)
            guards = Guards(answer, procedure=procedure)
        size = 1
        while (
            index + size < len(atoms)
            and origin + size < index
            and atoms[origin + size].words == atoms[index + size].words != ()
            and atoms[index + size].scope == atoms[index].scope
        ):
            size += 1
        gone = tuple(range(index, index + size))
        reason = guards.why_kept(origin, gone)
        repetitions.append(Repetition(kept=origin, gone=gone, kind="sentence", reason=reason))
        index += size
    return repetitions


def find_reworded_sentences(answer: AnswerAtoms, invocation: Invocation) -> list[Repetition]:
    """Find sentences with the facts of another one, in other words.

    Of two that say exactly the same the one less similar to the query goes (Comfrey §4.5.2),
    without a query the later one; else the one that says less.
    """
    indices = [
        index
        for index, atom in enumerate(answer.atoms)
        if atom.kind == "sentence" and len(atom.words) >= MIN_WORDS
    ]
    if not 1 < len(indices) <= MAX_SENTENCES:
        return []
    repetitions: list[Repetition] = []
    undecided: list[Pair] = []
    guards: Guards | None = None
    for pair in candidate_pairs(answer, indices, invocation.deadline):
        if answer.atoms[pair.kept].words == answer.atoms[pair.gone].words:
            continue  # not reworded: see find_repeated_sentences
        if guards is None:
            guards = Guards(answer, procedure=asks_for_procedure(invocation, answer))
        # The guards look at the later of the two, whichever goes.
        if reason := guards.why_kept(min(pair.kept, pair.gone), (max(pair.kept, pair.gone),)):
            repetitions.append(_repetition(pair, reason))
        else:
            undecided.append(pair)
    for pair, alike in judge_pairs(answer, undecided, invocation):
        reason = _why_earlier_kept(answer, pair) if alike else "no embedder to compare the meaning"
        if alike and reason and pair.both:
            pair, reason = Pair(kept=pair.gone, gone=pair.kept, both=True), ""  # noqa: PLW2901
        repetitions.append(_repetition(pair, reason))
    return repetitions


def _repetition(pair: Pair, reason: str) -> Repetition:
    return Repetition(kept=pair.kept, gone=(pair.gone,), kind="sentence", reason=reason)


def _why_earlier_kept(answer: AnswerAtoms, pair: Pair) -> str:
    """Return the reason why the earlier sentence must stay: something may lean on it; empty: it
    may go."""
    following = pair.gone + 1
    if pair.kept <= following:
        return ""
    if answer.atoms[following].block == answer.atoms[pair.gone].block:
        return "what follows may speak of it"
    return ""

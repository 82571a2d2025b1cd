"""Sentences that are said twice: in the same words, or in other words with the same facts.

The same words prove themselves, other words need an embedder that agrees; whether saying it twice
was needed is for ``guards.py``. Source: Comfrey §4.5.2.

*Departure:* the facts choose the pairs that are embedded, not the top TF-IDF quartile (Comfrey
§4.3.3). They are the stricter test and need no other pair to compare with; and most answers have no
such pair, so that no embedder is loaded for them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from knitbone.adaptation.repair.checks import Deadline, Invocation
from knitbone.adaptation.scenario.facts import Statement, difference
from knitbone.adaptation.scenario.paraphrase import bases, implies, rephrases
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Repetition
from knitbone.adaptation.scenario.semantics.guards import MIN_WORDS, Guards, asks_for_procedure
from knitbone.common.thresholds import thresholds_for

__all__ = [
    "Pair",
    "candidate_pairs",
    "find_repeated_sentences",
    "find_reworded_sentences",
    "judge_pairs",
    "says_all",
]

_MAX_BUCKET = 12
"""Texts with a word in common; a word that more have tells nothing, where they have others."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two atoms, by their indices, of which the one says all that the other does."""

    kept: int
    gone: int
    both: bool
    """Either says all that the other does."""


def says_all(kept: Statement, gone: Statement) -> bool:
    """Return whether ``kept`` says everything that ``gone`` does."""
    return not difference(gone, kept) or rephrases(gone, kept) or implies(kept, gone)


def candidate_pairs(
    answer: AnswerAtoms, indices: Sequence[int], deadline: Deadline
) -> Iterator[Pair]:
    """Yield the pairs of atoms with the same facts, the earlier one kept where both say the same.

    Raises:
        TimeoutError: the deadline has passed.
    """
    for first, second in similar_pairs(answer, indices, deadline):
        one, other = (answer.claims[answer.atoms[index].text] for index in (first, second))
        deadline.check()
        if rephrases(one, other):
            yield Pair(kept=first, gone=second, both=True)
        elif not difference(other, one):
            yield Pair(kept=first, gone=second, both=not difference(one, other))
        elif not difference(one, other) or implies(other, one):
            yield Pair(kept=second, gone=first, both=False)
        elif implies(one, other):
            yield Pair(kept=first, gone=second, both=False)


def similar_pairs(
    answer: AnswerAtoms, indices: Sequence[int], deadline: Deadline
) -> list[tuple[int, int]]:
    """Return the pairs that may say the same: most base forms of both in common, or all of
    one's."""
    bags = {index: bases(answer.atoms[index].words) for index in indices}
    among = Counter(word for bag in bags.values() for word in bag)
    sharing: dict[str, list[int]] = defaultdict(list)
    sizes: dict[int, int] = {}
    for index, bag in bags.items():
        rare = [word for word in bag if among[word] <= _MAX_BUCKET]
        sizes[index] = len(rare) or len(bag)
        for word in rare or bag:
            if among[word] > 1:
                sharing[word].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for found in sharing.values():
        deadline.check()
        shared.update(combinations(found[:_MAX_BUCKET], 2))
    return sorted(
        (first, second)
        for (first, second), count in shared.items()
        if 2 * count >= max(sizes[first], sizes[second])
        or count == min(sizes[first], sizes[second])
    )


def judge_pairs(
    answer: AnswerAtoms, pairs: Sequence[Pair], invocation: Invocation
) -> Iterator[tuple[Pair, bool]]:
    """Yield the pairs whose cosine is over the threshold, with true; without an embedder all, with
    false.

    Of two that both say the same the one less similar to the query is to go (Comfrey §4.5.2),
    without a query the later one.

    Raises:
        TimeoutError: the deadline has passed.
    """
    if not pairs:
        return
    embedder = invocation.embedder
    if embedder is None:
        yield from ((pair, False) for pair in pairs)
        return
    tau = invocation.config.tau_redundancy
    limit = thresholds_for(embedder.name).redundancy if tau is None else tau
    query = invocation.query
    places = sorted({index for pair in pairs for index in (pair.kept, pair.gone)})
    vectors = embedder.embed([*(answer.atoms[index].text for index in places), query])
    rows = dict(zip(places, vectors[:-1], strict=True))
    for pair in pairs:
        invocation.deadline.check()
        kept, gone = rows[pair.kept], rows[pair.gone]
        if float(kept @ gone) <= limit:
            continue
        nearer = pair.both and query and float(gone @ vectors[-1]) > float(kept @ vectors[-1])
        yield (Pair(kept=pair.gone, gone=pair.kept, both=True) if nearer else pair), True


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

"""What is said twice in other words: the same facts, and the embedder agrees.

*Departure:* the facts choose the pairs that are embedded, not the top TF-IDF quartile (Comfrey
§4.3.3). They are the stricter test and need no other pair to compare with; and most answers have
no such pair, so that no embedder is loaded for them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from knitbone.adaptation.checks import Invocation
from knitbone.adaptation.defects.semantics.atoms import Answer
from knitbone.adaptation.defects.semantics.duplicates import Duplicate
from knitbone.adaptation.defects.semantics.guards import MIN_WORDS, Guards, asks_for_procedure
from knitbone.core.facts import Claim, difference
from knitbone.core.thresholds import thresholds_for

__all__ = ["MAX_SENTENCES", "find_reworded"]

MAX_SENTENCES = 1_000
"""Sentences that are compared; a longer answer is looked at for the same words only."""
_MAX_BUCKET = 12
"""Sentences with the same words in another order; more are no prose."""
_PREFIX = 4
"""Words that two sentences have to start with, for the one to go on where the other ends."""


def find_reworded(answer: Answer, invocation: Invocation) -> list[Duplicate]:
    """Sentences with the facts of another one, in other words.

    Of two that say exactly the same the one less similar to the query goes (Comfrey §4.5.2),
    without a query the later one; else the one that says less.
    """
    claims = {
        place: answer.claims[atom.text]
        for place, atom in enumerate(answer.atoms)
        if atom.kind == "sentence" and len(atom.words) >= MIN_WORDS
    }
    if len(claims) > MAX_SENTENCES:
        return []
    guards = Guards(answer, procedure=asks_for_procedure(invocation.query, answer))
    found: list[Duplicate] = []
    open_: list[tuple[int, int]] = []
    for first, second in _candidates(claims, invocation):
        if answer.atoms[first].words == answer.atoms[second].words:
            continue  # not reworded: see duplicates.py
        kept, gone = _direction(claims, first, second)
        if kept < 0:
            continue
        if reason := guards.why_kept(*_ordered(kept, gone)):
            found.append(Duplicate(kept=kept, gone=(gone,), kind="sentence", reason=reason))
        else:
            open_.append((kept, gone))
    return found + (_judge(answer, claims, open_, invocation) if open_ else [])


def _candidates(claims: dict[int, Claim], invocation: Invocation) -> list[tuple[int, int]]:
    """The pairs that may say the same: equal words in any order, or an equal beginning."""
    buckets: dict[object, list[int]] = defaultdict(list)
    for place, claim in claims.items():
        buckets[frozenset(Counter(claim.tokens).items())].append(place)
        if len(claim.tokens) >= _PREFIX:
            buckets[claim.tokens[:_PREFIX]].append(place)
    pairs: set[tuple[int, int]] = set()
    for places in buckets.values():
        invocation.deadline.check()
        short = places[:_MAX_BUCKET]
        pairs.update((a, b) for order, a in enumerate(short) for b in short[order + 1 :])
    return sorted(pairs)


def _direction(claims: dict[int, Claim], first: int, second: int) -> tuple[int, int]:
    """Which stays and which may go; -1 where neither may."""
    if not difference(claims[second], claims[first]):
        return first, second
    if not difference(claims[first], claims[second]):
        return second, first
    return -1, -1


def _ordered(kept: int, gone: int) -> tuple[int, tuple[int]]:
    """The guards look at the later of the two, whichever goes."""
    return min(kept, gone), (max(kept, gone),)


def _judge(
    answer: Answer,
    claims: dict[int, Claim],
    pairs: Sequence[tuple[int, int]],
    invocation: Invocation,
) -> list[Duplicate]:
    embedder = invocation.embedder
    if embedder is None:
        reason = "no embedder to compare the meaning"
        return [Duplicate(kept=a, gone=(b,), kind="sentence", reason=reason) for a, b in pairs]
    tau = invocation.config.tau_redundancy
    limit = thresholds_for(embedder.name).redundancy if tau is None else tau
    query = invocation.query
    places = sorted({place for pair in pairs for place in pair})
    texts = [answer.atoms[place].text for place in places]
    vectors = embedder.embed([*texts, query])
    rows = dict(zip(places, vectors[:-1], strict=True))
    found: list[Duplicate] = []
    for kept, gone in pairs:
        invocation.deadline.check()
        if float(rows[kept] @ rows[gone]) <= limit:
            continue
        stays, goes = kept, gone
        both = not difference(claims[kept], claims[gone])
        if both and query and float(rows[gone] @ vectors[-1]) > float(rows[kept] @ vectors[-1]):
            stays, goes = gone, kept
        reason = "" if stays < goes else _why_earlier_kept(answer, goes, stays)
        if reason and both:
            stays, goes, reason = kept, gone, ""
        found.append(Duplicate(kept=stays, gone=(goes,), kind="sentence", reason=reason))
    return found


def _why_earlier_kept(answer: Answer, goes: int, stays: int) -> str:
    """The earlier one may go only where nothing leans on it."""
    atoms = answer.atoms
    following = goes + 1
    if following == stays:
        return ""
    if following < len(atoms) and atoms[following].block == atoms[goes].block:
        return "what follows may speak of it"
    return ""

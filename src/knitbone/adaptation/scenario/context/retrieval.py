"""The check of retrieved entries: those that belong neither to the query nor to the others are
removed.

Source: Comfrey §4.3.3. *Departure:* the paper removes one entry of every irrelevant pair. Two
entries that each answer one half of a question are irrelevant to each other, and both are needed.
So the pairs only say where to look; an entry is removed that is far from the query and from every
other one, while what is left is relevant (knitbone_evals.adapt.context).
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from knitbone.adaptation.repair.checks import (
    EntryCheck,
    EntryVerdict,
    Invocation,
    ListEntry,
    conforming_entries,
)
from knitbone.adaptation.requirements.records import ContextRule, ScenarioRequirement
from knitbone.errors import KnitboneError

if TYPE_CHECKING:
    from knitbone.adaptation.scenario.context.relevance import Relevance

__all__ = ["HEURISTICS", "MAX_CHARACTERS", "MAX_ENTRIES", "load", "prepare"]

HEURISTICS: tuple[str, ...] = ("context.by_query", "context.without_query", "context.keep_relevant")

MAX_ENTRIES = 200
"""Every two are compared: 20,000 pairs. Retrievers return some 4 to 50."""
MAX_CHARACTERS = 16_384
"""Characters of one entry that are looked at: the embedded model reads some 1,200."""


class _Removal(NamedTuple):
    """An entry to remove, and the similarity that speaks against it."""

    entry: int
    """Its index in the list that came."""
    similarity: float
    """To the query, or to the other entries."""


def load(_: ScenarioRequirement) -> None:
    """Load, ahead of the first list, what a check would load with it.

    Raises:
        MissingExtraError: a library is not installed.
    """
    importlib.import_module("knitbone.adaptation.scenario.context.relevance")
    importlib.import_module("numpy.ma")  # by numpy itself, with the first quartile


def prepare(requirement: ContextRule | ScenarioRequirement) -> EntryCheck | None:
    """Compile the requirement into a check; ``None`` for another scenario than
    ``relevant_content``."""
    named = isinstance(requirement, ScenarioRequirement)
    if named and requirement.name != "relevant_content":
        return None
    return check_entries if requirement.confidence == "high" else partial(check_entries, sure=True)


def check_entries(
    entries: Sequence[ListEntry], invocation: Invocation, /, *, sure: bool = False
) -> EntryVerdict:
    """Remove the entries that belong neither to the others nor to the query.

    Order, ids and metadata stay; one entry always stays. What cannot be judged is passed on with a
    reason.

    Args:
        sure: remove only what is very far from both, because it is in doubt whether the list is a
            context at all.

    Raises:
        TimeoutError: the deadline has passed.
    """
    given = tuple(entries)
    considered = [index for index, entry in enumerate(given) if entry.text.strip()]
    if len(considered) < 2 or not invocation.uses("context"):
        return conforming_entries(given)
    if len(considered) > MAX_ENTRIES:
        reason = f"{len(considered)} entries; at most {MAX_ENTRIES} are compared"
        return EntryVerdict(disposition="refused", entries=given, reason=reason)
    try:
        relevance = _relevance(given, invocation, sure)
        if relevance is None:
            return conforming_entries(given, "no sentence embedder: no pair was judged")
        return _remove_strangers(given, considered, relevance, invocation)
    except KnitboneError as error:
        # No thresholds for this embedder, or its server does not answer: nothing can be judged.
        return conforming_entries(given, f"no pair was judged: {error.message}")


def _relevance(
    entries: tuple[ListEntry, ...], invocation: Invocation, sure: bool
) -> Relevance | None:
    """Return the relevance of the entries; ``None`` where there is no embedder."""
    embedder = invocation.embedder
    if embedder is None:
        return None
    # numpy loads here, and only where there is an embedder.
    from knitbone.adaptation.scenario.context.relevance import (  # noqa: PLC0415
        BELONGS,
        SURELY,
        Relevance,
    )

    invocation.deadline.check()
    texts = [entry.text[:MAX_CHARACTERS] for entry in entries]
    belongs = SURELY if sure else BELONGS
    return Relevance(texts, embedder, tau=invocation.config.tau_relevance, belongs=belongs)


def _remove_strangers(
    entries: tuple[ListEntry, ...], kept: list[int], relevance: Relevance, invocation: Invocation
) -> EntryVerdict:
    """Remove entries until nothing more is to be removed.

    Judging the result again must give the result, and with fewer pairs their quartile is another
    one.
    """
    kept = list(kept)
    removed: list[_Removal] = []
    while True:
        invocation.deadline.check()
        pairs = relevance.irrelevant_pairs(kept)
        found = _removals(pairs, kept, relevance, invocation)
        if not found:
            break
        removed += found
        gone = {removal.entry for removal in found}
        kept = [index for index in kept if index not in gone]
    reason = _reason_left_alone(pairs, invocation)
    if not removed:
        # What is kept on purpose is no violation.
        return conforming_entries(entries, reason if pairs else "")
    gone = {removal.entry for removal in removed}
    return EntryVerdict(
        disposition="repaired",
        entries=tuple(entry for index, entry in enumerate(entries) if index not in gone),
        rules=tuple(_rule(removal, invocation) for removal in removed),
        reason=reason if pairs else "",
    )


def _removals(
    pairs: list[tuple[int, int]], kept: list[int], relevance: Relevance, invocation: Invocation
) -> list[_Removal]:
    """Return the entries to remove: of those that are irrelevant to another one, those that belong
    to nothing."""
    if not pairs:
        return []
    query = invocation.query.strip()[:MAX_CHARACTERS]
    if query and invocation.uses("context.keep_relevant"):
        if not invocation.uses("context.by_query"):
            return []
        suspected = {index for pair in pairs for index in pair}
        strangers = relevance.strangers(query, kept)
        return [_Removal(index, score) for index, score in strangers.items() if index in suspected]
    scores = _scores(query, kept, relevance, invocation)
    if scores and invocation.uses("context.keep_relevant"):
        pairs = [pair for pair in pairs if relevance.is_off_topic(pair, scores)]
    return _less_relevant(pairs, kept, scores)


def _less_relevant(
    pairs: list[tuple[int, int]], kept: list[int], scores: dict[int, float]
) -> list[_Removal]:
    """Return of each pair the entry with the lower score; one entry always stays (the paper's
    rule)."""
    gone: dict[int, float] = {}
    for pair in pairs if scores else ():
        if not gone.keys() & set(pair) and len(gone) < len(kept) - 1:
            worse = min(pair, key=lambda index: (scores[index], -index))
            gone[worse] = scores[worse]
    return [_Removal(index, score) for index, score in sorted(gone.items())]


def _scores(
    query: str, kept: list[int], relevance: Relevance, invocation: Invocation
) -> dict[int, float]:
    """Return how relevant each entry is; empty where nothing can tell."""
    if query:
        return relevance.to_query(query, kept) if invocation.uses("context.by_query") else {}
    # Of two entries alone nothing tells which is the stranger.
    if len(kept) > 2 and invocation.uses("context.without_query"):
        return relevance.to_others(kept)
    return {}


def _rule(removal: _Removal, invocation: Invocation) -> str:
    what = "query" if invocation.query.strip() else "other entries"
    return f"entry {removal.entry + 1} removed: similarity {removal.similarity:.2f} to the {what}"


def _reason_left_alone(pairs: list[tuple[int, int]], invocation: Invocation) -> str:
    count = f"{len(pairs)} pair{'s' if len(pairs) > 1 else ''} irrelevant to each other"
    if invocation.query.strip():
        return f"{count}; kept, because neither is clearly off the topic of the query"
    return f"{count}; no query tells which entry to remove"

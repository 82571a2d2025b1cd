"""Which texts do not belong together, which say the same, and which action left its intent.

Two stages (Comfrey §4.3.3): TF-IDF, which is cheap, chooses the pairs that a sentence embedder
then judges. Only texts of chosen pairs are embedded, all in one call.

What an embedder cannot tell: sentences that differ in a negation, a number or a name lie as near
to each other as paraphrases do. Of 36 such pairs all-MiniLM-L6-v2-int8 puts 34 over its own
redundancy threshold (evals/results/similarity_calibration.json). A caller that removes what
is redundant must compare negations, numbers and names itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

import msgspec

from knitbone.common.tfidf import tfidf_similarity
from knitbone.common.thresholds import RiskTier, Thresholds, thresholds_for
from knitbone.errors import KnitboneError, import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = import_extra("numpy", extra="embed", purpose="Text similarity")

__all__ = ["MAX_TEXTS", "TextEmbedder", "check_redundancy", "check_relevance", "measure_drift"]

MIN_GATED_PAIRS = 4
"""Quartiles of fewer pairs mean nothing: all are embedded."""
MAX_TEXTS = 2_000
"""Every two of them are two million pairs."""

_Scores: TypeAlias = "NDArray[np.float32]"
_Indexes: TypeAlias = "NDArray[np.intp]"


class TextEmbedder(Protocol):
    """What is needed of an embedder."""

    @property
    def name(self) -> str:
        """The model, as the table of thresholds knows it."""
        ...

    def embed(self, texts: Sequence[str]) -> _Scores:
        """One row a text, in order, of unit length, or zero where there is nothing to embed."""
        ...


class PairScore(msgspec.Struct, frozen=True, kw_only=True):
    """Two texts that were compared by meaning."""

    first: int
    """Index of the text."""
    second: int
    lexical: float
    """TF-IDF similarity, 0 to 1."""
    semantic: float
    """Cosine of the embeddings, -1 to 1."""
    gated: bool
    """Whether TF-IDF chose this pair; false where there were too few pairs to choose from."""
    flagged: bool
    """Irrelevant to each other, or redundant: what was asked."""


class ComparedPairs(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs that were compared by meaning, and what they were chosen from."""

    pairs: tuple[PairScore, ...]
    considered: int
    """Pairs before TF-IDF chose among them."""
    gate: float | None
    """The quartile of their TF-IDF similarities; None where the gate was skipped."""
    threshold: float

    @property
    def flagged(self) -> tuple[PairScore, ...]:
        """The pairs found irrelevant or redundant."""
        return tuple(pair for pair in self.pairs if pair.flagged)


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """How far an action is from its intent."""

    intent: str
    action: str
    tier: RiskTier
    score: float
    """1 - cosine, 0 to 2."""
    threshold: float
    drifted: bool


def check_relevance(
    texts: Sequence[str],
    embedder: TextEmbedder,
    *,
    pairs: Sequence[tuple[int, int]] | None = None,
    thresholds: Thresholds | None = None,
) -> ComparedPairs:
    """Flag the pairs that do not belong in one context (Comfrey §4.3.3).

    A pair whose TF-IDF similarity is in the bottom quartile is irrelevant where its cosine is
    under ``thresholds.relevance``.

    *Departure:* the quartile itself belongs to the gate (the paper: smaller than it). Among short
    texts most pairs share no word, the quartile is 0, and nothing is smaller.

    Args:
        pairs: indexes into ``texts``; by default every two.
        thresholds: by default the embedder's own.

    Raises:
        ConfigError: no thresholds are known for the embedder.
        KnitboneError: more than ``MAX_TEXTS`` texts, or an index outside them.
    """
    limit = (thresholds or thresholds_for(embedder.name)).relevance
    return _compare(
        texts,
        embedder,
        pairs=pairs,
        percentile=25,
        passes=lambda lexical, quartile: lexical <= quartile,
        flags=lambda cosine: cosine < limit,
        threshold=limit,
    )


def check_redundancy(
    texts: Sequence[str],
    embedder: TextEmbedder,
    *,
    pairs: Sequence[tuple[int, int]] | None = None,
    thresholds: Thresholds | None = None,
) -> ComparedPairs:
    """Flag the pairs that say the same (Comfrey §4.5.2).

    A pair whose TF-IDF similarity is in the top quartile, the quartile included, is redundant
    where its cosine is over ``thresholds.redundancy``. Arguments and errors as in
    ``check_relevance``.
    """
    limit = (thresholds or thresholds_for(embedder.name)).redundancy
    return _compare(
        texts,
        embedder,
        pairs=pairs,
        percentile=75,
        passes=lambda lexical, quartile: lexical >= quartile,
        flags=lambda cosine: cosine > limit,
        threshold=limit,
    )


def measure_drift(
    steps: Sequence[tuple[str, str]],
    embedder: TextEmbedder,
    *,
    tier: RiskTier = "default",
    thresholds: Thresholds | None = None,
) -> tuple[Drift, ...]:
    """How far each action is from its intent (AgentTether §III.D), one result a step.

    An action has drifted where 1 - cosine is over its tier's threshold. There is no TF-IDF gate:
    an intent and the call that serves it rarely share words. An empty text is 1 from all others.

    Args:
        steps: pairs of the active intent and the current action, as texts.

    Raises:
        ConfigError: no thresholds are known for the embedder.
    """
    limit = (thresholds or thresholds_for(embedder.name)).drift(tier)
    wanted = list(dict.fromkeys(text for step in steps for text in step))
    rows = dict(zip(wanted, embedder.embed(wanted), strict=True)) if wanted else {}
    drifts: list[Drift] = []
    for intent, action in steps:
        score = 1.0 - _cosine(rows[intent], rows[action])
        drifts.append(
            Drift(
                intent=intent,
                action=action,
                tier=tier,
                score=score,
                threshold=limit,
                drifted=score > limit,
            )
        )
    return tuple(drifts)


def _compare(
    texts: Sequence[str],
    embedder: TextEmbedder,
    *,
    pairs: Sequence[tuple[int, int]] | None,
    percentile: int,
    passes: Callable[[_Scores, float], NDArray[np.bool_]],
    flags: Callable[[float], bool],
    threshold: float,
) -> ComparedPairs:
    first, second = _pair_indexes(texts, pairs)
    considered = len(first)
    if considered == 0:
        return ComparedPairs(pairs=(), considered=0, gate=None, threshold=threshold)
    lexical: _Scores = tfidf_similarity(texts)[first, second]
    gate = None
    if considered >= MIN_GATED_PAIRS:
        gate = float(np.percentile(lexical, percentile))
        chosen = passes(lexical, gate)
        first, second, lexical = first[chosen], second[chosen], lexical[chosen]
    rows = _embed_used(texts, embedder, {*first.tolist(), *second.tolist()})
    scored: list[PairScore] = []
    columns = zip(first.tolist(), second.tolist(), lexical.tolist(), strict=True)
    for one, other, words in columns:
        cosine = _cosine(rows[one], rows[other])
        scored.append(
            PairScore(
                first=one,
                second=other,
                lexical=words,
                semantic=cosine,
                gated=gate is not None,
                flagged=flags(cosine),
            )
        )
    return ComparedPairs(pairs=tuple(scored), considered=considered, gate=gate, threshold=threshold)


def _pair_indexes(
    texts: Sequence[str], pairs: Sequence[tuple[int, int]] | None
) -> tuple[_Indexes, _Indexes]:
    if len(texts) > MAX_TEXTS:
        raise KnitboneError(
            f"{len(texts)} texts are too many to compare every two of: at most {MAX_TEXTS}.",
            next_step="Compare them in parts, or merge short ones.",
        )
    if pairs is None:
        return np.triu_indices(len(texts), k=1)
    for pair in pairs:
        if not all(0 <= index < len(texts) for index in pair):
            raise KnitboneError(
                f"The pair {pair} is outside the {len(texts)} texts.",
                next_step="Give indexes from 0.",
            )
    columns = np.array(pairs, dtype=np.intp).reshape(len(pairs), 2)
    return columns[:, 0], columns[:, 1]


def _embed_used(texts: Sequence[str], embedder: TextEmbedder, used: set[int]) -> dict[int, _Scores]:
    """The vectors of the texts in use, equal texts asked for once."""
    wanted = list(dict.fromkeys(texts[index] for index in sorted(used)))
    rows = dict(zip(wanted, embedder.embed(wanted), strict=True))
    return {index: rows[texts[index]] for index in used}


def _cosine(one: _Scores, other: _Scores) -> float:
    """Of unit rows; rounding may pass 1 by a hair, which must not read as drift below 0."""
    return min(1.0, max(-1.0, float(np.dot(one, other))))

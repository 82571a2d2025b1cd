"""How relevant entries are to each other and to the query; each text is embedded once.

Source: Comfrey §4.3.3 (two-stage similarity detection, query-based relevance ranking).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from knitbone.core.similarity import TextEmbedder, check_relevance
from knitbone.core.thresholds import Thresholds, thresholds_for
from knitbone.errors import ConfigError, import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = import_extra("numpy", extra="embed", purpose="Text similarity")

__all__ = ["BESIDE", "MARGIN", "Relevance"]

BESIDE = 0.5
"""Share of the relevance threshold under which an entry is beside the query (ours): a question and
its answer lie further apart than two entries on one topic. Of the cases it was chosen on
(benchmarks/context), with a threshold of 0.32, the least relevant answer has 0.18 and the most
relevant stranger 0.07."""
MARGIN = 0.1
"""Cosine by which one entry must be behind the other before it is removed (ours): less is within
what the choice of words does to a sentence embedding."""


class Relevance:
    """The entries of one context.

    Args:
        tau: the relevance threshold; by default the embedder's own.

    Raises:
        ConfigError: no thresholds are known for the embedder, and none was given.
    """

    def __init__(
        self, texts: Sequence[str], embedder: TextEmbedder, *, tau: float | None = None
    ) -> None:
        self._texts = texts
        self._embedder = _Remembering(embedder)
        self._thresholds = _thresholds(embedder.name, tau)

    @property
    def tau(self) -> float:
        """Cosine under which two texts are irrelevant to each other."""
        return self._thresholds.relevance

    def irrelevant_pairs(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """The pairs among ``places`` that do not belong together, the least similar first."""
        compared = check_relevance(
            [self._texts[place] for place in places], self._embedder, thresholds=self._thresholds
        )
        flagged = sorted(compared.flagged, key=lambda pair: (pair.semantic, pair.first))
        return [(places[pair.first], places[pair.second]) for pair in flagged]

    def to_query(self, query: str, places: Sequence[int]) -> dict[int, float]:
        """The similarity of each entry to the query."""
        rows = self._embedder.embed([query, *(self._texts[place] for place in places)])
        scores = rows[1:] @ rows[0]
        return dict(zip(places, map(float, scores), strict=True))

    def to_others(self, places: Sequence[int]) -> dict[int, float]:
        """The mean similarity of each entry to the others."""
        rows = self._embedder.embed([self._texts[place] for place in places])
        similarity = rows @ rows.T
        means = (similarity.sum(axis=1) - similarity.diagonal()) / (len(places) - 1)
        return dict(zip(places, map(float, means), strict=True))

    def is_stranger(self, score: float, partner: float, best: float) -> bool:
        """Whether an entry belongs to nothing here: it is beside the query, or the others.

        Args:
            partner: of the entry that it is irrelevant to.
            best: of all; where none is relevant, the scores tell nothing ("Yes, go on").
        """
        beside = score < self.tau * BESIDE and partner - score >= MARGIN
        return beside and best >= self.tau


class _Remembering:
    """An embedder that is asked for each text once."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if missing:
            self._rows.update(zip(missing, self._embedder.embed(missing), strict=True))
        return np.stack([self._rows[text] for text in texts])


def _thresholds(embedder: str, tau: float | None) -> Thresholds:
    try:
        own = thresholds_for(embedder)
    except ConfigError:
        if tau is None:
            raise
        # Only relevance is asked of them here.
        never = {"redundancy": 1.0, "drift_destructive": 2.0, "drift_default": 2.0}
        return Thresholds(
            relevance=tau, drift_information_gathering=2.0, origin="adapt.tau_relevance", **never
        )
    return own if tau is None else msgspec.structs.replace(own, relevance=tau)

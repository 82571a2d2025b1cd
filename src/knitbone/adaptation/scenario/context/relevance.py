"""The relevance of entries to each other and to the query, by sentence embeddings.

The thresholds stand here, each with where it comes from. Source: Comfrey §4.3.3 (two-stage
similarity detection, query-based relevance ranking).

An entry leans on another one where it does not say alone what it is about. "It pays off after ten
years", "Then turn the heap", "The second treatment is free": their subject stands in the entry
before. So a low similarity says less about them (``relevance.LEANING``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from knitbone.adaptation.scenario.facts import MOVABLE, NEGATIONS
from knitbone.adaptation.scenario.paraphrase import read_form
from knitbone.common.similarity import TextEmbedder, check_relevance
from knitbone.common.tfidf import terms
from knitbone.common.thresholds import Thresholds, thresholds_for
from knitbone.errors import ConfigError, import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = import_extra("numpy", extra="embed", purpose="Text similarity")

__all__ = ["BELONGS", "SURELY", "Relevance", "leans"]

_OPENING_WORDS = 6
"""Words at the beginning of an entry in which a pronoun has nothing to stand for (ours)."""
_OPENING_WORDS_OF_SEVERAL = 12
"""Words in which one of several things is looked for that another entry names (ours)."""
_OPENING_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_PRONOUNS = frozenset(
    {"he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs"}
    | {"this", "these", "those", "such", "both", "neither", "ones", "it's", "they're", "thereby"}
    | {"er", "sie", "es", "ihn", "ihm", "ihr", "ihnen", "dieser", "diese", "dieses", "diesem"}
    | {"il", "elle", "ils", "elles", "cela", "ello", "ellos", "ellas", "esto", "eso", "esta"}
)
_ONE_OF_SEVERAL = re.compile(
    r"\b(?:the|an?|each) "
    r"(?:first|second|third|fourth|last|next|previous|former|latter|other|same|remaining|rest|"
    r"following|above|below|old|new|latest|earlier|later)\b"
    r"|\b(?:another|others|already)\b",
    re.IGNORECASE,
)
"""One of several things that another entry names."""
_CONNECTIVES = re.compile(
    r"(?:and|but|or|so|then|also|however|therefore|thus|hence|otherwise|instead|moreover|"
    r"furthermore|additionally|besides|still|yet|nevertheless|nonetheless|finally|afterwards?|"
    r"later|meanwhile|similarly|likewise|consequently|accordingly|conversely|for example|"
    r"for instance|in addition|in that case|in this case|as a result|if so|if not|that is|"
    r"of these|of them|dann|aber|und|oder|danach|sonst|deshalb|außerdem)\b",
    re.IGNORECASE,
)


def leans(text: str) -> bool:
    """Return whether the beginning of an entry refers to something that is not in it.

    Signs are pronouns in the first words, a definite one of several, a connective, or the middle
    of a sentence (a small letter, a closing sign) or of a table. Some entries that stand alone
    look like it ("It is forbidden to ..."); they rather stay, which costs less than a lost one.
    """
    start = text.lstrip(" \t\r\n#*>-•\"'\u201c\u2018([0123456789.:)]")[:400]
    if not start or start[0] in "|,;…":
        return True
    if start[0].islower():
        # A name that is written small, and code, begin with a small letter as well.
        return " " in start
    first = " ".join(start.split()[:_OPENING_WORDS_OF_SEVERAL])
    if _CONNECTIVES.match(start) or _ONE_OF_SEVERAL.search(first):
        return True
    words = _OPENING_WORD.findall(start)[:_OPENING_WORDS]
    return any(word.lower() in _PRONOUNS for word in words)


BELONGS = 1.4
"""Where most entries are relevant to the query, an entry belongs to nothing here when its
similarity to the query and to the nearest other entry add up to less than this many relevance
thresholds (ours, chosen like ``ALONE`` and ``GAP`` with knitbone_evals.adapt.context and a
threshold of
0.32). Strangers reach 1.4, and answers that take two steps ("Rub the marinade in." on how to roast
a pig) begin at 1.1, single sentences of real answers at 0.4: nothing that was tried tells these
apart. Of such sentences 17 of 3,995 are lost; at 0.95 it were 3, and a third of the strangers."""
LEANING = 0.5
"""The same for an entry that takes up something outside of it ("The first one is free"): what it is
about stands in another entry, so that it is like neither (ours). 66 of the 80 such strangers of
knitbone_evals.adapt.context and the development applications lie below, what belongs there begins
at 0.69."""
SURELY = 0.9
"""The same where it is less than certain that the list is a context at all (ours). On texts that
were written to choose it (handbook, kitchen, law, medicine, software) the first entry that belongs,
and says alone what it is about, lies at 0.98, and nine of ten strangers that were found below
0.92."""
ALONE = 0.3
"""The bound where few entries are relevant, or one: they may be one half of what was asked for
(ours)."""
GAP = 0.75
"""Thresholds by which an entry must be behind the relevant ones in its similarity to the query
(ours): less is within what the choice of words does to a sentence embedding."""
BESIDE = 0.5
"""Without a query: share of the relevance threshold under which an entry is beside the others, on
the average of its similarities to them (ours)."""
MARGIN = 0.1
"""Without a query: cosine by which one entry must be behind the other of its pair (ours)."""

PART = 0.75
"""Relevance thresholds of similarity to one part of the query from which on an entry may answer
that part (ours): a query that asks for several things is far from each of them as a whole. On
paragraphs of real answers it keeps all of the six that were wrongly removed without it, and loses
3 of 293 that were rightly."""
MAX_PARTS = 8
"""Parts of a query that are looked at: each costs an embedding."""
SHARED = 0.2
"""Share of its content words, or of the other text's where these are fewer, that an entry has in
common with the query or with an entry relevant to it, from which on it belongs to them (ours).
Sentences that take up one thing ("glass plates", then "the wet plate") can be strangers to an
embedder. On paragraphs of real answers 0.2 keeps a quarter of what was wrongly removed and 3 in 100
of what was rightly."""

_PARTS = re.compile(r"[,;:?!]|\.\s|\b(?:and|or)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_FUNCTION_WORDS = MOVABLE | NEGATIONS | frozenset(
    {"this", "that", "these", "those", "they", "them", "their", "there", "here", "what", "which",
     "where", "when", "whom", "whose", "your", "have", "been", "were", "does", "will", "would",
     "could", "should", "might", "must", "more", "most", "some", "many", "much", "such", "other",
     "about", "than", "then", "also", "each", "both", "only", "just", "very"}
)  # fmt: skip


class Relevance:
    """The entries of one context, each embedded once.

    Args:
        tau: the relevance threshold; by default the embedder's own.
        belongs: ``BELONGS`` or ``SURELY``.

    Raises:
        ConfigError: no thresholds are known for the embedder, and none was given.
    """

    def __init__(
        self,
        texts: Sequence[str],
        embedder: TextEmbedder,
        *,
        tau: float | None = None,
        belongs: float = BELONGS,
    ) -> None:
        self._belongs = belongs
        self._texts = texts
        self._embedder = _CachingEmbedder(embedder)
        self._thresholds = _thresholds(embedder.name, tau)

    @property
    def tau(self) -> float:
        """Cosine under which two texts are irrelevant to each other."""
        return self._thresholds.relevance

    def irrelevant_pairs(self, indices: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of entries that do not belong together, the least similar first."""
        compared = check_relevance(
            [self._texts[index] for index in indices], self._embedder, thresholds=self._thresholds
        )
        flagged = sorted(compared.flagged, key=lambda pair: (pair.semantic, pair.first))
        return [(indices[pair.first], indices[pair.second]) for pair in flagged]

    def to_query(self, query: str, indices: Sequence[int]) -> dict[int, float]:
        """Return the similarity of each entry to the query."""
        rows = self._embedder.embed([query, *(self._texts[index] for index in indices)])
        scores = rows[1:] @ rows[0]
        return dict(zip(indices, map(float, scores), strict=True))

    def to_others(self, indices: Sequence[int]) -> dict[int, float]:
        """Return the mean similarity of each entry to the others."""
        rows = self._embedder.embed([self._texts[index] for index in indices])
        similarity = rows @ rows.T
        means = (similarity.sum(axis=1) - similarity.diagonal()) / (len(indices) - 1)
        return dict(zip(indices, map(float, means), strict=True))

    def strangers(self, query: str, indices: Sequence[int]) -> dict[int, float]:
        """Return the entries that belong neither to the query nor to another entry, with their
        similarity to the query.

        Where nothing is relevant, the query tells nothing ("Yes, go on"), and none is a stranger.
        """
        scores = self.to_query(query, indices)
        relevant = [index for index in indices if scores[index] >= self.tau]
        if not relevant:
            return {}
        together = len(relevant) > 1 and 2 * len(relevant) >= len(indices)
        # What leans, and what it leans on, may be all that answers.
        least, leaning = (self._belongs, LEANING) if together else (ALONE, 0.0)
        usual = sum(scores[index] for index in relevant) / len(relevant)
        known = [query, *(self._texts[index] for index in relevant)]
        found = {
            index: score
            for index, score in scores.items()
            if score < self.tau
            and usual - score >= self.tau * GAP
            and score + self._nearest(index, indices)
            < self.tau * (leaning if leans(self._texts[index]) else least)
            and not _share_code(self._texts[index], query)
            and not any(_share_words(self._texts[index], text) for text in known)
        }
        return self._beside_all_parts(query, found) if found else {}

    def _beside_all_parts(self, query: str, found: dict[int, float]) -> dict[int, float]:
        """Return the strangers without those that are near to one of several parts of the query."""
        parts = [part for part in _PARTS.split(query) if _content_words(part)][:MAX_PARTS]
        if len(parts) < 2:
            return found
        scores = [self.to_query(part, list(found)) for part in parts]
        return {
            index: score
            for index, score in found.items()
            if all(part[index] < self.tau * PART for part in scores)
        }

    def _nearest(self, index: int, others: Sequence[int]) -> float:
        rows = self._embedder.embed([self._texts[each] for each in (index, *others)])
        cosines = rows[1:] @ rows[0]
        return max(
            float(cosine) for cosine, other in zip(cosines, others, strict=True) if other != index
        )

    def is_off_topic(self, pair: tuple[int, int], to_others: Mapping[int, float]) -> bool:
        """Return whether one of two entries is unrelated to all other entries.

        Where no entry is near the others, the scores tell nothing.

        Args:
            to_others: how similar each entry is to the others.
        """
        worse, better = sorted(to_others[index] for index in pair)
        beside = worse < self.tau * BESIDE and better - worse >= MARGIN
        return beside and max(to_others.values()) >= self.tau


class _CachingEmbedder:
    """An embedder that embeds each text once."""

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


def _share_code(text: str, query: str) -> bool:
    """Return whether a number, or a name with one (``E45``), stands in both: an embedder hardly
    tells them apart."""
    return not _codes(query).isdisjoint(_codes(text))


def _codes(text: str) -> set[str]:
    words: list[str] = _WORD.findall(text)
    return {word.lower() for word in words if any(map(str.isdigit, word))}


def _share_words(text: str, known: str) -> bool:
    words, others = _content_words(text), _content_words(known)
    fewer = min(len(words), len(others))
    return fewer > 0 and len(words & others) >= SHARED * fewer


@lru_cache(maxsize=256)
def _content_words(text: str) -> frozenset[str]:
    """Return the base forms of the words of a text; words of up to three letters carry little."""
    return frozenset(
        read_form(word).base
        for word in terms(text)
        if len(word) > 3 and word not in _FUNCTION_WORDS
    )


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

"""How much a text speaks for a call: sentences, their likeness to the call, and how they fade."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Sequence

import msgspec
import numpy as np

from knitbone.models.embedders import Embedder, create_embedder

__all__ = ["Likeness", "ReadText", "adherence", "namings", "sentences", "tool_in"]

ADHERENCE = ((0, 0.99), (5, 0.71), (13, 0.50))
"""Share that still holds to a text so many steps after it was read (AgentTether, Fig. 3)."""
_SPLIT = re.compile(r"(?<=[.!?;])\s+|\n+")
_NEGATED = re.compile(
    r"\b(?:not|never|no|without|avoid|stop|instead|cannot|nor|don't|doesn't|isn't|won't)\b",
    re.IGNORECASE,
)
"""English words that turn a sentence round."""
_CONDITION = re.compile(r"\b(?:without|before|until|unless)\b", re.IGNORECASE)
"""English words after which a negated sentence asks for a call in a certain way, and bars none."""


def adherence(steps: int) -> float:
    """Fig. 3, straight between its three points on a logarithmic scale, and so on after them."""
    points = ADHERENCE
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if steps <= x1 or x1 == points[-1][0]:
            return math.exp(math.log(y0) + (steps - x0) * (math.log(y1) - math.log(y0)) / (x1 - x0))
    raise AssertionError("unreachable")


def sentences(text: str) -> list[tuple[str, bool]]:
    """The sentences of a text, and whether each says what not to do."""
    parts = [part.strip(" -*\t\"'") for part in _SPLIT.split(text)]
    return [(part.replace("_", " "), bool(_NEGATED.search(part))) for part in parts if part]


class ReadText(msgspec.Struct, frozen=True):
    """A text that the agent was shown by others, and the step at which it read it."""

    text: str
    step: int


def tool_in(step: str) -> str:
    """The tool of a step in words (``candidates.sentence_of``); empty for an answer."""
    if not step.startswith("call "):
        return ""
    return step.removeprefix("call ").split(" with ")[0].removesuffix(" again")


def namings(
    steps: Sequence[str], texts: Sequence[ReadText], now: int, *, fading: bool = True
) -> list[tuple[float, float]]:
    """For each possible step: whether a sentence names its tool, and whether one bars it by its
    name (a negation without a condition); each faded by the text's age."""
    read = [
        (sentence, negated and not _CONDITION.search(sentence), left)
        for text in texts
        for left in (adherence(now - text.step) if fading else 1.0,)
        for sentence, negated in sentences(text.text)
    ]
    return [_named(tool_in(step), read) for step in steps]


def _named(tool: str, read: Sequence[tuple[str, bool, float]]) -> tuple[float, float]:
    if not tool:
        return 0.0, 0.0
    word = re.compile(rf"\b{re.escape(tool)}\b")
    found = [(barred, left) for sentence, barred, left in read if word.search(sentence)]
    return (
        max((left for barred, left in found if not barred), default=0.0),
        max((left for barred, left in found if barred), default=0.0),
    )


class Likeness:
    """Cosine of two texts by the package's embedder, computed once each; it loads on first use."""

    def __init__(self) -> None:
        self._known: dict[str, np.ndarray] = {}

    @functools.cached_property
    def _embedder(self) -> Embedder:
        return create_embedder()

    def learn(self, texts: Sequence[str]) -> None:
        """Embed texts in one batch."""
        fresh = sorted({text for text in texts if text not in self._known})
        if fresh:
            for text, row in zip(fresh, self._embedder.embed(fresh), strict=True):
                self._known[text] = np.asarray(row)

    def between(self, first: str, second: str) -> float:
        """From -1 to 1."""
        self.learn((first, second))
        return float(self._known[first] @ self._known[second])

    def pulls(
        self, steps: Sequence[str], texts: Sequence[ReadText], now: int, *, fading: bool = True
    ) -> list[tuple[float, float]]:
        """For each possible step: how much the sentences that say what to do, and those that say
        what not to do, resemble it; the nearest sentence of each sort, faded by its age."""
        read = [
            (sentence, negated, adherence(now - text.step) if fading else 1.0)
            for text in texts
            for sentence, negated in sentences(text.text)
        ]
        self.learn([*steps, *(sentence for sentence, _, _ in read)])
        return [
            (
                max((self.between(s, step) * left for s, no, left in read if not no), default=0.0),
                max((self.between(s, step) * left for s, no, left in read if no), default=0.0),
            )
            for step in steps
        ]

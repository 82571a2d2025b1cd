"""What an agent leans to: one number a candidate, from its seed and from the texts it has read.

    preference = inclination to the kind, and to this very call (seeded) + w * likeness to texts

Inclinations and weights are fitted to a real small model (``fitting.py``); the agent's skill, which
is added to the needed call, and its sharpness (one over the temperature) are set on unguided
attempts alone: about half of the first ones fail, and retries repair as many as the paper's. What
weighs candidates is given sentences and numbers, no kinds.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

from knitbone_evals.recover.candidates import Candidate, by_kind
from knitbone_evals.recover.reading import Likeness, ReadText, namings

__all__ = ["FIT", "Fit", "Weighing", "inclination", "load_fit", "normal", "uniform"]

FIT = Path(__file__).parent / "data" / "fit.json"
STUBBORN = 0.5
YIELDING = 2.5
"""How much less an agent leans to a call that has just failed: half of the candidates are met
stubbornly, half are let go (ours; agents that repeat a failing call are the paper's Fig. 1)."""


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of the simulated agent, on the scale of a logarithm of odds."""

    model: str
    answers: int
    kinds: dict[str, float]
    """Inclination to a candidate of a kind, against the needed call's zero."""
    spread: float
    """Standard deviation of the seeded inclination: what differs between situations."""
    do: float
    """Weight of likeness to a sentence that says what to do."""
    dont: float
    """Weight of likeness to a sentence that says what not to do."""
    named: float = 0.0
    """Weight of a sentence that names the call's tool."""
    barred: float = 0.0
    """Weight of a sentence that bars the call's tool by its name."""
    sharpness: float = 1.0
    """One over the temperature at which the agent decodes: multiplies all of the above."""
    skills: dict[str, float] = {}
    """Added to the needed call, by ground; set by first attempts without guidance."""
    details: dict[str, float] = {}


def load_fit(path: Path = FIT) -> Fit:
    """The committed numbers."""
    return msgspec.json.decode(path.read_bytes(), type=Fit)


def uniform(*seed: object) -> float:
    """A number between 0 and 1 that belongs to a seed."""
    digest = hashlib.blake2b("|".join(map(str, seed)).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


def normal(*seed: object) -> float:
    """A standard normal number that belongs to a seed."""
    first, second = uniform("a", *seed), uniform("b", *seed)
    return math.sqrt(-2 * math.log(first)) * math.cos(2 * math.pi * second)


def inclination(fit: Fit, ground: str, candidate: Candidate, sentence: str, *seed: object) -> float:
    """What an agent of this seed leans to before it reads anything."""
    needed = candidate.kind == "needed"
    known = 0.0 if needed else fit.sharpness * by_kind(fit.kinds, candidate.kind)
    base = known + (fit.skills.get(ground, 0.0) if needed else 0.0)
    return base + fit.sharpness * fit.spread * normal("inclination", *seed, sentence)


class Weighing:
    """Chooses among sentences with inclinations."""

    def __init__(self, fit: Fit, likeness: Likeness, *, fading: bool = True) -> None:
        self._fit = fit
        self._likeness = likeness
        self._fading = fading

    def choose(
        self,
        options: Sequence[tuple[str, float]],
        texts: Sequence[ReadText],
        now: int,
        *seed: object,
    ) -> int:
        """Place of the option that is taken; the seed is of this attempt and step."""
        sentences = [sentence for sentence, _ in options]
        likened = texts and (self._fit.do or self._fit.dont)
        pulls = (
            self._likeness.pulls(sentences, texts, now, fading=self._fading)
            if likened
            else [(0.0, 0.0)] * len(options)
        )
        named = namings(sentences, texts, now, fading=self._fading)
        fit = self._fit
        scores = [
            leaning
            + fit.sharpness * (fit.do * do + fit.dont * dont + fit.named * by + fit.barred * bar)
            + _gumbel("step", *seed, sentence)
            for (sentence, leaning), (do, dont), (by, bar) in zip(
                options, pulls, named, strict=True
            )
        ]
        return max(range(len(scores)), key=scores.__getitem__)


def _gumbel(*seed: object) -> float:
    return -math.log(-math.log(uniform(*seed)))

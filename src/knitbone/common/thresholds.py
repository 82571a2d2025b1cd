"""When two texts count as irrelevant, redundant or adrift: one set of values an embedder.

Cosines of two models cannot be compared, so a value belongs to the model it was found with. The
values of all-MiniLM-L6-v2-int8 come from ``python -m knitbone_evals.adapt.similarity.calibrate``;
a test holds them to that script's committed result.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from knitbone.errors import ConfigError

__all__ = ["THRESHOLDS", "RiskTier", "Thresholds", "thresholds_for"]

RiskTier: TypeAlias = Literal["destructive", "default", "information_gathering"]
"""How much harm a wrong action does (AgentTether §III.D)."""


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """The values for one embedder."""

    relevance: float
    """Cosine under which two entries of one context do not belong together (Comfrey §4.3.3)."""
    redundancy: float
    """Cosine over which two texts say the same (Comfrey §4.5.2)."""
    drift_destructive: float
    """1 - cosine of intent and action over which a destructive action has drifted, and the same
    for the other tiers (AgentTether §IV.A)."""
    drift_default: float
    drift_information_gathering: float
    origin: str
    """Where the values come from."""

    def drift(self, tier: RiskTier) -> float:
        """The largest 1 - cosine that is no drift."""
        by_tier: dict[RiskTier, float] = {
            "destructive": self.drift_destructive,
            "default": self.drift_default,
            "information_gathering": self.drift_information_gathering,
        }
        return by_tier[tier]


THRESHOLDS: Mapping[str, Thresholds] = MappingProxyType(
    {
        "qwen3-embedding-0.6b": Thresholds(
            relevance=0.7,
            redundancy=0.7,
            drift_destructive=0.35,
            drift_default=0.5,
            drift_information_gathering=0.55,
            origin=(
                "Comfrey §4.3.3 and §4.5.2, which use this model; drift: AgentTether §IV.A, which "
                "does not name its embedder"
            ),
        ),
        "all-minilm-l6-v2-int8": Thresholds(
            relevance=0.32,
            redundancy=0.63,
            drift_destructive=0.6,
            drift_default=0.67,
            drift_information_gathering=0.77,
            origin="evals/results/similarity_calibration.json",
        ),
    }
)
"""By the model's name in lower case, without its publisher."""


def thresholds_for(embedder: str) -> Thresholds:
    """The values for an embedder's name.

    Publisher, case, and ``:`` for ``-`` (Ollama's spelling) do not matter.

    Raises:
        ConfigError: the embedder has none. None are guessed.
    """
    key = embedder.rpartition("/")[2].lower().replace(":", "-")
    try:
        return THRESHOLDS[key]
    except KeyError:
        raise ConfigError(
            f"No similarity thresholds are known for the embedder {embedder!r}; another model's "
            f"do not hold for it. Known: {', '.join(sorted(THRESHOLDS))}.",
            next_step="Pass thresholds=Thresholds(...), found on labelled pairs with: "
            "python -m knitbone_evals.adapt.similarity.calibrate",
        ) from None

"""The treatments of each table, by name. Functions of a module, for other processes to call."""

from __future__ import annotations

import msgspec

from knitbone.common.thresholds import thresholds_for
from knitbone.config import AdaptConfig
from knitbone_evals.adapt.peers.client import peers
from knitbone_evals.adapt.peers.literals import snap_to_literals
from knitbone_evals.adapt.treatments import Treatment, adapted, with_peer

__all__ = [
    "ABLATIONS",
    "DEFAULT",
    "KNITBONE",
    "LITERALS",
    "TAUS",
    "ablation",
    "all_peers",
    "knitbone_alone",
    "sensitivity",
]

KNITBONE = "knitbone, all scenario requirements"
"""What the paper describes, and what the other rows are compared with."""
DEFAULT = "knitbone, default settings"
_ALL = AdaptConfig(scenario=("all",))
LITERALS = "literals by edit distance"
_STAGES: dict[str, tuple[str, ...]] = {
    "without format": ("positional", "structured", "fenced", "segmentation", "context"),
    "without syntax": ("syntax", "lexical"),
    "without repetition": ("behaviour", "semantics"),
}
"""Comfrey's ablations A, B and C: the packages of each stage."""
ABLATIONS = {
    **_STAGES,
    **{f"without {package}": (package,) for packages in _STAGES.values() for package in packages},
}
TAUS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""In the paper's scale, where 0.7 is the default."""
_PAPER = 0.7
_EMBEDDER = "all-minilm-l6-v2-int8"


def knitbone_alone() -> dict[str, Treatment]:
    """Ours, with all that the paper looks at, and as it comes."""
    return {KNITBONE: adapted(_ALL), DEFAULT: adapted(AdaptConfig())}


def all_peers(python: str | None) -> dict[str, Treatment]:
    """Ours, the idea that needs no library, and the libraries that ``python`` has."""
    libraries = {} if python is None else peers(python)
    return knitbone_alone() | {LITERALS: with_peer(snap_to_literals)} | libraries


def ablation() -> dict[str, Treatment]:
    """Ours, each stage and each package left out in turn."""
    return {KNITBONE: adapted(_ALL)} | {
        name: adapted(msgspec.structs.replace(_ALL, without=packages))
        for name, packages in ABLATIONS.items()
    }


def sensitivity() -> dict[str, Treatment]:
    """Other thresholds of meaning: as cosines of our embedder, and as far from its calibrated
    values as the paper's are from 0.7."""
    known = thresholds_for(_EMBEDDER)
    found = {KNITBONE: adapted(_ALL)}
    for tau in TAUS:
        config = msgspec.structs.replace(_ALL, tau_relevance=tau, tau_redundancy=tau)
        found[f"cosine {tau}"] = adapted(config)
    for tau in TAUS:
        shift = round(tau - _PAPER, 2)
        config = msgspec.structs.replace(
            _ALL,
            tau_relevance=_bounded(known.relevance + shift),
            tau_redundancy=_bounded(known.redundancy + shift),
        )
        found[f"calibrated {shift:+.1f}"] = adapted(config)
    return found


def _bounded(tau: float) -> float:
    return min(1.0, max(0.0, tau))

"""The treatments of each table, by name."""

from __future__ import annotations

from benchmarks.adapt.treatments import Load, adapted
from knitbone.config import AdaptConfig

__all__ = ["ABLATIONS", "KNITBONE", "ablation", "knitbone_alone"]

KNITBONE = "knitbone"
_STAGES: dict[str, tuple[str, ...]] = {
    "without format": ("positional", "structured", "fenced", "segmentation", "context"),
    "without syntax": ("syntax", "lexical"),
    "without repetition": ("behaviour", "semantics"),
}
"""Comfrey's ablations A, B and C: the packages of each stage."""
_PACKAGES = sorted(package for packages in _STAGES.values() for package in packages)
ABLATIONS = {
    **_STAGES,
    **{f"without {package}": (package,) for package in _PACKAGES},
}


def knitbone_alone() -> dict[str, Load]:
    """Ours as it comes."""
    return {KNITBONE: adapted(AdaptConfig())}


def ablation() -> dict[str, Load]:
    """Ours, each stage and each package left out in turn."""
    left_out = {
        name: adapted(AdaptConfig(without=packages)) for name, packages in ABLATIONS.items()
    }
    return knitbone_alone() | left_out

"""Shares with 95 % bootstrap intervals, clustered by application."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["RESAMPLES", "SEED", "share"]

SEED = 20240501
RESAMPLES = 4_000


def share(clusters: Sequence[Sequence[bool]], seed: int = SEED) -> list[float] | None:
    """The share of what is true, and its interval; None if there is nothing to share.

    Two stages, because what one author writes fails together: applications are drawn with
    replacement, then as many members of each as it has.
    """
    sizes = np.array([len(cluster) for cluster in clusters if len(cluster)])
    hits = np.array([sum(cluster) for cluster in clusters if len(cluster)])
    if not sizes.sum():
        return None
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, len(sizes), size=(RESAMPLES, len(sizes)))
    # Drawing n members of which a share p is true gives a binomial number of true ones.
    true = generator.binomial(sizes[drawn], (hits / sizes)[drawn]).sum(axis=1)
    low, high = np.quantile(true / sizes[drawn].sum(axis=1), [0.025, 0.975])
    return [round(float(value), 3) for value in (hits.sum() / sizes.sum(), low, high)]

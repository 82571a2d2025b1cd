"""Shares and ratios over tools, with 95 % bootstrap intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from knitbone_evals.adapt.requirements.intervals import RESAMPLES, SEED, share

__all__ = ["ratio", "share_of_tools"]


def share_of_tools(hits: Mapping[str, bool]) -> list[float] | None:
    """The share of the targets that were hit, and its interval; None without targets.

    Themes are drawn first, then tools of them: what stands in one module was thought of together.
    """
    themes = defaultdict[str, list[bool]](list)
    for target, hit in hits.items():
        themes[target.partition(":")[0]].append(hit)
    return share(list(themes.values()))


def ratio(over: Sequence[float], under: Sequence[float]) -> list[float] | None:
    """Sum of one number a tool over the sum of another, and its interval; tools are drawn.

    None if there is nothing to divide by.
    """
    top, bottom = np.array(over, dtype=float), np.array(under, dtype=float)
    if not bottom.sum():
        return None
    drawn = np.random.default_rng(SEED).integers(0, len(top), size=(RESAMPLES, len(top)))
    sums = bottom[drawn].sum(axis=1)
    ratios = (top[drawn].sum(axis=1) / np.where(sums == 0, np.nan, sums))[sums > 0]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return [round(float(value), 3) for value in (top.sum() / bottom.sum(), low, high)]

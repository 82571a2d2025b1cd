"""How many unique failures there are in all: Chao1 with bias correction (ToolFuzz, Table 1).

Formulas: Colwell, EstimateS 9 User's Guide, Appendix B (bias-corrected Chao1, its variance, and
the log-normal interval), after Chao (1984, 1987). Of the statistics libraries scikit-bio has the
interval; it needs NumPy, SciPy and pandas, which fuzzing otherwise does not.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from knitbone.fuzzing.records import Estimate

__all__ = ["chao1"]

_Z = 1.959963984540054
"""The normal distribution's 97.5 % point."""


def chao1(counts: Collection[int]) -> Estimate:
    """Estimate from how often each unique failure occurred (all counts at least 1)."""
    seen, total = len(counts), sum(counts)
    once = sum(1 for count in counts if count == 1)
    twice = sum(1 for count in counts if count == 2)
    if seen == 0:
        return Estimate(value=0.0, low=0.0, high=0.0)
    value = seen + once * (once - 1) / (2 * (twice + 1))
    if value == seen:
        # Nothing beyond what was seen is expected; the interval is that of the sample itself.
        missed = math.exp(-total / seen)
        spread = math.sqrt(seen * missed * (1 - missed))
        low = max(float(seen), seen / (1 - missed) - _Z * spread / (1 - missed))
        high = seen / (1 - missed) + _Z * spread / (1 - missed)
        return _rounded(value, low, high)
    if twice > 0:
        variance = (
            once * (once - 1) / (2 * (twice + 1))
            + once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
            + once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
        )
    else:
        variance = once * (once - 1) / 2 + once * (2 * once - 1) ** 2 / 4 - once**4 / (4 * value)
    unseen = value - seen
    factor = math.exp(_Z * math.sqrt(math.log(1 + max(variance, 0.0) / unseen**2)))
    return _rounded(value, seen + unseen / factor, seen + unseen * factor)


def _rounded(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=round(value, 2), low=round(low, 2), high=round(high, 2))

"""Numbers to try: the bounds of the schema, the bounds of machines, and small ones between."""

from __future__ import annotations

import math
import random
from typing import Any

__all__ = ["draw_number", "numbers"]

_WHOLE = (
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    10,
    12,
    24,
    60,
    99,
    100,
    101,
    -2,
    -100,
    255,
    256,
    366,
    1000,
    1900,
    2024,
    65_536,
    2**31 - 1,
    2**31,
    -(2**31) - 1,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**18,
)
_REAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    -0.1,
    0.5,
    1e-9,
    1e-320,
    2.5,
    3.0,
    99.99,
    100.0,
    -273.15,
    -300.0,
    1e6,
    1e16,
    1e308,
    -1e308,
    2.0**53 + 2,
)


def numbers(schema: dict[str, Any], *, whole: bool) -> list[int | float]:
    """The awkward numbers that the schema allows."""
    low, high = _bounds(schema, whole=whole)
    near: list[int | float] = []
    for bound, step in ((low, 1), (high, -1)):
        if math.isfinite(bound):
            near += [bound, bound + step]
    values = [*near, *(_WHOLE if whole else (*_REAL, *_WHOLE[:12]))]
    fitted = (_fit(value, schema, low, high, whole=whole) for value in values)
    return list(dict.fromkeys(value for value in fitted if value is not None))


def draw_number(
    rng: random.Random, schema: dict[str, Any], *, whole: bool, odd: bool
) -> int | float:
    """One number that the schema allows."""
    if odd:
        choices = numbers(schema, whole=whole)
        if choices:
            return rng.choice(choices)
    low, high = _bounds(schema, whole=whole)
    start = low if math.isfinite(low) else min(0, high if math.isfinite(high) else 0)
    end = high if math.isfinite(high) else start + rng.choice((3, 10, 100))
    value = rng.randint(math.ceil(start), max(math.floor(end), math.ceil(start)))
    if not whole:
        real = round(start + (end - start) * rng.random(), 2)
        value = real if start <= real <= end else value
    fitted = _fit(value, schema, low, high, whole=whole)
    if fitted is not None:
        return fitted
    step = schema.get("multipleOf") or 1
    least = math.ceil(start / step) * step
    return least if low <= least <= high and (whole or step != 1) else start


def _bounds(schema: dict[str, Any], *, whole: bool) -> tuple[float, float]:
    """Lowest and highest allowed value; infinite where the schema sets none."""
    low: float = schema.get("minimum", -math.inf)
    high: float = schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(above, (int, float)) and not isinstance(above, bool):
        low = max(low, math.floor(above) + 1 if whole else math.nextafter(above, math.inf))
    if isinstance(below, (int, float)) and not isinstance(below, bool):
        high = min(high, math.ceil(below) - 1 if whole else math.nextafter(below, -math.inf))
    return low, high


def _fit(
    value: float, schema: dict[str, Any], low: float, high: float, *, whole: bool
) -> int | float | None:
    """``value`` moved to what the schema allows; ``None`` where it cannot be."""
    step = schema.get("multipleOf")
    if isinstance(step, (int, float)) and step > 0 and abs(value) / step < math.inf:
        value = (
            math.floor(value / step) * step if not isinstance(value, int) else value // step * step
        )
    if not low <= value <= high:
        return None
    if whole:
        return int(value)
    return value

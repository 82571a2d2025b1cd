"""Two answers that each hold one number with a unit: compared by code (ToolFuzz §4.2: 10 %)."""

from __future__ import annotations

import re

from knitbone.common.structured.units import same_unit

__all__ = ["MARGIN", "agree_within", "one_quantity"]

MARGIN = 0.10
"""ToolFuzz, App. J.3: an answer within 10 % of the expectation is right."""
_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?P<sign>[$€£])\s?(?P<first>{_NUMBER})|(?P<second>{_NUMBER})\s?(?P<unit>[^\W\d_]+|%|°\s?[CF]?|[$€£])"
)
_DIGITS = re.compile(r"\d")
_TIMES = frozenset({"hundred", "thousand", "million", "billion", "k", "m", "bn", "mio"})
"""What multiplies a number: it is read by a model."""
_NO_UNIT = frozenset(
    "a an and as at by for from in is of on or per than that the to with am pm st nd rd th".split()  # noqa: SIM905
)
_READ = 2_000


def one_quantity(text: str, *, known: str = "") -> tuple[float, str] | None:
    """The one number with a unit in a text; ``None`` where there is none, or more.

    Args:
        known: the question: what stands in it is not what was asked for.
    """
    asked = {_value(match) for match in _QUANTITY.finditer(known[:_READ])}
    found: list[tuple[float, str]] = []
    rest = text[:_READ]
    for match in _QUANTITY.finditer(text[:_READ]):
        rest = rest.replace(match[0], "", 1)
        quantity = _value(match)
        if quantity not in asked:
            found.append(quantity)
    if len(found) != 1 or _DIGITS.search(rest):
        return None
    unit = found[0][1]
    return None if not unit or unit in _TIMES or unit in _NO_UNIT else found[0]


def agree_within(expected: str, said: str, *, question: str = "") -> bool | None:
    """Whether two texts give the same quantity but for 10 %; ``None`` where it cannot be told by
    code: there is no such quantity, several, or the units differ."""
    first, second = one_quantity(expected, known=question), one_quantity(said, known=question)
    if first is None or second is None or not same_unit(first[1], second[1]):
        return None
    return abs(second[0] - first[0]) <= MARGIN * abs(first[0]) + 1e-9


def _value(match: re.Match[str]) -> tuple[float, str]:
    number = match["first"] or match["second"]
    unit = (match["sign"] or match["unit"]).replace(" ", "").casefold()
    return float(number.replace(",", "")), unit

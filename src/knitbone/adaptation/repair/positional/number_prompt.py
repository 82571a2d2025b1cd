"""The prompt's hints on what a number means: a scale, percent, money.

``7/10`` is a seven where the prompt gives the scale; else it may be a fraction. ``85%`` is 85
where percent were asked for; where a number between 0 and 1 was, it is 0.85, which nothing here
calculates. ``$12`` is 12 where money was asked for.
"""

from __future__ import annotations

import re

from knitbone._forks import lazy
from knitbone.adaptation.repair.beside import odd_word
from knitbone.adaptation.repair.checks import Invocation
from knitbone.common.structured.units import names_of_unit

__all__ = ["RATE", "NumberPrompt"]

RATE = r"[^\W\d_]{1,6}/[^\W\d_]{1,4}"
"""A unit of one quantity for another: ``mmol/L``."""

_TO = r"\s{0,2}(?:-|–|—|to|and|through|\.{2,3})\s{0,2}"  # noqa: RUF001 - dashes as people write
_PERCENT = re.compile(r"(?<![a-z])per\s?cent(?:age)?s?(?![a-z])|(?<![\d\s])\s{0,2}%")
"""A sign behind a number is part of what the prompt tells, not of what it asks."""
_SHARE = re.compile(rf"(?<![\d.])0(?:\.0)?{_TO}1(?:\.0)?(?![\d%.])")

_MONEY = re.compile(
    r"(?<![a-z])(?:prices?|costs?|amounts?|totals?|sums?|fees?|budgets?|salar(?:y|ies)|payments?|"
    r"refunds?|balances?|revenues?|dollars?|euros?|pounds?|usd|eur|gbp|money|paid|spent)(?![a-z])"
)
_CURRENCIES = {
    "$": re.compile(r"\$|(?<![a-z])(?:dollars?|usd)(?![a-z])"),
    "€": re.compile(r"€|(?<![a-z])(?:euros?|eur)(?![a-z])"),
    "£": re.compile(r"£|(?<![a-z])(?:pounds?|gbp)(?![a-z])"),
}


class NumberPrompt:
    """The prompts of an invocation, read only when it matters.

    Args:
        named: whether the value stands under a name of its own, which tells what it is.
    """

    def __init__(self, invocation: Invocation, *, named: bool = False) -> None:
        self._invocation = invocation
        self._named = named

    @lazy
    def _text(self) -> str:
        return " ".join(message.text for message in self._invocation.messages).casefold()

    def names(self, word: str) -> bool:
        """Return whether a word stands in the prompt, or the unit that it abbreviates."""
        stem = word.casefold()
        stem = stem.rstrip("s") if len(stem) > 2 else stem
        called = "|".join(map(re.escape, sorted({stem, *names_of_unit(word)})))
        return re.search(rf"(?<![a-z])(?:{called})s?(?![a-z])", self._text) is not None

    def odd_word(self, text: str, value: str) -> str:
        """Return a word beside a value that may make another one of it; empty: there is none."""
        return odd_word(text, value, [self._text])

    def names_rate(self, unit: str) -> bool:
        """Return whether a unit of one quantity for another is the only one in the prompt."""
        rates = re.findall(rf"(?<![^\W\d_]){RATE}(?![^\W\d_])", self._text)
        return set(rates) == {unit.casefold()}

    def wants_percent(self, *, whole: bool = False) -> bool:
        """Return whether percent are asked for, and no number between 0 and 1.

        Args:
            whole: whether the code takes a whole number, which no share is: a name of its own
                tells the rest.
        """
        if whole and self._named:
            return True
        return _PERCENT.search(self._text) is not None and _SHARE.search(self._text) is None

    def wants_money(self, sign: str) -> bool:
        """Return whether an amount of money is asked for: by its sign, by name, or as a price; in
        no other currency alone."""
        asked = [each for each, names in _CURRENCIES.items() if names.search(self._text)]
        if asked and sign not in asked:
            return False
        return self._named or sign in self._text or _MONEY.search(self._text) is not None

    def has_scale(self, most: str) -> bool:
        """Return whether the number is asked for on a scale that ends with ``most``."""
        before = rf"(?<!\d)/\s?|\b(?:out|scale|maximum) of\s|(?<![\d.])[01]{_TO}"
        return re.search(rf"(?:{before}){re.escape(most)}(?!\d|[.,]\d)", self._text) is not None

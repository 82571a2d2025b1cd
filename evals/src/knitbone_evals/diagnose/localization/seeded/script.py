"""A run while it is written: its messages, and the one at which the fault was seeded."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["Script", "name_of"]

_START = "Ar Bel Cor Dun El Far Gal Hol Is Kel Lor Mar Nor Os Pel Quin Ros Sel Tor Ul Var Wen Yor"
_END = "bury dale field ford ham holm ley mere minster more stead ton vale wick worth brook"


class Script:
    """Messages so far, the random choices, and where the fault is."""

    def __init__(self, choose: random.Random, fault: str) -> None:
        self.choose = choose
        self.fault = fault
        self.task = ""
        self.messages: list[dict[str, Any]] = []
        self.label: int | None = None

    def at_fault(self, *kinds: str) -> bool:
        """Whether the fault is one of these, and still to come."""
        return self.label is None and self.fault in kinds

    def seed(self) -> None:
        """The message that comes next is the wrong decision."""
        self.label = len(self.messages)

    def chance(self, share: float) -> bool:
        return self.choose.random() < share

    def one_of(self, *texts: str) -> str:
        return self.choose.choice(texts)

    def other(self, right: Any, among: list[Any]) -> Any:
        """One of the values that is not the right one."""
        return self.choose.choice([value for value in among if value != right])

    def aside(self) -> str:
        """Often nothing, else a harmless remark that brings in values and names of its own: real
        agents say much that nothing depends on."""
        if self.chance(0.6):
            return ""
        number, other = self.choose.randint(2, 60), self.choose.randint(100, 9_000)
        return " " + self.one_of(
            f"This should take about {number} minutes.",
            f"For comparison, the figure for {name_of(self.choose)} is {other}.",
            f"(The last update of the source is from {self.choose.randint(2016, 2024)}.)",
            f"If that fails we can fall back on {name_of(self.choose)} Online.",
            f"I use a tolerance of 0.{number} here.",
            f"Roughly {number}% of such requests need a second look.",
            "Please tell me if anything is unclear, and I will go into detail where needed.",
            f"Reference {name_of(self.choose)[:3].upper()}-{other}.",
        )

    def slip(self, number: int) -> int:
        """The number with its first digits exchanged, or one wrong, as when it is read wrongly."""
        digits = list(str(number))
        if len(digits) > 1 and digits[0] != digits[1] and digits[1] != "0" and self.chance(0.5):
            digits[0], digits[1] = digits[1], digits[0]
        else:
            place = self.choose.randrange(len(digits))
            digits[place] = self.other(digits[place], list("123456789"))
        return int("".join(digits))


def name_of(choose: random.Random) -> str:
    """A made-up name of a place or thing."""
    return choose.choice(_START.split()) + choose.choice(_END.split())

"""Numbers that print as they were written in a document: ``1.10``, ``0o14``, ``1_000``.

Code that takes a number as a text gets the digits of the answer, not Python's.
"""

from __future__ import annotations

__all__ = ["Spelled", "SpelledInteger"]


class Spelled(float):
    """A number that prints as it was written: ``1.10`` as a text is ``"1.10"``."""

    spelling: str

    def __new__(cls, number: float, spelling: str) -> Spelled:
        made = super().__new__(cls, number)
        made.spelling = spelling
        return made

    def __str__(self) -> str:
        return self.spelling

    __repr__ = float.__repr__


class SpelledInteger(int):
    """The same for whole numbers: ``0o14``, ``1_000``."""

    spelling: str

    def __new__(cls, number: int, spelling: str) -> SpelledInteger:
        made = super().__new__(cls, number)
        made.spelling = spelling
        return made

    def __str__(self) -> str:
        return self.spelling

    __repr__ = int.__repr__

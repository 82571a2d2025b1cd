"""Talk: answers in a row, without a call between, that say nothing new.

Likeness alone does not tell: an agent asks for one thing after another in the same words. An answer
is nothing new where it brings no number, no name, and few words that the ones before had not.
"""

from __future__ import annotations

import re

__all__ = ["Monologue"]

_NEW_WORDS = 0.6
"""Share of new words up to which an answer says nothing new. Ours: paraphrases of a sentence bring
a quarter to half of their words, another matter brings most."""
_LONGEST = 2_000
"""Characters of an answer that are compared (ours)."""
_WORD = re.compile(r"[^\W_][\w.:-]*[^\W_]|\w")
_NEWS = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z]\w+|\w*\d[\w.:]*\w|\d")
"""A name (a capital where no sentence begins) or something with a number."""
_COMMON_WORDS = """
a an and any are as at be been but by can could do for from going has have how i if in is it its let
ll m may me my need next not now of on one or our re s shall should so some such t than that the
their them then there these they this to up us ve was we what when where which will with would you
your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


class Monologue:
    """Answers since the last call.

    Args:
        rounds: answers that say the same until it is a monologue.
    """

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._words: set[str] = set()
        self._news: set[str] = set()
        self._same = 0

    def clear(self) -> None:
        """A call was made, or something was said to the agent."""
        self._words.clear()
        self._news.clear()
        self._same = 0

    def answered(self, text: str) -> bool:
        """Take an answer in.

        Returns:
            Whether it is one too many that says the same.
        """
        text = text[:_LONGEST]
        words = {w for w in (found.casefold() for found in _WORD.findall(text)) if w not in _COMMON}
        news = {found.casefold() for found in _NEWS.findall(text)}
        if not words:
            return False
        said_before = self._same > 0 and news <= self._news | self._words
        if said_before and len(words - self._words) <= _NEW_WORDS * len(words):
            self._same += 1
        else:
            self.clear()
            self._same = 1
        self._words |= words
        self._news |= news
        return self._same >= self._rounds

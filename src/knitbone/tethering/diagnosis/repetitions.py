"""Loops of free text: an agent that says nearly the same again and again and does nothing else.

Likeness alone is no loop: an orchestrator asks for one page after another in the same words. So an
utterance that brings a name or a number ends what went before, however alike it is; scripts
without capitals are told by numbers alone, those without spaces are not looked at.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.tethering.diagnosis.units import TransitionUnit
from knitbone.tethering.diagnosis.vocabulary import news_in

__all__ = ["restated"]

SAME = 0.4
"""Words that two utterances share, of all words of both, from which on they say the same. A
sentence with a few words changed shares 0.5 to 0.8, one put in quite other words 0.2 to 0.4, which
is not seen (ours; chosen on simulated runs, evals/docs/localization.md)."""
BACK = 4
"""Of the agent's last utterances, those that one is compared with (ours)."""
_FEWEST = 6
"""Different words of the shortest utterance that is compared."""
_LONGEST = 2_000
"""Characters of an utterance that are compared."""

_WORD = re.compile(r"\w+")


class _Said(NamedTuple):
    group: list[int]
    words: frozenset[str]
    news: frozenset[str]


def restated(units: Sequence[TransitionUnit]) -> list[list[int]]:
    """The ordinals of each row of utterances of one agent, two or more, that say nearly the same:
    no call of its own, and no name or number that is new, stands between them."""
    groups: list[list[int]] = []
    last: dict[tuple[int, str], deque[_Said]] = {}
    for unit in units:
        before = last.setdefault((unit.conversation, unit.agent), deque(maxlen=BACK))
        if unit.calls:
            before.clear()
            continue
        text = unit.action[:_LONGEST]
        words = frozenset(_WORD.findall(text.casefold()))
        if len(words) < _FEWEST:
            continue
        news = news_in(text)
        if not news <= frozenset[str]().union(*(said.news for said in before)):
            before.clear()
        like = (said.group for said in reversed(before) if _alike(words, said.words))
        group = next(like, None) or []
        group.append(unit.ordinal)
        if len(group) == 2:
            groups.append(group)
        before.append(_Said(group, words, news))
    return groups


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= SAME * len(words | others)

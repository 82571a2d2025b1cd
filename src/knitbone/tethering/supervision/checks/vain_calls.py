"""Calls that bring nothing new, whatever stands between them: the same search in other words, two
repairs by turns of which each breaks what the other mended.

Counted are calls that ask for the same thing, in the same words or in others. Another number or
another single word is another thing. In other words the same answer counts only where it is one of
several words, which hardly comes twice by chance.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from knitbone.tethering.supervision.checks.laps import SeenCall, goes_on

__all__ = ["brings_nothing_new"]

_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBERED = re.compile(r"[\w.:/-]*\d[\w.:/-]*")
_REMEMBERED = 256
"""Arguments of calls that are kept as they compare (ours)."""
_FEWEST = 2
"""Times below which nothing has come again."""
_TELLING = 6
"""Different words of an answer that hardly comes twice by chance (ours)."""


def brings_nothing_new(
    calls: Sequence[SeenCall], rounds: Callable[[Sequence[SeenCall]], int | None], farthest: int
) -> bool:
    """Whether the last of some calls has brought the same again and again, and none since the time
    before anything new.

    Args:
        calls: of one run, oldest first.
        rounds: given the calls since the time before, how often the very same call has to come;
            ``None`` for never. One in other words has to come once more.
        farthest: calls from one time to the next, at most.
    """
    last = calls[-1]
    if not any(_asks_alike(seen, last) for seen in calls[-1 - farthest : -1]):
        return False  # most calls end here: what they brought is not looked into
    alike = [
        place for place in _asking_alike(calls) if calls[place].told_exactly == last.told_exactly
    ]
    if len(alike) < _FEWEST or alike[-1] - alike[-2] > farthest:
        return False
    needed = rounds(calls[alike[-2] + 1 :])
    if needed is None or len(alike) < needed:
        return False
    if any(calls[place].asked != last.asked for place in alike) and (
        len(alike) == needed or not _is_telling(last)
    ):
        return False
    return not goes_on(calls[alike[-needed] :]) and all(
        _is_known(calls, place) for place in range(alike[-2], len(calls))
    )


def _asking_alike(calls: Sequence[SeenCall]) -> list[int]:
    """The places of the calls that ask for what the last one does, in its words or in those of
    another one of them."""
    found = [len(calls) - 1]
    for place in range(len(calls) - 2, -1, -1):
        if any(_asks_alike(calls[place], calls[known]) for known in found):
            found.append(place)
    return found[::-1]


def _asks_alike(one: SeenCall, other: SeenCall) -> bool:
    return one.tool == other.tool and (one.asked == other.asked or _is_reworded(one, other))


def _is_known(calls: Sequence[SeenCall], place: int) -> bool:
    """Whether a call brought what its tool had brought before."""
    seen = calls[place]
    return any(
        one.tool == seen.tool
        and (one.asked == seen.asked or _is_telling(seen))
        and one.told_exactly == seen.told_exactly
        for one in calls[:place]
    )


def _is_telling(seen: SeenCall) -> bool:
    return len({word.lower() for word in _WORD.findall(seen.told_exactly)}) >= _TELLING


def _is_reworded(one: SeenCall, other: SeenCall) -> bool:
    mine, its = _arguments(one.asked), _arguments(other.asked)
    return bool(mine) and bool(its) and all(
        _says_the_same(mine[name], its[name]) for name in mine.keys() & its
    )  # fmt: skip


class _Argument:
    """A value of an argument, and what is compared of it where it is a text."""

    def __init__(self, value: Any) -> None:
        self.value = value
        text = value if isinstance(value, str) else ""
        self.numbered = frozenset(_NUMBERED.findall(text))
        self.words = frozenset(_WORD.findall(text.lower()))
        self.is_single = len(text.split(maxsplit=1)) == 1


@functools.lru_cache(maxsize=_REMEMBERED)
def _arguments(asked: str) -> Mapping[str, _Argument]:
    try:
        found = json.loads(asked)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: _Argument(value) for name, value in cast("dict[str, Any]", found).items()}


def _says_the_same(one: _Argument, other: _Argument) -> bool:
    """Whether two values of an argument may be one wish in two wordings."""
    if one.value == other.value:
        return True
    if not (one.words and other.words):
        return False
    if not (one.numbered <= other.numbered or other.numbered <= one.numbered):
        return False
    if one.is_single or other.is_single:
        return one.words <= other.words or other.words <= one.words
    return not one.words.isdisjoint(other.words)

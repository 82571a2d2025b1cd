"""Loops: the same calls with the same results again and again, or the same words.

A call that brings another result each time is polling or paging and is none. A cycle is up to four
calls long; whatever comes between the calls as text does not matter. What the task itself asks for
again and again is none either.
"""

from __future__ import annotations

import functools
import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, cast

from knitbone.common.number_words import number_of_words
from knitbone.config import SupervisionSettings
from knitbone.tethering.diagnosis.vocabulary import (
    NUMBER,
    REPETITION,
    TIMES,
    news_in,
    waits,
    words_of,
)
from knitbone.tethering.supervision.call_keys import (
    ReturnedOutcome,
    argument_text,
    call_outcome,
    digest,
)
from knitbone.tethering.supervision.expected_calls import went_well
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall
from knitbone.tethering.supervision.risk import ToolRisks

__all__ = ["LoopCheck"]


# Laps that undo what they made: hold, price, release; add, look, remove.
#
# What a lap makes has a new identifier each time, so that no two laps are equal to the letter. They
# are compared with what was born in them renamed in the order of its appearance, and count only
# where the lap also takes back what it made: a queue whose items are done one after another is made
# of laps of the same form, and is none.

_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w[\w-]*\w\b")
"""A word with letters and digits."""
_VERBS = """
delete remove release cancel undo revert rollback discard drop clear close unassign unlink detach
withdraw void reset abort destroy
"""
_UNDOING = frozenset(_VERBS.split())


_KEPT = 2_000
"""Characters of arguments and results in which laps are compared; longer ones are told apart by
their keys alone (ours)."""


class SeenCall:
    """A call as the loop check keeps it. What came of it is looked into only where the same call
    comes again."""

    def __init__(
        self, tool: str, asked: str, outcome: ReturnedOutcome, *, waiting: bool, changes: bool
    ) -> None:
        self.tool = tool
        self.asked = asked if len(asked) <= _KEPT else digest(asked).hex()
        """The arguments, as they compare."""
        self.outcome = outcome
        self.waiting = waiting
        """Whether it waits, or says that work is under way."""
        self.changes = changes
        """Whether it may have changed something."""

    @cached_property
    def told(self) -> str:
        """The result, as it compares."""
        return _bounded(self.outcome.quiet())

    @cached_property
    def told_exactly(self) -> str:
        """The same where the numbers of an error are news, too."""
        return _bounded(self.outcome.quiet(numbers=True))

    def same(self, other: SeenCall) -> bool:
        """Whether the same was asked, and nothing new was told."""
        if self.tool != other.tool or self.asked != other.asked:
            return False
        return self.outcome == other.outcome or self.told == other.told


def goes_on(calls: Sequence[SeenCall]) -> bool:
    """Whether a call that is made again at once brings something else, as a debugger's steps do."""
    return any(
        one.tool == other.tool and one.asked == other.asked
        and one.told_exactly != other.told_exactly and not one.same(other)
        for one, other in pairwise(calls)
    )  # fmt: skip


def _bounded(text: str) -> str:
    return text if len(text) <= _KEPT else digest(text).hex()


def renamed_lap(lap: Sequence[SeenCall]) -> tuple[str, ...]:
    """A lap with the identifiers that its results brought renamed; empty where it does not take
    back what it made."""
    names: dict[str, str] = {}
    known: set[str] = set()
    undone = False
    parts: list[str] = []
    for seen in lap:
        words = _IDENTIFIER.findall(seen.asked)
        undone = undone or (takes_back(seen.tool) and any(word in names for word in words))
        known.update(word for word in words if word not in names)
        asked = _renamed(seen.asked, names)
        for word in _IDENTIFIER.findall(seen.told):
            if word not in known:
                names.setdefault(word, f"<{len(names)}>")
        parts.append(f"{seen.tool}\n{asked}\n{_renamed(seen.told, names)}")
    return tuple(parts) if undone else ()


@lru_cache(maxsize=256)
def takes_back(tool: str) -> bool:
    """Whether a tool takes something back, by its name."""
    return bool(_UNDOING & set(words_of(tool)))


def _renamed(text: str, names: dict[str, str]) -> str:
    return _IDENTIFIER.sub(lambda found: names.get(found[0], found[0]), text)


# Talk: answers in a row, without a call between, that say nothing new.
#
# Likeness alone does not tell: an agent asks for one thing after another in the same words. An
# answer is nothing new where it brings no number, no name, and few words that the ones before had
# not.

_NEW_WORDS = 0.6
"""Share of new words up to which an answer says nothing new. Ours: paraphrases of a sentence bring
a quarter to half of their words, another matter brings most."""
_LONGEST = 2_000
"""Characters of an answer that are compared (ours)."""
_WORD = re.compile(r"[^\W_][\w.:-]*[^\W_]|\w")
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
        news = {found.casefold() for found in news_in(text)}
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


# Calls that bring nothing new, whatever stands between them: the same search in other words, two
# repairs by turns of which each breaks what the other mended.
#
# Counted are calls that ask for the same thing, in the same words or in others. Another number or
# another single word is another thing. In other words the same answer counts only where it is one
# of several words, which hardly comes twice by chance.

_LETTERS = re.compile(r"[^\W\d_]{3,}")
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
    return len({word.lower() for word in _LETTERS.findall(seen.told_exactly)}) >= _TELLING


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
        self.words = frozenset(_LETTERS.findall(text.lower()))
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


ROUNDS = 3
"""Times that a call, or a cycle of calls, comes with equal results until it is a loop. Ours:
AgentTether §III.D.1 gives none; one repetition is how agents check what they read."""
CYCLE = 4
"""Calls of the longest cycle that is looked for (ours)."""
POLLING = 10
"""``ROUNDS`` for a result that says that work is under way, for which an agent has to wait
(ours)."""

_COUNTED = re.compile(rf"{NUMBER} (?:[\w-]+ ){{0,2}}[\w-]+s\b", re.IGNORECASE)
"""A number of things: each of them may take the same change."""
_MOST_COUNTED = 100
"""Times that a task may ask for at most until they are no longer told from a loop (ours)."""
_LONGEST_TASK = 20_000


class LoopCheck:
    """See ``SupervisionCheck``."""

    name: CheckName = "loop"

    def __init__(self, settings: SupervisionSettings, risks: ToolRisks, task: str = "") -> None:
        self._settings = settings
        self._risks = risks
        task = task[:_LONGEST_TASK]
        polling = POLLING if REPETITION.search(task) else 0
        self._asked_for = max(_more_than_counted(TIMES, task), polling)
        self._things = _more_than_counted(_COUNTED, task)
        rounds = max(ROUNDS, POLLING, self._asked_for, self._things)
        most = max(rounds, *settings.loop_limits.values(), 1)
        self._window: deque[SeenCall] = deque(maxlen=most * CYCLE)
        self._talk = Monologue(ROUNDS)

    def tool_returned(
        self,
        call: ReturnedCall,
        step: int,  # noqa: ARG002 - the contract
    ) -> CheckSignal | None:
        """See ``SupervisionCheck``."""
        self._talk.clear()
        self._window.append(self._seen(call))
        length = self._cycle()
        if length is not None:
            kind, text = _kind(length, failed=call.error is not None), _text(length)
        elif brings_nothing_new(list(self._window), self._rounds, CYCLE):
            kind, text = "nothing new", _NOTHING_NEW
        else:
            return None
        return CheckSignal(check="loop", tool=call.tool, risk="read", kind=kind, text=text)

    def text_answered(self, text: str, step: int) -> CheckSignal | None:  # noqa: ARG002 - contract
        """See ``SupervisionCheck``."""
        if not self._talk.answered(text):
            return None
        return CheckSignal(check="loop", kind="same words", text=_SAME_WORDS)

    def heard(self) -> None:
        """Somebody has spoken to the agent: what it says now is an answer."""
        self._talk.clear()

    def nudged(self) -> None:
        """The agent was told something: what it did before counts no longer."""
        self._window.clear()
        self._talk.clear()

    def _seen(self, call: ReturnedCall) -> SeenCall:
        asked = argument_text(call.arguments)
        changes = self._risks.of(call.tool) != "read"
        outcome = call_outcome(call.result, call.error, changes=changes)
        waiting = waits(call.tool, asked, outcome.text, failed=outcome.kind == "error")
        return SeenCall(
            call.tool, asked, outcome, waiting=waiting, changes=changes and went_well(call)
        )

    def _cycle(self) -> int | None:
        """Length of the shortest cycle that the calls end with, or ``None``."""
        seen = list(self._window)
        for length in range(1, CYCLE + 1):
            rounds = self._rounds(seen[-length:])
            if rounds is None or len(seen) < length * rounds:
                continue
            tail = seen[-length * rounds :]
            if _repeats(tail, length) or _is_undone(tail, length):
                return length
        return None

    def _rounds(self, cycle: Sequence[SeenCall]) -> int | None:
        """How often a cycle has to come; ``None`` where one of its tools may be repeated."""
        limits = [self._limit(seen) for seen in cycle]
        return None if 0 in limits else max(limits)

    def _limit(self, seen: SeenCall) -> int:
        own = self._settings.loop_limits.get(seen.tool)
        if own is not None:
            return own
        rounds = POLLING if seen.waiting else ROUNDS
        return max(rounds, self._asked_for, self._things if seen.changes else 0)


def _repeats(tail: list[SeenCall], length: int) -> bool:
    """Whether calls and results come again after so many. Where something was changed between two
    errors, a number that differs may say that it helped."""
    pairs = list(zip(tail, tail[length:], strict=False))
    if not all(a.same(b) for a, b in pairs) or goes_on(tail):
        return False
    return not any(seen.changes for seen in tail) or all(
        a.told_exactly == b.told_exactly for a, b in pairs if a.outcome.kind == "error"
    )


def _is_undone(tail: list[SeenCall], length: int) -> bool:
    """Whether laps of so many calls each undo what they made, and are alike otherwise."""
    if length == 1 or not any(takes_back(seen.tool) for seen in tail[-length:]):
        return False
    if any(a.tool != b.tool for a, b in zip(tail, tail[length:], strict=False)):
        return False
    laps = [renamed_lap(tail[at : at + length]) for at in range(0, len(tail), length)]
    return bool(laps[0]) and all(lap == laps[0] for lap in laps)


def _kind(length: int, *, failed: bool) -> str:
    if length > 1:
        return "cycle of calls"
    return "same call and error" if failed else "same call and result"


def _more_than_counted(pattern: re.Pattern[str], task: str) -> int:
    """One more than the greatest number that a task counts with; 0 without one."""
    counted = [int(number_of_words(found) or found) for found in pattern.findall(task)]
    return max((number for number in counted if number <= _MOST_COUNTED), default=-1) + 1


_NOTHING_NEW = (
    "The last calls have brought nothing that was not known before. Other words for the same call"
    " will not change it: use what is known, look elsewhere, or say what stands in the way."
)
_SAME_WORDS = (
    "The same answer has been given again and again, and nothing was done in between. Take the next"
    " step that the task needs, or say what stands in the way."
)


def _text(length: int) -> str:
    what = "This call has" if length == 1 else "The last calls have"
    return (
        f"{what} been made again and again with the same arguments and the same result. Once more"
        " will not change it: use what it says, change the arguments, or go another way."
    )

"""Loops: the same calls with the same results again and again, or the same words.

A call that brings another result each time is polling or paging and is none. A cycle is up to four
calls long; whatever comes between the calls as text does not matter. What the task itself asks for
again and again is none either.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from knitbone.common.number_words import number_of_words
from knitbone.config import SupervisionSettings
from knitbone.tethering.diagnosis.vocabulary import NUMBER, REPETITION, TIMES, waits
from knitbone.tethering.supervision.call_keys import argument_text, call_outcome
from knitbone.tethering.supervision.checks.laps import SeenCall, goes_on, renamed_lap, takes_back
from knitbone.tethering.supervision.checks.monologue import Monologue
from knitbone.tethering.supervision.checks.vain_calls import brings_nothing_new
from knitbone.tethering.supervision.expected_calls import went_well
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall
from knitbone.tethering.supervision.risk import ToolRisks

__all__ = ["LoopCheck"]

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

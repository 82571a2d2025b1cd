"""Loops: the same calls with the same results again and again, or the same words.

A call that brings another result each time is polling or paging and is none. A cycle is up to four
calls long; whatever comes between the calls as text does not matter.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from knitbone.record.events import Json
from knitbone.tethering.supervision.call_keys import call_key, outcome_key
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall
from knitbone.tethering.supervision.settings import SupervisionSettings

__all__ = ["LoopCheck"]

_WAITING = re.compile(
    r"\b(?:pending|queued|running|in[ _-]?progress|processing|not (?:yet )?(?:ready|finished|done)"
    r"|waiting|starting|provisioning|building|scheduled|initiali[sz]ing|retry later)\b",
    re.IGNORECASE,
)
_SHORT = 300
"""Characters of the longest answer that is only a state of work under way (ours)."""


class _Seen(NamedTuple):
    tool: str
    call: bytes
    outcome: bytes
    waiting: bool


class LoopCheck:
    """See ``SupervisionCheck``."""

    name: CheckName = "loop"

    def __init__(self, settings: SupervisionSettings) -> None:
        self._settings = settings
        most = max(settings.loop_rounds, settings.loop_polling, *settings.loop_limits.values(), 1)
        self._window: deque[_Seen] = deque(maxlen=most * settings.loop_cycle)
        self._texts: deque[str] = deque(maxlen=settings.loop_rounds)

    def tool_returned(
        self,
        call: ReturnedCall,
        step: int,  # noqa: ARG002 - the contract
    ) -> CheckSignal | None:
        """See ``SupervisionCheck``."""
        self._texts.clear()
        self._window.append(
            _Seen(
                call.tool, call_key(call.tool, call.arguments),
                outcome_key(call.result, call.error), _says_to_wait(call.result, call.error),
            )
        )  # fmt: skip
        length = self._cycle()
        if length is None:
            return None
        return CheckSignal(
            check="loop", tool=call.tool, risk="read",
            kind=_kind(length, failed=call.error is not None), text=_text(length),
        )  # fmt: skip

    def text_answered(self, text: str, step: int) -> CheckSignal | None:  # noqa: ARG002 - contract
        """See ``SupervisionCheck``."""
        words = " ".join(text.casefold().split())
        if not words:
            return None
        if self._texts and self._texts[-1] != words:
            self._texts.clear()
        self._texts.append(words)
        if len(self._texts) < self._settings.loop_rounds:
            return None
        return CheckSignal(check="loop", kind="same words", text=_SAME_WORDS)

    def nudged(self) -> None:
        """The agent was told something: what it did before counts no longer."""
        self._window.clear()
        self._texts.clear()

    def _cycle(self) -> int | None:
        """Length of the shortest cycle that the calls end with, or ``None``."""
        seen = list(self._window)
        for length in range(1, self._settings.loop_cycle + 1):
            rounds = self._rounds(seen[-length:])
            if rounds is None or len(seen) < length * rounds:
                continue
            tail = seen[-length * rounds :]
            if all(a == b for a, b in zip(tail, tail[length:], strict=False)):
                return length
        return None

    def _rounds(self, cycle: list[_Seen]) -> int | None:
        """How often a cycle has to come; ``None`` where one of its tools may be repeated."""
        limits = [self._limit(seen) for seen in cycle]
        return None if 0 in limits else max(limits)

    def _limit(self, seen: _Seen) -> int:
        own = self._settings.loop_limits.get(seen.tool)
        if own is not None:
            return own
        return self._settings.loop_polling if seen.waiting else self._settings.loop_rounds


def _says_to_wait(result: Json, error: str | None) -> bool:
    said = error if error is not None else result if isinstance(result, str) else repr(result)[:999]
    return len(said) <= _SHORT and _WAITING.search(said) is not None


def _kind(length: int, *, failed: bool) -> str:
    if length > 1:
        return "cycle of calls"
    return "same call and error" if failed else "same call and result"


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

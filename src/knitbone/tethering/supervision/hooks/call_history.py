"""What one supervised run remembers of its calls: which were asked for, which results were judged
and what is said behind each, which answers were sent back.

A result is known by the identifier of its call. Some servers give the same identifier again and
again, so the n-th call of one identifier is told from the others by counting from the newest.
Results that were judged where nobody knew the identifier (an MCP session, a loop of the
application's own) are found by tool, arguments and text when the model's client sends them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from knitbone._forks import new_rlock
from knitbone.record.events import Json
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.wire.tool_calls import names_same_tool

__all__ = ["AskedCall", "RunLedger", "SentBack"]

ResultKey = tuple[str, int]
"""Identifier of a call, and which of the calls with that identifier."""

_KEPT = 100_000
"""Judged results of one run that are remembered; the oldest are forgotten (ours)."""
_UNCLAIMED = 1_000
"""Results judged without an identifier that wait for a model's client (ours)."""


class AskedCall(NamedTuple):
    """A tool call that the model asked for."""

    call_id: str | None
    tool: str
    arguments: Any
    """As they stand in the message: a value, or JSON text."""


class SentBack(NamedTuple):
    """An answer that was sent back, with the message that sent it, as later requests need them."""

    form: str
    place: int
    """How many messages of the application stood before it."""
    anchor: str
    """The identifier of the first call, or the text, of the answer that was taken in its place."""
    messages: tuple[Any, ...]


class _Unclaimed(NamedTuple):
    tool: str
    arguments: int | None
    texts: tuple[int, ...]
    correction: str | None


class RunLedger:
    """Memory of one run; thread-safe."""

    def __init__(self) -> None:
        self.unread_answers = False
        """Whether the application read an answer past us, so that calls may be unknown."""
        self.told: set[str] = set()
        """Conversations that the server keeps, and that hold the guidance by now."""
        self.taught: set[str] = set()
        """Tools that an MCP server told the risk of."""
        self._lock = new_rlock()
        self._asked: dict[str, tuple[int, AskedCall]] = {}
        self._said: dict[ResultKey, str | None] = {}
        self._unclaimed: list[_Unclaimed] = []
        self._sent_back: list[SentBack] = []
        self._judged_text: str | None = None
        self.last_answer: str | None = None
        """The last answer without a call that a hook passed on."""

    def asked(self, calls: list[AskedCall]) -> None:
        """The model asks for these."""
        with self._lock:
            for call in calls:
                if call.call_id is not None:
                    times, _ = self._asked.pop(call.call_id, (0, call))
                    self._asked[call.call_id] = (times + 1, call)
            _bound(self._asked, _KEPT)

    def asked_call(self, call_id: str) -> AskedCall | None:
        """The newest call of this identifier that the run was seen to ask for."""
        found = self._asked.get(call_id)
        return None if found is None else found[1]

    def key(self, call_id: str, *, before: int = 0, behind: int = 0) -> ResultKey | None:
        """The key of a result in a request; ``None`` where the call is not of this run: examples
        and earlier conversations are nobody's to judge.

        Args:
            before: results of the same identifier that stand before it in the request.
            behind: the same for those behind it.
        """
        times = self._asked.get(call_id, (0, None))[0]
        number = times - 1 - behind
        if number < 0 and not self.unread_answers:
            return None
        return call_id, number if number >= 0 else before

    def correction(self, key: ResultKey, decide: Callable[[], str | None]) -> str | None:
        """What is said behind a result: decided once, whoever asks at the same time."""
        with self._lock:
            if key not in self._said:
                self._said[key] = decide()
                _bound(self._said, _KEPT)
            return self._said[key]

    def executed(self, call: ReturnedCall, correction: str | None, *, text: str) -> None:
        """A call was judged where it was executed.

        Args:
            text: of the result, without the correction.
        """
        with self._lock:
            if call.call_id is not None:
                times = self._asked.setdefault(
                    call.call_id, (1, AskedCall(call.call_id, call.tool, call.arguments))
                )[0]
                self._said[call.call_id, times - 1] = correction
                _bound(self._asked, _KEPT)
                _bound(self._said, _KEPT)
                return
            texts = [text]
            if correction is not None:  # behind it, or as a further part
                texts += [text + correction, f"{text}\n{correction.strip()}"]
            self._unclaimed.append(
                _Unclaimed(
                    call.tool, _digest(call.arguments), tuple(map(_text_digest, texts)), correction
                )
            )
            del self._unclaimed[:-_UNCLAIMED]

    def claim(self, call: ReturnedCall, *, text: str) -> tuple[str | None] | None:
        """What was said behind a result where it was executed; ``None``: nobody judged it."""
        if not self._unclaimed:
            return None
        arguments, digest = _digest(call.arguments), _text_digest(text)
        with self._lock:
            for number, each in enumerate(self._unclaimed):
                same = digest in each.texts or (
                    arguments is not None and arguments == each.arguments
                )
                longer, shorter = sorted((call.tool, each.tool), key=len, reverse=True)
                if same and names_same_tool(longer, shorter):
                    del self._unclaimed[number]
                    return (each.correction,)
        return None

    def judged_text(self, text: str) -> None:
        """A hook had this answer judged, and passes it on."""
        self._judged_text = self.last_answer = text

    def is_judged_text(self, text: str) -> bool:
        """Whether a hook had this answer judged, for the loop that asks about it next."""
        known, self._judged_text = self._judged_text, None
        return known == text

    def keep(self, sent_back: SentBack) -> None:
        """Remember an answer that was sent back."""
        with self._lock:
            self._sent_back.append(sent_back)
            del self._sent_back[:-_UNCLAIMED]

    def sent_back(self, form: str) -> list[SentBack]:
        """Answers of one protocol that were sent back, oldest first."""
        return [each for each in self._sent_back if each.form == form]


def _bound(kept: dict[Any, Any], most: int) -> None:
    while len(kept) > most:
        del kept[next(iter(kept))]


def _digest(arguments: Json) -> int | None:
    """Equal for equal arguments, within this process; ``None`` for what is no JSON."""
    try:
        return hash(msgspec.json.encode(arguments or {}, order="deterministic"))
    except Exception:  # noqa: BLE001 - values of the application's own, of any kind and depth
        return None


def _text_digest(text: str) -> int:
    return hash(text)

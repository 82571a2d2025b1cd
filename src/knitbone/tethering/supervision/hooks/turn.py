"""One request of a supervised run to a model: what is put into it, and what becomes of the answer.

The application's messages → those that the model gets: results that are new are judged, once, and
corrections stand behind theirs in this and every later request; an answer that was sent back stands
before the one that took its place. The answer → accepted, or a further request.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from knitbone._logging import get_logger, log
from knitbone.record.events import ChatMessage
from knitbone.tethering.capture.protocol import parsed, text_of
from knitbone.tethering.supervision.active import Supervised
from knitbone.tethering.supervision.hooks.call_history import AskedCall, RunLedger, SentBack
from knitbone.tethering.supervision.hooks.error_guard import guarded
from knitbone.tethering.supervision.hooks.forms import FoundResult, MessageForm
from knitbone.tethering.supervision.records import ReturnedCall

__all__ = ["ModelTurn", "judged_once"]

_logger = get_logger(__name__)
_MOST_SENT_BACK = 8
"""Further requests after one request, whatever the supervisor says; it has a cap of its own
(ours)."""


class ModelTurn:
    """One request of the application, with the further ones that it becomes.

    Args:
        given: the application's messages.
        offered: whether the model may call a tool; where it may not, its text is no answer of an
            agent that ends too early, but what was asked for.
    """

    def __init__(
        self, run: Supervised, form: MessageForm, given: Sequence[Any], *, offered: bool
    ) -> None:
        self.run = run
        self.form = form
        self.offered = offered
        messages = supervised_messages(run, form, given)
        self.messages: list[Any] = list(given) if messages is None else messages
        """What the model gets, but for the guidance."""
        self.added: tuple[Any, ...] = ()
        """Answers that were sent back, and the messages that did."""
        self._place = len(given)
        self._alone = self._goes_on(given)

    @property
    def holds(self) -> bool:
        """Whether the answer may be sent back, so that nobody should have it before it is
        judged."""
        supervisor = self.run.supervisor
        if supervisor is None or not self.offered:
            return False
        return supervisor.mode == "on" and getattr(supervisor, "may_reroute", True)

    def answered(self, output: ChatMessage | None) -> bool:
        """The model has answered; whether a further request is to be made, with ``added`` behind
        the messages."""
        if output is None or self.run.supervisor is None:
            return False
        if output.tool_calls:
            calls = [AskedCall(*_named(call)) for call in output.tool_calls]
            self.run.ledger.asked(calls)
            self._taken(calls[0].call_id)
            return False
        text = output.content
        if not self.offered or not text.strip():
            return False
        said = self.run.judge_text(text, alone=self._alone and not self.added)
        if said is None or len(self.added) >= 2 * _MOST_SENT_BACK:
            self._taken(text)
            self.run.ledger.judged_text(text)
            return False
        self.added = (*self.added, *self.form.sent_back(text, said))
        return True

    def given_up(self) -> None:
        """The further request failed, so that the answer before it is the one that counts."""
        log(_logger, logging.ERROR, "answer not sent back; it is given as it was", exc_info=True)
        self.added = self.added[:-2]

    def _goes_on(self, given: Sequence[Any]) -> bool:
        """Whether the model gets nothing new: the last that was said is its own last answer. An
        answer that the application begins for it is none of that."""
        before = self.form.answer_text(given[-1]) if given else None
        return bool(before) and before == self.run.ledger.last_answer

    def _taken(self, anchor: str | None) -> None:
        """The application gets this answer, so later requests hold it, and what came before it."""
        if self.added and anchor is not None:
            self.run.ledger.keep(SentBack(self.form.name, self._place, anchor, self.added))


def _named(call: Any) -> tuple[str | None, str, Any]:
    return call.call_id, call.name, call.arguments


@guarded
def supervised_messages(run: Supervised, form: MessageForm, messages: Sequence[Any]) -> list[Any]:
    """The messages with corrections behind their results, and with what was sent back."""
    out = list(messages)
    if run.supervisor is None:
        return out
    for place, corrections in _corrections(run, form, messages).items():
        out[place] = form.corrected(out[place], corrections)
    for each in reversed(run.ledger.sent_back(form.name)):
        _put_back(out, form, each)
    return out


class _Result(NamedTuple):
    place: int
    found: FoundResult
    asked: AskedCall | None


def _corrections(
    run: Supervised, form: MessageForm, messages: Iterable[Any]
) -> dict[int, dict[int, str]]:
    """Message → part of it → what is said behind that result."""
    results, asked = list[_Result](), dict[str, AskedCall]()
    for place, message in enumerate(messages):
        for call in form.calls(message):
            if call.call_id is not None:
                asked[call.call_id] = call
        results += [_Result(place, each, asked.get(each.call_id)) for each in form.results(message)]
    behind = Counter(result.found.call_id for result in results)
    before = Counter[str]()
    corrections: dict[int, dict[int, str]] = {}
    for result in results:
        call_id = result.found.call_id
        behind[call_id] -= 1
        key = run.ledger.key(call_id, before=before[call_id], behind=behind[call_id])
        before[call_id] += 1
        if key is None:
            continue
        said = run.ledger.correction(key, lambda result=result: _decide(run, result))
        if said is not None:
            corrections.setdefault(result.place, {})[result.found.part] = said
    return corrections


def _decide(run: Supervised, result: _Result) -> str | None:
    text = text_of(result.found.content)
    return judged_once(run, _returned(run.ledger, result, text), text)


def judged_once(run: Supervised, call: ReturnedCall, text: str) -> str | None:
    """Have a result judged, unless that was done where the tool was executed.

    Args:
        text: of the result.
    """
    claimed = run.ledger.claim(call, text=text)
    return run.judge(call) if claimed is None else claimed[0]


def _returned(ledger: RunLedger, result: _Result, text: str) -> ReturnedCall:
    found = result.found
    asked = result.asked or ledger.asked_call(found.call_id)
    tool = (asked.tool if asked is not None else "") or found.tool or "unknown"
    return ReturnedCall(
        tool=tool,
        arguments=None if asked is None else parsed(asked.arguments),
        result=text,
        error=text if found.failed else None,
        call_id=found.call_id,
    )


def _put_back(messages: list[Any], form: MessageForm, sent: SentBack) -> None:
    """Put an answer that was sent back before the one that took its place, where that stands in
    the messages."""
    for place, message in enumerate(messages):
        first = next(iter(form.calls(message)), None)
        if first is not None:
            found = first.call_id == sent.anchor
        else:  # texts may be equal: the one that stands where it was put
            found = place == sent.place and form.answer_text(message) == sent.anchor
        if found:
            start = place
            while start and form.opens(messages[start - 1]):
                start -= 1
            messages[start:start] = sent.messages
            return

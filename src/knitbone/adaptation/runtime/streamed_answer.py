"""A streamed answer on its way to the consumer, item by item.

The answer's text is put together from the items, decided by ``Holdback``, and written back into
items of the same type. An item whose text does not change is passed on as the same object; an item
that carries no text waits only behind text that waits. Where the items cannot be read, or anything
of ours fails, the stream passes as it is.
"""

from __future__ import annotations

import logging
import re
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from knitbone._logging import get_logger, log
from knitbone.adaptation.consumers.costly_expressions import costly_expression
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.conclusion import conclude
from knitbone.adaptation.repair.decision import Decision, RequirementOutcome
from knitbone.adaptation.repair.engine import MAX_TEXT, judge
from knitbone.adaptation.repair.plan import CheckPlan, Group
from knitbone.adaptation.repair.positional.drift_signs import may_drift
from knitbone.adaptation.repair.positional.list_lines import adapt_text, reads_beyond_head
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.listeners import drop_repairs, tell_repairs
from knitbone.adaptation.runtime.summary import Summary
from knitbone.adaptation.runtime.values.replacement import replace_texts
from knitbone.adaptation.runtime.values.texts import ValueText, fields_of, find_texts, is_cut_off
from knitbone.errors import RequirementViolation

__all__ = ["Ended", "Holdback", "StreamedAnswer", "WatchedAnswer"]


# The part of a streamed answer that is held back, and the text that is passed on.
#
# Nothing is held where nothing will be changed (``observe``). Where a record is one line, a line
# that cannot be a drifted record is passed on at its end; so is a drifted record whose own number
# and delimiter say what it is, with its repair. Everything else depends on what follows: it is held
# to the end of the answer, as is every answer whose requirement looks at the whole text. Where only
# the scenario asks for something (language, spelling, no repetition), a sentence is passed on at
# its end. At the end the whole answer is judged, so that a stream that was held back whole gets
# exactly the repair that the text would have got.
#
# Three modes, of which a later one may take over while the text comes, never the other way round:
# by line or by sentence, then held to the end (a line that depends on the rest), then passing (too
# long, or too late).

_OWN_NUMBER = re.compile(
    r"\s*(?:[>#]+\s*)?[*_`]{0,3}(?:[A-Za-z]{4,20}\s*)?[(\[#]?\s?(\d{1,3})\s?[*_`]{0,3}[.):\]]"
)
"""Number and delimiter: what makes a drifted line a record on its own."""
_SENTENCE = re.compile(r"""[.!?\u2026\u3002][)\]"'\u201d\u2019*_]{0,4}\s+|\n\s*""")
"""The end of a sentence or line, behind which the next one has begun."""
_INLINE = re.compile(r"\S[^\S\n]+\d{1,3}[.):]\s")
"""Whether a line may hold several records: they are parted when the whole answer is known."""

_WORK_NS: Callable[[], int] = getattr(time, "thread_time_ns", time.perf_counter_ns)


class Settled(NamedTuple):
    """A part of the answer that is decided."""

    start: int
    """Offsets in the answer as it was said."""
    end: int
    text: str
    """The text to pass on."""
    changed: bool


class Ended(NamedTuple):
    """The result of a stream that came to its end."""

    decision: Decision
    """The decision on the answer as the model wrote it; its text is what the application got."""
    nanoseconds: int


class Holdback:
    """The text of one stream, and how much of it is decided."""

    def __init__(
        self,
        groups: Sequence[Group],
        invocation: Invocation,
        *,
        clock: Callable[[], int] = _WORK_NS,
    ) -> None:
        self._groups = groups
        self._invocation = invocation
        self._config = invocation.config
        self._clock = clock
        self._said: list[str] = []
        self.length = 0
        """Characters that were said."""
        self.settled: list[Settled] = []
        """The decided parts, in order, without gaps."""
        self.spent = 0
        """Nanoseconds of checking so far, of the processor's time where it is counted."""
        self._passing = self._config.mode == "observe" or not groups
        self._template = _line_template(groups)
        self._by_line = self._config.mode == "repair" and self._template is not None
        scenario = all(group.from_scenario for group in groups)
        self._by_sentence = self._config.mode == "repair" and scenario
        self._line_start = 0
        self._records = 0
        self._last_number: int | None = None

    @property
    def raw(self) -> str:
        """Return all text so far, joined when it is asked for: a long stream of short pieces
        cannot afford that at each piece."""
        if len(self._said) > 1:
            self._said = ["".join(self._said)]
        return self._said[0] if self._said else ""

    @property
    def settled_end(self) -> int:
        """The offset up to which the answer is decided."""
        return self.settled[-1].end if self.settled else 0

    def push(self, text: str) -> None:
        """Add text to the answer, and settle what can be."""
        self._said.append(text)
        self.length += len(text)
        if self._passing:
            self.settled.append(Settled(self.settled_end, self.length, text, changed=False))
        elif self.length > MAX_TEXT or (
            self._by_sentence and self.spent > self._config.budget_embedding_ms * 1e6
        ):
            self._passing = True
            self._settle(self.length)
        elif self._by_sentence or (self._by_line and "\n" in text):
            started = self._clock()
            try:
                (self._settle_lines if self._by_line else self._settle_sentences)()
            finally:
                self.spent += self._clock() - started

    def finish(self) -> Ended:
        """Settle everything: the answer is complete."""
        started = self._clock()
        invocation = self._invocation.with_new_deadline()
        decision = judge(self.raw, self._groups, invocation)
        if decision.disposition == "repaired" and self._config.mode == "repair":
            decision = self._settle_rest(decision, invocation)
        if self.settled_end < len(self.raw):
            self._settle(len(self.raw))
        text = "".join(piece.text for piece in self.settled)
        if text != self.raw and decision.disposition != "repaired":
            # Lines were repaired on their own, though the answer as a whole is not.
            decision = _judged_lines(self.raw, text, self._groups)
        if self._config.mode == "repair":
            decision = msgspec.structs.replace(decision, text=text)
        return Ended(decision, self.spent + self._clock() - started)

    def give_up(self) -> None:
        """Settle what is held as it was written: the answer broke off."""
        if self.settled_end < len(self.raw):
            self._settle(len(self.raw))

    def _settle(self, end: int, text: str | None = None) -> None:
        start = self.settled_end
        said = self.raw[start:end]
        new = said if text is None else text
        self.settled.append(Settled(start, end, new, new != said))

    def _settle_sentences(self) -> None:
        """Settle everything up to the last sentence that has ended, repaired."""
        ends = [match.end() for match in _SENTENCE.finditer(self.raw, self.settled_end)]
        if not ends:
            return
        end = ends[-1]
        before = "".join(piece.text for piece in self.settled)
        judged = judge(self.raw[:end], self._groups, self._invocation.with_new_deadline()).text
        if judged.startswith(before):
            self._settle(end, judged[len(before) :])
        elif judged.rstrip() == before.rstrip():
            self._settle(end, "")
        else:
            # What was passed on already would have to be another.
            self._settle(end)

    def _settle_lines(self) -> None:
        """Settle complete lines that are no drifted record, or are repaired on their own."""
        template = self._template
        if self.spent > self._config.budget_embedding_ms * 1e6:
            self._by_line = False
        while (
            template is not None
            and self._by_line
            and (end := self.raw.find("\n", self._line_start) + 1)
        ):
            line = self.raw[self._line_start : end]
            if line.lstrip().startswith("```"):
                self._by_line = False  # whether a list in a fence counts depends on the rest
            elif not may_drift(line, template):
                if self._records < 2 and _INLINE.search(line):
                    self._by_line = False
                    break
                self._records += bool(line.strip())
                self._settle(end)
            elif (new := self._repaired_line(end, template)) is not None:
                self._records += 1
                self._settle(end, new)
            else:
                self._by_line = False
            self._line_start = end

    def _repaired_line(self, end: int, template: PositionalTemplate) -> str | None:
        """Return the new text of the line that ends at ``end``; ``None`` where it has to wait."""
        line = self.raw[self._line_start : end]
        own = _OWN_NUMBER.match(line)
        # Beside bullets that conform, a number is no record: whether there are any is open.
        late = self.spent > self._config.budget_ms * 1e6
        if own is None or template.marker == "bullet" or late:
            return None
        number = int(own.group(1))
        # Where all numbers are alike they are written anew, which only the rest can tell.
        if number == self._last_number or (self._last_number is None and number > 1):
            return None
        self._last_number = number
        verdict = adapt_text(self.raw[:end], template, self._config)
        before = "".join(piece.text for piece in self.settled)
        if verdict.disposition != "repaired" or not verdict.text.startswith(before):
            return None
        new = verdict.text[len(before) :]
        if costly_expression(self._invocation.expressions, new):
            return None
        return new if new.count("\n") == 1 and new.endswith("\n") else None

    def _settle_rest(self, decision: Decision, invocation: Invocation) -> Decision:
        """Settle the rest of the repaired answer, if it fits what was passed on already.

        Where it does not, the rest is judged behind what was passed on; if that helps no more, it
        goes on as it was written, and the decision tells what was passed on, and refuses the rest.
        """
        before = "".join(piece.text for piece in self.settled)
        if decision.text.startswith(before):
            self._align(decision.text[len(before) :])
            return decision
        if decision.text.rstrip() == before.rstrip():
            # All that was still held goes; the blanks before it were passed on already.
            self._settle(len(self.raw), "")
            return decision
        if before == self.raw[: self.settled_end]:
            return _too_late(self.raw, decision)
        rest = judge(before + self.raw[self.settled_end :], self._groups, invocation)
        if rest.disposition == "repaired" and rest.text.startswith(before):
            self._align(rest.text[len(before) :])
            return _judged_lines(self.raw, rest.text, self._groups)
        self._settle(len(self.raw))
        passed = _judged_lines(self.raw, "".join(p.text for p in self.settled), self._groups)
        late = _too_late(self.raw, decision)
        return Decision(text=passed.text, outcomes=(*passed.outcomes, *late.outcomes))

    def _align(self, new: str) -> None:
        """Settle the rest line by line where old and new have the same lines, else in one part."""
        start = self.settled_end
        old_lines = self.raw[start:].splitlines(keepends=True)
        new_lines = new.splitlines(keepends=True)
        if len(old_lines) != len(new_lines):
            self._settle(len(self.raw), new)
            return
        for old, line in zip(old_lines, new_lines, strict=True):
            start += len(old)
            self._settle(start, line)


def _line_template(groups: Sequence[Group]) -> PositionalTemplate | None:
    """Return the template where the code asks for lines and nothing else: only then lines may pass
    one by one."""
    if len(groups) != 1 or len(groups[0].rules) != 1:
        return None
    only, check = groups[0].rules[0].requirement, groups[0].rules[0].check
    if not check.reads_whole:
        # The checks of repeated lines look at the whole answer, and ``adapt_text`` can redo them
        # for its beginning. Any other is given what the consumer sees, which is not these lines.
        return None
    if isinstance(only, PositionalTemplate) and reads_beyond_head(only):
        return None  # the head of a line does not tell whether the rest drifted
    return only if isinstance(only, PositionalTemplate) and _reads_lines(only) else None


def _judged_lines(raw: str, text: str, groups: Sequence[Group]) -> Decision:
    """Return the decision on an answer whose lines were repaired as they passed."""
    rule = groups[0].rules[0]
    outcome = RequirementOutcome(
        requirement=rule.requirement,
        defect=rule.defect,
        disposition="repaired",
        before=raw,
        after=text,
        rules=("lines repaired as they streamed",),
    )
    return Decision(text=text, outcomes=(outcome,))


def _too_late(raw: str, decision: Decision) -> Decision:
    """Return the decision where the repair would change text that was passed on already."""
    reason = "the repair needs the start of the answer, which had been passed on"
    outcomes = tuple(
        msgspec.structs.replace(outcome, disposition="refused", after="", rules=(), reason=reason)
        for outcome in decision.outcomes
    )
    return Decision(text=raw, outcomes=outcomes)


def _reads_lines(template: PositionalTemplate) -> bool:
    """Return whether the code reads each line by itself, wherever other lines end."""
    reader = template.reader
    return (
        reader is not None
        and template.repeated
        and not template.spans_lines
        and (reader.splits_lines or template.line_start)
    )


_logger = get_logger(__name__)

Listener = Callable[[str, str], None]
"""Called with the whole answer when a stream has ended: as the model wrote it, and as it was passed
on."""


class _Waiting(NamedTuple):
    """An item that is held, and the offsets of its text in the answer."""

    item: Any
    part: ValueText | None
    start: int
    end: int


class StreamedAnswer:
    """The adaptation of one stream's answer; a ``values.streams.Filter``."""

    def __init__(
        self,
        site: Site,
        plan: CheckPlan,
        invocation: Invocation,
        summary: Summary,
        listener: Listener | None = None,
    ) -> None:
        self._site = site
        self._invocation = invocation
        self._summary = summary
        self._listener = listener
        self._held = Holdback(plan.streamed, invocation)
        self._waiting: deque[_Waiting] = deque()
        self._open = True
        """Whether the answer is still being read; where not, items pass as they come."""

    def feed(self, item: Any) -> Sequence[Any]:
        """Take one more item; return those that can be passed on."""
        if not self._open:
            return (item,)
        try:
            self._enqueue(item)
            return self._release()
        except Exception:  # noqa: BLE001 - fail open: the stream goes on as it is
            return self._give_up(item)

    def finish(self) -> Sequence[Any]:
        """Judge the complete answer; return the items that were held.

        Raises:
            RequirementViolation: the mode is ``strict`` and the answer violates the requirement.
        """
        if not self._open:
            return ()
        try:
            self._open = False
            ended = self._held.finish()
            passed_on = conclude(
                self._held.raw,
                ended.decision,
                self._site,
                self._invocation,
                self._summary,
                nanoseconds=ended.nanoseconds,
            )
            if self._listener is not None:
                self._listener(self._held.raw, passed_on)
            released = self._release()
            tell_repairs()
            return released
        except RequirementViolation:
            self._waiting.clear()
            raise
        except Exception:  # noqa: BLE001 - fail open: the stream goes on as it is
            return self._give_up()

    def leave(self) -> Sequence[Any]:
        """Return what was held, unchanged: the stream broke off, or its consumer left."""
        if not self._open:
            return ()
        self._open = False
        self._summary.count(self._site, "unfinished")
        self._held.give_up()
        return self._release()

    def _enqueue(self, item: Any) -> None:
        found = list(find_texts(item))
        start = self._held.length
        if is_cut_off(item):
            self._invocation.cut_off = True
        if not found or not found[0].text or _repeats_answer(item):
            self._waiting.append(_Waiting(item, found[0] if found else None, start, start))
            return
        if len(found) > 1 or _is_other_choice(item):
            raise ValueError("a stream of several answers at once is not adapted")
        self._waiting.append(_Waiting(item, found[0], start, start + len(found[0].text)))
        self._held.push(found[0].text)

    def _release(self) -> Sequence[Any]:
        """Return the items whose text is decided, with the text that is passed on."""
        ready: list[Any] = []
        decided = self._held.settled_end
        while self._waiting and self._waiting[0].end <= decided:
            waiting = self._waiting.popleft()
            item = self._item_to_pass(waiting)
            if not (item == "" and isinstance(waiting.item, str) and waiting.item):
                ready.append(item)
        return ready

    def _item_to_pass(self, waiting: _Waiting) -> Any:
        """Return an item with the text that is passed on: a changed part of the text stands where
        it began."""
        item, part, start, end = waiting
        if part is None:
            return item
        settled = self._held.settled
        if start == end:
            # An event that says the whole answer once more.
            if not part.text or part.text != self._held.raw:
                return item
            whole = "".join(piece.text for piece in settled)
            return replace_texts(item, (part,), (whole,)) if whole != part.text else item
        texts: list[str] = []
        for index in range(bisect_right(settled, start, key=lambda piece: piece.end), len(settled)):
            piece = settled[index]
            if piece.start >= end:
                break
            if not piece.changed:
                inside = slice(max(start - piece.start, 0), end - piece.start)
                texts.append(piece.text[inside])
            elif start <= piece.start:
                texts.append(piece.text)
        return replace_texts(item, (part,), ("".join(texts),))

    def _give_up(self, *items: Any) -> Sequence[Any]:
        """Log that reading failed, and return everything that was held and the items, unchanged."""
        drop_repairs()
        log(_logger, logging.ERROR, "stream not adapted", exc_info=True, site=self._site.location)
        self._open = False
        self._summary.count(self._site, "unknown")
        held = [waiting.item for waiting in self._waiting]
        self._waiting.clear()
        return [*held, *(item for item in items if not any(item is one for one in held))]


class WatchedAnswer:
    """A filter that passes every item on at once, and tells a listener the whole answer at the
    end."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._said: list[str] = []

    def feed(self, item: Any) -> Sequence[Any]:
        """Return the item itself."""
        try:
            self._said.extend(part.text for part in find_texts(item)[:1])
        except Exception:  # noqa: BLE001 - fail open
            log(_logger, logging.ERROR, "item of a stream not read", exc_info=True)
        return (item,)

    def finish(self) -> Sequence[Any]:
        """Return nothing: no item was held."""
        text = "".join(self._said)
        self._listener(text, text)
        return ()

    def leave(self) -> Sequence[Any]:
        """Return nothing: no item was held."""
        return ()


def _repeats_answer(item: Any) -> bool:
    """Return whether an item of the OpenAI Responses protocol repeats the text of earlier
    deltas."""
    kind = "" if isinstance(item, str) else fields_of(item).get("type")
    return (
        isinstance(kind, str) and kind.startswith("response.") and not kind.endswith("text.delta")
    )


def _is_other_choice(item: Any) -> bool:
    """Return whether a chunk belongs to a second answer to the same question."""
    choices = None if isinstance(item, str) else fields_of(item).get("choices")
    return bool(choices) and bool(fields_of(choices[0]).get("index"))

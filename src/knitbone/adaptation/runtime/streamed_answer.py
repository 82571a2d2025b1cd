"""A streamed answer on its way to the consumer, item by item.

The answer's text is put together from the items, decided by ``Holdback``, and written back into
items of the same type. An item whose text does not change is passed on as the same object; an item
that carries no text waits only behind text that waits. Where the items cannot be read, or anything
of ours fails, the stream passes as it is.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.conclusion import conclude
from knitbone.adaptation.repair.plan import CheckPlan
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.holdback import Holdback
from knitbone.adaptation.runtime.listeners import drop_repairs, tell_repairs
from knitbone.adaptation.runtime.summary import Summary
from knitbone.adaptation.runtime.values.replacement import replace_texts
from knitbone.adaptation.runtime.values.texts import ValueText, fields_of, find_texts, is_cut_off
from knitbone.errors import RequirementViolation

__all__ = ["StreamedAnswer", "WatchedAnswer"]

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

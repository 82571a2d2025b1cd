"""The contract between the engine and the checks: what a check is given, and what it answers.

The package of a defect offers ``prepare(requirement)``, which compiles a requirement into a
*check* (``Check``; a function becomes one by ``FunctionCheck``), or gives ``None`` where it cannot
be checked. A check is called with a text (or with the entries of a list) and the invocation it
belongs to. It detects, repairs and verifies, and answers with a verdict. It never changes state
outside ``invocation.session``, never raises but ``TimeoutError`` (``invocation.deadline.check``),
and returns the very text it was given unless it repaired it.

Source: Comfrey §4.1 (stage-wise error tackling).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from knitbone._forks import lazy
from knitbone.adaptation.runtime.session import Session
from knitbone.config import AdaptConfig

if TYPE_CHECKING:
    from knitbone.adaptation.requirements.applied_regexes import AppliedExpression
    from knitbone.common.similarity import TextEmbedder

__all__ = [
    "WORDS_LEFT_OUT",
    "Check",
    "Deadline",
    "Defect",
    "Disposition",
    "EntryCheck",
    "EntryVerdict",
    "FunctionCheck",
    "Invocation",
    "ListEntry",
    "PromptMessage",
    "RepairRefusal",
    "Verdict",
    "conforming",
    "conforming_entries",
    "in_time",
    "refused",
    "repaired",
    "unmatched",
    "unread",
]

_Item = TypeVar("_Item")

WORDS_LEFT_OUT = "words around the value left out"
"""The rule of a repair that delivers one part of an answer."""

Defect: TypeAlias = Literal[
    "template discrepancy",
    "improper segmentation",
    "incorrect context construction",
    "syntax-parser misalignment",
    "inconsistent lexical features",
    "redundant behaviour",
    "redundant semantics",
]
"""The seven of Comfrey §3, in the order in which they are tackled."""

Disposition: TypeAlias = Literal["conforming", "repaired", "refused", "failed"]
"""``refused``: the value violates the requirement, and nothing safe can be done; ``failed``: an
error of ours, said by the engine alone."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check of one text."""

    disposition: Disposition
    text: str
    """The value to deliver: the same object as the input unless repaired."""
    rules: tuple[str, ...] = ()
    """The changes of the repair, for people: ``delimiter ")" -> "." in 3 records``."""
    reason: str = ""
    """Why it was refused; or what a repair left alone."""
    edits: int = 0
    """Elements changed: of several alternatives the smallest wins (Comfrey §4.3.1)."""
    known: bool = True
    """For a refusal: whether the text violates the requirement. Not known where the text is too
    long to be looked at, or the time is spent."""
    final: bool = True
    """For a refusal: whether no other repair may deliver the answer. A template that is not found
    in it leaves that to others."""


class ListEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a list that a splitter or retriever produced."""

    text: str
    source: int
    """Index of the original entry whose type, id and metadata it keeps."""
    document: str = ""
    """A key of the document that the entry was cut from, where the entry tells."""


class EntryVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check of a list."""

    disposition: Disposition
    entries: tuple[ListEntry, ...]
    rules: tuple[str, ...] = ()
    reason: str = ""


class PromptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message that the call sent to the model."""

    role: str
    """``system``, ``user``, ``assistant``, ``tool``; empty where the call has no roles."""
    text: str


WALL_FACTOR = 20
"""How many times its budget an output may take by the clock on the wall: what is not working for
so long waits for something else than a busy machine (ours)."""
_UNCOUNTED_S = 0.001
"""Seconds for which the processor's clock is not asked: it is a system call, which takes as long
as some checks do (0.2 to 0.9 µs, measured)."""
_MAX_RENEWALS = 4
"""How often loading may renew a budget: another thread may be importing all the time (ours)."""
_thread_time: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)


class Deadline:
    """The time that may be spent on one value, in processor time of this thread.

    So a busy machine leaves it as much work as an idle one. ``WALL_FACTOR`` times as much by the
    clock on the wall is a second bound; where a system counts no thread's time, the only one. The
    processor's clock is first asked after a millisecond. Loading does not count: a budget in which
    modules were imported begins anew, for the work that they are needed for is still to be done.

    For one thread.

    Args:
        seconds: from now.
        clock: a monotonic clock in seconds; another one than the default counts work as well.
    """

    __slots__ = ("_clock", "_last", "_modules", "_renewals", "_unasked", "_work_end", "seconds")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        now = clock()
        self.seconds = seconds
        self._clock = clock
        self._last = now + seconds * WALL_FACTOR
        uncounted = _UNCOUNTED_S if seconds > _UNCOUNTED_S else seconds  # noqa: FURB136 - faster
        self._unasked = now + uncounted
        self._work_end = None if clock is time.perf_counter else now + seconds
        self._modules = len(sys.modules)
        self._renewals = _MAX_RENEWALS

    @property
    def expired(self) -> bool:
        """True where the time is spent."""
        now = self._clock()
        return now > self._unasked and self._is_spent(now)

    def check(self) -> None:
        """Raise where the time is spent.

        Raises:
            TimeoutError: it is; the engine passes the value on and records why.
        """
        now = self._clock()
        if now > self._unasked and self._is_spent(now):
            raise TimeoutError(f"the time budget of {self.seconds * 1000:g} ms is spent")

    def _is_spent(self, now: float) -> bool:
        worked = self._time_worked()
        if self._work_end is None:
            self._work_end = worked + self.seconds
        # A thread works no faster than the clock goes: until then there is nothing to ask.
        self._unasked = now + self._work_end - worked
        return (worked > self._work_end or now > self._last) and not self._renew(now, worked)

    def _renew(self, now: float, worked: float) -> bool:
        """Begin anew where modules were imported since the last time; return whether they were."""
        modules = len(sys.modules)
        if modules == self._modules or not self._renewals:
            return False
        self._modules = modules
        self._renewals -= 1
        self._work_end = worked + self.seconds
        self._last = now + self.seconds * WALL_FACTOR
        self._unasked = now
        return True

    def _time_worked(self) -> float:
        return _thread_time() if self._clock is time.perf_counter else self._clock()

    def extend(self, seconds: float) -> None:
        """Allow this much in all from now: a costlier stage begins."""
        self.seconds = max(self.seconds, seconds)
        self._last = max(self._last, self._clock() + seconds * WALL_FACTOR)
        if self._work_end is not None:
            self._work_end = max(self._work_end, self._time_worked() + seconds)


class Invocation:
    """The circumstances of one value at one site.

    Args:
        config: thresholds, budgets, and which heuristics are switched off.
        session: what is remembered between invocations.
        asked: reads the messages that the call sent; called at most once, and only by checks
            that need them.
        embedder: loads the sentence embedder; ``None`` where there is none.
        site: ``file:line``, the key of histories.
    """

    def __init__(
        self,
        config: AdaptConfig,
        *,
        session: Session | None = None,
        asked: Callable[[], Sequence[PromptMessage]] | None = None,
        embedder: Callable[[], TextEmbedder | None] | None = None,
        site: str = "",
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.config = config
        self.site = site
        self._session = session
        self._clock = clock
        self.deadline = Deadline(config.budget_ms / 1000, clock)
        self.cut_off = False
        """Whether the model says that it stopped at its limit of tokens."""
        self.expressions: Sequence[AppliedExpression] = ()
        """The expressions that the code applies to the value, whether or not it requires a
        match."""
        self._asked = asked
        self._load_embedder = embedder

    def with_new_deadline(self) -> Invocation:
        """Return the same circumstances with the time running anew: the value came in several
        parts."""
        made = Invocation(
            self.config,
            session=self._session,
            asked=self._asked,
            embedder=self._load_embedder,
            site=self.site,
            clock=self._clock,
        )
        made.cut_off = self.cut_off
        made.expressions = self.expressions
        return made

    def uses(self, heuristic: str) -> bool:
        """Return whether a heuristic (``positional.reorder``) is switched on.

        The name of its package (``positional``) in ``adapt.without`` switches off all of them.
        """
        without = self.config.without
        return not without or (
            heuristic not in without and heuristic.partition(".")[0] not in without
        )

    @lazy
    def proven(self) -> dict[Check, str]:
        """The last repair of each check, which need not be parsed again.

        It was parsed when it was made, and the engine looks at every repair once more.
        """
        return {}

    @property
    def session(self) -> Session:
        """The application's session; one of its own where the application opened none."""
        if self._session is None:
            self._session = Session()
        return self._session

    @lazy
    def messages(self) -> tuple[PromptMessage, ...]:
        """Return the messages that the call sent to the model; empty where they are not known."""
        return tuple(self._asked()) if self._asked is not None else ()

    @property
    def query(self) -> str:
        """The user's last question: as the session has it, else the last user message."""
        if self._session is not None and self._session.inputs:
            return self._session.inputs[-1]
        texts = [message.text for message in self.messages if message.role in ("user", "human", "")]
        return texts[-1] if texts else ""

    @property
    def first_input(self) -> str:
        """The first user text of the session, else of the call (Comfrey §4.4.2)."""
        if self._session is not None and self._session.inputs:
            return self._session.inputs[0]
        texts = [message.text for message in self.messages if message.role in ("user", "human")]
        return texts[0] if texts else ""

    @lazy
    def embedder(self) -> TextEmbedder | None:
        """Return the sentence embedder, loaded at first use; from then on the longer budget of
        embeddings holds.

        ``None``: there is none, and no pair can be compared by meaning.
        """
        if self._load_embedder is None:
            return None
        loaded = self._load_embedder()
        self.deadline.extend(self.config.budget_embedding_ms / 1000)
        return loaded


class Check(Protocol):
    """One requirement, compiled, for a text."""

    @property
    def reads_whole(self) -> bool:
        """True where the check takes the steps before the consumer itself, because what it looks
        for shows in the whole answer only; any other check is given what the consumer sees."""
        ...

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        """Detect, repair, verify.

        Raises:
            TimeoutError: the deadline has passed.
        """
        ...


class FunctionCheck:
    """A function as a check of what the consumer sees; used as a decorator.

    Args:
        judge: as ``Check.__call__``.
        reads_whole: as ``Check.reads_whole``.
    """

    __slots__ = ("_judge", "reads_whole")

    def __init__(
        self, judge: Callable[[str, Invocation], Verdict], *, reads_whole: bool = False
    ) -> None:
        self._judge = judge
        self.reads_whole = reads_whole

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        return self._judge(text, invocation)


class EntryCheck(Protocol):
    """One requirement, compiled, for the entries of a list."""

    def __call__(self, entries: Sequence[ListEntry], invocation: Invocation, /) -> EntryVerdict:
        """Detect, repair, verify; a conforming list gives back the entries that came."""
        ...


class RepairRefusal(Exception):  # noqa: N818 - says what it is; never leaves the check
    """A repair cannot be sure: the answer is passed on as it is, and the message says why.

    Raised between the stages of one check, which gives its caller a verdict instead.

    Args:
        final: whether no other repair may deliver the answer.
    """

    def __init__(self, reason: str, *, final: bool = True) -> None:
        super().__init__(reason)
        self.final = final

    def verdict(self, text: str) -> Verdict:
        """Return the verdict on the text that was not repaired."""
        return refused(text, str(self)) if self.final else unmatched(text, str(self))


def in_time(items: Iterable[_Item], deadline: Deadline) -> Iterator[_Item]:
    """Yield the items as long as there is time.

    Raises:
        TimeoutError: the deadline has passed.
    """
    for item in items:
        deadline.check()
        yield item


def conforming(text: str) -> Verdict:
    """Return the verdict that there is nothing to do."""
    return Verdict(disposition="conforming", text=text)


def conforming_entries(entries: tuple[ListEntry, ...], reason: str = "") -> EntryVerdict:
    """Return the verdict that a list stays as it is; ``reason`` says what could not be judged."""
    return EntryVerdict(disposition="conforming", entries=entries, reason=reason)


def refused(text: str, reason: str) -> Verdict:
    """Return the verdict that the text violates the requirement and is passed on; ``reason`` says
    why."""
    return Verdict(disposition="refused", text=text, reason=reason)


def unmatched(text: str, reason: str) -> Verdict:
    """Return the verdict that the template is not found in the text: another repair may find what
    the code reads."""
    return Verdict(disposition="refused", text=text, reason=reason, final=False)


def unread(text: str, reason: str) -> Verdict:
    """Return the verdict of a check that did not come to its end: the text is passed on, and may
    conform."""
    return Verdict(disposition="refused", text=text, reason=reason, known=False)


def repaired(text: str, *rules: str, edits: int = 1, reason: str = "") -> Verdict:
    """Return the verdict that another text is to be delivered."""
    return Verdict(disposition="repaired", text=text, rules=rules, edits=edits, reason=reason)

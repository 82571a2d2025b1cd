"""The calls of one tool's campaign, from the journal as far as it reaches, then from the sandbox.

Secrets are removed from what a tool says before it gets into journals, findings, tests and pages.

The campaign's clock ticks when a call ends and is journaled with it, so a resumed campaign decides
by the same times as the one that was interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import msgspec

from knitbone.fuzzing.journal import Journal, JournalEntry, call_key
from knitbone.fuzzing.records import CallOutcome, ExceptionOrigin, StackFrame, ToolUnderTest
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.record.events import Json
from knitbone.record.redaction import Redactor

__all__ = ["CampaignCalls", "without_secrets"]


def without_secrets(outcome: CallOutcome, redactor: Redactor) -> CallOutcome:
    """The outcome of a call without secrets in what the tool returned, raised or printed. The same
    object where there are none, as for nearly all calls."""
    changed = {
        name: cleaned
        for name in ("text", "message", "tail", "violation")
        if (said := getattr(outcome, name)) and (cleaned := redactor.text(said)) != said
    }
    frame = _frame(outcome.frame, redactor)
    origin = _origin(outcome.origin, redactor)
    if not changed and frame is outcome.frame and origin is outcome.origin:
        return outcome
    return msgspec.structs.replace(outcome, **changed, frame=frame, origin=origin)


def _frame(frame: StackFrame | None, redactor: Redactor) -> StackFrame | None:
    if frame is None or (source := redactor.text(frame.source)) == frame.source:
        return frame
    return msgspec.structs.replace(frame, source=source)


def _origin(origin: ExceptionOrigin | None, redactor: Redactor) -> ExceptionOrigin | None:
    if origin is None:
        return None
    cause, said = _origin(origin.cause, redactor), redactor.text(origin.said)
    if cause is origin.cause and said == origin.said:
        return origin
    return msgspec.structs.replace(origin, cause=cause, said=said)


class CampaignCalls:
    """One tool in a sandbox, its clock, and its journal where there is one."""

    def __init__(
        self,
        sandbox: Sandbox,
        index: int,
        journal: Journal | None = None,
        *,
        by_chance: Callable[[], Sandbox] | None = None,
        redactor: Redactor | None = None,
        companions: Mapping[str, int] | None = None,
    ) -> None:
        """Args:
        index: position of the tool in ``sandbox.tools``.
        companions: positions of other tools that may be called, by name.
        by_chance: makes a sandbox of this tool alone with another random seed; without it, calls
            with another seed run in ``sandbox``.
        redactor: removes secrets from what the tool says.
        """
        self.tool: ToolUnderTest = sandbox.tools[index]
        self.confinement = sandbox.confinement
        self.elapsed = 0.0
        """Seconds from the campaign's first call to the end of its last one."""
        specs = (*sandbox.tools, *sandbox.companions)
        self._places = dict(companions or {})
        self.companions: tuple[ToolUnderTest, ...] = tuple(specs[i] for i in self._places.values())
        """The other tools that may be called."""
        self._sandbox = sandbox
        self._index = index
        self._journal = journal
        self._zero: float | None = None
        self._by_chance = by_chance
        self._chance: Sandbox | None = None
        self._redactor = redactor or Redactor()

    def now(self) -> float:
        """Seconds since the campaign's first call, what was journaled included."""
        if self._zero is None:
            return self.elapsed
        return time.monotonic() - self._zero

    def call(
        self,
        arguments: dict[str, Json],
        *,
        timeout_s: float,
        fresh: bool = False,
        trace: bool = False,
        by_chance: bool = False,
        companion: str = "",
        exceptions: bool = False,
    ) -> CallOutcome:
        """Run the tool once; arguments as for ``Sandbox.call``.

        Args:
            companion: name of the companion that is called instead.
            by_chance: run it in the sandbox with another random seed.
        """
        key = ""
        if self._journal is not None:
            key = call_key(
                arguments,
                timeout_s,
                fresh=fresh,
                by_chance=by_chance,
                exceptions=exceptions,
                companion=companion,
            )
            if (entry := self._journal.answer(key)) is not None:
                self.elapsed = entry.elapsed
                return entry.outcome
        if self._zero is None:
            self._zero = time.monotonic() - self.elapsed
        sandbox, index = self._other() if by_chance else (self._sandbox, self._index)
        if companion:
            index = self._places[companion]
        outcome = sandbox.call(
            index, arguments, timeout_s=timeout_s, fresh=fresh, trace=trace, exceptions=exceptions
        )
        outcome = without_secrets(outcome, self._redactor)
        self.elapsed = round(self.now(), 4)
        if self._journal is not None:
            self._journal.record(JournalEntry(key=key, elapsed=self.elapsed, outcome=outcome))
        return outcome

    def _other(self) -> tuple[Sandbox, int]:
        if self._chance is None and self._by_chance is not None:
            self._chance = self._by_chance()
        return (self._sandbox, self._index) if self._chance is None else (self._chance, 0)

    def close(self) -> None:
        """End the sandbox with another random seed, if there is one."""
        if self._chance is not None:
            self._chance.close()
            self._chance = None

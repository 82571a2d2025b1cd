"""The calls of one tool's campaign, from the journal as far as it reaches, then from the sandbox.

The campaign's clock ticks when a call ends and is journaled with it, so a resumed campaign decides
by the same times as the one that was interrupted.
"""

from __future__ import annotations

import time

from knitbone.core.events import Json
from knitbone.fuzzing.journal import Entry, Journal, call_key
from knitbone.fuzzing.records import Outcome, ToolSpec
from knitbone.fuzzing.sandbox.client import Sandbox

__all__ = ["Calls"]


class Calls:
    """One tool in a sandbox, its clock, and its journal where there is one."""

    def __init__(self, sandbox: Sandbox, index: int, journal: Journal | None = None) -> None:
        """Args:
        index: position of the tool in ``sandbox.tools``.
        """
        self.tool: ToolSpec = sandbox.tools[index]
        self.confinement = sandbox.confinement
        self.elapsed = 0.0
        """Seconds from the campaign's first call to the end of its last one."""
        self._sandbox = sandbox
        self._index = index
        self._journal = journal
        self._zero: float | None = None

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
    ) -> Outcome:
        """Run the tool once; arguments as for ``Sandbox.call``."""
        key = ""
        if self._journal is not None:
            key = call_key(arguments, timeout_s, fresh=fresh)
            if (entry := self._journal.answer(key)) is not None:
                self.elapsed = entry.elapsed
                return entry.outcome
        if self._zero is None:
            self._zero = time.monotonic() - self.elapsed
        outcome = self._sandbox.call(
            self._index, arguments, timeout_s=timeout_s, fresh=fresh, trace=trace
        )
        self.elapsed = round(self.now(), 4)
        if self._journal is not None:
            self._journal.record(Entry(key=key, elapsed=self.elapsed, outcome=outcome))
        return outcome

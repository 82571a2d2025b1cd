"""Calls that test a supposition: each from a fresh state, none twice, no more than are allowed.

What ``fix`` states and what the hint of a finding says are both suppositions; both are tested here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import msgspec

from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.record.events import Json

__all__ = ["NOT_TRIED", "Trial", "Trials", "sandbox_trial"]

Trial = Callable[[dict[str, Json]], CallOutcome]
"""Calls the tool once, from a fresh state."""
NOT_TRIED = "not tried"
"""In place of a failure's identifier: no more calls may be made."""


def sandbox_trial(sandbox: Sandbox, index: int, *, timeout_s: float, fresh: bool = True) -> Trial:
    """Calls of one tool of a sandbox.

    Args:
        fresh: each in a process of its own; a server takes too long to start.
    """

    def trial(arguments: dict[str, Json]) -> CallOutcome:
        return sandbox.call(index, arguments, timeout_s=timeout_s, fresh=fresh)

    return trial


class TrialResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one trial."""

    outcome: CallOutcome
    verdict: FailedCall | None

    @property
    def works(self) -> bool:
        """Whether the tool did what it was asked."""
        return self.outcome.status == "ok" and self.verdict is None


class Trials:
    """The trials of one supposition, or of several that share a budget.

    Args:
        trial: calls the tool.
        roots: files and folders of the tool's own code.
        most: calls that all trials together may take.
        is_late: whether their time is over.
        taken: calls that the tool took, to compare with.
    """

    def __init__(
        self,
        trial: Trial,
        *,
        roots: tuple[str, ...],
        most: int,
        is_late: Callable[[], bool] = lambda: False,
        taken: Sequence[dict[str, Json]] = (),
    ) -> None:
        self.taken = taken
        self._trial = trial
        self._roots = roots
        self._most = most
        self._is_late = is_late
        self._known: dict[str, TrialResult] = {}

    @property
    def calls(self) -> int:
        """Calls made."""
        return len(self._known)

    def tried(self, arguments: dict[str, Json]) -> TrialResult | None:
        """What comes of a call; ``None`` where no more calls may be made."""
        key = json.dumps(arguments, sort_keys=True)
        if key not in self._known:
            if self.calls >= self._most or self._is_late():
                return None
            outcome = self._trial(arguments)
            verdict = judge(outcome, arguments, roots=self._roots)
            self._known[key] = TrialResult(outcome=outcome, verdict=verdict)
        return self._known[key]

    def failure(self, arguments: dict[str, Json]) -> str | None:
        """The identifier of a call's failure, or its status, or ``NOT_TRIED``; ``None`` where the
        call works."""
        tried = self.tried(arguments)
        if tried is None:
            return NOT_TRIED
        if tried.verdict is not None:
            return tried.verdict.id
        return None if tried.outcome.status == "ok" else tried.outcome.status

"""The record of the running call: one per process, because a worker runs one call at a time."""

from __future__ import annotations

from typing import Any

from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.terms import CallTrace, Event, Term

__all__ = ["RECORDER", "Site"]

_MAX_EVENTS = 600
_SAME = 4
"""Events kept of one place with one outcome: a loop would fill the record."""

Site = tuple[str, int, str]
"""File, line and source text."""


class TraceRecorder:
    """Takes down what rewritten code tells; idle between calls."""

    def __init__(self) -> None:
        self.active = False
        self.sites: list[Site] = []
        self._events: list[Event] = []
        self._counts: dict[tuple[int, bool], int] = {}
        self.covered: set[tuple[int, bool]] = set()
        """Conditions of the code, and the values they had while a call was recorded."""

    def add_site(self, file: str, line: int, source: str) -> int:
        """The number of a new place."""
        self.sites.append((file, line, source))
        return len(self.sites) - 1

    def start(self) -> None:
        """Begin the record of a call."""
        self._events, self._counts, self.covered = [], {}, set()
        TRACKED.start()
        self.active = True

    def stop(self) -> CallTrace:
        """End the record of a call."""
        self.active = False
        TRACKED.clear()
        # Copies: a thread that the tool has left running may still tell something.
        events, covered = tuple(self._events), frozenset(self.covered)
        self._events, self._counts, self.covered = [], {}, set()
        numbers = {event.site for event in events} | {site for site, _ in covered}
        return CallTrace(events, covered, {site: self.sites[site] for site in numbers})

    def branch(self, site: int, term: Any, value: bool) -> None:
        """A condition that comes from the arguments had this value."""
        self._note(site, "branch", term, value)

    def call(self, site: int, term: Any, succeeded: bool) -> None:
        """An operation on something from the arguments gave a value, or raised."""
        self._note(site, "call", term, succeeded)

    def _note(self, site: int, kind: str, term: Any, outcome: bool) -> None:
        if not self.active or type(term) is not Term:
            return
        key = (site, outcome)
        count = self._counts.get(key, 0)
        if count < _SAME and len(self._events) < _MAX_EVENTS:
            self._counts[key] = count + 1
            self._events.append(Event(site, kind, term, outcome))


RECORDER = TraceRecorder()

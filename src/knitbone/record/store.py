"""Where runs rest: the one interface of every store."""

from __future__ import annotations

from typing import Protocol

import msgspec

from knitbone.record.events import Annotation, Event, Outcome, Run

__all__ = ["RunStore", "RunSummary"]


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of runs shows of each."""

    id: str
    name: str
    task: str
    started_ns: int
    ended_ns: int | None
    events: int
    outcome: Outcome | None = None
    """The latest verdict on the run; ``None`` where there is none, or where it cannot be read."""
    lost: int = 0
    """Events that could not be stored when they happened."""
    damage: str = ""
    """What shows at first sight that the run is not as it was written; to look closer, read it."""


class RunStore(Protocol):
    """A store of runs. Implementations pass the same tests."""

    def begin(self, run: Run) -> None:
        """Store the header of a run, and the events it has so far."""
        ...

    def append(self, run_id: str, event: Event) -> None:
        """Store one more event; durable when this returns.

        Raises:
            RunFinishedError: the run is finished.
            StoreError: there is no such run.
        """
        ...

    def finish(self, run_id: str, *, ended_ns: int) -> None:
        """Make the run immutable."""
        ...

    def note_lost(self, run_id: str, *, events: int, reason: str) -> None:
        """Remember that further events of a run, finished or not, could not be stored: who reads
        it finds their number in its attributes (``LOST_EVENTS``, ``LOST_REASON``)."""
        ...

    def put(self, run: Run) -> None:
        """Store a whole run, such as an imported one; the same identifier twice is an error."""
        ...

    def get(self, run_id: str) -> Run:
        """The run whose identifier starts with ``run_id``; a verdict that was given later is its
        last event.

        Raises:
            StoreError: none or several start with it, or the run cannot be read.
        """
        ...

    def find(self, run_id: str) -> str:
        """The identifier that starts with ``run_id``; also of a run that cannot be read.

        Raises:
            StoreError: none or several start with it.
        """
        ...

    def list(self, *, limit: int | None = None) -> list[RunSummary]:
        """The stored runs, newest first."""
        ...

    def ids(self) -> list[str]:  # type: ignore[valid-type]
        """The identifiers of the stored runs, newest first."""
        ...

    def search(self, text: str) -> set[str]:
        """The runs whose name, task, tools, errors or verdict hold ``text``, whatever the case."""
        ...

    def asked(self, run_id: str) -> str:
        """The first thing that a user said in a run; empty where its first events do not show
        it."""
        ...

    def purge(self, run_id: str) -> None:
        """Remove a run, its events, its annotations, and the messages that no other run holds,
        for good."""
        ...

    def annotate(self, annotation: Annotation) -> None:
        """Store something said about a run."""
        ...

    def annotations(self, run_id: str) -> list[Annotation]:
        """What has been said about a run, oldest first."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...

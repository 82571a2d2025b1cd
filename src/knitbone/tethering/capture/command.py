"""The run that ``knitbone run --record`` begins and finishes around a program."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from knitbone.config import load_config
from knitbone.record.events import LOST_EVENTS, Outcome, Run
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.recorder import redactor_of
from knitbone.record.sqlite_store import SqliteStore

__all__ = ["LaunchedRun", "RecordedRun"]

_STARTER = "knitbone.tethering.capture.child_processes"


class RecordedRun(NamedTuple):
    """What was recorded of a program."""

    id: str
    store: str
    events: int
    named: bool
    """Whether the store was named on the command line."""
    lost: int = 0
    """Events that no store took."""


class LaunchedRun:
    """One run for a program and all Python processes below it.

    Raises:
        StoreError: the store cannot be used, or is held for long; before the program starts.
    """

    def __init__(self, store: str, program: Sequence[str], *, named: bool) -> None:
        self._path = os.path.realpath(store)
        self._shown = store
        self._named = named
        opened = SqliteStore(self._path)
        try:
            command = shlex.join(program)
            attributes: dict[str, Any] = {"process.command_line": command}
            run = Run(id=new_identifier(), started_ns=now_ns(), name=command, attributes=attributes)
            opened.begin(redactor_of(load_config().record).record(run))
            self._run = run.id
        finally:
            opened.close()

    @property
    def settings(self) -> dict[str, Any]:
        """What the launched processes are told."""
        return {"starters": [_STARTER], "record": {"store": self._path, "run": self._run}}

    def finish(self, *, exit_code: int | None = None) -> RecordedRun:
        """End the run: a program that failed is a failed run; one without events is removed."""
        opened = SqliteStore(self._path)
        try:
            run = opened.get(self._run)
            if exit_code and run.events and run.outcome is None:
                opened.append(run.id, _verdict(exit_code))
            lost = run.attributes.get(LOST_EVENTS, 0)
            if run.events or lost:
                opened.finish(run.id, ended_ns=now_ns())
            else:
                opened.purge(run.id)
        finally:
            opened.close()
        return RecordedRun(run.id, self._shown, len(run.events), self._named, lost)


_STOPPED = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}
"""What somebody sends to stop a program, which says nothing of what it did until then."""


def _verdict(exit_code: int) -> Outcome:
    """On a program that did not end with 0; minus the signal that ended it."""
    now = now_ns()
    success, reason = False, f"exit code {exit_code}"
    if exit_code < 0:
        reason = f"ended by signal {-exit_code}"
        with suppress(ValueError):
            reason = f"ended by {signal.Signals(-exit_code).name}"
        success = None if -exit_code in _STOPPED else False
    return Outcome(
        id=new_identifier(), started_ns=now, ended_ns=now, success=success, reason=reason
    )

"""The run that ``knitbone run --record`` begins and finishes around a program."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

from knitbone.config import load_config
from knitbone.core.events import Outcome
from knitbone.core.identifiers import new_identifier, now_ns
from knitbone.core.recorder import redactor_of, start_recording
from knitbone.core.store import SqliteStore

__all__ = ["LaunchedRun", "RecordedRun"]

_STARTER = "knitbone.tethering.capture.launched"


class RecordedRun(NamedTuple):
    """What was recorded of a program."""

    id: str
    store: str
    events: int
    named: bool
    """Whether the store was named on the command line."""


class LaunchedRun:
    """One run for a program and all Python processes below it.

    Raises:
        StoreError: the store cannot be opened; before the program starts.
    """

    def __init__(self, store: str, program: Sequence[str], *, named: bool) -> None:
        self._path = os.path.realpath(store)
        self._shown = store
        self._named = named
        opened = SqliteStore(self._path)
        try:
            command = shlex.join(program)
            recorder = start_recording(
                opened,
                name=command,
                attributes={"process.command_line": command},
                redactor=redactor_of(load_config().record),
            )
            self._run = recorder.run_id
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
                now = now_ns()
                reason = f"exit code {exit_code}" if exit_code > 0 else f"signal {-exit_code}"
                opened.append(
                    run.id,
                    Outcome(
                        id=new_identifier(), started_ns=now, ended_ns=now, success=False,
                        reason=reason,
                    ),
                )  # fmt: skip
            if run.events:
                opened.finish(run.id, ended_ns=now_ns())
            else:
                opened.purge(run.id)
        finally:
            opened.close()
        return RecordedRun(run.id, self._shown, len(run.events), self._named)

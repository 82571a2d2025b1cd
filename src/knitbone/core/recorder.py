"""Recording a run: redact, then store, event by event.

A failure to record is logged and never reaches the code that is being recorded.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from knitbone._logging import get_logger, log
from knitbone.config import RecordConfig
from knitbone.core.events import Event, Run
from knitbone.core.identifiers import Clock, new_identifier, now_ns
from knitbone.core.redaction import Redactor
from knitbone.core.store import RunStore

__all__ = ["Recorder", "current_recorder", "record_run"]

_logger = get_logger(__name__)
_current: ContextVar[Recorder | None] = ContextVar("knitbone_recorder", default=None)


class Recorder:
    """Writes the events of one run."""

    def __init__(self, store: RunStore, run_id: str, redactor: Redactor) -> None:
        self.run_id = run_id
        self._store = store
        self._redactor = redactor

    def record(self, event: Event) -> None:
        """Store one event, redacted; never raises."""
        try:
            self._store.append(self.run_id, self._redactor.record(event))
        except Exception:  # noqa: BLE001 - recording must not break what it records
            log(
                _logger,
                logging.ERROR,
                "event not recorded",
                exc_info=True,
                run=self.run_id,
                event_kind=type(event).__name__,
            )


def current_recorder() -> Recorder | None:
    """The recorder of the run that this code runs in, kept apart between threads and tasks."""
    return _current.get()


@contextmanager
def record_run(
    store: RunStore,
    *,
    name: str = "",
    task: str = "",
    config: RecordConfig | None = None,
    clock: Clock = now_ns,
) -> Generator[Recorder]:
    """Record what happens inside the ``with`` block as one run.

    The run is finished when the block ends, also by an exception, which goes on unchanged.
    """
    config = config or RecordConfig()
    redactor = Redactor(config.redact, max_text=config.max_text)
    run = Run(
        id=new_identifier(), name=redactor.text(name), task=redactor.text(task), started_ns=clock()
    )
    store.begin(run)
    recorder = Recorder(store, run.id, redactor)
    token = _current.set(recorder)
    try:
        yield recorder
    finally:
        _current.reset(token)
        store.finish(run.id, ended_ns=clock())

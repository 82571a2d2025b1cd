"""Recording without hooks: what happens in a block as one run, straight into a recorder."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from knitbone.config import RecordConfig
from knitbone.record.identifiers import now_ns
from knitbone.record.recorder import (
    Recorder,
    RunSink,
    recording_into,
    redactor_of,
    start_recording,
)


@contextmanager
def record_run(
    store: RunSink, *, name: str = "", task: str = "", config: RecordConfig | None = None
) -> Generator[Recorder, None, None]:
    """The recorder of the block; the run is finished when the block ends."""
    redactor = redactor_of(config or RecordConfig())
    recorder = start_recording(store, name=name, task=task, redactor=redactor)
    try:
        with recording_into(recorder):
            yield recorder
    finally:
        recorder.finish(ended_ns=now_ns())

"""Recording in every Python process below ``knitbone run --record``.

All processes write into the one run that the command has begun and will finish. Loads the standard
library only, until a library that has hooks is imported.
"""

from __future__ import annotations

import atexit
import sys
from typing import Any

from knitbone._forks import renew_in_child
from knitbone.tethering.capture.patching import install

__all__ = ["start"]


def start(settings: dict[str, Any]) -> None:
    """Record this process.

    Args:
        settings: ``record``: ``store`` (the file) and ``run`` (the identifier).
    """
    record: dict[str, str] = settings["record"]
    install(lambda: _prepare(record["store"], record["run"]))


def _prepare(store: str, run: str) -> None:
    """Loaded with the first library that has hooks."""
    _record_process(store, run)
    renew_in_child(lambda: _record_fork(store, run))
    atexit.register(_end)


def _record_fork(store: str, run: str) -> None:
    """A child of ``multiprocessing`` ends without ``atexit``, and forgets before its work begins
    what was to be done at its end."""
    _record_process(store, run)
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(_end, _end_with_child)


def _record_process(store: str, run: str) -> None:
    """Record this process; after a fork, through a connection of its own."""
    from knitbone.config import load_config  # noqa: PLC0415 - see above
    from knitbone.record.recorder import (  # noqa: PLC0415
        Recorder,
        redactor_of,
        set_process_recorder,
    )
    from knitbone.tethering.capture.state import RunState  # noqa: PLC0415
    from knitbone.tethering.capture.stores import LateStore  # noqa: PLC0415

    config = load_config().record
    opened = LateStore(store)
    _kept.append(opened)
    recorder = Recorder(opened, run, redactor_of(config))
    recorder.state(RunState).prices = config.prices
    set_process_recorder(recorder)


def _end_with_child(_: Any) -> None:
    from multiprocessing.util import Finalize  # noqa: PLC0415 - loaded by the child already

    Finalize(None, _end, exitpriority=0)


_kept: list[Any] = []
"""Stores of this process and of those that it was forked from: closing an inherited connection
would touch the parent's file locks."""


def _end() -> None:
    """What came of streams that nobody read to their end; events that wait for the store."""
    from knitbone.record.backlog import wait_for_backlog  # noqa: PLC0415 - see above
    from knitbone.record.recorder import current_recorder  # noqa: PLC0415
    from knitbone.tethering.capture.state import RunState  # noqa: PLC0415

    recorder = current_recorder()
    if recorder is None:
        return
    recorder.state(RunState).close_streams()
    recorder.flush()
    wait_for_backlog()
    recorder.give_up()
    if recorder.lost:
        sys.stderr.write(f"knitbone: {recorder.lost} events lost: {recorder.last_error}\n")

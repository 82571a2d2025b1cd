"""Blocking work of ours where the application runs an event loop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["outside_loop"]

_T = TypeVar("_T")


def outside_loop(work: Callable[[], _T]) -> _T:
    """Do work that reads files, in a thread of its own where an event loop runs in this one.

    Some applications forbid blocking calls in their loop.
    """
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or asyncio._get_running_loop() is None:
        return work()
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            failed.append(error)

    thread = threading.Thread(target=run, name="knitbone-import")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]

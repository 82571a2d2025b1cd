"""The stores that this process records into: one for all sessions that name the same file."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path

from knitbone._forks import new_lock, new_rlock
from knitbone._logging import get_logger, log
from knitbone.errors import KnitboneError, StoreBusyError
from knitbone.record.events import Event, Run
from knitbone.record.recorder import RunSink
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store import RunStore

__all__ = ["LateStore", "OpenStore", "close_store", "open_store"]

_logger = get_logger(__name__)

PATIENCE_S = 0.1
"""Longest wait of the agent for another process that writes to the store; from then on events wait,
and the agent does not (ours). A commit takes some milliseconds."""


class LateStore:
    """An SQLite store that is opened when it is first written, or as soon as whoever holds it
    lets go.

    Raises:
        StoreError: of each method, where the store cannot be opened or refuses.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._lock = new_rlock()
        self._store: SqliteStore | None = None

    def opened(self) -> SqliteStore:
        """The store."""
        with self._lock:
            if self._store is None:
                self._store = SqliteStore(self._path, patience_s=PATIENCE_S)
            return self._store

    def begin(self, run: Run) -> None:
        self.opened().begin(run)

    def append(self, run_id: str, event: Event) -> None:
        (self._store or self.opened()).append(run_id, event)

    def finish(self, run_id: str, *, ended_ns: int) -> None:
        self.opened().finish(run_id, ended_ns=ended_ns)

    def note_lost(self, run_id: str, *, events: int, reason: str) -> None:
        self.opened().note_lost(run_id, events=events, reason=reason)

    def close(self) -> None:
        """Release the store, if it was opened."""
        with self._lock:
            if self._store is not None:
                self._store.close()


class OpenStore:
    """A store, and how many sessions use it."""

    def __init__(self, key: tuple[int, str] | None, store: RunSink) -> None:
        self.key = key
        """The process that opened it, and its file; ``None`` where it was given open."""
        self.store = store
        self.users = 1

    @property
    def ours(self) -> bool:
        """Whether it was opened here, and closes with its last session."""
        return self.key is not None


_stores: dict[tuple[int, str], OpenStore] = {}
_stores_lock = new_lock()


def open_store(place: RunStore | str | Path) -> OpenStore:
    """The store at a place, opened once for all sessions of this process; later where another
    process holds it now.

    Raises:
        StoreError: it cannot be opened.
    """
    if not isinstance(place, (str, Path)):
        return OpenStore(None, place)
    if str(place) == ":memory:":
        raise KnitboneError(
            "A run in memory is gone when its trace ends.",
            next_step="Name a file, or give a store: trace(store=SqliteStore(':memory:')).",
        )
    key = (os.getpid(), os.path.realpath(place))
    with _stores_lock:
        found = _stores.get(key)
        if found is None:
            store = LateStore(place)
            with suppress(StoreBusyError):
                store.opened()
            found = _stores[key] = OpenStore(key, store)
        else:
            found.users += 1
        return found


def close_store(held: OpenStore) -> None:
    """One session less; the last one closes a store that was opened here."""
    key = held.key
    if key is None or key[0] != os.getpid():
        return  # closing an inherited connection would touch the parent's file locks
    with _stores_lock:
        held.users -= 1
        if held.users:
            return
        _stores.pop(key, None)
    try:
        if isinstance(held.store, LateStore):
            held.store.close()
    except Exception as error:  # noqa: BLE001 - everything is committed already
        log(_logger, logging.ERROR, "run store not closed", reason=repr(error))

"""The errors of a run store, in words: what SQLite says of the file at ``path``, and what to do."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterable, Sequence

from knitbone.errors import (
    DamagedStoreError,
    RunFinishedError,
    StoreBusyError,
    StoreError,
)
from knitbone.record.stored_run import Damage

__all__ = [
    "damaged_run",
    "failed_statement",
    "is_damage",
    "only_run",
    "refused_event",
    "unusable_store",
]

_KEEP = "See what is damaged, and keep the rest: knitbone runs check"
_OF_DAMAGE = ("malformed", "not a database", "no such table", "no such column", "UTF-8")


def is_busy(error: Exception) -> bool:
    """Tell that another process holds the file."""
    # Python names SQLite's error codes from version 3.11 on.
    return isinstance(error, sqlite3.OperationalError) and "lock" in str(error)


def is_damage(error: Exception) -> bool:
    """Tell that it is the file's content that SQLite cannot read; its words may hold that content,
    which Python cannot decode."""
    if type(error) in (sqlite3.DatabaseError, UnicodeDecodeError):
        return True
    return any(word in str(error) for word in _OF_DAMAGE)


def unusable_store(path: str, error: Exception) -> StoreError:
    """The error of a store that cannot be opened or read."""
    if is_busy(error):
        return _held(path, error)
    kind = DamagedStoreError if is_damage(error) else StoreError
    return kind(
        f"The run store {path} cannot be opened: {error}.",
        next_step=_look_closer(path, error)
        if is_damage(error)
        else "Check the path and its permissions, or name another file with --store or "
        "KNITBONE_RECORD_STORE.",
    )


def failed_statement(path: str, error: Exception) -> StoreError:
    """The error of a statement in an open store."""
    if is_busy(error):
        return _held(path, error)
    if isinstance(error, OverflowError):
        return StoreError(
            f"A number does not fit into the run store {path}: {error}.",
            next_step="Times are nanoseconds in 64 bits.",
        )
    kind = DamagedStoreError if is_damage(error) else StoreError
    return kind(f"The run store {path} failed: {error}.", next_step=_look_closer(path, error))


def _held(path: str, error: Exception) -> StoreBusyError:
    return StoreBusyError(
        f"The run store {path} is held by another process ({error}).",
        next_step="Find out which one (lsof names it), or name another file with --store or "
        "KNITBONE_RECORD_STORE.",
    )


def _look_closer(path: str, error: Exception) -> str:
    if not is_damage(error):
        return "Check the disk and the file."
    return f"{_KEEP} {shlex.quote(path)} --salvage NEW.sqlite"


def damaged_run(path: str, run_id: str, damage: Sequence[Damage]) -> StoreError:
    """The error of a run that is not as it was written."""
    more = f" And {len(damage) - 1} more of it." if len(damage) > 1 else ""
    return StoreError(
        f"The run {run_id} in {path} cannot be read. {damage[0]}.{more}",
        next_step=f"{_KEEP} {shlex.quote(path)} --salvage NEW.sqlite. If a later"
        f" knitbone wrote it, use that one; to remove it: knitbone runs purge {run_id}",
    )


def refused_event(path: str, run_id: str, *, finished: bool) -> StoreError:
    """The error of an event whose run is finished, or not there."""
    if finished:
        return RunFinishedError(
            f"The run {run_id} is finished and cannot change.",
            next_step="Record into a new run, or annotate this one.",
        )
    return StoreError(f"There is no run {run_id} in {path}.", next_step="Begin the run first.")


def only_run(path: str, run_id: str, ids: Iterable[str]) -> str:
    """The one of these identifiers that begins with ``run_id``.

    Raises:
        StoreError: none or several do.
    """
    found = [each for each in ids if each.startswith(run_id)]
    if len(found) == 1 or run_id in found:
        return run_id if run_id in found else found[0]
    raise StoreError(
        f"{'Several runs start' if found else 'No run starts'} with {run_id!r} in {path}.",
        next_step="List the runs with: knitbone runs list",
    )

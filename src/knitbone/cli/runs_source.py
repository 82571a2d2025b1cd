"""Which run a command is asked to read: of a store, or of a file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from knitbone.errors import InputFormatError, StoreError
from knitbone.record.events import Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.interchange.importers import import_file
from knitbone.tethering.interchange.importers.imported_run import ImportedRun

__all__ = ["run_named"]

_SQLITE = b"SQLite format 3\x00"
_NAMED = 5
"""Runs of a file that an error names."""


def run_named(name: str, store: str) -> Run:
    """The run that ``name`` says: the beginning of an identifier in ``store``; a file or a run
    store with one run; ``FILE#N``, its run number N from 0; ``FILE#ID``, the one whose identifier
    begins so.

    Raises:
        KnitboneError: there is no such run, or several.
    """
    path, _, part = name.partition("#")
    if Path(name).is_file():
        path, part = name, ""
    if not _is_file(path):
        if not Path(store).exists():
            raise StoreError(
                f"{name!r} is no file, and there is no run store at {store}.",
                next_step="Name a file of recorded runs, or the store with --store.",
            )
        with closing(SqliteStore(store)) as opened:
            return opened.get(name)
    if _is_store(Path(path)):
        with closing(SqliteStore(path)) as opened:
            rows = opened.list(limit=2)
            return opened.get(part or (rows[0].id if len(rows) == 1 else ""))
    return _only(path, part, import_file(path))


def _is_file(path: str) -> bool:
    try:
        return path == "-" or Path(path).is_file()
    except (OSError, ValueError):
        return False


def _is_store(path: Path) -> bool:
    if str(path) == "-":
        return False
    try:
        with path.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # importing it says what is wrong with it


def _only(path: str, part: str, items: list[ImportedRun]) -> Run:
    if part.isdecimal() and int(part) < len(items):
        return items[int(part)].run
    found = [item.run for item in items if item.run.id.startswith(part)]
    if len(found) == 1:
        return found[0]
    ids = ", ".join(item.run.id for item in items[:_NAMED])
    more = f" and {len(items) - _NAMED:,} more" if len(items) > _NAMED else ""
    what = f"{len(items):,} runs" if not part else f"no one run {part!r} among {len(items):,}"
    raise InputFormatError(
        f"{path} holds {what}: {ids}{more}.",
        next_step=f"Name one by its number, counted from 0, or its identifier: {path}#0",
    )

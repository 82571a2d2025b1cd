"""The journal of a recovery: every attempt and its verdict, so that it resumes after ``kill -9``.

JSON lines, one file a task: an attempt is written down when it begins and when it is judged. An
attempt that began and was not judged was interrupted: it counts as failed, and what it changed
stays to be looked at. The file is locked while its recovery goes on, so that another one of the
same task has a file of its own; what was interrupted and is not resumed is kept beside it.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
from io import BufferedRandom
from pathlib import Path

import msgspec

from knitbone._logging import get_logger, log
from knitbone.common.private_files import private_file, private_folder
from knitbone.errors import InputFormatError
from knitbone.tethering.recovery.records import RecoveryAttempt

__all__ = ["RecoveryJournal", "journal_path"]

_logger = get_logger(__name__)
_SCHEMA = 1
_AT_ONCE = 64
"""Recoveries of one task at once that have files of their own (ours)."""


class _JournalLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: the header, a beginning or an end."""

    schema: int | None = None
    task: str | None = None
    strategy: str | None = None
    began: int | None = None
    run: str | None = None
    ended: RecoveryAttempt | None = None


_decoder = msgspec.json.Decoder(_JournalLine)


def journal_path(folder: Path, key: str, strategy: str) -> Path:
    """Where the journal of a task lies; any text may be a key."""
    return (
        folder
        / f"{hashlib.blake2b(f'{key}/{strategy}'.encode(), digest_size=12).hexdigest()}.jsonl"
    )


def _locked(path: Path) -> tuple[Path, BufferedRandom]:
    """The first file of a task that no other recovery has, and that file, open at its begin."""
    for number in range(_AT_ONCE):
        free = path.with_stem(f"{path.stem}-{number}") if number else path
        private_file(free)
        file = free.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_there = free.exists() and os.path.samestat(free.stat(), os.fstat(file.fileno()))
        except OSError:
            is_there = False
        if is_there:  # and was not removed by the one that had it
            file.seek(0)
            return free, file
        file.close()
    raise InputFormatError(
        f"{_AT_ONCE} recoveries of one task go on at once ({path}).",
        next_step="Give them keys of their own: knitbone.recover(..., key=...).",
    )


class RecoveryJournal:
    """What happened so far, and the place for what comes.

    Args:
        path: the file; made where there is none, begun anew unless ``resume``. While another
            recovery has it, the next free one beside it.

    Raises:
        InputFormatError: to be resumed, and no journal of this task; or too many are in use.
    """

    def __init__(self, path: Path, *, task: str, strategy: str, resume: bool) -> None:
        private_folder(path.parent)
        self._path, self._file = _locked(path)
        self.attempts: tuple[RecoveryAttempt, ...] = ()
        """Judged before, in order."""
        self.interrupted: RecoveryAttempt | None = None
        """Began before and was never judged."""
        before = self._file.read()
        if resume and before:
            self._read(before, task, strategy)
            return
        if b'"began"' in before:
            self._keep(before)
        self._file.truncate(0)
        self._write(_JournalLine(schema=_SCHEMA, task=task, strategy=strategy))

    def began(self, number: int, run: str | None) -> None:
        """An attempt begins."""
        self._write(_JournalLine(began=number, run=run))

    def ended(self, attempt: RecoveryAttempt) -> None:
        """An attempt was judged."""
        self._write(_JournalLine(ended=attempt))

    def close(self) -> None:
        """The recovery has ended: there is nothing to resume."""
        self._path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Give the file free for others."""
        self._file.close()

    def _write(self, line: _JournalLine) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()

    def _keep(self, before: bytes) -> None:
        kept = self._path.with_suffix(".interrupted")
        private_file(kept)
        kept.write_bytes(before)
        log(
            _logger, logging.WARNING, "a recovery of this task was interrupted before; this one "
            "begins anew (resume would have gone on), and the journal is kept", journal=str(kept),
        )  # fmt: skip

    def _read(self, raw: bytes, task: str, strategy: str) -> None:
        complete, _, torn = raw.rpartition(b"\n")
        if torn:  # the process died while it wrote
            self._file.truncate(len(complete) + 1 if complete else 0)
        lines = [self._line(text, number) for number, text in enumerate(complete.split(b"\n"), 1)]
        header = lines[0]
        if (header.schema, header.task, header.strategy) != (_SCHEMA, task, strategy):
            raise InputFormatError(
                f"{self._path} is the journal of another task, strategy or version of knitbone.",
                next_step="Begin anew without resume.",
            )
        self.attempts = tuple(line.ended for line in lines if line.ended is not None)
        last = lines[-1]
        if last.began is not None:
            self.interrupted = RecoveryAttempt(
                number=last.began, run=last.run, success=False,
                reason="interrupted: the process that made the attempt ended before its verdict",
            )  # fmt: skip

    def _line(self, text: bytes, number: int) -> _JournalLine:
        try:
            return _decoder.decode(text)
        except msgspec.DecodeError as error:
            raise InputFormatError(
                f"{self._path}, line {number}, is no line of a recovery's journal: {error}.",
                next_step="Begin anew without resume.",
            ) from error

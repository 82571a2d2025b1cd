"""The journal of a recovery: every attempt and its verdict, so that it resumes after ``kill -9``.

JSON lines, one file a task: an attempt is written down when it begins and when it is judged. An
attempt that began and was not judged was interrupted: it counts as failed, and what it changed
stays to be looked at.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from knitbone.common.private_files import private_file, private_folder
from knitbone.errors import InputFormatError
from knitbone.tethering.recovery.records import RecoveryAttempt

__all__ = ["RecoveryJournal", "journal_path"]

_SCHEMA = 1


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


class RecoveryJournal:
    """What happened so far, and the place for what comes.

    Args:
        path: the file; made where there is none, begun anew unless ``resume``.

    Raises:
        InputFormatError: to be resumed, and no journal of this task.
    """

    def __init__(self, path: Path, *, task: str, strategy: str, resume: bool) -> None:
        self._path = path
        self.attempts: tuple[RecoveryAttempt, ...] = ()
        """Judged before, in order."""
        self.interrupted: RecoveryAttempt | None = None
        """Began before and was never judged."""
        if resume and path.exists():
            self._read(task, strategy)
            return
        private_folder(path.parent)
        private_file(path)
        path.write_bytes(b"")
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

    def _write(self, line: _JournalLine) -> None:
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _read(self, task: str, strategy: str) -> None:
        raw = self._path.read_bytes()
        complete, _, torn = raw.rpartition(b"\n")
        if torn:  # the process died while it wrote
            self._path.write_bytes(complete + b"\n" if complete else b"")
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

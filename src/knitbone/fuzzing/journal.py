"""The journal of a campaign: every call and what came of it, so that it resumes after ``kill -9``.

A campaign is deterministic given tool, settings, seed and the outcomes so far. So the journal
holds the outcomes alone: a resumed campaign runs from its beginning, is answered from the journal
until that is exhausted, and calls the tool from there on.

The file is JSON lines: a header that says what the campaign is of, then a line a call. Each line
is given to the operating system before the next call starts, so it outlives this process, not a
power cut. A torn last line is dropped; each ends with the checksum of what stands before it. JSON
from the standard library, for the reasons of ``sandbox/wire.py``.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import platform
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from knitbone._version import __version__
from knitbone.common.private_files import private_file
from knitbone.errors import InputFormatError
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.record.events import Json

__all__ = [
    "Header",
    "Journal",
    "JournalEntry",
    "JournalStep",
    "Journals",
    "call_key",
    "header_of",
    "open_journals",
]

_FORMAT = 1
_PACKED_FROM = 2_000
"""Characters of an outcome from which it is compressed: traces are long and repetitive."""
_STAMPED = 5_000
"""Files of a tool's own code whose change is noticed."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign's outcomes depend on; a journal with another header is another campaign's."""

    target: str
    schema: str
    """Digest of what an agent sees of the tool."""
    code: str
    """Digest of names, sizes and times of the tool's own files."""
    seed: int
    calls: int
    settings: str
    """Limits, files and hosts, as JSON."""
    version: str
    """Versions of knitbone and Python."""
    journal: int = _FORMAT


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One journaled call."""

    key: str
    """Digest of what was asked."""
    elapsed: float
    """Seconds that the campaign had run when the call ended."""
    outcome: CallOutcome


class JournalStep(msgspec.Struct, frozen=True, kw_only=True):
    """One journaled step of a campaign whose steps are more than calls."""

    key: str
    """Digest of what was asked."""
    value: Json


def header_of(tool: ToolUnderTest, *, seed: int, calls: int, settings: dict[str, Json]) -> Header:
    """The header of a campaign.

    Args:
        settings: limits, files and hosts: whatever the outcomes depend on.
    """
    return Header(
        target=tool.target,
        schema=_digest([tool.name, tool.documentation, tool.schema]),
        code=_digest(_stamps(tool.roots)),
        seed=seed,
        calls=calls,
        settings=json.dumps(settings, sort_keys=True),
        version=f"knitbone {__version__}, Python {platform.python_version()}",
    )


_Line = TypeVar("_Line", JournalEntry, JournalStep)


class Journals:
    """A folder of journals, one for each tool of a command."""

    def __init__(self, folder: Path, *, resume: bool = False) -> None:
        """Args:
        resume: continue what the folder holds; otherwise it is overwritten.
        """
        self.folder = folder
        self.resume = resume

    def open(self, header: Header) -> Journal:
        """The journal of one tool.

        Raises:
            InputFormatError: it is of another campaign, damaged, in use, or cannot be written.
        """
        return Journal(self.folder / _file_name(header.target), header, resume=self.resume)

    def discard(self) -> None:
        """Delete all journals: the campaigns are complete."""
        for path in _journals_in(self.folder):
            path.unlink(missing_ok=True)
        try:
            self.folder.rmdir()
        except OSError:
            return  # the user keeps something of her own there

    def unfinished(self) -> int:
        """Calls that an interrupted campaign left behind in the folder."""
        total = 0
        for path in _journals_in(self.folder):
            with path.open("rb") as file:
                total += max(sum(1 for _ in file) - 1, 0)
        return total


class Journal:
    """One tool's journal, open for reading what is there and for appending.

    Raises:
        InputFormatError: as ``Journals.open``.
    """

    def __init__(self, path: Path, header: Header, *, resume: bool) -> None:
        self.path = path
        self._number = 0
        self._checked = True
        """Whether lines end with a checksum."""
        try:
            private_file(path, ignored=False)
            self._file = path.open("a+b")
        except OSError as error:
            raise InputFormatError(
                f"The journal {path} cannot be written: {error}.",
                next_step="Name another folder with --journal, or use --no-journal.",
            ) from error
        try:
            self._lock()
            if not resume:
                self._file.truncate(0)
            self._lines = self._read(header)
        except BaseException:
            self._file.close()
            raise

    @property
    def left(self) -> int:
        """Calls that are still answered from the journal."""
        return len(self._lines) - self._number

    def answer(self, key: str) -> JournalEntry | None:
        """What came of the next call when it was made first; ``None`` once all are told.

        Raises:
            InputFormatError: the next call was another one, or its line is damaged.
        """
        return self._next(key, _entry)

    def record(self, entry: JournalEntry) -> None:
        """Append one call; on return the operating system has it."""
        self._append(_line(entry))

    def answer_step(self, key: str) -> JournalStep | None:
        """``answer`` for campaigns whose steps are more than calls.

        Raises:
            InputFormatError: as ``answer``.
        """
        return self._next(key, _step)

    def record_step(self, step: JournalStep) -> None:
        """``record`` for such campaigns."""
        self._append(_step_line(step))

    def _next(self, key: str, read: Callable[[bytes], _Line | None]) -> _Line | None:
        if self._number >= len(self._lines):
            return None
        number = self._number
        line, self._lines[number] = self._lines[number], b""
        try:
            entry = read(self._content(line))
        except ValueError:
            entry = None
        if entry is None:
            raise self._damaged(number + 2)
        if entry.key != key:
            raise InputFormatError(
                f"Call {number + 1} in {self.path} is not the call that this campaign makes there.",
                next_step="The campaign cannot be resumed; start it anew without --resume.",
            )
        self._number += 1
        return entry

    def _append(self, line: bytes) -> None:
        self._file.write(_sealed(line))
        self._file.flush()

    def close(self) -> None:
        """Give the file free."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputFormatError(
                f"{self.path} is in use by another campaign.",
                next_step="Wait for it, or name another folder with --journal.",
            ) from error

    def _read(self, header: Header) -> list[bytes]:
        self._file.seek(0)
        whole, _, torn = self._file.read().rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        if torn:
            # Killed while writing: the call is made again.
            self._file.truncate(len(whole) + 1 if whole else 0)
        if not lines:
            self._file.write(_sealed(_encode(msgspec.structs.asdict(header))))
            self._file.flush()
            return []
        try:
            found = msgspec.convert(json.loads(self._content(lines[0])), Header)
        except (ValueError, RecursionError, msgspec.ValidationError):
            raise self._damaged(1) from None
        _compare(found, header, self.path)
        return lines[1:]

    def _content(self, line: bytes) -> bytes:
        """A line without its checksum.

        Raises:
            ValueError: it is not as it was written.
        """
        content, _, checksum = line.rpartition(b" ")
        if checksum != _checksum(content):
            raise ValueError("checksum")
        return content

    def _damaged(self, line: int) -> InputFormatError:
        return InputFormatError(
            f"Line {line} of {self.path} is damaged.",
            next_step="Start the campaign anew without --resume.",
        )


_WORDS = {
    "target": "the target",
    "schema": "the tool's documentation or argument schema",
    "code": "the tool's source files",
    "seed": "the seed",
    "calls": "the number of calls",
    "settings": "the settings",
    "version": "the version of knitbone or Python",
    "journal": "the journal's format",
}


def _compare(found: Header, wanted: Header, path: Path) -> None:
    for name, words in _WORDS.items():
        was, now = getattr(found, name), getattr(wanted, name)
        if was != now:
            values = "" if name in ("schema", "code") else f" (then {was!r}, now {now!r})"
            raise InputFormatError(
                f"{path} is the journal of another campaign: {words} changed{values}.",
                next_step="Start anew without --resume, or resume with what it was started with.",
            )


def _line(entry: JournalEntry) -> bytes:
    text = json.dumps(msgspec.to_builtins(entry.outcome))
    record: dict[str, Json] = {"key": entry.key, "elapsed": entry.elapsed}
    if len(text) < _PACKED_FROM:
        # Put together by hand: the outcome is already encoded.
        head = json.dumps(record)[:-1]
        return f'{head}, "outcome": {text}}}\n'.encode("ascii")
    packed = zlib.compress(text.encode("ascii"), 1)
    return _encode({**record, "packed": base64.b64encode(packed).decode("ascii")})


def _entry(line: bytes) -> JournalEntry | None:
    try:
        record: Any = json.loads(line)
        if "packed" in record:
            text = zlib.decompress(base64.b64decode(record["packed"]))
            record["outcome"] = json.loads(text)
        return msgspec.convert(record, JournalEntry)
    except (ValueError, TypeError, RecursionError, zlib.error, msgspec.ValidationError):
        return None


def _step_line(step: JournalStep) -> bytes:
    text = json.dumps(step.value)
    if len(text) < _PACKED_FROM:
        return _encode({"key": step.key, "value": step.value})
    packed = zlib.compress(text.encode("ascii"), 1)
    return _encode({"key": step.key, "packed": base64.b64encode(packed).decode("ascii")})


def _step(line: bytes) -> JournalStep | None:
    try:
        record: Any = json.loads(line)
        if "packed" in record:
            text = zlib.decompress(base64.b64decode(record["packed"]))
            record["value"] = json.loads(text)
        return msgspec.convert(record, JournalStep)
    except (ValueError, TypeError, RecursionError, zlib.error, msgspec.ValidationError):
        return None


def _encode(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode("ascii") + b"\n"


def _sealed(line: bytes) -> bytes:
    content = line.removesuffix(b"\n")
    return content + b" " + _checksum(content) + b"\n"


def _checksum(content: bytes) -> bytes:
    return b"%08x" % zlib.crc32(content)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()[:16]


def call_key(
    arguments: dict[str, Json],
    timeout_s: float,
    *,
    fresh: bool,
    by_chance: bool = False,
    exceptions: bool = False,
    companion: str = "",
) -> str:
    """Digest of what is asked of the sandbox."""
    text = json.dumps([arguments, timeout_s, fresh, by_chance, exceptions, companion])
    return hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()


def _stamps(roots: tuple[str, ...]) -> list[list[Json]]:
    stamps: list[list[Json]] = []
    for root in roots:
        path = Path(root)
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if len(stamps) >= _STAMPED:
                return stamps
            try:
                status = file.stat()
            except OSError:
                continue
            stamps.append([str(file), status.st_size, status.st_mtime_ns])
    return stamps


def _file_name(target: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9_.-]+", "_", target)[-60:]
    return f"{slug}-{_digest(target)[:8]}.jsonl"


def _journals_in(folder: Path) -> list[Path]:
    found = folder.glob("*.jsonl") if folder.is_dir() else ()
    return [path for path in found if re.search(r"-[0-9a-f]{8}\.jsonl$", path.name)]


def open_journals(
    folder: Path | None,
    home: Path,
    targets: Sequence[str],
    *,
    resume: bool,
    names: tuple[str, str],
    warn: Callable[[str], object],
) -> Journals:
    """Open the journals of a command.

    Args:
        folder: where they are; a folder of ``home`` named after the targets if not given.
        names: what is interrupted, and what was made of it: ``campaign``, ``calls``.
        warn: is told of one that is about to be lost.

    Raises:
        InputFormatError: there is nothing to resume.
    """
    whole, parts = names
    if folder is None:
        slug = re.sub(r"\W+", "_", targets[0], flags=re.ASCII)[-40:]
        digest = hashlib.sha256(json.dumps(sorted(targets)).encode("ascii")).hexdigest()[:8]
        folder = home / f"{slug}-{digest}"
    journals = Journals(folder, resume=resume)
    left = journals.unfinished()
    if resume and not left:
        raise InputFormatError(
            f"There is no interrupted {whole} in {folder}.",
            next_step="Start it without --resume, or name its folder with --journal.",
        )
    if left and not resume:
        journals.discard()
        warn(f"note: {left} {parts} of an interrupted {whole} are made anew; --resume continues it")
    return journals

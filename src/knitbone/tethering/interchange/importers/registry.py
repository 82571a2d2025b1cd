"""The formats, which of them a file is, and what of a path is to be read.

A format is recognised by its structure, never by a file's name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.event_redaction import EventRedactor
from knitbone.record.events import Json
from knitbone.record.redaction import Redactor
from knitbone.tethering.interchange.importers import (
    agentrx,
    anthropic_messages,
    exported,
    langchain,
    langfuse_export,
    langsmith_export,
    messages,
    openai_responses,
    otlp,
    phoenix,
    tau2_bench,
    tau_bench,
    who_and_when,
)
from knitbone.tethering.interchange.importers.completeness import check_complete
from knitbone.tethering.interchange.importers.foreign import named_bytes, named_value
from knitbone.tethering.interchange.importers.imported_run import ImportedRun, check_numbers
from knitbone.tethering.interchange.untrusted_json import JsonPlace, describe, parse_json

__all__ = [
    "FORMATS",
    "Importer",
    "LabelsOnlyError",
    "detect",
    "files_of",
    "import_bytes",
    "import_file",
]


class LabelsOnlyError(InputFormatError):
    """The file holds labels and no runs; in a folder it is passed over."""


class Importer(msgspec.Struct, frozen=True):
    """One format: whether a value is it for sure, and the runs it holds."""

    name: str
    recognises: Callable[[Json], bool]
    """By what only this format has; what merely resembles it is refused."""
    read: Callable[[Json, str], Iterator[ImportedRun]]


FORMATS: dict[str, Importer] = {
    importer.name: importer
    for importer in (
        # In the order of detection: a more particular structure goes first.
        Importer("knitbone", exported.recognises, exported.read),
        Importer("otlp", otlp.recognises, otlp.read),
        Importer("langsmith", langsmith_export.recognises, langsmith_export.read),
        Importer("langfuse", langfuse_export.recognises, langfuse_export.read),
        Importer("phoenix", phoenix.recognises, phoenix.read),
        Importer("langchain", langchain.recognises, langchain.read),
        Importer("openai-responses", openai_responses.recognises, openai_responses.read),
        Importer("anthropic", anthropic_messages.recognises, anthropic_messages.read),
        Importer("who-and-when", who_and_when.recognises, who_and_when.read),
        Importer("agentrx", agentrx.recognises, agentrx.read),
        Importer("tau2-bench", tau2_bench.recognises, tau2_bench.read),
        Importer("tau-bench", tau_bench.recognises, tau_bench.read),
        Importer("messages", messages.recognises, messages.read),
    )
}

_NOT_RUNS = {".md", ".txt", ".rst", ".license"}
_NOT_RUN_STEMS = {"license", "licence", "notice", "readme", "copying", "changelog"}


def detect(value: Json, path: str) -> Importer:
    """The format whose structure the value has.

    Raises:
        LabelsOnlyError: it is a file of labels.
        InputFormatError: it has no known structure.
    """
    if agentrx.is_ground_truth(value):
        raise LabelsOnlyError(
            f"{path} holds ground-truth labels, no runs.",
            next_step="Give the file or folder of the runs themselves.",
        )
    if tau2_bench.is_index(value):
        raise LabelsOnlyError(
            f"{path} lists the simulations of τ²-bench and holds none.",
            next_step="Give the folder simulations/ beside it.",
        )
    if program := named_value(value):
        raise _foreign(path, program)
    for importer in FORMATS.values():
        if importer.recognises(value):
            return importer
    raise InputFormatError(
        f"{path} is JSON, but no run format that is known here: it is {describe(value)}.",
        next_step=f"Known formats: {', '.join(FORMATS)}. If it is one of them, name it with"
        " --format to see which part is missing.",
    )


def import_bytes(
    data: bytes, *, path: str, source_format: str = "auto", redactor: Redactor | None = None
) -> list[ImportedRun]:
    """All runs in the content of one file, without secrets, as if they had been recorded here.

    Args:
        path: how messages and the runs' origin name it.
        source_format: a key of ``FORMATS``, or ``auto``.
        redactor: what removes secrets; by default the rules that are built in.

    Raises:
        InputFormatError: the content is not what the format promises, or holds no run.
    """
    if program := named_bytes(data):
        raise _foreign(path, program)
    value = parse_json(data, path=path)
    importer = detect(value, path) if source_format == "auto" else FORMATS[source_format]
    if agentrx.is_ground_truth(value):
        detect(value, path)  # says that these are labels
    try:
        runs = list(importer.read(value, path))
        for number, item in enumerate(runs):
            check_numbers(item.run, JsonPlace(path, number))
        if importer.name not in _OWN:
            check_complete(value, [item.run for item in runs], path)
    except InputFormatError as error:
        raise _with_better_format(error, importer, value) from error
    except _UNREADABLE as error:
        raise _unreadable(error, path) from error
    if not runs:
        raise InputFormatError(
            f"{path} holds no runs: it is {describe(value)}.", next_step="Was the copy complete?"
        )
    try:
        return [_redacted(item, redactor or Redactor()) for item in runs]
    except _UNREADABLE as error:
        raise _unreadable(error, path) from error


def _foreign(path: str, program: str) -> InputFormatError:
    return InputFormatError(
        f"{path} looks like {program}, which knitbone does not read yet.",
        next_step="docs/reference/interchange.md lists what it reads; OpenTelemetry traces of the"
        " same run are often at hand.",
    )


_OWN = ("knitbone", "otlp")
"""Formats in which nothing can be lost unseen: what they do not know is refused or counted."""
_UNREADABLE = (ArithmeticError, ValueError, RecursionError, msgspec.ValidationError)
"""What Python and msgspec say of numbers, dates and nestings that nothing can hold."""


def _unreadable(error: Exception, path: str) -> InputFormatError:
    return InputFormatError(
        f"{path} holds a value that cannot be read: {error}.",
        next_step="Correct the file; where it comes from a library, please report it.",
    )


def _redacted(item: ImportedRun, redactor: Redactor) -> ImportedRun:
    """The same run as the recorder would have stored it; labels too hold what somebody wrote."""
    run = item.run
    of_run = EventRedactor(redactor)
    header = redactor.record(msgspec.structs.replace(run, events=()))
    events = tuple([of_run.event(event) for event in run.events])
    return msgspec.structs.replace(
        item,
        run=msgspec.structs.replace(header, id=run.id, events=events),
        labels=tuple([redactor.record(label) for label in item.labels]),
    )


def _with_better_format(
    error: InputFormatError, importer: Importer, value: Json
) -> InputFormatError:
    """The error, with the format that the file looks like where another one was named."""
    alike = [other.name for other in FORMATS.values() if other.recognises(value)]
    if not alike or importer.name in alike:
        return error
    return InputFormatError(
        error.message, next_step=f"The file looks like {alike[0]}: leave out --format."
    )


def import_file(
    path: Path | str, *, source_format: str = "auto", redactor: Redactor | None = None
) -> list[ImportedRun]:
    """All runs of one file, without secrets; ``-`` is standard input.

    Raises:
        InputFormatError: the file cannot be read, or see ``import_bytes``.
    """
    if str(path) == "-":
        return import_bytes(
            sys.stdin.buffer.read(), path="-", source_format=source_format, redactor=redactor
        )
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputFormatError(
            f"{path} cannot be read: {error}.", next_step="Check the path and its permissions."
        ) from error
    if data.startswith(b"SQLite format 3\0"):
        raise InputFormatError(
            f"{path} is an SQLite database, such as a run store; files of runs are JSON.",
            next_step=f"Write its runs to a file: knitbone runs export --store {path} > runs.jsonl",
        )
    return import_bytes(data, path=str(path), source_format=source_format, redactor=redactor)


def files_of(path: Path) -> Iterator[tuple[Path, str | None]]:
    """The files of a folder (or the file itself), in order, each with the reason to pass it over.

    Licences, notices, read-me texts and hidden files are no runs.
    """
    if not path.is_dir():
        yield path, None
        return
    # Folders that vanish or may not be read meanwhile are passed over; ``rglob`` raises.
    found = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    for file in sorted(found):
        if not _is_file(file):
            continue
        inner = file.relative_to(path)
        if any(part.startswith(".") for part in inner.parts):
            yield file, "hidden"
        elif file.suffix.lower() in _NOT_RUNS or file.stem.lower() in _NOT_RUN_STEMS:
            yield file, "a licence or a text about the data"
        else:
            yield file, None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # what ``is_file`` says of a file whose folder may not be entered
        return False

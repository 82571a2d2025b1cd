"""The formats, which of them a file is, and what of a path is to be read.

A format is recognised by its structure, never by a file's name.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol, cast

import msgspec

from knitbone._logging import get_logger, log
from knitbone.common.printable import printable
from knitbone.errors import InputFormatError
from knitbone.record.events import Json, Origin
from knitbone.record.redaction import EventRedactor, Redactor
from knitbone.tethering.interchange.importers import (
    anthropic_messages,
    exported,
    langchain,
    langfuse_export,
    langsmith_export,
    messages,
    openai_responses,
    otlp,
    phoenix,
)
from knitbone.tethering.interchange.importers.completeness import check_complete
from knitbone.tethering.interchange.importers.foreign import (
    BENCHMARKS,
    INSTALL,
    benchmark_of,
    named_bytes,
    named_value,
)
from knitbone.tethering.interchange.importers.imported_run import (
    ImportedRun,
    LabelsOnlyError,
    check_numbers,
)
from knitbone.tethering.interchange.untrusted_json import JsonPlace, describe, parse_json

__all__ = [
    "AUTO",
    "FORMATS",
    "GROUP",
    "Importer",
    "LabelsOnlyError",
    "RunFormat",
    "detect",
    "files_of",
    "format_named",
    "import_bytes",
    "import_file",
]

_LOGGER = get_logger(__name__)

GROUP = "knitbone.run_formats"
"""The entry points by which other packages add formats; docs/reference/interchange.md."""
AUTO = "auto"
"""In place of a format's name: the one whose structure the file has."""


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
        Importer("messages", messages.recognises, messages.read),
    )
}
"""The formats that are built in."""


class RunFormat(Protocol):
    """What an entry point gives."""

    def recognises(self, value: Json, /) -> bool:
        """Whether a parsed file is of this format, by what only this format has."""
        ...

    def read(self, value: Json, path: str, /) -> Iterable[ImportedRun]:
        """The runs of a parsed file.

        Raises:
            LabelsOnlyError: it holds labels and no runs.
            InputFormatError: it is not what the format promises.
        """
        ...


class _Installed(msgspec.Struct, frozen=True):
    """The formats that installed packages add, and what is wrong with those that cannot be used."""

    formats: dict[str, Importer]
    problems: dict[str, str]
    """By the name of the format."""


def _installed() -> _Installed:
    """What the entry points give, looked up again where the import path has changed."""
    return _load(tuple(sys.path))


@functools.cache
def _load(_: tuple[str, ...]) -> _Installed:
    points: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        points.setdefault(point.name, []).append(point)
    found = _Installed({}, {})
    for name in sorted(points):
        try:
            found.formats[name] = _plugin(*points[name])
        except _PluginError as error:
            found.problems[name] = str(error)
            log(_LOGGER, logging.WARNING, "run_format_not_loaded", format=name, problem=str(error))
    return found


class _PluginError(Exception):
    """What is wrong with an entry point, in one sentence that names it."""


def _plugin(point: EntryPoint, *others: EntryPoint) -> Importer:
    """The importer that one entry point gives: a module, or an object, with two functions."""
    where = _name_of(point)
    if point.name in FORMATS or point.name == AUTO:
        raise _PluginError(f"{where} has a name that is taken: the format is built in")
    if others:
        raise _PluginError(f"{where} has a name that is taken, by {_name_of(others[0])}")
    try:
        given: object = point.load()
    except (Exception, SystemExit) as error:  # a package must not break the formats of others
        raise _PluginError(
            f"{where} cannot be loaded from {point.value!r}: {_shown(error)}"
        ) from error
    missing = [name for name in ("recognises", "read") if not callable(getattr(given, name, None))]
    if missing:
        raise _PluginError(
            f"{where} gives {point.value!r}, which has no function {' and no '.join(missing)}"
        )
    plugin = cast("RunFormat", given)

    def recognises(value: Json) -> bool:
        try:
            return bool(plugin.recognises(value))
        except Exception as error:
            raise _PluginError(f"{where} cannot say what the file is: {_shown(error)}") from error

    def read(value: Json, path: str) -> Iterator[ImportedRun]:
        try:
            for item in plugin.read(value, path):
                yield _of_format(item, point.name)
        except InputFormatError:
            raise
        except Exception as error:
            raise InputFormatError(
                f"{path} cannot be read: {where} failed: {_shown(error)}.",
                next_step="Report it to the authors of that package, with the file.",
            ) from error

    return Importer(point.name, recognises, read)


def _of_format(item: object, name: str) -> ImportedRun:
    """A plug-in's run, under the plug-in's name whichever reader it was made by."""
    if not isinstance(item, ImportedRun):
        raise TypeError(f"read gave {type(item).__name__!r} in place of an ImportedRun")
    origin = item.run.origin or Origin(format=name)
    run = msgspec.structs.replace(item.run, origin=msgspec.structs.replace(origin, format=name))
    return msgspec.structs.replace(item, run=run)


def _name_of(point: EntryPoint) -> str:
    package = f"{point.dist.name} {point.dist.version}" if point.dist else "an unnamed package"
    return f"the run format {point.name!r} of {package}"


def _shown(error: BaseException) -> str:
    return printable(f"{type(error).__name__}: {error}", limit=200)


def format_named(name: str) -> Importer:
    """The format of a name, one of ours or of an installed package.

    Raises:
        InputFormatError: there is none, or it cannot be used.
    """
    if name in FORMATS:
        return FORMATS[name]
    installed = _installed()
    if name in installed.formats:
        return installed.formats[name]
    if name in installed.problems:
        raise InputFormatError(
            f"{installed.problems[name][:1].upper()}{installed.problems[name][1:]}.",
            next_step="Correct or uninstall that package.",
        )
    if name in BENCHMARKS:
        raise InputFormatError(f"The format {name!r} is not installed.", next_step=INSTALL)
    raise InputFormatError(
        f"There is no run format {name!r}.",
        next_step=f"Name one of {', '.join([AUTO, *FORMATS, *installed.formats])}.",
    )


_NOT_RUNS = {".md", ".txt", ".rst", ".license"}
_NOT_RUN_STEMS = {"license", "licence", "notice", "readme", "copying", "changelog"}


def detect(value: Json, path: str) -> Importer:
    """The format whose structure the value has.

    Those of other packages are asked before plain messages, which many formats resemble, and after
    all others that are built in.

    Raises:
        InputFormatError: it has no known structure, or that of several formats.
    """
    program = named_value(value)
    plain = FORMATS[messages.FORMAT]
    if not program:
        for importer in FORMATS.values():
            if importer is not plain and importer.recognises(value):
                return importer
    claimed, silent = _claims(value)
    if len(claimed) > 1:
        raise InputFormatError(
            f"{path} is claimed by several formats: {', '.join(one.name for one in claimed)}.",
            next_step="Name the one that it is with --format.",
        )
    if claimed:
        return claimed[0]
    if program:
        raise _foreign(path, program)
    if benchmark := benchmark_of(value):
        raise _of_benchmark(path, benchmark)
    if plain.recognises(value):
        return _unsure(plain, silent[0]) if silent else plain
    raise InputFormatError(
        f"{path} is JSON, but no run format that is known here: it is {describe(value)}."
        + "".join(f" Not asked: {problem}." for problem in silent),
        next_step=f"Known formats: {', '.join([*FORMATS, *_installed().formats])}. If it is one of"
        " them, name it with --format to see which part is missing.",
    )


def _claims(value: Json) -> tuple[list[Importer], list[str]]:
    """The formats of other packages that recognise a value, and why some could not be asked."""
    installed = _installed()
    claimed: list[Importer] = []
    silent = list(installed.problems.values())
    for importer in installed.formats.values():
        try:
            if importer.recognises(value):
                claimed.append(importer)
        except _PluginError as error:
            silent.append(str(error))
    return claimed, silent


def _unsure(importer: Importer, problem: str) -> Importer:
    """The format, whose runs note that another one may have recognised the file."""
    note = f"{problem}, so whether it is of that format is not known"

    def read(value: Json, path: str) -> Iterator[ImportedRun]:
        for item in importer.read(value, path):
            yield msgspec.structs.replace(item, unsure=note)

    return msgspec.structs.replace(importer, read=read)


def _of_benchmark(path: str, name: str) -> InputFormatError:
    looks = f"{path} looks like {BENCHMARKS[name]}"
    if name in _installed().formats:
        return InputFormatError(
            f"{looks}, but the format {name!r} does not recognise it.",
            next_step=f"See what is missing with --format {name}.",
        )
    return InputFormatError(f"{looks}, which knitbone alone does not read.", next_step=INSTALL)


def import_bytes(
    data: bytes, *, path: str, source_format: str = AUTO, redactor: Redactor | None = None
) -> list[ImportedRun]:
    """All runs in the content of one file, without secrets, as if they had been recorded here.

    Args:
        path: how messages and the runs' origin name it.
        source_format: the name of a format, or ``auto``.
        redactor: what removes secrets; by default the rules that are built in.

    Raises:
        InputFormatError: the content is not what the format promises, or holds no run.
    """
    if program := named_bytes(data):
        raise _foreign(path, program)
    value = parse_json(data, path=path)
    importer = detect(value, path) if source_format == AUTO else format_named(source_format)
    try:
        runs = list(importer.read(value, path))
        for number, item in enumerate(runs):
            check_numbers(item.run, JsonPlace(path, number))
        if importer.name not in _OWN:
            check_complete(value, [item.run for item in runs], path)
    except InputFormatError as error:
        raise _with_better_format(error, importer, value, path) from error
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
    error: InputFormatError, importer: Importer, value: Json, path: str
) -> InputFormatError:
    """The error, with the format that the file looks like where another one was named."""
    try:
        alike = detect(value, path).name
    except InputFormatError:
        return error
    if alike == importer.name:
        return error
    return InputFormatError(
        error.message, next_step=f"The file looks like {alike}: leave out --format."
    )


def import_file(
    path: Path | str, *, source_format: str = AUTO, redactor: Redactor | None = None
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

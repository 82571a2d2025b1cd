"""``knitbone repair``: the value in a text, from the command line."""

from __future__ import annotations

import codecs
import datetime as dt
import json
import re
import sys
from pathlib import Path
from typing import Any, NoReturn, cast

import click
import msgspec

from knitbone.cli.output import json_option, print_json
from knitbone.common.printable import printable
from knitbone.errors import InputFormatError, SchemaError
from knitbone.parsing.json_values import parse_json
from knitbone.parsing.repair import RepairEdit, RepairResult, repair
from knitbone.parsing.targets import FORMATS, RepairTarget, target_of

__all__ = ["command"]

_SHOWN = 60
"""Characters of a text that an edit shows: two of them fit on a line."""
_SHOWN_REFUSAL = 2_000
"""As of an error (``output.fail``)."""
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters of a JSON text that may stand in strings only, and that steer a terminal or cannot be
encoded: they are written as escapes, which mean the same."""


@click.command("repair")
@click.argument("file", metavar="FILE|-", type=click.Path(allow_dash=True))
@click.option(
    "--schema", type=click.Path(path_type=Path), metavar="FILE",
    help="What the value must be: a JSON Schema, or a tool as it is described to a model.",
)  # fmt: skip
@click.option("--keys", metavar="A,B", help="The keys of the object, or of each object of a list.")
@click.option("--format", "notation", type=click.Choice(FORMATS), help="The notation of the text.")
@json_option
def command(
    file: str, schema: Path | None, keys: str | None, notation: str | None, *, as_json: bool
) -> None:
    """Read the value in a text, with its faults repaired.

    FILE is what a model wrote, - is standard input. The value is printed as JSON; what was changed
    goes to standard error, one line a change. Exit code 1: the text was refused, and standard
    error names the reason. With --json the whole record is printed: ok, value, text, edits,
    refusal, complete.
    """
    if schema is not None and keys is not None:
        raise click.UsageError("--schema and --keys exclude each other: a schema names its keys.")
    wanted = _target(schema, keys)
    if notation is not None:
        wanted.format = cast("Any", notation)
    result = _with_json_value(repair(_read(file), wanted), as_json=as_json)
    if as_json:
        print_json(result)
    else:
        for edit in result.edits:
            click.echo(_line(edit), err=True)
        if result.ok:
            click.echo(bytes(cast("msgspec.Raw", result.value)))
        else:
            click.echo(f"refused: {printable(result.refusal, limit=_SHOWN_REFUSAL)}", err=True)
    if not result.ok:
        sys.exit(1)


def _target(schema: Path | None, keys: str | None) -> RepairTarget:
    if keys is not None:
        names = [name.strip() for name in keys.split(",")]
        if not all(names):
            raise click.BadParameter(
                f"{printable(keys)!r} names an empty key; write --keys name,age.",
                param_hint="--keys",
            )
        return target_of(names)
    if schema is None:
        return RepairTarget()
    return target_of(_schema(schema))


def _schema(path: Path) -> dict[str, Any]:
    """The schema in a file.

    Raises:
        SchemaError: the file holds none.
        InputFormatError: it cannot be read.
    """
    try:
        found = parse_json(_read(str(path)))
    except (ValueError, RecursionError) as error:
        raise SchemaError(
            f"The schema {path} is no JSON: {error}.",
            next_step="Name a file with a JSON Schema, or with a tool's schema.",
        ) from error
    if not isinstance(found, dict):
        raise SchemaError(
            f"The schema {path} holds {type(found).__name__}, not an object.",
            next_step="Name a file with one JSON Schema, or with one tool's schema.",
        )
    return cast("dict[str, Any]", found)


def _read(file: str) -> str:
    """The text of a file, or of standard input.

    Raises:
        InputFormatError: it cannot be read, or is not in UTF-8.
    """
    name = "standard input" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputFormatError(
            f"{name} cannot be read: {reason}.",
            next_step="Name a text file, or - for standard input.",
        ) from error
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        at = len(data) - len(error.object) + error.start
        raise InputFormatError(
            f"{name} is not in UTF-8: byte 0x{data[at]:02x} at offset {at:,}.",
            next_step=f"Convert it first: iconv -f {_likely(data)} -t UTF-8.",
        ) from error


def _likely(data: bytes) -> str:
    """The encoding to name in an example."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "UTF-16" if marked else "LATIN1"


def _line(edit: RepairEdit) -> str:
    """An edit on a line: place, rule, before -> after."""
    said = f"{printable(edit.place, limit=_SHOWN)}: {printable(edit.rule)}"
    if not edit.before and not edit.after:
        return said
    before, after = (
        printable(part, limit=_SHOWN) if part else "nothing" for part in (edit.before, edit.after)
    )
    return f"{said}: {before} -> {after}"


def _with_json_value(result: RepairResult[Any], *, as_json: bool) -> RepairResult[Any]:
    """The result with its value as JSON; a value that JSON cannot hold is a refusal."""
    if not result.ok:
        return result
    try:
        written = _written(result)
    except (ValueError, TypeError, RecursionError) as error:
        refusal = f"its value cannot be written as JSON: {error}"
        return msgspec.structs.replace(result, ok=False, value=None, refusal=refusal)
    written = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
    if as_json:
        written = " ".join(written.splitlines())
    return msgspec.structs.replace(result, value=msgspec.Raw(written.encode("utf-8")))


def _written(result: RepairResult[Any]) -> str:
    """The value as JSON: the repaired document itself where that is JSON, since it keeps the
    spelling of numbers and the layout."""
    try:
        if repr(json.loads(result.text, parse_constant=_no_json)) == repr(result.value):
            return result.text.strip()
    except ValueError:
        pass  # of another format
    written = json.dumps(result.value, ensure_ascii=False, allow_nan=False, default=_plain)
    parse_json(written)  # keys may differ in Python, and be the same in JSON: 1 and "1"
    return written


def _plain(value: Any) -> str:
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    raise TypeError(f"it holds {type(value).__name__}")


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")

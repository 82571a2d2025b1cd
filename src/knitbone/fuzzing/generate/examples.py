"""Example calls: those that a user gives in a file, and those that a tool's own words show."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from knitbone.common.printable import printable
from knitbone.common.source import parse_source
from knitbone.errors import InputFormatError
from knitbone.fuzzing.generate.fits import fits
from knitbone.fuzzing.generate.shapes import Resolver, properties_of
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = [
    "Examples",
    "chosen",
    "quoted_examples",
    "read_examples",
    "read_findings",
    "shown_examples",
]


# Findings of an earlier campaign as calls to begin with.

_LISTS = ("findings", "refused")
_MOST_FINDINGS = 500
"""Findings that are read: more of them say little more."""

FoundCalls = tuple[tuple[str | None, dict[str, Json]], ...]


def read_findings(path: Path) -> FoundCalls:
    """The failing arguments of saved findings: of ``ID/finding.json`` in a folder, or of what
    ``knitbone fuzz --json`` printed.

    Raises:
        InputFormatError: nothing is there, or it is something else.
    """
    files = sorted(path.glob("*/finding.json")) if path.is_dir() else [path]
    found: list[tuple[str | None, dict[str, Json]]] = []
    for file in files[:_MOST_FINDINGS]:
        try:
            text = file.read_text(encoding="utf-8")
            found += [call for value in _values_of_file(text) for call in _calls_of_finding(value)]
        except (OSError, ValueError, RecursionError) as error:
            raise InputFormatError(
                f"{file} cannot be read: {error}.", next_step="Name what knitbone fuzz wrote."
            ) from error
    if not found:
        raise InputFormatError(
            f"There are no findings in {path}.",
            next_step="Name a folder of knitbone fuzz, or what knitbone fuzz --json printed.",
        )
    return tuple(found[:_MOST_FINDINGS])


def _values_of_file(text: str) -> Iterator[Any]:
    """The JSON values of a file: one, or one a line."""
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines():
            if line.strip():
                yield json.loads(line)


def _calls_of_finding(value: Any) -> Iterator[tuple[str | None, dict[str, Json]]]:
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _calls_of_finding(item)
    if not isinstance(value, dict):
        return
    record = cast("dict[str, Any]", value)
    listed = [
        item for name in _LISTS if isinstance(record.get(name), list) for item in record[name]
    ]
    name = record.get("tool")
    for item in listed or [record]:
        arguments: Any = cast("Any", item).get("arguments") if isinstance(item, dict) else None
        if isinstance(arguments, dict):
            tool = name if isinstance(name, str) and listed else None
            yield tool, cast("dict[str, Json]", arguments)


# Values that a documentation shows in quotes, or behind "for example".

_QUOTED = re.compile(r"[\"'`\u201c]([^\"'`\u201c\u201d\n]{1,80})[\"'`\u201d]")
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|such as|example:|like)\s+([^\s,;.()][^\n()]{0,60})", re.IGNORECASE
)


def quoted_examples(documentation: str) -> list[str]:
    """Values that a documentation shows: quoted texts, and what follows "for example"."""
    text = documentation[:20_000]
    found = [match.group(1) for match in _QUOTED.finditer(text)]
    found += [match.group(1).strip(" .'\"`") for match in _EXAMPLE.finditer(text)]
    return [value for value in dict.fromkeys(found) if value][:40]


Arguments = dict[str, Json]
Examples = tuple[tuple["str | None", Arguments], ...]
"""Arguments, and the name of their tool where it was given."""
_MOST = 1_000
"""Examples that a file may have."""
_LARGEST = 16 * 2**20
"""Bytes of such a file."""
_SHOWN = 6
"""Calls made of what a tool's own words show: the rest of the budget is for what they leave out."""
_LONGEST_CALL = 2_000
_READ = 20_000
"""Characters of a documentation that are read."""


def read_examples(path: Path) -> Examples:
    """The examples of a file: JSON Lines of argument objects, a JSON list of them, or a JSON object
    with such a list for each tool's name.

    Raises:
        InputFormatError: it cannot be read, or holds something else; the message says where.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise _wrong(path, "is larger than 16 MiB")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, f"cannot be read: {error}") from error
    found = list(_entries(path, text))
    if not found:
        raise _wrong(path, "holds no example")
    if len(found) > _MOST:
        raise _wrong(path, f"holds {len(found)} examples; at most {_MOST} are taken")
    return tuple(found)


def _entries(path: Path, text: str) -> Iterator[tuple[str | None, Arguments]]:
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield from _of_lines(path, text, error)
        return
    if isinstance(whole, list):
        yield from _of_list(path, whole, None)
        return
    if not isinstance(whole, dict):
        raise _wrong(path, f"holds {_kind(whole)}")
    named = cast("dict[str, Any]", whole)
    if named and all(isinstance(value, list) for value in named.values()):
        for tool, listed in named.items():
            yield from _of_list(path, listed, tool)
    else:
        yield None, named  # one line of JSON Lines


def _of_lines(path: Path, text: str, error: Exception) -> Iterator[tuple[str | None, Arguments]]:
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines or not lines[0][1].lstrip().startswith("{") or len(lines) < 2:
        raise _wrong(path, f"is no JSON: {error}") from error
    for number, line in lines:
        try:
            entry: Any = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            raise _wrong(path, f"is no JSON in line {number}: {wrong}") from wrong
        if not isinstance(entry, dict):
            raise _wrong(path, f"holds {_kind(entry)} in line {number}")
        yield None, cast("Arguments", entry)


def _of_list(path: Path, listed: Any, tool: str | None) -> Iterator[tuple[str | None, Arguments]]:
    for number, entry in enumerate(listed, 1):
        if not isinstance(entry, dict):
            of = "" if tool is None else f" of {printable(tool)}"
            raise _wrong(path, f"holds {_kind(entry)} as example {number}{of}")
        yield tool, cast("Arguments", entry)


def _kind(value: Any) -> str:
    return f"a JSON {type(value).__name__} where an object of arguments belongs"


def _wrong(path: Path, what: str) -> InputFormatError:
    return InputFormatError(
        f"{printable(str(path))} {what}.",
        next_step='Give one object of arguments a line, such as {"note": "Ann;2;in"}, '
        "or a JSON list of them.",
    )


def chosen(examples: Examples, tools: Sequence[ToolUnderTest]) -> list[list[Arguments]]:
    """The examples that each tool can take, in their order.

    Raises:
        InputFormatError: one fits no tool, or not the one that it names.
    """
    made: list[list[Arguments]] = [[] for _ in tools]
    for number, (name, arguments) in enumerate(examples, 1):
        meant = [n for n, tool in enumerate(tools) if name in (None, tool.name)]
        fitting = [n for n in meant if _misfit(arguments, tools[n]) is None]
        if not fitting:
            why = (
                _misfit(arguments, tools[meant[0]])
                if len(meant) == 1
                else f"no tool is called {printable(name)}"
                if name is not None and not meant
                else "none of the tools takes it"
            )
            raise InputFormatError(
                f"Example {number} cannot be used: {why}.",
                next_step="Mend it, or leave it out of the file of --examples.",
            )
        for index in fitting:
            made[index].append(arguments)
    return made


def _misfit(arguments: Arguments, tool: ToolUnderTest) -> str | None:
    """Why a tool does not take arguments, in words."""
    resolver = Resolver(tool.schema)
    body = resolver.resolve(tool.schema)
    properties = properties_of(body)
    name = printable(tool.name)
    if body.get("additionalProperties") in (None, False):
        for key in arguments:
            if key not in properties:
                return f"{name} has no argument {printable(key)!r}"
    for key in _listed(body, "required"):
        if key not in arguments:
            return f"{name} needs an argument {printable(str(key))!r}"
    for key, value in arguments.items():
        if key in properties and not fits(value, properties[key], resolver):
            return f"{printable(key)!r} of {name} does not fit its schema"
    return None


# -- what a tool's own words show -------------------------------------------------------------


def shown_examples(tool: ToolUnderTest) -> list[Arguments]:
    """Calls that the schema or the documentation shows whole, and calls of the values that they
    show for every field that must be there."""
    resolver = Resolver(tool.schema)
    body = resolver.resolve(tool.schema)
    properties = properties_of(body)
    required = _listed(body, "required")
    whole: list[Arguments] = [e for e in _listed(body, "examples") if isinstance(e, dict)]
    text = tool.documentation[:_READ]
    found = [*whole, *_calls(text, tool.name, list(properties)), *_objects(text, properties)]
    found += _by_field(properties, required, text, resolver)
    made: dict[str, Arguments] = {}
    for arguments in found:
        if _is_json(arguments) and _misfit(arguments, tool) is None:
            made.setdefault(json.dumps(arguments, sort_keys=True), arguments)
    return list(made.values())[:_SHOWN]


def _calls(text: str, name: str, fields: Sequence[str]) -> Iterator[Arguments]:
    """Calls as a doctest shows them: ``>>> seat_party("Ann;2;in")``."""
    for found in re.finditer(rf"(?<!\w){re.escape(name)}\(", text):
        rest = text[found.start() : found.start() + _LONGEST_CALL]
        for end in [m.end() for m in re.finditer(r"\)", rest)][:8]:
            try:
                call: Any = parse_source(rest[:end].replace("\n...", "\n"), mode="eval").body
                values = [ast.literal_eval(value) for value in call.args]
                named = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
            except (SyntaxError, ValueError, AttributeError, RecursionError, MemoryError):
                continue
            arguments = dict(zip(fields, values, strict=False)) | named
            if arguments and len(values) <= len(fields):
                yield arguments
            break


def _objects(text: str, properties: dict[str, Any]) -> Iterator[Arguments]:
    """JSON objects of arguments, as the sections of examples of many servers have them."""
    decoder = json.JSONDecoder()
    for found in list(re.finditer(r"\{", text))[:50]:
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value and set(cast("Any", value)) <= set(properties):
            yield cast("Arguments", value)


def _by_field(
    properties: dict[str, Any], required: Sequence[str], text: str, resolver: Resolver
) -> Iterator[Arguments]:
    """The first values shown for each field together, then the second ones."""
    shown = {name: _of_field(schema, resolver) for name, schema in properties.items()}
    if len(properties) == 1:
        [(name, schema)] = properties.items()
        shown[name] += [v for v in quoted_examples(text) if fits(v, schema, resolver)]
    used = {name: values for name, values in shown.items() if values}
    if not used or any(name not in used for name in required):
        return
    for turn in range(min(3, max(map(len, used.values())))):
        yield {name: values[min(turn, len(values) - 1)] for name, values in used.items()}


def _of_field(schema: Any, resolver: Resolver) -> list[Json]:
    values: list[Json] = []
    for branch in resolver.branches(schema):
        values += _listed(branch, "examples")
        values += quoted_examples(str(branch.get("description", "")))
        values += [branch["default"]] if "default" in branch else []
        values += _listed(branch, "enum")
    return [value for value in values if fits(value, schema, resolver)]


def _listed(schema: dict[str, Any], name: str) -> list[Any]:
    """What a schema, which may be anybody's, lists under a name."""
    found: Any = schema.get(name)
    return cast("list[Any]", found) if isinstance(found, list) else []


def _is_json(arguments: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(arguments)) == arguments)
    except (TypeError, ValueError, RecursionError):
        return False

"""The requirements file, ``knitbone.requirements.toml``: find, load and save it.

It holds what the analysis read, reviewed and edited by people, and wins over the analysis. Entries
that the analysis wrote carry a hash of what was written, so that an edit is noticed whatever the
formatting; comments and line numbers do not count. Paths are relative to the file, so that it can
be committed.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

import msgspec
import tomli_w

from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.adaptation.requirements.descriptions import describe
from knitbone.adaptation.requirements.records import (
    Element,
    Evidence,
    Requirement,
    ScenarioName,
    ScenarioRequirement,
    Shape,
    ValueType,
)
from knitbone.common.source import parse_source
from knitbone.common.structured.dates import FUNCTIONS, is_reading
from knitbone.common.structured.shape import TextStep
from knitbone.errors import InputFormatError

__all__ = [
    "FILE_NAME",
    "Entry",
    "FileSite",
    "RequirementsFile",
    "Source",
    "absolute_path",
    "comments_in",
    "decode",
    "dump_entry",
    "dump_requirements",
    "encode",
    "entries_of",
    "find_requirements",
    "kind_of",
    "literal",
    "load_requirements",
    "read_elements",
    "read_evidence",
    "read_shape",
    "read_steps",
    "save_requirements",
    "text_of",
    "write_elements",
    "write_evidence",
    "write_shape",
    "write_steps",
]


# Short notations for the machine part of a requirement, as a person reads and edits them.
#
# elements "number, captured" "delimiter '.' or ')'" "slot, captured, integer" steps ".strip()"
# ".split('\n')" "json.loads()" evidence "app/plan.py:47 line.partition('.')"
#
# Constants are written as Python writes them. What a notation cannot carry (a name with a bracket
# where the notation has brackets) is written as a Python literal under ``python``: every writer
# here reads back what it wrote before it hands it out, so nothing is lost.

_T = TypeVar("_T")
_TYPES: tuple[str, ...] = get_args(ValueType)
_KIND = re.compile(r"words|number|delimiter|space|slot")
_READING = re.compile(r" by ('[^']*'|\"[^\"]*\")$")
"""Behind the type of a date: how the code reads it."""
_EVIDENCE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?:  ?(?P<expression>.*))?", re.DOTALL)


def readable_or_literal(value: Any, written: Any, read: Callable[[Any], Any]) -> Any:
    """Return what was written, or the literal where reading it back gives something else."""
    try:
        # A half of a surrogate pair is an error here, as it would be in the file.
        json.dumps(written, ensure_ascii=False).encode("utf-8")
        same = repr(read(written)) == repr(value)
    except ValueError:
        same = False
    return written if same else {"python": literal(msgspec.to_builtins(value))}


def literal(value: Any) -> str:
    """Return builtin data as a Python literal; whatever does not print is escaped in it."""
    return repr(value)


def read_literal(text: str) -> Any:
    """Return the data of a literal; also reads ``inf`` and ``nan``.

    Raises:
        ValueError: the text is not a literal of builtin data.
    """
    try:
        return _value_of(parse_source(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text!r} is not a Python literal") from error


def _value_of(node: ast.expr) -> Any:
    """Return the data of a literal's syntax tree."""
    match node:
        case ast.Constant(value=str() | bool() | int() | float() | None as value):
            return value
        case ast.Name(id="inf" | "nan" as name):
            return float(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _value_of(operand)
            if isinstance(value, int | float):
                return -value
        case ast.Tuple(elts=items):
            return tuple(_value_of(item) for item in items)
        case ast.List(elts=items):
            return [_value_of(item) for item in items]
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {
                _value_of(key): _value_of(value)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        case _:
            pass
    raise ValueError(f"{ast.unparse(node)!r} is not a constant")


def write_evidence(evidence: Evidence) -> Any:
    """Return evidence as ``FILE:LINE EXPRESSION``."""
    written = f"{evidence.file}:{evidence.line}  {evidence.expression}"
    return readable_or_literal(evidence, written, read_evidence)


def read_evidence(written: Any) -> Evidence:
    """Return the evidence.

    Raises:
        ValueError: it does not begin with a file and a line.
    """
    if isinstance(written, dict):
        return from_literal(cast("dict[str, Any]", written), Evidence)
    match = _EVIDENCE.fullmatch(text_of(written))
    if match is None or not match["file"]:
        raise ValueError(f"{written!r} is not 'FILE:LINE  EXPRESSION'")
    return Evidence(
        file=match["file"], line=int(match["line"]), expression=match["expression"] or ""
    )


def write_steps(steps: tuple[Step, ...]) -> Any:
    """Return steps as ``name(constants)``."""
    written = [f"{step.name}({', '.join(literal(a) for a in step.arguments)})" for step in steps]
    return readable_or_literal(steps, written, read_steps)


def read_steps(written: Any) -> tuple[Step, ...]:
    """Return the steps.

    Raises:
        ValueError: one of them is not ``name(constants)``.
    """
    if isinstance(written, dict):
        return from_literal(cast("dict[str, Any]", written), tuple[Step, ...])
    return tuple(_read_step(text_of(item)) for item in list_of(written))


def _read_step(text: str) -> Step:
    """Return one step."""
    # The name may hold calls itself (``connect().cursor().execute``): the arguments are the first
    # bracket that holds constants only, up to the end.
    for match in re.finditer(r"\(", text):
        inside = text[match.end() : -1]
        if match.start() and text.endswith(")"):
            try:
                arguments = read_literal(f"({inside},)" if inside.strip() else "()")
            except ValueError:
                continue
            return Step(text[: match.start()], arguments)
    raise ValueError(f"{text!r} is not a step such as \".split('\\n')\"")


def write_elements(elements: tuple[Element, ...]) -> Any:
    """Return elements as ``kind 'spelling' or 'spelling', mark``."""
    return readable_or_literal(elements, [_write_element(e) for e in elements], read_elements)


def _write_element(element: Element) -> Any:
    """Return one element."""
    words = [element.kind + "".join(f", {mark}" for mark in _marks(element))]
    if element.kind == "choice":
        return words + [[_write_element(e) for e in sequence] for sequence in element.alternatives]
    spellings = " or ".join(literal(option) for option in element.options)
    # Any white space, of which a repair writes one blank, is a plain "space".
    return f"{element.kind} {spellings}{words[0][len(element.kind) :]}" if spellings else words[0]


def _marks(element: Element) -> list[str]:
    """Return the words behind an element: what is said of it."""
    marks = [mark for mark in ("captured", "optional") if getattr(element, mark)]
    reading = f" by {literal(element.reading)}" if element.reading else ""
    return marks + ([element.type + reading] if element.type != "any" or reading else [])


def read_elements(written: Any) -> tuple[Element, ...]:
    """Return the elements.

    Raises:
        ValueError: one of them is not an element.
    """
    if isinstance(written, dict):
        return from_literal(cast("dict[str, Any]", written), tuple[Element, ...])
    return tuple(_read_element(item) for item in list_of(written))


def _read_element(written: Any) -> Element:
    """Return one element."""
    if isinstance(written, list):
        head, *sequences = cast("list[Any]", written) or [""]
        kind, marks = _read_marks(text_of(head), "")
        if kind != "choice" or not sequences:
            raise ValueError(f"{head!r} does not begin a choice: ['choice', [...], [...]]")
        return Element(kind="choice", alternatives=tuple(map(read_elements, sequences)), **marks)
    text = text_of(written)
    match = _KIND.match(text)
    if match is None:
        raise ValueError(f"{text!r} does not begin with words, number, delimiter, space or slot")
    rest = text[match.end() :]
    options: list[str] = []
    while string := re.match(r"(?: or)? (?=['\"])", rest):
        value, rest = _leading_string(rest[string.end() :])
        options.append(value)
    _, marks = _read_marks(match.group() + rest, text)
    return Element(
        kind=cast("Any", match.group()),
        text=options[0] if options else " " if match.group() == "space" else "",
        options=tuple(options),
        **marks,
    )


def _read_marks(text: str, whole: str) -> tuple[str, dict[str, Any]]:
    """Return the kind of an element and its marks as fields."""
    marks: dict[str, Any] = {}
    if by := _READING.search(text):
        text, marks["reading"] = text[: by.start()], read_literal(by[1])
        check_reading(marks["reading"])
    kind, *words = (word.strip() for word in text.split(","))
    for word in words:
        if word in ("captured", "optional"):
            marks[word] = True
        elif word in _TYPES:
            marks["type"] = word
        else:
            raise ValueError(f"{word!r} in {whole or text!r} is not captured, optional or a type")
    if kind not in ("choice", *_KIND.pattern.split("|")):
        raise ValueError(f"{whole or text!r} is not an element")
    return kind, marks


def check_reading(reading: Any) -> None:
    """Refuse a way to read a date that is not known.

    Raises:
        ValueError: a date cannot be read so.
    """
    if not isinstance(reading, str) or not is_reading(reading):
        known = ", ".join(FUNCTIONS)
        raise ValueError(f"{reading!r} is neither a format such as '%Y-%m-%d' nor one of: {known}")


def _leading_string(text: str) -> tuple[str, str]:
    """Return a Python string at the start of a text, and the rest."""
    for end in (m.end() for m in re.finditer(re.escape(text[0]), text[1:])):
        try:
            value = read_literal(text[: end + 1])
        except ValueError:
            continue
        return text_of(value), text[end + 1 :]
    raise ValueError(f"{text!r} does not end its string")


def from_literal(table: dict[str, Any], wanted: type[_T]) -> _T:
    """Return the value that a table holds under ``python``."""
    if set(table) != {"python"}:
        raise ValueError(f"{table!r} is not a table with the one key 'python'")
    try:
        return msgspec.convert(read_literal(text_of(table["python"])), wanted)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def text_of(value: Any) -> str:
    """Return a value that must be a text."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def list_of(value: Any) -> list[Any]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return cast("list[Any]", value)


# Notation for the shape of a structured value: a list of keys with their types, for people.
#
# "items[].qty: integer-like" "note?: string or null" "state: string in ('on', 'off',)"
#
# ``[]`` are the items of an array, ``?`` marks a key that may be missing, ``-like`` what only has
# to convert to the type, ``as`` the application's own class, ``by`` how the code reads a date,
# ``after strip.lower`` what it does to a text before it looks for it among the values; ``$`` is the
# whole value. Objects and arrays of which nothing more is known than what they hold have no line of
# their own.

_SHAPE_TYPES: tuple[str, ...] = get_args(ValueType)
_STEP = "|".join(get_args(TextStep))
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_TYPE = re.compile(
    rf"(?P<type>{'|'.join(_SHAPE_TYPES)})(?P<like>-like)?(?P<null> or null)?"
    r"(?: as (?P<name>[\w.\[\]<>]+))?(?: by (?P<reading>'[^']*'|\"[^\"]*\"))?"
    rf"(?: after (?P<steps>(?:{_STEP})(?:\.(?:{_STEP}))*))?"
    r"(?: in (?P<values>\(.*\)))?",
    re.DOTALL,
)


def write_shape(shape: Shape) -> Any:
    """Return the lines of a shape."""
    return readable_or_literal(shape, list(_shape_lines("", shape)), read_shape)


def _shape_lines(path: str, shape: Shape) -> list[str]:
    """Return the lines of the part of a shape at a path."""
    container = "object" if shape.fields else "array" if shape.items else None
    bare = Shape(type=cast("Any", container or "any"), fields=shape.fields, items=shape.items)
    lines: list[str] = []
    if container is None or shape != bare:
        lines.append(f"{path or '$'}: {_write_type(shape)}")
    for field in shape.fields:
        plain = _PLAIN_NAME.fullmatch(field.name)
        name = (field.name if plain else json.dumps(field.name)) + ("" if field.required else "?")
        lines += _shape_lines(f"{path}.{name}" if path else name, field.shape)
    return lines + (_shape_lines(f"{path}[]", shape.items) if shape.items else [])


def _write_type(shape: Shape) -> str:
    """Return the type behind the colon."""
    written = shape.type + ("-like" if shape.convertible else "")
    written += " or null" if shape.nullable else ""
    written += f" as {shape.name}" if shape.name else ""
    written += f" by {literal(shape.reading)}" if shape.reading else ""
    written += f" after {'.'.join(shape.steps)}" if shape.steps else ""
    values = ", ".join(literal(value) for value in shape.values)
    return written + (f" in ({values},)" if values else "")


class _ShapeNode:
    """A shape being read."""

    def __init__(self) -> None:
        self.declared: dict[str, Any] | None = None
        self.fields: dict[str, tuple[bool, _ShapeNode]] = {}
        self.items: _ShapeNode | None = None

    def build(self) -> dict[str, Any]:
        """Return the shape as plain data."""
        built: dict[str, Any] = dict(
            self.declared or {"type": "object" if self.fields else "array"}
        )
        if self.fields:
            built["fields"] = [
                {"name": name, "required": required, "shape": node.build()}
                for name, (required, node) in self.fields.items()
            ]
        if self.items:
            built["items"] = self.items.build()
        return built


def read_shape(written: Any) -> Shape:
    """Return the shape of some lines.

    Raises:
        ValueError: a line is not ``path: type``, or a path stands twice.
    """
    if isinstance(written, dict):
        return from_literal(cast("dict[str, Any]", written), Shape)
    root = _ShapeNode()
    lines = [text_of(line) for line in list_of(written)]
    for line in lines:
        node, rest = _walk(root, line)
        match = _TYPE.fullmatch(rest.strip())
        if match is None:
            raise ValueError(
                f"{rest.strip()!r} in {line!r} is not a type: {', '.join(_SHAPE_TYPES)}"
            )
        if node.declared is not None:
            raise ValueError(f"{line!r}: this key stands twice")
        values = read_literal(match["values"]) if match["values"] else ()
        reading = read_literal(match["reading"]) if match["reading"] else ""
        if match["reading"]:
            check_reading(reading)
        node.declared = {
            "type": match["type"],
            "convertible": bool(match["like"]),
            "nullable": bool(match["null"]),
            "name": match["name"] or "",
            "reading": reading,
            "steps": match["steps"].split(".") if match["steps"] else (),
            "values": values if isinstance(values, tuple) else (values,),
        }
    return msgspec.convert(root.build(), Shape) if lines else Shape()


def _walk(root: _ShapeNode, line: str) -> tuple[_ShapeNode, str]:
    """Return the node that a line's path names, made where it is new, and what follows
    the colon."""
    if line.startswith("$:"):
        return root, line[2:]
    node, rest, first = root, line, True
    while not rest.startswith(":") or first:
        if rest.startswith("[]"):
            node.items = node.items or _ShapeNode()
            node, rest = node.items, rest[2:]
        else:
            rest = rest if first else rest.removeprefix(".")
            name, rest = _leading_name(rest, line)
            optional = rest.startswith("?")
            required, node = node.fields.setdefault(name, (not optional, _ShapeNode()))
            if required is optional:
                raise ValueError(f"{line!r}: {name!r} is optional in one line and not in another")
            rest = rest[optional:]
        first = False
    return node, rest[1:]


def _leading_name(rest: str, line: str) -> tuple[str, str]:
    """Return the name that a path begins with, and the rest."""
    if rest.startswith('"'):
        try:
            name, end = json.JSONDecoder(strict=False).raw_decode(rest)
        except ValueError as error:
            raise ValueError(f"{line!r}: the quoted key does not end") from error
        return name, rest[end:]
    match = _PLAIN_NAME.match(rest)
    if match is None:
        raise ValueError(f"{line!r} is not a key and its type, such as 'items[].qty: integer'")
    return match.group(), rest[match.end() :]


# Conversion between requirement records and the tables that the requirements file holds of them.
#
# Fields stand under their own names, as far as they differ from their default; elements, keys,
# steps and evidence in short notations. ``expects`` says the same in words and is never read back.
# Records that the file format does not know yet travel the same way: the fields decide.

_ENTRY_KEYS = ("kind", "expects", "evidence", "confidence", "source", "ignore", "note", "observed",
             "generated")  # fmt: skip
"""Keys of an entry that are no fields of the requirement."""
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "elements": write_elements,
    "steps": write_steps,
    "name_steps": write_steps,
    "shape": write_shape,
}
"""Fields with a notation of their own."""
_READERS: dict[str, Callable[[Any], Any]] = {
    "elements": read_elements,
    "steps": read_steps,
    "name_steps": read_steps,
    "shape": read_shape,
}
"""The inverse of ``_WRITERS``."""
_RENAMED = {"shape": "keys"}
"""Field of a record -> key of the file."""


def _tag(kind: type[msgspec.Struct]) -> str:
    """Return the name of a kind of requirement in the file."""
    return str(kind.__struct_config__.tag)


_KINDS: dict[str, type[msgspec.Struct]] = {_tag(kind): kind for kind in get_args(Requirement)}


def kind_of(requirement: Requirement) -> str:
    """Return the kind of a requirement: ``positional``, ``structured``, ``scenario``, ..."""
    return _tag(type(requirement))


def encode(requirements: tuple[Requirement, ...]) -> dict[str, Any]:
    """Return the table of one entry: a requirement, or scenario requirements that differ in name
    only."""
    first = requirements[0]
    data: dict[str, Any] = {
        "kind": kind_of(first),
        "expects": "; ".join(describe(requirement) for requirement in requirements),
        "evidence": write_evidence(first.evidence),
    }
    if (confidence := getattr(first, "confidence", None)) is not None:
        data["confidence"] = confidence
    if isinstance(first, ScenarioRequirement):
        names = [r.name for r in requirements if isinstance(r, ScenarioRequirement)]
        return data | {"names": names} | _fields(first, {"name", *data})
    return data | _fields(first, set(data))


def _fields(record: msgspec.Struct, known: set[str]) -> dict[str, Any]:
    """Return the fields of a record that differ from their default, without the known ones."""
    data: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(record)):
        value = getattr(record, field.name)
        if field.name in known or repr(value) == repr(field.default):
            continue
        data[_RENAMED.get(field.name, field.name)] = _value(field.name, value)
    return data


def _value(name: str, value: Any) -> Any:
    """Return the value of a field as the file writes it."""
    if name in _WRITERS:
        return _WRITERS[name](value)
    if isinstance(value, Reader):
        return _fields(value, set())
    plain = msgspec.to_builtins(value)
    if isinstance(plain, list | tuple):
        items = list(cast("Iterable[Any]", plain))
        return items if all(map(_is_toml, items)) else {"python": literal(items)}
    return plain if _is_toml(plain) else {"python": literal(plain)}


def _is_toml(value: Any) -> bool:
    """Return whether TOML has the value; it has no null, and no half of a surrogate pair."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, bool | int | float)


def decode(table: Mapping[str, Any], *, default_evidence: Evidence) -> tuple[Requirement, ...]:
    """Return the requirements of a table: the inverse of ``encode``.

    Args:
        default_evidence: of an entry that a person wrote without any.

    Raises:
        ValueError: a key is unknown, missing, or has a value that cannot be used; the message
            says which.
    """
    tag = table.get("kind")
    if tag is None:
        raise ValueError(f"the key 'kind' is missing; it is one of {', '.join(_KINDS)}")
    check_known(tag, _KINDS, "kind of requirement")
    kind = _KINDS[tag]
    names = [field.name for field in msgspec.structs.fields(kind)]
    keys = {_RENAMED.get(name, name): name for name in names}
    if kind is ScenarioRequirement:
        del keys["name"]
        keys["names"] = "names"
    record: dict[str, Any] = {"type": tag, "evidence": msgspec.to_builtins(default_evidence)}
    for key, value in table.items():
        check_known(key, {**keys, **dict.fromkeys(_ENTRY_KEYS)}, f"key of a {tag} requirement")
        if key not in keys:
            continue
        try:
            record[keys[key]] = _read(keys[key], value)
        except ValueError as error:
            raise ValueError(f"{key} = {value!r}: {error}") from error
    records = [record]
    if kind is ScenarioRequirement:
        scenario_names = list_of(record.pop("names", None))
        records = [{**record, "name": name} for name in scenario_names]
    try:
        return tuple(msgspec.convert(each, cast("Any", Requirement)) for each in records)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace("$.", "")) from error


def _read(name: str, value: Any) -> Any:
    """Return the value of a field from what the file says."""
    if name == "evidence":
        return msgspec.to_builtins(read_evidence(value))
    if name in _READERS:
        return msgspec.to_builtins(_READERS[name](value))
    if not isinstance(value, dict):
        return value
    table = cast("dict[str, Any]", value)
    if set(table) == {"python"}:
        return from_literal(table, object)
    if name in ("reader", "inside"):
        fields = [field.name for field in msgspec.structs.fields(Reader)]
        for key in table:
            check_known(key, fields, "key of a reader")
        return {key: _read(key, inner) for key, inner in table.items()}
    return table


def check_known(key: Any, valid: Iterable[str], what: str) -> None:
    """Refuse what is not known, with the nearest name that is.

    Raises:
        ValueError: always when ``key`` is not among ``valid``.
    """
    known = list(valid)
    if key in known:
        return
    close = difflib.get_close_matches(str(key), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}."
    raise ValueError(f"{key!r} is not a known {what}; {hint}")


# Content of a requirements file as records, and the file's text: the same for the same content.
#
# Paths are relative to the file, so that it can be committed.

SCHEMA = 1
_HEADER = """\
# What this application expects of its models' answers: read from its code by `knitbone check
# --write`, reviewed by people. This file wins over the analysis, in `knitbone check` and at run
# time.
#
# Edit an entry and it is yours: the next --write leaves it as you wrote it. It can tell by
# `generated`, a hash of what it had written itself. `expects` (the entry in words), `evidence`
# (where it was read) and comments do not count: change the keys beside them.
# `ignore = true` switches a site or a requirement off; an entry that is deleted comes back.
# An entry of your own says `source = "person"`. `note` is for your reasons; `observed` is what
# `knitbone learn` saw."""

_INVISIBLE = re.compile(
    "[\t\x7f-\x9f\u061c\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Characters that would make a line look like something else in a review."""

_KEYS_WITHOUT_DEMAND = frozenset({"generated", "observed", "expects", "evidence"})
"""Keys of an entry that follow from others, or say where it comes from."""

SITE_KEYS = ("file", "function", "expression", "origin", "ordinal", "ignore", "stale", "note",
              "requirement")  # fmt: skip

Source = Literal["code", "person", "learn"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[site.requirement]]``."""

    requirements: tuple[Requirement, ...]
    """One; several where scenario requirements differ in their name only."""
    table: dict[str, Any]
    """As it stands in the file."""
    source: Source = "code"
    ignore: bool = False
    generated: str = ""
    """Hash of what the analysis wrote; empty: not written by it."""
    line: int = 0
    text: str = ""
    """The block as it is written; empty where it is not written in a block of its own."""

    @property
    def content(self) -> str:
        """Return a hash of what it says now."""
        return content_hash(self.table)

    @property
    def is_kept(self) -> bool:
        """Return whether a person, or ``learn``, has a say in it: then it is never overwritten."""
        return self.source != "code" or self.generated != self.content

    @property
    def is_declared(self) -> bool:
        """Return whether a person wrote or edited what it demands; a ``note`` alone demands
        nothing."""
        demands = {key: value for key, value in self.table.items() if key != "note"}
        edited = self.generated not in (self.content, content_hash(demands))
        return self.source == "person" or (self.source == "code" and edited)


class FileSite(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[site]]``. It is found again by file, function, origin and expression or ordinal."""

    file: str
    function: str
    origin: str
    expression: str = ""
    ordinal: int = 1
    """Which of the sites with this file, function and origin, in the order of the source."""
    ignore: bool = False
    stale: bool = False
    """True if the code has no such site any more."""
    note: str = ""
    entries: tuple[Entry, ...] = ()
    line: int = 0
    comments: tuple[str, ...] = ()

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements that are not switched off."""
        return tuple(r for entry in self.entries if not entry.ignore for r in entry.requirements)

    @property
    def declared(self) -> tuple[ScenarioName, ...]:
        """Return the scenario requirements that hold because a person said so."""
        return tuple(
            requirement.name
            for entry in self.entries
            if entry.is_declared and not entry.ignore
            for requirement in entry.requirements
            if isinstance(requirement, ScenarioRequirement)
        )


class RequirementsFile(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    path: Path
    sites: tuple[FileSite, ...] = ()
    head: str = ""
    """The text before the first site."""


def content_hash(table: Mapping[str, Any]) -> str:
    """Return a hash of what an entry demands: not of its formatting, its words, and where it was
    read."""
    said = {key: value for key, value in table.items() if key not in _KEYS_WITHOUT_DEMAND}
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def entries_of(
    requirements: Iterable[Requirement], root: Path, *, source: Source = "code"
) -> tuple[Entry, ...]:
    """Return the entries that are written for requirements; scenario requirements share one."""
    groups: list[tuple[Requirement, ...]] = []
    for requirement in requirements:
        last = groups[-1][-1] if groups else None
        if (
            isinstance(requirement, ScenarioRequirement)
            and isinstance(last, ScenarioRequirement)
            and repr(msgspec.structs.replace(last, name=requirement.name)) == repr(requirement)
        ):
            groups[-1] += (requirement,)
        else:
            groups.append((requirement,))
    entries: list[Entry] = []
    for group in groups:
        table = encode(
            tuple(with_evidence_path(requirement, root, _relative) for requirement in group)
        )
        if source != "code":
            table["source"] = source
        table["generated"] = content_hash(table)
        entries.append(
            Entry(requirements=group, table=table, source=source, generated=table["generated"])
        )
    return tuple(entries)


def with_evidence_path(
    requirement: Requirement, root: Path, change: Callable[[str, Path], str]
) -> Requirement:
    """Return the requirement with the path of its evidence changed."""
    evidence = requirement.evidence
    moved = msgspec.structs.replace(evidence, file=change(evidence.file, root))
    return msgspec.structs.replace(requirement, evidence=moved)


def _relative(file: str, root: Path) -> str:
    """Return a path relative to the file, where it leads back to the same path."""
    if not Path(file).is_absolute():
        return file
    relative = os.path.relpath(file, root)
    return relative if absolute_path(relative, root) == file else file


def absolute_path(file: str, root: Path) -> str:
    """Return a path of the file as the analysis has it."""
    return file if Path(file).is_absolute() else os.path.normpath(f"{root}/{file}")


def dump_requirements(file: RequirementsFile) -> str:
    """Return the text of the file: the same for the same content, byte for byte."""
    root = file.path.parent.resolve()
    parts = [file.head or f"{_HEADER}\nschema = {SCHEMA}"]
    for site in file.sites:
        parts.append(_dump_site(site, root))
        parts += [entry.text or dump_entry(entry.table) for entry in site.entries]
    return "\n\n".join(parts) + "\n"


def _dump_site(site: FileSite, root: Path) -> str:
    """Return the text of a ``[[site]]``."""
    values: dict[str, Any] = {"file": _relative(site.file, root), "function": site.function}
    for field in msgspec.structs.fields(FileSite):
        value = getattr(site, field.name)
        if field.name in SITE_KEYS and field.name not in values and value != field.default:
            values[field.name] = value
    return "\n".join([*site.comments, "[[site]]", *_lines(values)])


def dump_entry(table: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """Return one entry as it is written, below its comments."""
    return "\n".join([*comments, "[[site.requirement]]", *_lines(table)])


def _lines(table: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return the lines of a table; tables inside it as dotted keys."""
    lines: list[str] = []
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _lines(cast("dict[str, Any]", value), f"{prefix}{key}.")
            continue
        written = tomli_w.dumps({key: value}).rstrip("\n")
        if isinstance(value, list):
            items = [tomli_w.dumps({"x": item})[4:-1] for item in cast("list[Any]", value)]
            short = f"{key} = [{', '.join(items)}]"
            written = short if len(short) <= 88 and "\n" not in short else written
        lines.append(_INVISIBLE.sub(lambda m: f"\\u{ord(m.group()):04X}", prefix + written))
    return lines


# Text of a requirements file in blocks, so that what a person wrote stays as it is written.
#
# A block is one ``[[site]]`` or ``[[site.requirement]]`` header with the lines below it; the
# comments that stand directly above a header belong to it. The standard library's parser gives the
# values but neither lines nor comments.

_BLOCK_HEADER = re.compile(r"\s*\[\[\s*(site|site\s*\.\s*requirement)\s*\]\]\s*(#.*)?")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n",
    re.DOTALL,
)
"""Strings, comments and line ends of TOML: all that decides what a line of text means."""


class FileBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A header with what belongs to it."""

    kind: str
    """``head`` (what stands before the first site), ``site`` or ``requirement``."""
    line: int
    """1-based, of the header."""
    text: str
    """With the comments above, without blank lines at the end."""


def split_blocks(text: str) -> list[FileBlock]:
    """Return the blocks of a file that is valid TOML, the head first."""
    lines = text.split("\n")
    fresh = _lines_outside_strings(text)
    starts: list[tuple[int, int, str]] = [(0, 0, "head")]
    for index, line in enumerate(lines):
        header = _BLOCK_HEADER.fullmatch(line.rstrip("\r")) if index in fresh else None
        if header is not None:
            start = index
            while start > starts[-1][1] and _is_comment(lines[start - 1], start - 1, fresh):
                start -= 1
            kind = "site" if header[1] == "site" else "requirement"
            starts.append((start, index + 1, kind))
    blocks: list[FileBlock] = []
    for position, (start, line, kind) in enumerate(starts):
        end = starts[position + 1][0] if position + 1 < len(starts) else len(lines)
        body = "\n".join(lines[start:end]).strip()
        blocks.append(FileBlock(kind=kind, line=max(line, 1), text=body))
    return blocks


def _is_comment(line: str, index: int, fresh: set[int]) -> bool:
    """Return whether a line is a comment."""
    return index in fresh and line.lstrip().startswith("#")


def _lines_outside_strings(text: str) -> set[int]:
    """Return the indexes of the lines that do not begin inside a string."""
    fresh, line = {0}, 0
    for token in _TOKEN.finditer(text):
        line += token.group().count("\n")
        if token.group() == "\n":
            fresh.add(line)
    return fresh


def comments_in(text: str) -> list[str]:
    """Return the comments of a block, wherever they stand in it."""
    found = (token.group() for token in _TOKEN.finditer(text))
    return [comment.rstrip() for comment in found if comment.startswith("#")]


FILE_NAME = "knitbone.requirements.toml"


def find_requirements(start: Path) -> Path | None:
    """Return the nearest requirements file, in ``start`` or above, up to the repository's root."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
        if (folder / ".git").exists():
            break
    return None


def load_requirements(path: Path) -> RequirementsFile:
    """Read a requirements file.

    Raises:
        InputFormatError: the file cannot be read, is not TOML, has an unknown schema version or
            key, or a value that cannot be used; with the line and the nearest name that is known.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document: dict[str, Any] = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputFormatError(
            f"{path} cannot be read: {error}.",
            next_step="Correct it, or delete it and run: knitbone check --write",
        ) from error
    _check_version(document, path)
    for key in document:
        _refuse_unknown(key, ("schema", "site"), "key of the file", path, 1)
    blocks = split_blocks(text)
    tables = _tables(document.get("site", []), path, 1, "[[site]]")
    in_blocks = _blocks_of_sites(blocks, tables)
    root = path.parent.resolve()
    sites = tuple(
        _load_site(table, in_blocks[index] if in_blocks else None, path, root)
        for index, table in enumerate(tables)
    )
    return RequirementsFile(path=path, sites=sites, head=blocks[0].text)


def _check_version(document: dict[str, Any], path: Path) -> None:
    """Refuse a document of another schema version."""
    version = document.get("schema")
    if type(version) is not int or version != SCHEMA:
        newer = isinstance(version, int) and version > SCHEMA
        raise InputFormatError(
            f"{path} has schema = {version!r}; this version of knitbone reads {SCHEMA}.",
            next_step="Install a newer knitbone." if newer else f"Write: schema = {SCHEMA}",
        )


def _tables(value: Any, path: Path, line: int, what: str) -> list[dict[str, Any]]:
    """Return a value that must be a series of tables."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in items):
        raise _error(path, line, f"{value!r} is not a series of {what} tables")
    return items


def _blocks_of_sites(
    blocks: Sequence[FileBlock], tables: Sequence[Mapping[str, Any]]
) -> list[list[FileBlock]] | None:
    """Return the blocks of each site, its own first; ``None`` where it is written some
    other way."""
    found: list[list[FileBlock]] = []
    for block in blocks[1:]:
        if block.kind == "site":
            found.append([block])
        elif found:
            found[-1].append(block)
    counts = [len(table.get("requirement", ())) for table in tables]
    return found if [len(each) - 1 for each in found] == counts else None


def _load_site(
    table: Mapping[str, Any], blocks: list[FileBlock] | None, path: Path, root: Path
) -> FileSite:
    """Return a ``[[site]]`` as a record."""
    line = blocks[0].line if blocks else 1
    for key in table:
        _refuse_unknown(key, SITE_KEYS, "key of a [[site]]", path, line)
    written = _tables(table.get("requirement", []), path, line, "[[site.requirement]]")
    entries = tuple(
        _load_entry(entry, blocks[index + 1] if blocks else None, path, root)
        for index, entry in enumerate(written)
    )
    try:
        site = msgspec.convert({**table, "requirement": None}, FileSite)
    except msgspec.ValidationError as error:
        raise _error(path, line, f"this [[site]] cannot be used: {error}") from error
    return msgspec.structs.replace(
        site,
        file=absolute_path(site.file, root),
        entries=entries,
        line=line,
        comments=tuple(comments_in(blocks[0].text)) if blocks else (),
    )


def _load_entry(table: dict[str, Any], block: FileBlock | None, path: Path, root: Path) -> Entry:
    """Return a ``[[site.requirement]]`` as a record."""
    line = block.line if block else 1
    by_hand = Evidence(file=str(path.resolve()), line=line, expression="written by a person")
    source = table.get("source", "code" if "generated" in table else "person")
    try:
        check_known(source, ("code", "person", "learn"), "source")
        for key, kind in (("ignore", bool), ("note", str), ("observed", str), ("generated", str)):
            if not isinstance(table.get(key, kind()), kind):
                raise ValueError(f"{key} = {table[key]!r} is not {kind.__name__}")
        requirements = decode(table, default_evidence=by_hand)
    except ValueError as error:
        raise _error(path, line, str(error)) from error
    return Entry(
        requirements=tuple(
            with_evidence_path(requirement, root, absolute_path) for requirement in requirements
        ),
        table=table,
        source=source,
        ignore=table.get("ignore", False),
        generated=table.get("generated", ""),
        line=line,
        text=block.text if block else "",
    )


def _refuse_unknown(key: str, valid: Sequence[str], what: str, path: Path, line: int) -> None:
    """Refuse an unknown key, with its line."""
    try:
        check_known(key, valid, what)
    except ValueError as error:
        raise _error(path, line, str(error)) from error


def _error(path: Path, line: int, why: str) -> InputFormatError:
    """Return an error with file and line."""
    return InputFormatError(
        f"{path}:{line}: {why}",
        next_step="Correct the entry, or delete it and run: knitbone check --write",
    )


def save_requirements(file: RequirementsFile) -> None:
    """Write the file, whole or not at all.

    Raises:
        InputFormatError: it cannot be written there.
    """
    path = file.path.resolve()  # a link stays one
    scratch = path.with_name(f".{path.name}.new")
    try:
        scratch.write_bytes(dump_requirements(file).encode("utf-8"))
        scratch.replace(path)
    except (OSError, UnicodeEncodeError) as error:
        scratch.unlink(missing_ok=True)
        raise InputFormatError(
            f"{file.path} cannot be written: {error}.", next_step="Name another file."
        ) from error

"""Short notations for the machine part of a requirement, as a person reads and edits them.

    elements   "number, captured"   "delimiter '.' or ')'"   "slot, captured, integer"
    steps      ".strip()"   ".split('\\n')"   "json.loads()"
    evidence   "app/plan.py:47  line.partition('.')"

Constants are written as Python writes them. What a notation cannot carry (a name with a bracket
where the notation has brackets) is written as a Python literal under ``python``: every writer
here reads back what it wrote before it hands it out, so nothing is lost.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast, get_args

import msgspec

from knitbone.adaptation.consumers.readers import Step
from knitbone.adaptation.requirements.records import Element, Evidence, ValueType
from knitbone.common.source import parse_source
from knitbone.common.structured.dates import FUNCTIONS, is_reading

__all__ = [
    "check_reading",
    "from_literal",
    "list_of",
    "literal",
    "read_elements",
    "read_evidence",
    "read_literal",
    "read_steps",
    "readable_or_literal",
    "text_of",
    "write_elements",
    "write_evidence",
    "write_steps",
]

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

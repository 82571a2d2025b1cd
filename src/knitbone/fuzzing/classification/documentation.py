"""A tool's documentation, sentence by sentence: which argument each is about.

Descriptions come in every style (Google, reST, NumPy, lists in an MCP server's prose), so an entry
is recognised by the name of an argument of the schema at the start of a line, not by a style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

import msgspec

from knitbone.common.sentences import split_by_rule
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["Documentation", "Sentence", "read_documentation"]

Section = Literal["text", "argument", "returns", "raises"]

_LONGEST = 50_000
"""Characters of a documentation that are read."""
_FIELDS = 200
_DEPTH = 6
_HEADINGS: dict[str, Section] = {
    "args": "text", "arguments": "text", "parameters": "text", "params": "text", "inputs": "text",
    "input": "text", "returns": "returns", "return": "returns", "output": "returns",
    "yields": "returns", "raises": "raises", "errors": "raises", "exceptions": "raises",
    "example": "text", "examples": "text", "note": "text", "notes": "text",
}  # fmt: skip
_HEADING = re.compile(r"[ \t#*_]{0,8}([A-Za-z]{4,10})[*_]{0,2}:?[*_]{0,2}[ \t]*\Z")
_ENTRY = re.compile(
    r"[ \t]{0,40}(?:[-*+][ \t]+|:(?:param|arg|parameter)[ \t]+(?:[\w\[\], .|]{1,40}[ \t]+)?)?"
    r"[`*_\"']{0,3}([A-Za-z_][\w.]{0,60})[`*_\"']{0,3}[ \t]*"
    r"(?:\([^()\n]{0,80}\)|\[[^\]\n]{0,80}\])?"
    r"[ \t]*(?::|--?[ \t]|=[ \t]|\u2013|\u2014)[ \t]*(.*)\Z"
)
_FIELD_RETURNS = re.compile(r"[ \t]*:returns?:[ \t]*(.*)\Z")
_NAME = r"(?::\w{1,10}:)?[`~*]{0,3}[A-Za-z_][\w.]{2,80}[`*]{0,2}"
_NAMES = rf"({_NAME}(?:[ \t]*(?:,|/|\||\bor\b|\band\b)[ \t]*{_NAME}){{0,5}})"
_FIELD_RAISES = re.compile(
    rf"[ \t]*:(?:raises?|throws?|except(?:ion)?)[ \t]+{_NAMES}[ \t]*:[ \t]*(.*)\Z"
)
_RAISED = re.compile(rf"[ \t]*(?:[-*+][ \t]+)?{_NAMES}[ \t]*(?::|--?[ \t]|\Z)[ \t]*(.*)\Z")
_MARKS = re.compile(r":\w{1,10}:|[`~*]")
_BETWEEN = re.compile(r"[\s,/|]+|\b(?:or|and)\b")


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of the documentation."""

    text: str
    section: Section = "text"
    argument: str | None = None
    """The argument that it is about; the whole tool without one."""
    exception: str | None = None
    """In ``raises``: the exception it announces."""


class Documentation(msgspec.Struct, frozen=True, kw_only=True):
    """What is written of a tool."""

    sentences: tuple[Sentence, ...]
    enumerations: dict[str, tuple[Any, ...]] = {}
    """Values that the schema allows of an argument, where it lists them."""
    bounds: dict[str, tuple[float | None, float | None]] = {}
    """Smallest and largest number that the schema allows of an argument."""

    def about(self, argument: str) -> tuple[Sentence, ...]:
        """The sentences about an argument."""
        return tuple(s for s in self.sentences if s.argument == argument)

    def general(self) -> tuple[Sentence, ...]:
        """The sentences about the whole tool."""
        return tuple(s for s in self.sentences if s.argument is None)


class _Paragraph(msgspec.Struct):
    """Lines that belong together."""

    section: Section = "text"
    argument: str | None = None
    exception: str | None = None
    lines: list[str] = []


def read_documentation(tool: ToolUnderTest) -> Documentation:
    """Read the documentation and the schema's own words."""
    fields = dict(list(properties_of(tool.schema).items())[:_FIELDS])
    sentences = [
        sentence
        for block in _blocks(tool.documentation[:_LONGEST], fields)
        for sentence in _sentences(block)
    ]
    for name, field in fields.items():
        for text in _descriptions(field):
            block = _Paragraph(section="argument", argument=name, lines=[text[:_LONGEST]])
            sentences.extend(_sentences(block))
    return Documentation(
        # An adapter may have put a docstring's entry into the schema: once is enough.
        sentences=tuple(dict.fromkeys(sentences)),
        enumerations={n: e for n, field in fields.items() if (e := _enumeration(field))},
        bounds={n: b for n, field in fields.items() if (b := _bounds(field)) != (None, None)},
    )


def _blocks(text: str, fields: dict[str, Any]) -> Iterator[_Paragraph]:
    block = _Paragraph()
    for line in text.splitlines():
        heading = _HEADING.match(line)
        word = heading.group(1).lower() if heading else ""
        if word in _HEADINGS and (line.rstrip().endswith(":") or "#" in line or "*" in line):
            yield block
            block = _Paragraph(section=_HEADINGS[word])
        elif not line.strip():
            yield block
            keep = block.section in ("returns", "raises")
            block = _Paragraph(section=block.section if keep else "text")
        elif (entry := _entry(line, block, fields)) is not None:
            yield block
            block = entry
        elif set(line.strip()) <= {"-", "="}:  # NumPy underlines its headings
            last = block.lines.pop().strip().lower() if block.lines else ""
            yield block
            block = _Paragraph(section=_HEADINGS.get(last, "text"))
        else:
            block.lines.append(line)
    yield block


def _entry(line: str, block: _Paragraph, fields: dict[str, Any]) -> _Paragraph | None:
    """The block that begins with this line, if one does."""
    if (match := _FIELD_RAISES.match(line)) is not None:
        return _Paragraph(section="raises", exception=match.group(1), lines=[match.group(2)])
    if (match := _FIELD_RETURNS.match(line)) is not None:
        return _Paragraph(section="returns", lines=[match.group(1)])
    if block.section == "raises" and (match := _RAISED.match(line)) is not None:
        if all(name[0].isupper() or "." in name for name in _types(match.group(1))):
            return _Paragraph(section="raises", exception=match.group(1), lines=[match.group(2)])
        return None
    match = _ENTRY.match(line)
    if match is not None and match.group(1) in fields and block.section != "returns":
        return _Paragraph(section="argument", argument=match.group(1), lines=[match.group(2)])
    return None


def _sentences(block: _Paragraph) -> Iterator[Sentence]:
    text = " ".join(" ".join(block.lines).split())
    names: list[str | None] = [*_types(block.exception)] if block.exception else [None]
    if not text:
        for name in names:
            if name is not None:
                yield Sentence(text=name, section="raises", exception=name)
        return
    for start, end in split_by_rule(text):
        piece = text[start:end].strip()
        for name in names if piece else ():
            yield Sentence(
                text=piece, section=block.section, argument=block.argument, exception=name
            )


def _types(names: str) -> list[str]:
    """The exceptions in what an entry begins with: ``:exc:`ValueError`, KeyError``."""
    return [name for name in _BETWEEN.split(_MARKS.sub("", names)) if name]


def _descriptions(field: Any, depth: int = 0) -> Iterator[str]:
    """Every description within an argument's schema, its nested fields' too."""
    if isinstance(field, list):
        for item in cast("list[Any]", field):
            yield from _descriptions(item, depth + 1)
    if depth > _DEPTH or not isinstance(field, dict):
        return
    table = cast("dict[str, Any]", field)
    for key, value in table.items():
        if key == "description" and isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            yield from _descriptions(value, depth + 1)


def _enumeration(field: Any) -> tuple[Any, ...]:
    if not isinstance(field, dict):
        return ()
    table = cast("dict[str, Any]", field)
    if "const" in table:
        return (table["const"],)
    listed = table.get("enum")
    found: list[Any] = list(cast("list[Any]", listed)) if isinstance(listed, list) else []
    for key in ("anyOf", "oneOf", "allOf"):
        options = table.get(key)
        if isinstance(options, list):
            for option in cast("list[Any]", options):
                found.extend(_enumeration(option))
    if isinstance(table.get("items"), dict):
        found.extend(_enumeration(table["items"]))
    return tuple(found)


def _bounds(field: Any) -> tuple[float | None, float | None]:
    if not isinstance(field, dict):
        return (None, None)
    table = cast("dict[str, Any]", field)

    def number(*keys: str) -> float | None:
        values = (table.get(key) for key in keys)
        return next((v for v in values if isinstance(v, (int, float))), None)

    return (number("minimum", "exclusiveMinimum"), number("maximum", "exclusiveMaximum"))

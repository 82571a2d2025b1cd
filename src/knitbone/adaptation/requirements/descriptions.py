"""Requirements in words: one line each, as people read them in reports and messages."""

from __future__ import annotations

import json

from knitbone.adaptation.requirements.records import (
    ChunkSpec,
    ContextRule,
    Element,
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    Shape,
    StructuredTemplate,
    Unknown,
)
from knitbone.common.printable import printable

__all__ = ["describe"]

_MAX_DEPTH = 6
"""Levels of a shape that are printed; deeper ones stand as ``...`` (ours)."""

_MAX_LENGTH = 2_000
"""Characters of a line (ours)."""

_FORMATS = {
    "json": "JSON",
    "jsonl": "JSON lines",
    "yaml": "YAML",
    "xml": "XML",
    "csv": "CSV",
    "toml": "TOML",
    "python-literal": "Python literal",
}
_LANGUAGES = {
    "sql": "SQL",
    "json": "JSON",
    "yaml": "YAML",
    "html": "HTML",
    "xml": "XML",
    "python": "Python",
    "javascript": "JavaScript",
    "shell": "shell",
    "regex": "regular expression",
}
_SCENARIOS = {
    "intact_text": "no word or sentence cut at the edges of a piece",
    "relevant_content": "entries that bear on the query",
    "consistent_lexical_features": "one language, one spelling and one structure throughout",
    "no_repeated_behaviour": "no call that repeats an earlier one",
    "succinct_content": "no sentence that repeats another",
    "no_contextual_redundancy": "no answer that repeats what the session said before",
}


def describe(requirement: Requirement) -> str:
    """Return the requirement in one line that is safe to print."""
    return printable(_describe(requirement), limit=_MAX_LENGTH)


def _describe(requirement: Requirement) -> str:
    """Return the requirement in words."""
    if isinstance(requirement, Unknown):
        return f"unknown: {requirement.reason}"
    if isinstance(requirement, PositionalTemplate):
        return _positional(requirement)
    if isinstance(requirement, StructuredTemplate):
        name = _FORMATS[requirement.format]
        cells = f", {len(requirement.columns)} cells a row" if requirement.columns else ""
        return f"{name}: {describe_shape(requirement.shape)}{cells}"
    if isinstance(requirement, FencedTemplate):
        return _fence(requirement)
    if isinstance(requirement, ParserSyntax):
        name = _LANGUAGES.get(requirement.language, requirement.language)
        return f"{name} ({requirement.dialect})" if requirement.dialect else name
    if isinstance(requirement, ChunkSpec):
        return _chunk(requirement)
    if isinstance(requirement, ContextRule):
        return _context(requirement)
    return _scenario(requirement)


def describe_shape(shape: Shape, depth: int = 0) -> str:
    """Return a shape in one line: ``object {score: integer-like, note?: string}``."""
    if depth > _MAX_DEPTH:
        return "..."
    name = shape.name or ("" if shape.type == "any" else shape.type)
    if shape.convertible:
        name += "-like"
    if shape.reading:
        name += f" by {shape.reading!r}"
    if shape.items is not None:
        inner = describe_shape(shape.items, depth + 1)
        name = "array" if inner == "any" else f"array of {inner}"
    if shape.fields:
        fields = ", ".join(
            f"{field.name}{'' if field.required else '?'}"
            + (f": {shown}" if (shown := describe_shape(field.shape, depth + 1)) != "any" else "")
            for field in shape.fields
        )
        name = f"{shape.name or 'object'} {{{fields}}}"
    if shape.values:
        accepted = "one of " + ", ".join(_quoted(value) for value in shape.values)
        name = f"{name} {accepted}" if name and name != "string" else accepted
        name += f" after {'.'.join(shape.steps)}" if shape.steps else ""
    return (name or "any") + (" or null" if shape.nullable else "")


def _positional(requirement: PositionalTemplate) -> str:
    elements = [e for e in requirement.elements if e.kind != "space"]
    if requirement.separator:
        return _separated(elements, _quoted(requirement.separator))
    single = len(elements) == 1 and not requirement.repeated
    if single and (whole := _whole_answer(elements[0])) is not None:
        return whole
    shape = _sequence(elements)
    if requirement.keyed:
        return f"named lines: {shape}"
    if not requirement.repeated:
        return f"one record: {shape}"
    by_line = requirement.line_start or (
        requirement.reader is not None and requirement.reader.splits_lines
    )
    breaks = any(e.kind == "space" and e.text == "\n" for e in requirement.elements)
    return f"one record a line: {shape}" if by_line and not breaks else f"records: {shape}"


def _separated(elements: list[Element], separator: str) -> str:
    """Return a list, or a record whose last field is one, in words."""
    if len(elements) > 1:
        return f"one record: {_sequence(elements[:-1])} <items separated by {separator}>"
    item = "" if not elements or _is_plain_slot(elements[0]) else f" of {_sequence(elements)}"
    return f"items{item} separated by {separator}"


def _whole_answer(element: Element) -> str | None:
    """Return an answer that is one value, in words; ``None`` where its only element says no more
    than ``text``."""
    if element.kind == "slot" and element.type != "any":
        kind = element.type
        return f"number <{kind}>" if kind in ("integer", "number") else kind
    if element.kind == "words":
        accepted = ", ".join(f'"{option}"' for option in element.options)
        return f"one of {accepted}" if len(element.options) > 1 else accepted
    return None


def _is_plain_slot(element: Element) -> bool:
    return element.kind == "slot" and element.type == "any"


def _sequence(elements: list[Element] | tuple[Element, ...]) -> str:
    return " ".join(_element(e) for e in elements if e.kind != "space")


def _element(element: Element) -> str:
    if element.kind == "choice":
        shown = "(" + " or ".join(_sequence(s) or "nothing" for s in element.alternatives) + ")"
    elif element.kind == "slot":
        shown = "<text>" if element.type == "any" else f"<{element.type}>"
    elif element.kind == "number":
        shown = "<number>"
    else:
        shown = " or ".join(f'"{option}"' for option in element.options or (element.text,))
        if len(element.options) > 1:
            shown = f"({shown})"
    return f"[{shown}]" if element.optional else shown


def _fence(requirement: FencedTemplate) -> str:
    names = [tag or "none" for tag in requirement.languages] or ["any tag"]
    return f"fence: {' or '.join(names)}" + (", or no fence" if requirement.optional else "")


def _chunk(requirement: ChunkSpec) -> str:
    unit = {"characters": "characters", "tokens": "tokens"}.get(
        requirement.length, f"units of {requirement.length}"
    )
    size = "any size" if requirement.size is None else f"{requirement.size:,} {unit}"
    parts = [f"pieces of {size}"]
    if requirement.overlap is not None:
        parts.append(f"overlap {requirement.overlap:,}")
    if requirement.separators:
        parts.append("cut at " + ", ".join(_quoted(s) for s in requirement.separators))
    return ", ".join(parts)


def _context(requirement: ContextRule) -> str:
    parts: list[str] = []
    if requirement.k is not None:
        parts.append(f"at most {requirement.k} {'entry' if requirement.k == 1 else 'entries'}")
    if requirement.threshold is not None:
        parts.append(f"score >= {requirement.threshold:g}")
    if requirement.joiner is not None:
        parts.append(f"joined with {_quoted(requirement.joiner)}")
    return ", ".join(parts) or "retrieved entries"


def _scenario(requirement: ScenarioRequirement) -> str:
    text = _SCENARIOS[requirement.name]
    return f"{text} ({requirement.standard})" if requirement.standard else text


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)

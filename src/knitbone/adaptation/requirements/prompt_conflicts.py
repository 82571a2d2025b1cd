"""Conflicts between prompt and code: the prompt asks for another form than the code reads.

Deliberately careful: a prompt says nothing unless it shows an example or names exactly one format.
Source: Comfrey §4.2 (prompt templates carry the expected format).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knitbone.adaptation.requirements.records import (
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    Shape,
    StructuredTemplate,
    plain_elements,
)

__all__ = ["conflicting_format", "missing_keys", "unmatched_example"]

_INTRODUCTION = re.compile(
    r"\b(?:formats?|formatted|examples?|as follows|like this|follow(?:ing)?|template|structure)\b"
    r".{0,60}:\s*$",
    re.IGNORECASE,
)
"""A line that announces a format or an example."""
_MARKED_LINE = re.compile(r"^\s*(?:[A-Za-z][\w ]{0,30}|\d{1,3}|[A-Za-z]+ \d{1,3})\s*[:.)\-]")
"""A line that begins with a label or a number."""
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,60}>|\{\{?[^{}\n]{1,60}\}?\}|\[[^\[\]\n]{1,60}\]|\.{3}|…")
"""Words in an example that stand for content."""
_FORMAT_REQUEST = re.compile(
    r"\b(?:as|in|valid|return|respond|respond with|output|produce|reply with|write|generate)\s+"
    r"(?:an?\s+|only\s+|the\s+|valid\s+|raw\s+|pure\s+)*(JSON|YAML|XML|CSV)\b|"
    r"\b(JSON|YAML|XML|CSV)\s+(?:format|object|array|document|only)\b",
    re.IGNORECASE,
)
"""Words that ask for a format: "return valid JSON"."""
_FORMAT_NAME = re.compile(r"\b(JSON|YAML|XML|CSV)\b", re.IGNORECASE)
_KEY = re.compile(r"[\"']([A-Za-z_][\w-]*)[\"']\s*:")
_ACCEPTS = {
    "json": {"json"},
    "jsonl": {"json"},
    "yaml": {"yaml", "json"},  # YAML 1.2 holds JSON
    "xml": {"xml"},
    "csv": {"csv"},
}
"""Format that a parser reads -> formats that a prompt may ask for."""


def conflicting_format(
    prompts: Sequence[str], requirements: Sequence[Requirement]
) -> tuple[str, Requirement] | None:
    """Return the format that the prompts ask for where every parser expects another, and the
    parser."""
    text = "\n".join(prompts)
    asked = {(a or b).lower() for a, b in _FORMAT_REQUEST.findall(text)}
    named = {name.lower() for name in _FORMAT_NAME.findall(text)}
    if len(asked) != 1 or named != asked:
        return None
    parsers = [(r, f) for r in requirements if (f := _format(r)) in _ACCEPTS]
    if not parsers or any(asked & _ACCEPTS[f] for _, f in parsers):
        return None
    return asked.pop().upper(), parsers[0][0]


def _format(requirement: Requirement) -> str:
    """Return the format of a parser."""
    if isinstance(requirement, StructuredTemplate):
        return requirement.format
    return requirement.language if isinstance(requirement, ParserSyntax) else ""


def missing_keys(
    prompts: Sequence[str], requirement: StructuredTemplate
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the keys that the code needs and that no prompt mentions, and those that the prompt
    shows."""
    shown = tuple(dict.fromkeys(key for prompt in prompts for key in _KEY.findall(prompt)))
    if not shown or requirement.format not in ("json", "jsonl", "yaml", "python-literal"):
        return None
    text = "\n".join(prompts)
    missing = tuple(
        key
        for key in dict.fromkeys(_required(requirement.shape))
        if not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text)
    )
    return (missing, shown) if missing else None


def _required(shape: Shape) -> Iterator[str]:
    """Find the keys that must be there."""
    for field in shape.fields:
        if field.required:
            yield field.name
            yield from _required(field.shape)
    if shape.items is not None:
        yield from _required(shape.items)


def unmatched_example(prompts: Sequence[str], template: PositionalTemplate) -> str | None:
    """Return the first line of an example in a prompt in which the code would find no record."""
    reader = template.reader
    if reader is None or reader.kind != "regex":
        return None
    examples = [example for prompt in prompts for example in _examples(prompt)]
    if not examples:
        return None
    words = [e.text.lower() for e in plain_elements(template.elements) if e.kind == "words"]
    numbered = template.marker == "number"
    for example in examples:
        variants = {_PLACEHOLDER.sub(filler, example) for filler in ("text", "7", "yes", r"[text]")}
        try:
            if any(reader.read(text) for text in (*variants, example)):
                return None
        except TimeoutError:
            return None  # not known
    for example in examples:
        alike = numbered and re.search(r"^\s*\D{0,12}\d+\s*[.:)\-]", example, re.MULTILINE)
        if alike or (words and all(word in example.lower() for word in words)):
            return example.strip().splitlines()[0]
    return None


def _examples(prompt: str) -> Iterator[str]:
    """Find the marked lines behind a line that introduces a format or an example."""
    lines = prompt.splitlines()
    for index, line in enumerate(lines):
        if not _INTRODUCTION.search(line):
            continue
        block: list[str] = []
        for following in lines[index + 1 :]:
            if following.strip() and not _MARKED_LINE.match(following):
                break
            if not following.strip() and block:
                break
            if following.strip():
                block.append(following.rstrip())
        if block:
            yield "\n".join(block)

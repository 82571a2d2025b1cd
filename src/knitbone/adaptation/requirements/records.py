"""What downstream code expects of an output, as data.

A requirement is read from the code that consumes the value; it carries the evidence (file, line,
expression) and a confidence. What could not be read is an ``Unknown`` with its reason, never a
guess. Records print as a person reads them (``describe``) and travel through msgspec.

Source: Comfrey §4.2; positional templates §4.3.1.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from knitbone.adaptation.requirements.readers import Reader

__all__ = [
    "Confidence",
    "Element",
    "Evidence",
    "OnViolation",
    "Requirement",
    "Template",
    "Unknown",
    "describe",
    "describe_reader",
]

Confidence = Literal["high", "medium", "low"]
OnViolation = Literal["silent", "raises", "unknown"]
"""What the code does with a record that does not fit: drops it without an error, raises, or
something that the analysis could not tell."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The place in the code that a requirement was read from."""

    file: str
    line: int
    """1-based."""
    expression: str
    """The source text of the consuming expression, on one line."""


class Element(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A basic structural component of a record (Comfrey §4.3.1).

    ``words`` and ``delimiter`` are identifiers that stand in the text as written; ``number`` is
    the record's number; ``slot`` is content; ``space`` separates; ``choice`` is one of several
    element sequences.
    """

    kind: Literal["words", "number", "delimiter", "space", "slot", "choice"]
    text: str = ""
    """The canonical spelling: what a repair writes."""
    options: tuple[str, ...] = ()
    """All spellings that the code accepts, the canonical one among them."""
    alternatives: tuple[tuple[Element, ...], ...] = ()
    """The sequences of a ``choice``; a repair writes the first."""
    optional: bool = False
    captured: bool = False
    """Whether the code receives this element's text, or only checks it."""


class Template(msgspec.Struct, frozen=True, kw_only=True, tag="template", omit_defaults=True):
    """A positional template: fixed identifiers and slots for content."""

    elements: tuple[Element, ...]
    reader: Reader
    repeated: bool = True
    """Whether the output is a series of records, or one."""
    line_start: bool = True
    """Whether a record must begin its line."""
    spans_lines: bool = False
    """Whether a slot may run over line breaks."""
    ignore_case: bool = False
    on_violation: OnViolation = "unknown"
    evidence: Evidence
    confidence: Confidence = "high"

    @property
    def head(self) -> tuple[Element, ...]:
        """The elements before the first slot: what identifies a record."""
        for index, element in enumerate(self.elements):
            if element.kind == "slot":
                return self.elements[:index]
        return self.elements

    @property
    def marker(self) -> Literal["number", "bullet", "words", "none"]:
        """What a record is recognised by."""
        head = tuple(plain_elements(self.head))
        if any(element.kind == "number" for element in head):
            return "number"
        if any(element.kind == "words" for element in head):
            return "words"
        if any(element.kind == "delimiter" for element in head):
            return "bullet"
        return "none"

    @property
    def reads_number(self) -> bool:
        """Whether the code receives the record's number."""
        return any(e.kind == "number" and e.captured for e in plain_elements(self.head))


class Unknown(msgspec.Struct, frozen=True, kw_only=True, tag="unknown"):
    """A consumer whose requirement the analysis could not pin down."""

    reason: str
    evidence: Evidence


Requirement = Template | Unknown


def plain_elements(elements: tuple[Element, ...]) -> list[Element]:
    """The sequence with every choice replaced by its first alternative."""
    plain: list[Element] = []
    for element in elements:
        if element.kind == "choice":
            plain.extend(plain_elements(element.alternatives[0]))
        else:
            plain.append(element)
    return plain


def describe(requirement: Requirement) -> str:
    """The requirement in one line, as a person reads it."""
    if isinstance(requirement, Unknown):
        return f"unknown: {requirement.reason}"
    shape = " ".join(_describe_element(e) for e in requirement.elements if e.kind != "space")
    if not requirement.repeated:
        return f"one record: {shape}"
    if requirement.reader.splits_lines or requirement.line_start:
        return f"one record a line: {shape}"
    return f"records: {shape}"


def describe_reader(reader: Reader) -> str:
    """How the code reads its records, such as ``re.findall on every line``."""
    scope = "each line" if reader.splits_lines else "the text"
    if reader.kind == "regex":
        return f"re.{reader.method} on {scope}"
    return f"str.{reader.method}({reader.separator!r}) on {scope}"


def _describe_element(element: Element) -> str:
    if element.kind == "choice":
        sequences = (
            " ".join(_describe_element(e) for e in sequence if e.kind != "space")
            for sequence in element.alternatives
        )
        shown = "(" + " or ".join(sequences) + ")"
    elif element.kind == "slot":
        shown = "<text>"
    elif element.kind == "number":
        shown = "<number>"
    else:
        shown = " or ".join(f'"{option}"' for option in element.options or (element.text,))
        if len(element.options) > 1:
            shown = f"({shown})"
    return f"[{shown}]" if element.optional else shown

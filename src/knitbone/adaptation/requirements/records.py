"""The kinds of requirements, as records.

A requirement is read from the code that consumes an output; it carries the evidence (file, line,
expression) and a confidence. ``title, body = text.split("---")`` is a ``PositionalTemplate`` with
the delimiter ``---`` between two slots. What could not be read is an ``Unknown`` with its reason,
never a guess. Records travel through msgspec; ``describe`` prints them.

Source: Comfrey §4.2; positional templates §4.3.1.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.common.structured.shape import Field, Shape, ValueType

__all__ = [
    "TEXT_SCENARIOS",
    "ChunkSpec",
    "Confidence",
    "ContextRule",
    "Element",
    "Evidence",
    "FencedTemplate",
    "Field",
    "OnViolation",
    "ParserSyntax",
    "PositionalTemplate",
    "Requirement",
    "ScenarioName",
    "ScenarioRequirement",
    "Shape",
    "StructuredFormat",
    "StructuredTemplate",
    "Unknown",
    "ValueType",
    "plain_elements",
]

Confidence = Literal["high", "medium", "low"]
OnViolation = Literal["silent", "raises", "handled", "unknown"]
"""The code's treatment of a record that does not fit: it drops it without an error, raises, catches
its own error and goes on, or does something that the analysis could not tell."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The place in the code that a requirement was read from."""

    file: str
    line: int
    """1-based."""
    expression: str
    """The source text of the consuming expression, on one line."""


StructuredFormat = Literal["json", "jsonl", "yaml", "xml", "csv", "toml", "python-literal"]
ScenarioName = Literal[
    "intact_text",
    "relevant_content",
    "consistent_lexical_features",
    "no_repeated_behaviour",
    "succinct_content",
    "no_contextual_redundancy",
]

TEXT_SCENARIOS: tuple[ScenarioName, ...] = (
    "consistent_lexical_features",
    "succinct_content",
    "no_contextual_redundancy",
)
"""Those that ask something of a text's wording."""


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
    type: ValueType = "any"
    """Of a slot: what the code converts it to."""
    reading: str = ""
    """Of a slot that is a date: how the code reads it, as in ``Shape``."""
    captured: bool = False
    """True if the code receives this element's text; else it only checks it."""


class PositionalTemplate(
    msgspec.Struct, frozen=True, kw_only=True, tag="positional", omit_defaults=True
):
    """A positional template: fixed identifiers and slots for content."""

    elements: tuple[Element, ...]
    reader: Reader | None = None
    """The consumer's way of reading, where it can be replayed; without it nothing is repaired."""
    inside: Reader | None = None
    """The reader of what the ``steps`` leave of the output, where the whole way has no
    ``reader``: one line of it, a group of another expression."""
    separator: str = ""
    """Where the value is a list on one line: what stands between its items."""
    repeated: bool = True
    """True if the output is a series of records, not one."""
    line_start: bool = True
    """True if a record must begin its line."""
    spans_lines: bool = False
    """True if a slot may run over line breaks."""
    ignore_case: bool = False
    keyed: bool = False
    """True if the records are named lines of which the code takes those of known names: in any
    order, with others between them. The reader then gives name and value; a slot that is
    ``optional`` belongs to a name that may be missing."""
    skips_blank: bool = False
    """Of a template of lines: whether the code asks of each whether it holds anything."""
    passed_over: int = 0
    """Of a template of lines: how many the code passes over by their place, as it does with a
    header; -1 where it may pass over some."""
    steps: tuple[Step, ...] = ()
    """The operations on the output before this consumer; empty for the output itself."""
    on_violation: OnViolation = "unknown"
    evidence: Evidence
    confidence: Confidence = "high"
    alternative: str = ""
    branch: str = ""
    when: str = ""

    @property
    def replay(self) -> Reader:
        """Return the reader of a template that has one; only such are repaired.

        Raises:
            ValueError: there is none.
        """
        if self.reader is None:
            raise ValueError("the consumer's way of reading cannot be replayed")
        return self.reader

    @property
    def head(self) -> tuple[Element, ...]:
        """Return the elements before the first slot: what identifies a record."""
        for index, element in enumerate(self.elements):
            if element.kind == "slot":
                return self.elements[:index]
        return self.elements

    @property
    def marker(self) -> Literal["number", "bullet", "words", "none"]:
        """Return what a record is recognised by."""
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
        """Return whether the code receives the record's number."""
        return any(e.kind == "number" and e.captured for e in plain_elements(self.head))

    @property
    def compared_texts(self) -> tuple[str, ...]:
        """Return the texts that the code compares the output with; none where it takes something
        out of it."""
        kinds = tuple(element.kind for element in self.elements)
        if self.repeated or self.separator or self.reader is not None:
            return ()
        if kinds not in _COMPARISONS:
            return ()
        if any(e.kind == "slot" and (e.captured or e.type != "any") for e in self.elements):
            return ()
        words = next(element for element in self.elements if element.kind == "words")
        return words.options or (words.text,)


_COMPARISONS = frozenset(
    {("words",), ("words", "slot"), ("slot", "words"), ("slot", "words", "slot")}
)
"""The elements of ``==``, ``startswith``, ``endswith`` and ``in``."""


class _RequirementFields(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields that all requirements carry."""

    steps: tuple[Step, ...] = ()
    """The operations on the output before this consumer: string methods, ``json.loads``,
    ``group``, ... (names as in ``uses``)."""
    on_violation: OnViolation = "unknown"
    evidence: Evidence
    confidence: Confidence = "high"
    alternative: str = ""
    """Requirements of a site with the same mark are tried in turn: one of them is enough."""
    branch: str = ""
    """Alternatives with the same word here are demanded together: they are one alternative."""
    when: str = ""
    """The program state that it was seen in, where it does not hold always."""


class StructuredTemplate(
    _RequirementFields, frozen=True, kw_only=True, tag="structured", omit_defaults=True
):
    """Structured data (Comfrey §4.3.1): a format, and the keys and types that are read."""

    format: StructuredFormat
    shape: Shape = Shape()
    parser: str
    """The function that parses it, such as ``json.loads``."""
    delimiter: str = ","
    """Between the cells of CSV; empty where the parser has settings that are not known: then
    nothing is checked."""
    columns: tuple[Shape, ...] = ()
    """The cells of each row of CSV, where the code takes just so many, by place."""


class FencedTemplate(
    _RequirementFields, frozen=True, kw_only=True, tag="fenced", omit_defaults=True
):
    """A code fence (Comfrey §4.3.1)."""

    languages: tuple[str, ...] = ()
    """The tags that the code accepts; an empty string: a fence without a tag."""
    mark: str = "```"
    optional: bool = False
    """True if the code goes on with the whole text where there is no fence."""
    reader: Reader | None = None


class ParserSyntax(_RequirementFields, frozen=True, kw_only=True, tag="syntax", omit_defaults=True):
    """The syntax of a parser, compiler or interpreter (Comfrey §4.4.1)."""

    language: str
    """``python``, ``sql``, ``json``, ``yaml``, ``html``, ``xml``, ``shell``, ``javascript``,
    ``regex``, ..."""
    dialect: str = ""
    """Of SQL, where the driver tells; the mode of Python (``eval``) where it is not a module."""
    parser: str


class ChunkSpec(_RequirementFields, frozen=True, kw_only=True, tag="chunk", omit_defaults=True):
    """The chunks that a text is cut into (Comfrey §4.3.2); ``None`` where the code leaves it to run
    time."""

    size: int | None = None
    overlap: int | None = None
    length: str = "characters"
    """``characters``, ``tokens``, or the name of the application's own function."""
    separators: tuple[str, ...] = ()
    splitter: str
    """The class or function that cuts."""
    keeps_blanks: bool = False
    """True if it is told to leave blanks at the ends of its chunks."""


class ContextRule(_RequirementFields, frozen=True, kw_only=True, tag="context", omit_defaults=True):
    """The entries that are retrieved, and how they are put together (Comfrey §4.3.3)."""

    k: int | None = None
    threshold: float | None = None
    joiner: str | None = None
    """The text between the entries in the prompt."""
    retriever: str


class ScenarioRequirement(
    _RequirementFields, frozen=True, kw_only=True, tag="scenario", omit_defaults=True
):
    """One of the six requirements that arise from the scenario, not from the code (Comfrey
    §4.2)."""

    name: ScenarioName
    standard: str = ""
    """Of ``consistent_lexical_features``: the language and variety that the prompt sets."""


class Unknown(msgspec.Struct, frozen=True, kw_only=True, tag="unknown"):
    """A consumer whose requirement the analysis could not pin down."""

    reason: str
    evidence: Evidence


Requirement = (
    PositionalTemplate
    | StructuredTemplate
    | FencedTemplate
    | ParserSyntax
    | ChunkSpec
    | ContextRule
    | ScenarioRequirement
    | Unknown
)


def plain_elements(elements: tuple[Element, ...]) -> list[Element]:
    """Return the sequence with every choice replaced by its first alternative."""
    plain: list[Element] = []
    for element in elements:
        if element.kind == "choice":
            plain.extend(plain_elements(element.alternatives[0]))
        else:
            plain.append(element)
    return plain

"""The records of fixing a documentation: constraints, statements, places, patches, figures."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from knitbone.fuzzing.records import Campaign, Estimate, Spent, ToolUnderTest
from knitbone.record.events import Json

__all__ = [
    "CandidateScore",
    "CodePlace",
    "ConcernedValue",
    "Constraint",
    "ConstraintKind",
    "DocumentationFix",
    "DocumentationPatch",
    "ErrorCount",
    "Overlay",
    "ProvenStatement",
    "Refusal",
    "TextPlace",
]

ConstraintKind = Literal[
    "values", "minimum", "above", "maximum", "below", "shortest", "longest", "not empty",
    "not zero", "whole number", "number", "date", "form", "pattern", "prefix", "suffix", "parts",
    "before", "not after", "existing",
]  # fmt: skip
"""``above``, ``below``: bounds that are not allowed themselves; ``shortest``, ``longest``: lengths;
``form``: JSON, a UUID and their kind; ``parts``: so many, with a separator between them;
``before``: less than another argument; ``not after``: at most as much; ``existing``: what exists
where the tool runs, of the form ``value`` if any."""


class CodePlace(NamedTuple):
    """A place in the tool's code."""

    file: str
    line: int
    source: str
    """Of the expression there (``trace.rewrite.source_text``)."""


class ConcernedValue(msgspec.Struct, frozen=True, kw_only=True):
    """The value that a constraint is about: an argument, something within it, a part of it."""

    argument: str
    path: tuple[str, ...] = ()
    """Keys that lead into the argument; ``*`` is each item of a list."""
    separator: str | None = None
    """Where it is a part of a text: what stands between the parts."""
    pattern: str | None = None
    """Where it is a group of a regular expression: the expression."""
    part: int = 0
    """Which part, from 0; which group, from 1."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the argument itself, or an item of it."""
        return self.path in ((), ("*",)) and not self.is_part

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a text."""
        return self.separator is not None or self.pattern is not None


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a value must be."""

    kind: ConstraintKind
    of: ConcernedValue
    value: Json = None
    """The allowed values, the bound, the length, the format, the separator and number of parts."""
    any_case: bool = False
    """Of ``values``: whether its words are taken in upper and in lower case."""
    other: str = ""
    """Of ``before`` and ``not after``: the argument that is greater."""
    origin: Literal["decision", "message", "trial", "documentation"] = "decision"
    """How it is known: the tool's own decision, what a refusal said, calls that were tried to find
    a bound, or that it is written."""
    places: tuple[CodePlace, ...] = ()
    """Where the decisions compared that show its value, and where they took the text apart that it
    is about; an unknown place has no file."""


class ProvenStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A constraint that the tool was seen to hold, in words."""

    constraint: Constraint
    text: str
    accepted: int
    """Calls within the constraint that the tool took."""
    refused: int
    """Calls outside of it that the tool refused."""


class TextPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a piece of a tool's documentation stands in source."""

    file: str
    spans: tuple[tuple[int, int], ...]
    """Offsets, in characters, of the literals that it is made of; of a missing one, where it
    goes."""
    kind: Literal["docstring", "description", "missing"]
    text: str = ""
    """Its value as the program reads it."""
    argument: str = ""
    """The argument that it describes; the tool itself without one."""
    indent: str = ""
    """Blanks before the lines of a docstring, and before a missing one."""


class DocumentationPatch(msgspec.Struct, frozen=True, kw_only=True):
    """The change of one source file."""

    file: str
    diff: str
    """Unified, as ``git apply`` takes it."""
    encoding: str = "utf-8"
    """Of the file, and so of the diff as bytes."""


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """Documentation that takes the place of a tool's own, where its source is out of reach."""

    server: str
    """The target that starts or names the server."""
    tool: str
    description: str
    parameters: dict[str, str] = {}
    """Descriptions of arguments, by name."""


class ErrorCount(msgspec.Struct, frozen=True, kw_only=True):
    """Unique errors of one campaign (ToolFuzz, Tables 3 and 8)."""

    unique: int
    """All that were found, refusals included."""
    unhandled: int
    """Those that count as failures by themselves."""
    within: int
    """Those that a call shows which keeps to what the documentation states."""
    calls: int
    chao1: Estimate | None = None
    """Of those within."""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing was written."""

    what: str
    where: str = ""
    next_step: str = ""


class CandidateScore(msgspec.Struct, frozen=True, kw_only=True):
    """How the chosen candidate of a model does, from 0 to 1."""

    validation: float
    """On the calls that chose it."""
    test: float
    """On calls that chose nothing."""
    without_model: float
    """Of what is stated without a model, on the same calls as ``test``."""
    tried: int


class DocumentationFix(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about the fix of one tool's documentation."""

    tool: ToolUnderTest
    statements: tuple[ProvenStatement, ...] = ()
    dropped: tuple[Constraint, ...] = ()
    """What was supposed, and the tool contradicted, or nothing proved."""
    known: int = 0
    """Constraints that were written already."""
    example: dict[str, Json] | None = None
    """A call that the sandbox has just accepted."""
    description: str = ""
    """The whole documentation with the fix, as an agent would read it."""
    parameters: dict[str, str] = {}
    """Descriptions of arguments that were changed."""
    patches: tuple[DocumentationPatch, ...] = ()
    overlay: Overlay | None = None
    overlay_file: str = ""
    """Where the overlay was written."""
    refusal: Refusal | None = None
    written: bool = False
    before: ErrorCount | None = None
    after: ErrorCount | None = None
    campaign: Campaign | None = None
    writer: str = "rules"
    """Who wrote the text: ``rules``, or a model's name."""
    rewritten: str = ""
    """The description that the writer's model wrote, where it was chosen."""
    score: CandidateScore | None = None
    prompts: dict[str, str] = {}
    """Versions of the prompt files that the writer's model was told."""
    candidates_dropped: dict[str, int] = {}
    """Descriptions of the model that were not kept, by reason."""
    spent: Spent = Spent()
    trials: int = 0
    """Calls of the tool beside those of the campaigns."""

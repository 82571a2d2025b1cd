"""Requirements that downstream code has of an output: records, and their words for people."""

from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.adaptation.requirements.descriptions import describe, describe_reader
from knitbone.adaptation.requirements.records import (
    ChunkSpec,
    ContextRule,
    Element,
    Evidence,
    FencedTemplate,
    Field,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    Shape,
    StructuredTemplate,
    Unknown,
)

__all__ = [
    "ChunkSpec",
    "ContextRule",
    "Element",
    "Evidence",
    "FencedTemplate",
    "Field",
    "ParserSyntax",
    "PositionalTemplate",
    "Reader",
    "Requirement",
    "ScenarioRequirement",
    "Shape",
    "Step",
    "StructuredTemplate",
    "Unknown",
    "describe",
    "describe_reader",
]

"""Requirements that an application's code has of an output: records, file, findings, review.

``uses`` is the tree of operations that requirements are read from, ``records`` the requirements
themselves, ``sites`` the places in the code that have them. ``file``, ``entries``, ``codec``,
``notation`` and ``shape_notation`` are the TOML file that people review, ``merge`` brings file and
analysis together. ``findings`` says what looks wrong at a site, ``review`` what people made of it.
"""

from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.adaptation.requirements.descriptions import describe
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
]

"""What downstream code expects of an output: records, and how they are read from a consumer."""

from knitbone.adaptation.requirements.readers import Reader, Step
from knitbone.adaptation.requirements.records import (
    Element,
    Evidence,
    Requirement,
    Template,
    Unknown,
    describe,
    describe_reader,
)

__all__ = [
    "Element",
    "Evidence",
    "Reader",
    "Requirement",
    "Step",
    "Template",
    "Unknown",
    "describe",
    "describe_reader",
]

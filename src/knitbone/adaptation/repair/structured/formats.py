"""The formats of structured data, and the module that checks each.

Source: Comfrey §4.3.1 (structured templates).
"""

from __future__ import annotations

from collections.abc import Callable

from knitbone.adaptation.repair.checks import Check
from knitbone.adaptation.repair.structured import (
    arguments,
    csv,
    json,
    python_literal,
    toml,
    xml,
    yaml,
)
from knitbone.adaptation.repair.structured.arguments import prepare_arguments
from knitbone.adaptation.repair.structured.jsonl import prepare_jsonl
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.yaml_text import load_yaml

__all__ = ["HEURISTICS", "load", "prepare"]

HEURISTICS: tuple[str, ...] = (
    *json.HEURISTICS,
    *arguments.HEURISTICS,
    *csv.HEURISTICS,
    *python_literal.HEURISTICS,
    *toml.HEURISTICS,
    *xml.HEURISTICS,
    *yaml.HEURISTICS,
)

_FORMATS: dict[str, Callable[[StructuredTemplate], Check | None]] = {
    "csv": csv.prepare_csv,
    "json": json.prepare_json,
    "jsonl": prepare_jsonl,
    "python-literal": python_literal.prepare_python_literal,
    "toml": toml.prepare_toml,
    "xml": xml.prepare_xml,
    "yaml": yaml.prepare_yaml,
}


def load(requirement: StructuredTemplate) -> None:
    """Load, ahead of the first answer, what a check would load with it.

    Raises:
        MissingExtraError: a library is not installed.
    """
    if requirement.format == "yaml":
        load_yaml()


def prepare(requirement: StructuredTemplate, *, arguments: bool = False) -> Check | None:
    """Compile the requirement into a check; ``None`` where its format cannot be checked.

    Args:
        arguments: whether the text is the arguments of a tool call.
    """
    if arguments and requirement.format == "json":
        return prepare_arguments(requirement)
    format_of = _FORMATS.get(requirement.format)
    return format_of(requirement) if format_of is not None else None

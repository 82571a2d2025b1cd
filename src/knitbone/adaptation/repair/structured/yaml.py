"""The check of YAML: tabs, colons, indentation and text around; types keep their spelling.

Source: Comfrey §4.3.1 (structured templates).
"""

from __future__ import annotations

import importlib.util

from knitbone.adaptation.repair.checks import Check
from knitbone.adaptation.repair.structured.tree_formats import TreeFormat, tree_check
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.shape import Shape
from knitbone.common.structured.yaml_text import (
    MAX_YAML,
    mend_yaml,
    read_yaml,
    spelled_yaml,
    write_yaml,
    yaml_parts,
)

__all__ = ["HEURISTICS", "prepare_yaml"]

HEURISTICS = ("structured.yaml_region", "structured.yaml_syntax")
_PARSERS = frozenset(
    {"yaml.safe_load", "yaml.load", "yaml.full_load", "yaml.unsafe_load", "msgspec.yaml.decode"}
)
"""Parsers of YAML 1.1 for one document; others read other types (``no`` is a text in 1.2)."""
_YAML = TreeFormat(
    name="yaml",
    max_text=MAX_YAML,
    read=read_yaml,
    spelled=spelled_yaml,
    parts=yaml_parts,
    mend=mend_yaml,
    write=write_yaml,
)


def prepare_yaml(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check; ``None`` without PyYAML (extra ``syntax``), for a
    parser of another YAML, or where nothing is read by key."""
    if requirement.parser not in _PARSERS or requirement.shape == Shape():
        return None
    if importlib.util.find_spec("yaml") is None:
        return None
    return tree_check(requirement.shape, lambda: _YAML)

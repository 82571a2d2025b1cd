"""The check of TOML: equals signs, quotation marks, truth values and text around.

Source: Comfrey §4.3.1 (structured templates).
"""

from __future__ import annotations

from knitbone.adaptation.repair.checks import Check
from knitbone.adaptation.repair.structured.tree_formats import TreeFormat, tree_check
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.shape import Shape
from knitbone.common.structured.toml_text import (
    MAX_TOML,
    mend_toml,
    read_toml,
    spelled_toml,
    toml_parts,
    write_toml,
)

__all__ = ["HEURISTICS", "prepare_toml"]

HEURISTICS = ("structured.toml_region", "structured.toml_syntax")
_PARSERS = frozenset(
    {"tomllib.loads", "tomli.loads", "toml.loads", "tomlkit.parse", "msgspec.toml.decode"}
)
_TOML = TreeFormat(
    name="toml",
    max_text=MAX_TOML,
    read=read_toml,
    spelled=spelled_toml,
    parts=toml_parts,
    mend=mend_toml,
    write=write_toml,
)


def prepare_toml(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check; ``None`` for a parser that is not known."""
    if requirement.parser not in _PARSERS:
        return None
    # A text without a key is an empty document: what reads nothing by key accepts any table.
    shape = requirement.shape if requirement.shape != Shape() else Shape(type="object")
    return tree_check(shape, lambda: _TOML)

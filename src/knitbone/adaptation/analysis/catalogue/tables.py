"""The whole catalogue in three tables, assembled from the families."""

from __future__ import annotations

from types import ModuleType

from knitbone.adaptation.analysis.catalogue import (
    anthropic,
    bedrock,
    frameworks,
    google,
    hosted,
    langchain_chains,
    langchain_models,
    langchain_retrieval,
    leaves,
    llama_index,
    local,
    openai,
)
from knitbone.adaptation.analysis.catalogue.records import ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_FAMILIES: tuple[ModuleType, ...] = (
    openai,
    anthropic,
    # Before the models: ``ChatPromptTemplate`` is no chat model.
    langchain_chains,
    langchain_retrieval,
    langchain_models,
    llama_index,
    google,
    bedrock,
    local,
    hosted,
    frameworks,
)

TYPES: dict[str, Type] = dict(leaves.TYPES)
ENTRIES: dict[str, ImportedName] = {}
RULES: list[Rule] = []

for _family in _FAMILIES:
    TYPES.update(_family.TYPES)
    ENTRIES.update(_family.ENTRIES)
    RULES.extend(_family.RULES)

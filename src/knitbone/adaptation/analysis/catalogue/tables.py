"""The tables of all providers and frameworks, put together."""

from __future__ import annotations

from types import ModuleType

from knitbone.adaptation.analysis.catalogue import (
    anthropic,
    bedrock,
    conversations,
    frameworks,
    google,
    hosted,
    langchain_chains,
    langchain_models,
    langchain_retrieval,
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
    conversations,
)

_LEAVES: dict[str, Type] = {
    "text": Type(form="text"),
    "piece": Type(form="text", piece=True),
    "arguments": Type(form="arguments"),
    "arguments-piece": Type(form="arguments", piece=True),
    "object": Type(form="object"),
    "tool-name": Type(form="text"),
    "unknown": Type(),
    # A retrieved entry's text, and a piece of a split text.
    "entry-text": Type(form="text"),
    "chunk-text": Type(form="text"),
}
"""The types where a walk ends: what readers of requirements take over.

``text*`` has the form ``text`` item by item; retrieved entries and pieces have types of their own
in the families."""

TYPES: dict[str, Type] = dict(_LEAVES)
ENTRIES: dict[str, ImportedName] = {}
RULES: list[Rule] = []

for _family in _FAMILIES:
    TYPES.update(_family.TYPES)
    ENTRIES.update(_family.ENTRIES)
    RULES.extend(_family.RULES)

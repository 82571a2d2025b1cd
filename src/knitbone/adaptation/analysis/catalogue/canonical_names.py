"""Canonical names of classes: one name for a class, whichever module it was imported from.

Libraries re-export, move and rename: ``langchain.text_splitter.X``, ``langchain_text_splitters.X``
and ``langchain_text_splitters.character.X`` are one class, which readers know by one name.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["ABSTRACT_PARSERS", "PARSERS", "canonical"]

_CORE_PARSERS = frozenset(
    [
        "BaseCumulativeTransformOutputParser",
        "BaseGenerationOutputParser",
        "BaseLLMOutputParser",
        "BaseOutputParser",
        "BaseTransformOutputParser",
        "CommaSeparatedListOutputParser",
        "JsonKeyOutputFunctionsParser",
        "JsonOutputFunctionsParser",
        "JsonOutputKeyToolsParser",
        "JsonOutputParser",
        "JsonOutputToolsParser",
        "ListOutputParser",
        "MarkdownListOutputParser",
        "NumberedListOutputParser",
        "OutputFunctionsParser",
        "PydanticAttrOutputFunctionsParser",
        "PydanticOutputFunctionsParser",
        "PydanticOutputParser",
        "PydanticToolsParser",
        "SimpleJsonOutputParser",
        "StrOutputParser",
        "XMLOutputParser",
    ]
)
_PARSERS = frozenset(
    [
        "BooleanOutputParser",
        "CombiningOutputParser",
        "DatetimeOutputParser",
        "EnumOutputParser",
        "GuardrailsOutputParser",
        "OutputFixingParser",
        "PandasDataFrameOutputParser",
        "RegexDictParser",
        "RegexParser",
        "RetryOutputParser",
        "RetryWithErrorOutputParser",
        "StructuredOutputParser",
        "YamlOutputParser",
    ]
)
# The last line holds those of the older agents: other classes for the same texts.
_AGENT_PARSERS = frozenset(
    [
        "AgentOutputParser",
        "JSONAgentOutputParser",
        "MultiActionAgentOutputParser",
        "OpenAIFunctionsAgentOutputParser",
        "OpenAIToolsAgentOutputParser",
        "ReActJsonSingleInputOutputParser",
        "ReActSingleInputOutputParser",
        "SelfAskOutputParser",
        "ToolsAgentOutputParser",
        "XMLAgentOutputParser",
        "ChatOutputParser",
        "MRKLOutputParser",
        "ReActOutputParser",
        "StructuredChatOutputParser",
    ]
)
PARSERS = _CORE_PARSERS | _PARSERS | _AGENT_PARSERS | {"ConvoOutputParser"}
ABSTRACT_PARSERS = frozenset(
    [
        "AgentOutputParser",
        "BaseCumulativeTransformOutputParser",
        "BaseGenerationOutputParser",
        "BaseLLMOutputParser",
        "BaseOutputParser",
        "BaseTransformOutputParser",
        "ListOutputParser",
        "MultiActionAgentOutputParser",
        "OutputFunctionsParser",
    ]
)
"""Bases: what their ``parse`` does stands in the application."""

_LANGCHAIN = re.compile(
    r"langchain(?:_core|_classic|_community|_text_splitters|_experimental)?\.((?:\w+\.)*)(\w+)"
)
_PARTNER = re.compile(r"(langchain_[a-z0-9_]+)\.(?:[a-z_]\w*\.)+([A-Z]\w*)")
_LLAMA_INDEX = re.compile(r"llama_index\.(?!core\.|llms\.\w+\.|vector_stores\.\w+\.)")
_LLAMA_HOME = re.compile(r"llama_index\.core\.(?:[a-z_]\w*\.)*([A-Z]\w*)")
_OTHER_LIBRARIES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"pydantic\.v1\.(?:\w+\.)*(\w+)", r"pydantic.\1"),
        (r"pydantic\.(?:main|fields|functional_validators|type_adapter)\.(\w+)", r"pydantic.\1"),
        (r"sqlalchemy\.sql(?:\.\w+)*\.(text|select|insert|update|delete)", r"sqlalchemy.\1"),
        (r"sqlalchemy\.(?:engine|create)(?:\.\w+)*\.(create_engine)", r"sqlalchemy.\1"),
        (r"sqlalchemy\.orm\.session\.(\w+)", r"sqlalchemy.orm.\1"),
        (r"langgraph\.prebuilt\.chat_agent_executor\.(\w+)", r"langgraph.prebuilt.\1"),
        (r"langgraph\.graph\.(?:state|message)\.(\w+)", r"langgraph.graph.\1"),
    )
)


@cache
def canonical(name: str) -> str:
    """Return the name by which a class or function is known, of an imported dotted name."""
    found = _LANGCHAIN.fullmatch(name)
    if found:
        return _langchain(found[1].rstrip("."), found[2], name)
    found = _PARTNER.fullmatch(name)
    if found:
        return f"{found[1]}.{found[2]}"
    if name.startswith("llama_index."):
        return _LLAMA_HOME.sub(r"llama_index.core.\1", _LLAMA_INDEX.sub("llama_index.core.", name))
    for pattern, replacement in _OTHER_LIBRARIES:
        if pattern.fullmatch(name):
            return pattern.sub(replacement, name)
    return name


def _langchain(module: str, last: str, name: str) -> str:
    """Return the canonical name of something of LangChain."""
    if last in _CORE_PARSERS:
        return f"langchain_core.output_parsers.{last}"
    if last in _PARSERS:
        return f"langchain.output_parsers.{last}"
    if last == "ConvoOutputParser":
        # Two classes of one name: the one reads lines, the one of the chat agent reads JSON.
        home = "conversational_chat" if "conversational_chat" in module else "conversational"
        return f"langchain.agents.{home}.{last}"
    if last in _AGENT_PARSERS:
        return f"langchain.agents.output_parsers.{last}"
    if "splitter" in module or name.startswith("langchain_text_splitters."):
        return f"langchain_text_splitters.{last}"
    if module.startswith("schema"):
        return f"langchain_core.{last}"
    return name

"""One name for a class, whichever module it was imported from.

Libraries re-export, move and rename: ``langchain.text_splitter.X``, ``langchain_text_splitters.X``
and ``langchain_text_splitters.character.X`` are one class, which readers know by one name.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["PARSERS", "canonical"]

_CORE_PARSERS = frozenset(
    [
        "BaseCumulativeTransformOutputParser",
        "BaseGenerationOutputParser",
        "BaseLLMOutputParser",
        "BaseOutputParser",
        "BaseTransformOutputParser",
        "CommaSeparatedListOutputParser",
        "JsonOutputKeyToolsParser",
        "JsonOutputParser",
        "JsonOutputToolsParser",
        "ListOutputParser",
        "MarkdownListOutputParser",
        "NumberedListOutputParser",
        "PydanticOutputParser",
        "PydanticToolsParser",
        "SimpleJsonOutputParser",
        "StrOutputParser",
        "XMLOutputParser",
        "JsonOutputFunctionsParser",
        "JsonKeyOutputFunctionsParser",
        "PydanticOutputFunctionsParser",
        "PydanticAttrOutputFunctionsParser",
        "OutputFunctionsParser",
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
_AGENT_PARSERS = frozenset(
    "JSONAgentOutputParser MultiActionAgentOutputParser OpenAIFunctionsAgentOutputParser"
    " OpenAIToolsAgentOutputParser ReActJsonSingleInputOutputParser ReActSingleInputOutputParser"
    " SelfAskOutputParser ToolsAgentOutputParser XMLAgentOutputParser"
    # Of the agents before those: the same texts, other modules.
    " MRKLOutputParser ConvoOutputParser ChatOutputParser StructuredChatOutputParser"
    " ReActOutputParser".split()
)
PARSERS = _CORE_PARSERS | _PARSERS | _AGENT_PARSERS

_LANGCHAIN = re.compile(
    r"langchain(?:_core|_classic|_community|_text_splitters|_experimental)?\.((?:\w+\.)*)(\w+)"
)
_PARTNER = re.compile(r"(langchain_[a-z0-9_]+)\.(?:[a-z_]\w*\.)+([A-Z]\w*)")
_LLAMA_INDEX = re.compile(r"llama_index\.(?!core\.|llms\.\w+\.|vector_stores\.\w+\.)")
_LLAMA_HOME = re.compile(r"llama_index\.core\.(?:[a-z_]\w*\.)*([A-Z]\w*)")
_FIXED = (
    (re.compile(r"pydantic\.v1\.(?:\w+\.)*(\w+)"), r"pydantic.\1"),
    (re.compile(r"pydantic\.(?:main|fields|functional_validators|type_adapter)\.(\w+)"), r"pydantic.\1"),
    (re.compile(r"sqlalchemy\.sql(?:\.\w+)*\.(text|select|insert|update|delete)"), r"sqlalchemy.\1"),
    (re.compile(r"sqlalchemy\.(?:engine|create)(?:\.\w+)*\.(create_engine)"), r"sqlalchemy.\1"),
    (re.compile(r"langgraph\.prebuilt\.chat_agent_executor\.(\w+)"), r"langgraph.prebuilt.\1"),
    (re.compile(r"langgraph\.graph\.(?:state|message)\.(\w+)"), r"langgraph.graph.\1"),
)  # fmt: skip


@cache
def canonical(name: str) -> str:
    """The name by which a class or function is known, of an imported dotted name."""
    found = _LANGCHAIN.fullmatch(name)
    if found:
        return _langchain(found[1].rstrip("."), found[2], name)
    found = _PARTNER.fullmatch(name)
    if found:
        return f"{found[1]}.{found[2]}"
    if name.startswith("llama_index."):
        return _LLAMA_HOME.sub(r"llama_index.core.\1", _LLAMA_INDEX.sub("llama_index.core.", name))
    for pattern, replacement in _FIXED:
        if pattern.fullmatch(name):
            return pattern.sub(replacement, name)
    return name


def _langchain(module: str, last: str, name: str) -> str:
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

"""Catalogue of LangChain's models, and the protocol that all its runnables share.

Checked against langchain-core 1 (``language_models``, ``runnables.base``), langchain 0.0 and the
partner packages' exports. The tables are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type
from knitbone.adaptation.requirements.sites import SiteKind

__all__ = ["ENTRIES", "RULES", "TYPES", "runnable"]

_SELF = [
    "bind",
    "with_config",
    "with_retry",
    "with_fallbacks",
    "with_types",
    "with_listeners",
    "with_alisteners",
    "configurable_fields",
    "configurable_alternatives",
]


def runnable(
    itself: str,
    provider: str,
    output: str,
    piece: str,
    *,
    kind: SiteKind = "chat",
    declared: tuple[str, ...] = (),
    raw: str = "",
    confidence: str = "high",
) -> dict[str, str | Call]:
    """Return the members that make an object a runnable (``langchain_core.runnables.Runnable``)."""
    call = Call(
        provider,
        output,
        ("0", "input"),
        kind,
        awaited=False,
        declared=declared,
        switch=(("include_raw", True, raw),) if raw else (),
        confidence="high" if confidence == "high" else "medium",
    )
    batch = call._replace(shape=f"{output}*", prompt=("0", "inputs"), switch=())
    stream = call._replace(shape=f"{piece}*", streamed=True, switch=())
    members: dict[str, str | Call] = {f"{name}()": itself for name in _SELF}
    members.update(
        {
            "invoke()": call,
            "ainvoke()": call._replace(awaited=True),
            "batch()": batch,
            "abatch()": batch._replace(awaited=True),
            "stream()": stream,
            "astream()": stream,
            "transform()": stream,
            "atransform()": stream,
            "astream_events()": stream._replace(shape="langchain.event*"),
        }
    )
    return members


_PROMPT = ("0", "messages", "prompts", "prompt", "text")


def _plain_and_awaited(provider: str, shape: str, names: str) -> dict[str, str | Call]:
    """Return methods in their plain and their awaited form (``predict``, ``apredict``)."""
    call = Call(provider, shape, _PROMPT, awaited=False)
    members: dict[str, str | Call] = {}
    for name in names.split():
        members[f"{name}()"] = call
        members[f"a{name}()"] = call._replace(awaited=True)
    return members


_MODEL_ONLY: dict[str, str | Call] = {
    "bind_tools()": "langchain.tool-model",
    "bind_functions()": "langchain.tool-model",
    "with_structured_output()": "langchain.structured",
    **_plain_and_awaited("langchain-message", "langchain.result", "generate generate_prompt"),
    **_plain_and_awaited("langchain-message", "text", "predict call_as_llm"),
    **_plain_and_awaited("langchain-message", "langchain.message", "predict_messages"),
    "()": Call("langchain-message", "langchain.message", _PROMPT, awaited=False),
}

TYPES: dict[str, Type] = {
    "langchain.model": Type(
        {
            **runnable(
                "langchain.model",
                "langchain-message",
                "langchain.message",
                "langchain.message-piece",
            ),
            **_MODEL_ONLY,
        },
        role="model",
    ),
    "langchain.tool-model": Type(
        runnable(
            "langchain.tool-model",
            "langchain-message",
            "langchain.message",
            "langchain.message-piece",
        ),
        role="toolcaller",
        base="langchain.model",
    ),
    "langchain.structured": Type(
        runnable(
            "langchain.structured",
            "langchain-structured",
            "object",
            "object",
            declared=("schema", "0"),
            raw="langchain.structured-raw",
        ),
        role="model",
    ),
    "langchain.structured-raw": Type({"parsed": "object", "raw": "langchain.message"}),
    "langchain.llm": Type(
        {
            **runnable("langchain.llm", "langchain-text", "text", "piece"),
            **_plain_and_awaited("langchain-text", "langchain.result", "generate generate_prompt"),
            **_plain_and_awaited("langchain-text", "text", "predict"),
            **_plain_and_awaited("langchain-text", "langchain.message", "predict_messages"),
            "with_structured_output()": "langchain.structured",
            "()": Call("langchain-text", "text", _PROMPT, awaited=False),
        },
        role="model",
    ),
    # A language model whose kind the code does not say (``BaseLanguageModel``).
    "langchain.any-model": Type(
        {
            **runnable(
                "langchain.any-model",
                "langchain-message",
                "langchain.message|text",
                "langchain.message-piece|piece",
            ),
            **_MODEL_ONLY,
        },
        role="model",
    ),
    "langchain.message": Type(
        {
            "content": "text|langchain.block*",
            "text": "text",
            "text()": "text",
            "content_blocks": "langchain.block*",
            "tool_calls": "langchain.tool-call*",
            "additional_kwargs": "langchain.extras",
        },
        form="message",
    ),
    "langchain.message-piece": Type(
        {
            "content": "piece|langchain.block-piece*",
            "text": "piece",
            "text()": "piece",
            "content_blocks": "langchain.block-piece*",
            "tool_call_chunks": "langchain.call-piece*",
            "tool_calls": "langchain.tool-call*",
        },
        form="message",
        piece=True,
    ),
    "langchain.block": Type(
        {"text": "text", "reasoning": "text", "thinking": "text", "input": "object"}
    ),
    "langchain.block-piece": Type({"text": "piece"}, piece=True),
    "langchain.tool-call": Type({"args": "object", "name": "tool-name"}),
    "langchain.call-piece": Type({"args": "arguments-piece", "name": "tool-name"}, piece=True),
    "langchain.extras": Type(
        {"tool_calls": "openai.tool-call*", "function_call": "openai.function"}
    ),
    "langchain.result": Type({"generations": "langchain.generation**", "flatten()": "unknown*"}),
    "langchain.generation": Type({"text": "text", "message": "langchain.message"}),
    "langchain.event": Type({"data": "langchain.event-data"}, piece=True),
    "langchain.event-data": Type(
        {"chunk": "langchain.message-piece|piece", "output": "langchain.message|text"}, piece=True
    ),
}

ENTRIES: dict[str, ImportedName] = {
    "langchain.chat_models.init_chat_model": ImportedName("langchain.model"),
    "langchain.chat_models.base.init_chat_model": ImportedName("langchain.model"),
    "langchain_classic.chat_models.init_chat_model": ImportedName("langchain.model"),
    "langchain_core.messages.AIMessage": ImportedName("langchain.message"),
    "langchain_core.messages.ai.AIMessage": ImportedName("langchain.message"),
    "langchain_core.messages.BaseMessage": ImportedName("langchain.message"),
    "langchain_core.outputs.LLMResult": ImportedName("langchain.result"),
    "langchain_core.outputs.ChatResult": ImportedName("langchain.result"),
    "langchain_google_vertexai.get_vertex_maas_model": ImportedName("langchain.model"),
}

_PACKAGES = r"langchain(?:_[a-z0-9_]+)?(?:\.[a-z_]\w*)*"
_MODEL_HOMES = r"langchain(?:_core|_community|_classic)?"
_NOT_MODELS = (
    r"(?!\w*(?:Prompt|Message|Embeddings?|Parser|Template|Memory|History|Retriever|Loader|Store"
    r"|Result|Generation|Agent|Tool|Callback|Handler|Error|Chain|Config|Request|Response|Schema"
    r"|Value|Chunk|Output|Input|Cache)$)"
)

RULES: tuple[Rule, ...] = (
    # By base class, also for what inherits from it in the application.
    Rule(rf"{_PACKAGES}\.(?:BaseChatModel|SimpleChatModel)", ImportedName("langchain.model")),
    Rule(rf"{_PACKAGES}\.(?:BaseLLM|LLM)", ImportedName("langchain.llm")),
    Rule(rf"{_PACKAGES}\.BaseLanguageModel", ImportedName("langchain.any-model")),
    Rule(
        rf"{_PACKAGES}\.(?:Fake|GenericFake|ParrotFake)\w*Chat\w*", ImportedName("langchain.model")
    ),
    Rule(rf"{_PACKAGES}\.Fake\w*LLM", ImportedName("langchain.llm")),
    # By module, in the packages that hold many.
    Rule(
        rf"{_MODEL_HOMES}\.chat_models(?:\.[a-z_]\w*)*\.{_NOT_MODELS}[A-Z]\w*",
        ImportedName("langchain.model"),
    ),
    Rule(
        rf"{_MODEL_HOMES}\.llms(?:\.[a-z_]\w*)*\.{_NOT_MODELS}[A-Z]\w*",
        ImportedName("langchain.llm"),
    ),
    # By name, in the partner packages: ChatX, XChat, XChatOpenAI.
    Rule(
        rf"langchain(?!_core)_[a-z0-9_]+(?:\.[a-z_]\w*)*\.{_NOT_MODELS}"
        r"(?:Azure|Databricks|GigaChat|Pai)?\w*Chat\w*",
        ImportedName("langchain.model"),
    ),
    Rule(
        rf"langchain(?!_core)_[a-z0-9_]+(?:\.[a-z_]\w*)*\.{_NOT_MODELS}"
        r"(?:OpenAI|AzureOpenAI|\w+LLM|HuggingFacePipeline|HuggingFaceEndpoint|VertexAI"
        r"|GoogleGenerativeAI|Fireworks|Together|SagemakerEndpoint|Writer|NVIDIA|VertexAIModelGarden"
        r"|AzureAIOpenTelemetry|Bedrock|Ollama)",
        ImportedName("langchain.llm"),
    ),
    # The oldest spelling: ``from langchain import OpenAI``.
    Rule(
        r"langchain\.(?:OpenAI|Anthropic|Cohere|HuggingFaceHub|LlamaCpp|VertexAI|Bedrock|Replicate"
        r"|GPT4All|HuggingFacePipeline)",
        ImportedName("langchain.llm"),
    ),
)

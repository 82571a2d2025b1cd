"""Catalogue of LlamaIndex: models, indexes, engines, retrievers, node parsers, programs, agents.

Checked against llama-index-core 0.14 (``llms``, ``base.response.schema``, ``chat_engine.types``,
``indices.base``, ``node_parser``) and llama-index 0.9, which has the same below ``llama_index``.
The tables are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_PROMPT = ("prompt", "messages", "message", "str_or_query_bundle", "user_msg", "0")
_ANSWER = Call(
    "llama-index",
    "llama-index.response",
    _PROMPT,
    awaited=False,
    switch=(("streaming", True, "llama-index.stream"),),
)
_NODES = Call("llama-index-retriever", "llama-index.node*", _PROMPT, "retriever", awaited=False)
_SPLIT = Call("llama-index-splitter", "llama-index.chunk*", (), "splitter", awaited=False)


def _plain_and_awaited(call: Call, *names: str, prefix: str = "a") -> dict[str, str | Call]:
    """Return a call in its plain and its awaited form."""
    members: dict[str, str | Call] = {}
    for name in names:
        members[f"{name}()"] = call
        members[f"{prefix}{name}()"] = call._replace(awaited=True)
    return members


_DELTAS = _ANSWER._replace(shape="llama-index.delta*", streamed=True, switch=())
_TYPED = _ANSWER._replace(shape="object", schema=("output_cls", "0"), switch=())
_LLM = _ANSWER._replace(switch=())
_PROGRAM = _ANSWER._replace(shape="object", declared=("output_cls", "0"), switch=())

TYPES: dict[str, Type] = {
    "llama-index.model": Type(
        {
            **_plain_and_awaited(_LLM._replace(shape="llama-index.completion"), "complete"),
            **_plain_and_awaited(
                _LLM._replace(shape="llama-index.chat"), "chat", "chat_with_tools"
            ),
            **_plain_and_awaited(
                _DELTAS, "stream_complete", "stream_chat", "stream_chat_with_tools"
            ),
            **_plain_and_awaited(_LLM._replace(shape="text"), "predict"),
            **_plain_and_awaited(_DELTAS._replace(shape="piece*"), "stream"),
            **_plain_and_awaited(_TYPED, "structured_predict"),
            **_plain_and_awaited(_ANSWER._replace(switch=()), "predict_and_call"),
            "as_structured_llm()": "llama-index.structured-model",
        },
        role="model",
    ),
    "llama-index.structured-model": Type(
        {
            **_plain_and_awaited(
                _PROGRAM._replace(shape="llama-index.structured"), "complete", "chat"
            )
        },
        role="model",
    ),
    "llama-index.structured": Type(
        {"raw": "object", "text": "arguments", "message": "llama-index.message"}
    ),
    "llama-index.completion": Type({"text": "text", "str()": "text", "delta": "piece"}),
    "llama-index.chat": Type({"message": "llama-index.message", "str()": "text", "delta": "piece"}),
    "llama-index.message": Type(
        {"content": "text", "blocks": "llama-index.block*", "str()": "text"}, form="message"
    ),
    "llama-index.block": Type({"text": "text", "tool_kwargs": "object"}),
    "llama-index.delta": Type(
        {"delta": "piece", "text": "text", "message": "llama-index.message"}, piece=True
    ),
    "llama-index.index": Type(
        {
            "as_query_engine()": "llama-index.index-engine",
            "as_chat_engine()": "llama-index.chat-engine",
            "as_retriever()": "llama-index.index-retriever",
            # Before 0.6 an index was asked itself.
            "query()": _ANSWER,
        },
        role="vectorstore",
    ),
    "llama-index.engine": Type(
        {**_plain_and_awaited(_ANSWER, "query", "synthesize"), "retrieve()": _NODES}, role="engine"
    ),
    "llama-index.index-engine": Type(role="engine", base="llama-index.engine"),
    "llama-index.chat-engine": Type(
        {
            **_plain_and_awaited(_LLM, "chat"),
            **_plain_and_awaited(
                _LLM._replace(shape="llama-index.stream", streamed=True), "stream_chat"
            ),
            **_plain_and_awaited(_LLM, "query"),
        },
        role="engine",
    ),
    "llama-index.synthesizer": Type(
        {
            **_plain_and_awaited(_ANSWER, "synthesize"),
            **_plain_and_awaited(_LLM._replace(shape="text"), "get_response"),
        },
        role="engine",
    ),
    "llama-index.response": Type(
        {
            "response": "text",
            "str()": "text",
            "source_nodes": "llama-index.node*",
            "get_response()": "llama-index.response",
            "response_gen": "piece*",
            "response_txt": "text",
        }
    ),
    "llama-index.stream": Type(
        {
            "response_gen": "piece*",
            "async_response_gen()": "piece*",
            "get_response()": "llama-index.response",
            "response": "text",
            "response_txt": "text",
            "str()": "text",
            "source_nodes": "llama-index.node*",
        },
        piece=True,
    ),
    "llama-index.retriever": Type(_plain_and_awaited(_NODES, "retrieve"), role="retriever"),
    "llama-index.index-retriever": Type(role="retriever", base="llama-index.retriever"),
    "llama-index.node": Type(
        {
            "node": "llama-index.node",
            "text": "entry-text",
            "get_content()": "entry-text",
            "get_text()": "entry-text",
        },
        form="documents",
    ),
    "llama-index.splitter": Type(
        {
            "split_text()": _SPLIT._replace(shape="chunk-text*"),
            "split_texts()": _SPLIT._replace(shape="chunk-text*"),
            "split_text_metadata_aware()": _SPLIT._replace(shape="chunk-text*"),
            **_plain_and_awaited(_SPLIT, "get_nodes_from_documents"),
            "()": _SPLIT,
        },
        role="splitter",
    ),
    "llama-index.chunk": Type(
        {"text": "chunk-text", "get_content()": "chunk-text", "get_text()": "chunk-text"},
        form="texts",
    ),
    "llama-index.program": Type(
        {"()": _PROGRAM, "acall()": _PROGRAM._replace(awaited=True)}, role="model"
    ),
    "llama-index.agent": Type(
        {
            **_plain_and_awaited(_LLM, "chat", "query"),
            **_plain_and_awaited(
                _LLM._replace(shape="llama-index.stream", streamed=True), "stream_chat"
            ),
            "run()": _LLM._replace(shape="llama-index.agent-output", awaited=True),
        },
        role="agent",
    ),
    "llama-index.agent-output": Type(
        {"response": "llama-index.message", "str()": "text", "structured_response": "object"}
    ),
    "llama-index.prompt": Type(role="prompt"),
    "llama-index.parser": Type(role="parser"),
}

ENTRIES: dict[str, ImportedName] = {}

_CORE = r"llama_index(?:\.core)?(?:\.[a-z_]\w*)*"
_LLMS = r"llama_index(?:\.core)?\.llms(?:\.[a-z_]\w*)*"
_NO_MODEL = (
    r"(?!(?:Chat|Completion)(?:Message|Response)\w*|MessageRole|\w*(?:Metadata|Block)$"
    r"|Cache\w+$|Tokenizer$)"
)

RULES: tuple[Rule, ...] = (
    Rule(rf"{_LLMS}\.{_NO_MODEL}[A-Z]\w*", ImportedName("llama-index.model")),
    Rule(rf"{_LLMS}\.ChatResponse", ImportedName("llama-index.chat")),
    Rule(rf"{_LLMS}\.CompletionResponse", ImportedName("llama-index.completion")),
    Rule(
        rf"{_CORE}\.(?:\w+Index|load_index_from_storage|load_graph_from_storage)",
        ImportedName("llama-index.index"),
    ),
    Rule(rf"{_CORE}\.(?:\w+QueryEngine|BaseQueryEngine)", ImportedName("llama-index.engine")),
    Rule(rf"{_CORE}\.\w+ChatEngine", ImportedName("llama-index.chat-engine")),
    Rule(rf"{_CORE}\.\w*Retriever", ImportedName("llama-index.retriever")),
    Rule(
        rf"{_CORE}\.(?:get_response_synthesizer|\w+Synthesizer|TreeSummarize|Refine"
        r"|CompactAndRefine|SimpleSummarize|Accumulate)",
        ImportedName("llama-index.synthesizer"),
    ),
    Rule(
        rf"{_CORE}\.(?:\w*(?:Splitter|NodeParser)|LangchainNodeParser)",
        ImportedName("llama-index.splitter"),
    ),
    Rule(
        rf"{_CORE}\.(?:LLMTextCompletionProgram|\w*PydanticProgram|FunctionCallingProgram"
        r"|MultiModalLLMCompletionProgram)",
        ImportedName("llama-index.program"),
    ),
    Rule(
        rf"{_CORE}\.(?:\w+Agent|\w+AgentWorker|AgentRunner|AgentWorkflow)",
        ImportedName("llama-index.agent"),
    ),
    Rule(rf"{_CORE}\.(?:\w*PromptTemplate|Prompt)", ImportedName("llama-index.prompt")),
    Rule(rf"{_CORE}\.\w*OutputParser", ImportedName("llama-index.parser")),
)

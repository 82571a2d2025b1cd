"""Calls that are recognised by their own shape, where the receiver's type is not known.

The full attribute path together with its keywords is telling (``….chat.completions.create(model=,
messages=)``): medium confidence. A method that anything may have (``invoke``) needs a receiver that
is named as one: low confidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any, NamedTuple

from knitbone.adaptation.analysis.catalogue.lookup import Reached, step
from knitbone.adaptation.analysis.catalogue.outputs import make
from knitbone.adaptation.analysis.catalogue.records import Call, Produced
from knitbone.adaptation.requirements.records import Confidence

__all__ = ["produces_by_shape"]

SPLAT = "**"
"""Stands among the keywords of a call that has ``**something``: it may hold any of them."""


class _Known(NamedTuple):
    """A path that few other libraries have."""

    path: str
    """Regular expression of the end of the written path."""
    type: str
    member: str
    keywords: tuple[str, ...] = ()
    """All must be given."""


_PATHS: tuple[_Known, ...] = (
    _Known(r"\.chat\.completions\.create", "openai.chat-completions", "create()", ("messages",)),
    _Known(
        r"\.chat\.completions\.with_raw_response\.create",
        "openai.raw-chat-completions",
        "create()",
        ("messages",),
    ),
    _Known(r"\.chat\.completions\.parse", "openai.chat-completions", "parse()", ("messages",)),
    _Known(r"\.chat\.completions\.stream", "openai.chat-completions", "stream()", ("messages",)),
    _Known(r"\.responses\.create", "openai.responses-resource", "create()", ("model", "input")),
    _Known(r"\.responses\.parse", "openai.responses-resource", "parse()", ("model", "input")),
    _Known(r"\.ChatCompletion\.create", "openai.chat-v0", "create()", ("messages",)),
    _Known(r"\.ChatCompletion\.acreate", "openai.chat-v0", "acreate()", ("messages",)),
    _Known(
        r"(?<!chat)\.completions\.create",
        "openai.completions-resource",
        "create()",
        ("model", "prompt"),
    ),
    _Known(r"\.messages\.create", "anthropic.messages", "create()", ("messages", "max_tokens")),
    _Known(r"\.messages\.stream", "anthropic.messages", "stream()", ("messages", "max_tokens")),
    _Known(r"\.acompletion", "litellm.module", "acompletion()", ("messages",)),
    _Known(r"\.completion", "litellm.module", "completion()", ("model", "messages")),
    _Known(
        r"\.aio\.models\.generate_content",
        "gemini.async-models",
        "generate_content()",
        ("contents",),
    ),
    _Known(
        r"\.aio\.models\.generate_content_stream",
        "gemini.async-models",
        "generate_content_stream()",
        ("contents",),
    ),
    _Known(r"\.models\.generate_content", "gemini.models", "generate_content()", ("contents",)),
    _Known(
        r"\.models\.generate_content_stream",
        "gemini.models",
        "generate_content_stream()",
        ("contents",),
    ),
    _Known(r"(?<!models)\.generate_content", "gemini.model", "generate_content()"),
    _Known(r"\.generate_content_async", "gemini.model", "generate_content_async()"),
    _Known(r"\.converse", "bedrock.client", "converse()", ("modelId", "messages")),
    _Known(r"\.converse_stream", "bedrock.client", "converse_stream()", ("modelId", "messages")),
    _Known(r"\.invoke_model", "bedrock.client", "invoke_model()", ("modelId", "body")),
    _Known(
        r"\.invoke_model_with_response_stream",
        "bedrock.client",
        "invoke_model_with_response_stream()",
        ("modelId", "body"),
    ),
    _Known(r"\.chat\.complete", "mistral.chat-resource", "complete()", ("model", "messages")),
    _Known(
        r"\.chat\.complete_async",
        "mistral.chat-resource",
        "complete_async()",
        ("model", "messages"),
    ),
    _Known(
        r"\.create_chat_completion", "llama-cpp.model", "create_chat_completion()", ("messages",)
    ),
    _Known(r"\.as_retriever\(\)\.invoke", "langchain.retriever", "invoke()"),
    _Known(r"\.as_retriever\(\)\.ainvoke", "langchain.retriever", "ainvoke()"),
    _Known(r"\.as_query_engine\(\)\.query", "llama-index.index-engine", "query()"),
    _Known(r"\.as_chat_engine\(\)\.chat", "llama-index.chat-engine", "chat()"),
    _Known(r"\.with_structured_output\(\)\.invoke", "langchain.structured", "invoke()"),
    _Known(r"\.with_structured_output\(\)\.ainvoke", "langchain.structured", "ainvoke()"),
)
_METHODS: tuple[tuple[str, str], ...] = (
    (
        "similarity_search asimilarity_search similarity_search_with_score"
        " asimilarity_search_with_score similarity_search_with_relevance_scores"
        " asimilarity_search_with_relevance_scores similarity_search_by_vector"
        " max_marginal_relevance_search amax_marginal_relevance_search",
        "langchain.vectorstore",
    ),
    ("get_relevant_documents aget_relevant_documents", "langchain.retriever"),
    ("split_documents split_text create_documents", "langchain.splitter"),
    ("get_nodes_from_documents aget_nodes_from_documents", "llama-index.splitter"),
    ("predict_messages apredict_messages", "langchain.model"),
)
_BY_METHOD = {name: kind for names, kind in _METHODS for name in names.split()}
"""Methods whose names alone are telling."""

_RECEIVERS: tuple[tuple[str, str, str], ...] = (
    (r"(?:\w+_)?retriever", "invoke ainvoke", "langchain.retriever"),
    (r"(?:\w+_)?query_engine", "query aquery", "llama-index.engine"),
    (r"(?:\w+_)?chat_engine", "chat achat stream_chat astream_chat", "llama-index.chat-engine"),
    (r"(?:\w+_)?chain", "invoke ainvoke stream astream batch abatch", "langchain.sequence"),
    (r"(?:llm|qa)_chain", "run arun predict apredict", "langchain.llm-chain"),
    (
        r"(?:\w+_)?(?:llm|chat_model|language_model)(?:_\w+)?|chatmodel|chat_llm",
        "invoke ainvoke stream astream batch abatch predict apredict",
        "langchain.any-model",
    ),
    (
        r"(?:\w+_)?llm",
        "complete acomplete stream_complete astream_complete chat achat stream_chat astream_chat"
        " structured_predict astructured_predict",
        "llama-index.model",
    ),
    # Without ``predict``: that is what models of scikit-learn do.
    (r"model", "invoke ainvoke astream abatch", "langchain.any-model"),
    (r"agent_executor|executor", "invoke ainvoke run arun", "langchain.executor"),
)


def produces_by_shape(
    attributes: str, keywords: Set[str], values: Mapping[str, Any]
) -> Produced | None:
    """Find what a call brings, judged by how it is written.

    ``attributes`` is the called expression with its calls as ``()``, such as
    ``self.client.chat.completions.create``; ``keywords`` are the names of its keywords (with
    ``**`` where a mapping is splatted), ``values`` what is known of them.
    """
    if "." not in attributes:
        return None
    for known in _PATHS:
        wanted = set(known.keywords)
        if re.search(rf"{known.path}$", attributes) and (SPLAT in keywords or wanted <= keywords):
            return _made(known.type, known.member, values, "medium")
    receiver, _, method = attributes.rpartition(".")
    if method in _BY_METHOD:
        return _made(_BY_METHOD[method], f"{method}()", values, "medium")
    name = receiver.rpartition(".")[2].strip("_").lower()
    for pattern, methods, kind in _RECEIVERS:
        if method in methods.split() and re.fullmatch(pattern, name):
            return _made(kind, f"{method}()", values, "low")
    return None


def _made(
    kind: str, access: str, values: Mapping[str, Any], confidence: Confidence
) -> Produced | None:
    at = Reached(kind)
    found = step(at, access)
    if not isinstance(found, Call):
        return None
    made = make(found, at, {}, values, lower=False)
    return made._replace(confidence=confidence)

"""Calls that are recognised by how they are written, where the type of the receiver is not known.

The full attribute path together with its keywords is telling (``….chat.completions.create(model=,
messages=)``): medium confidence. A method that anything may have (``invoke``) needs a receiver that
is named as one (``retriever.invoke``): low confidence.
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


class _CallShape(NamedTuple):
    """A path that few other libraries have."""

    path: str
    """Regular expression of the end of the written path."""
    type: str
    member: str
    keywords: tuple[str, ...] = ()
    """All must be given."""


_KNOWN_CALLS: tuple[_CallShape, ...] = (
    _CallShape(
        r"\.chat\.completions\.create", "openai.chat-completions", "create()", ("messages",)
    ),
    _CallShape(
        r"\.chat\.completions\.with_raw_response\.create",
        "openai.raw-chat-completions",
        "create()",
        ("messages",),
    ),
    _CallShape(r"\.chat\.completions\.parse", "openai.chat-completions", "parse()", ("messages",)),
    _CallShape(
        r"\.chat\.completions\.stream", "openai.chat-completions", "stream()", ("messages",)
    ),
    _CallShape(r"\.responses\.create", "openai.responses-resource", "create()", ("model", "input")),
    _CallShape(r"\.responses\.parse", "openai.responses-resource", "parse()", ("model", "input")),
    _CallShape(r"\.ChatCompletion\.create", "openai.chat-v0", "create()", ("messages",)),
    _CallShape(r"\.ChatCompletion\.acreate", "openai.chat-v0", "acreate()", ("messages",)),
    _CallShape(
        r"(?<!chat)\.completions\.create",
        "openai.completions-resource",
        "create()",
        ("model", "prompt"),
    ),
    _CallShape(r"\.messages\.create", "anthropic.messages", "create()", ("messages", "max_tokens")),
    _CallShape(r"\.messages\.stream", "anthropic.messages", "stream()", ("messages", "max_tokens")),
    _CallShape(r"\.acompletion", "litellm.module", "acompletion()", ("messages",)),
    _CallShape(r"\.completion", "litellm.module", "completion()", ("model", "messages")),
    _CallShape(
        r"\.aio\.models\.generate_content",
        "gemini.async-models",
        "generate_content()",
        ("contents",),
    ),
    _CallShape(
        r"\.aio\.models\.generate_content_stream",
        "gemini.async-models",
        "generate_content_stream()",
        ("contents",),
    ),
    _CallShape(r"\.models\.generate_content", "gemini.models", "generate_content()", ("contents",)),
    _CallShape(
        r"\.models\.generate_content_stream",
        "gemini.models",
        "generate_content_stream()",
        ("contents",),
    ),
    _CallShape(r"(?<!models)\.generate_content", "gemini.model", "generate_content()"),
    _CallShape(r"\.generate_content_async", "gemini.model", "generate_content_async()"),
    _CallShape(r"\.converse", "bedrock.client", "converse()", ("modelId", "messages")),
    _CallShape(
        r"\.converse_stream", "bedrock.client", "converse_stream()", ("modelId", "messages")
    ),
    _CallShape(r"\.invoke_model", "bedrock.client", "invoke_model()", ("modelId", "body")),
    _CallShape(
        r"\.invoke_model_with_response_stream",
        "bedrock.client",
        "invoke_model_with_response_stream()",
        ("modelId", "body"),
    ),
    _CallShape(r"\.chat\.complete", "mistral.chat-resource", "complete()", ("model", "messages")),
    _CallShape(
        r"\.chat\.complete_async",
        "mistral.chat-resource",
        "complete_async()",
        ("model", "messages"),
    ),
    _CallShape(
        r"\.create_chat_completion", "llama-cpp.model", "create_chat_completion()", ("messages",)
    ),
    _CallShape(r"\.as_retriever\(\)\.invoke", "langchain.retriever", "invoke()"),
    _CallShape(r"\.as_retriever\(\)\.ainvoke", "langchain.retriever", "ainvoke()"),
    _CallShape(r"\.as_query_engine\(\)\.query", "llama-index.index-engine", "query()"),
    _CallShape(r"\.as_chat_engine\(\)\.chat", "llama-index.chat-engine", "chat()"),
    _CallShape(r"\.with_structured_output\(\)\.invoke", "langchain.structured", "invoke()"),
    _CallShape(r"\.with_structured_output\(\)\.ainvoke", "langchain.structured", "ainvoke()"),
)
_KNOWN_METHODS: tuple[tuple[str, str], ...] = (
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
_TYPE_OF_METHOD = {name: kind for names, kind in _KNOWN_METHODS for name in names.split()}
"""Methods whose names alone are telling."""

_KNOWN_RECEIVERS: tuple[tuple[str, str, str], ...] = (
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
    """Return what a call brings, judged by how it is written.

    ``attributes`` is the called expression with its calls as ``()``, such as
    ``self.client.chat.completions.create``; ``keywords`` are the names of its keywords (with
    ``**`` where a mapping is splatted), ``values`` what is known of them.
    """
    if "." not in attributes:
        return None
    for known in _KNOWN_CALLS:
        wanted = set(known.keywords)
        if re.search(rf"{known.path}$", attributes) and (SPLAT in keywords or wanted <= keywords):
            return _produced(known.type, known.member, values, "medium")
    receiver, _, method = attributes.rpartition(".")
    if method in _TYPE_OF_METHOD:
        return _produced(_TYPE_OF_METHOD[method], f"{method}()", values, "medium")
    name = receiver.rpartition(".")[2].strip("_").lower()
    for pattern, methods, kind in _KNOWN_RECEIVERS:
        if method in methods.split() and re.fullmatch(pattern, name):
            return _produced(kind, f"{method}()", values, "low")
    return None


def _produced(
    kind: str, access: str, values: Mapping[str, Any], confidence: Confidence
) -> Produced | None:
    """Return the output of a member of a type."""
    at = Reached(kind)
    found = step(at, access)
    if not isinstance(found, Call):
        return None
    made = make(found, at, {}, values, lower=False)
    return made._replace(confidence=confidence)

"""Catalogue of Google's models: google-genai, google-generativeai and the Vertex AI SDK.

Checked against google-genai 1 and later (``models``, ``chats``, ``types``), google-generativeai
0.8 and google-cloud-aiplatform (``generative_models``, ``language_models``). The tables are
explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_CONTENTS = ("contents", "0", "config", "system_instruction")
_GENERATE = Call(
    "gemini",
    "gemini.response",
    _CONTENTS,
    schema=("config", "generation_config"),
    stream="gemini.stream",
)
_ONCE = _GENERATE._replace(stream="")
_STREAM = _ONCE._replace(shape="gemini.piece*", streamed=True)
_SEND = _GENERATE._replace(prompt=("message", "content", "0"))
_PREDICT = Call("vertex-text", "vertex.text", ("prompt", "message", "prefix", "0"), awaited=False)

TYPES: dict[str, Type] = {
    # google-genai
    "gemini.client": Type(
        {
            "models": "gemini.models",
            "chats": "gemini.chats",
            "aio": "gemini.aio",
            "with": "gemini.client",
        },
        role="client",
    ),
    "gemini.aio": Type({"models": "gemini.async-models", "chats": "gemini.async-chats"}),
    "gemini.models": Type({"generate_content()": _ONCE, "generate_content_stream()": _STREAM}),
    "gemini.async-models": Type(
        {
            "generate_content()": _ONCE._replace(awaited=True),
            "generate_content_stream()": _STREAM._replace(awaited=True),
        }
    ),
    "gemini.chats": Type({"create()": "gemini.chat"}),
    "gemini.async-chats": Type({"create()": "gemini.async-chat"}),
    "gemini.chat": Type(
        {
            "send_message()": _SEND._replace(stream=""),
            "send_message_stream()": _SEND._replace(
                shape="gemini.piece*", streamed=True, stream=""
            ),
        },
        role="model",
    ),
    "gemini.async-chat": Type(
        {
            "send_message()": _SEND._replace(stream="", awaited=True),
            "send_message_stream()": _SEND._replace(
                shape="gemini.piece*", streamed=True, stream="", awaited=True
            ),
        },
        role="model",
    ),
    # google-generativeai and vertexai
    "gemini.model": Type(
        {
            "generate_content()": _GENERATE._replace(awaited=False),
            "generate_content_async()": _GENERATE._replace(awaited=True),
            "start_chat()": "gemini.session",
        },
        role="model",
    ),
    "gemini.session": Type(
        {
            "send_message()": _SEND._replace(awaited=False),
            "send_message_async()": _SEND._replace(awaited=True),
            "last": "gemini.response",
        },
        role="model",
    ),
    "gemini.response": Type(
        {
            "text": "text",
            "parsed": "object",
            "candidates": "gemini.candidate*",
            "parts": "gemini.part*",
            "function_calls": "gemini.function*",
            "result": "text",
        }
    ),
    "gemini.candidate": Type(
        {"content": "gemini.content", "text": "text", "function_calls": "gemini.function*"}
    ),
    "gemini.content": Type({"parts": "gemini.part*", "text": "text"}, form="message"),
    "gemini.part": Type(
        {"text": "text", "function_call": "gemini.function", "functionCall": "gemini.function"}
    ),
    "gemini.function": Type({"args": "object", "name": "tool-name"}),
    # Iterated piece by piece; whole after ``resolve()``.
    "gemini.stream": Type(
        {
            "[]": "gemini.piece",
            "text": "text",
            "parts": "gemini.part*",
            "candidates": "gemini.candidate*",
        },
        piece=True,
    ),
    "gemini.piece": Type(
        {"text": "piece", "candidates": "gemini.candidate-piece*", "parts": "gemini.part-piece*"},
        piece=True,
    ),
    "gemini.candidate-piece": Type(
        {"content": "gemini.content-piece", "text": "piece"}, piece=True
    ),
    "gemini.content-piece": Type({"parts": "gemini.part-piece*"}, piece=True),
    "gemini.part-piece": Type({"text": "piece", "function_call": "gemini.function"}, piece=True),
    # PaLM on Vertex AI.
    "vertex.model": Type(
        {
            "predict()": _PREDICT,
            "predict_async()": _PREDICT._replace(awaited=True),
            "predict_streaming()": _PREDICT._replace(shape="vertex.piece*", streamed=True),
            "predict_streaming_async()": _PREDICT._replace(shape="vertex.piece*", streamed=True),
            "start_chat()": "vertex.session",
        },
        role="model",
    ),
    "vertex.session": Type(
        {
            "send_message()": _PREDICT,
            "send_message_async()": _PREDICT._replace(awaited=True),
            "send_message_streaming()": _PREDICT._replace(shape="vertex.piece*", streamed=True),
        },
        role="model",
    ),
    "vertex.text": Type({"text": "text", "candidates": "vertex.text*"}),
    "vertex.piece": Type({"text": "piece"}, piece=True),
    "palm.module": Type(
        {
            "generate_text()": _PREDICT._replace(provider="palm", shape="gemini.response"),
            "chat()": _PREDICT._replace(provider="palm", shape="palm.chat", prompt=("messages",)),
        }
    ),
    "palm.chat": Type({"last": "text"}),
}

ENTRIES: dict[str, ImportedName] = {
    "google.genai.Client": ImportedName("gemini.client"),
    "google.genai.client.Client": ImportedName("gemini.client"),
    "google.generativeai": ImportedName("palm.module", is_class=False),
    "google.genai.types.GenerateContentResponse": ImportedName("gemini.response"),
}

RULES: tuple[Rule, ...] = (
    Rule(r"google\.generativeai(?:\.\w+)*\.GenerativeModel", ImportedName("gemini.model")),
    Rule(r"google\.generativeai(?:\.\w+)*\.ChatSession", ImportedName("gemini.session")),
    Rule(
        r"vertexai(?:\.\w+)*\.generative_models(?:\.\w+)*\.GenerativeModel",
        ImportedName("gemini.model"),
    ),
    Rule(
        r"vertexai(?:\.\w+)*\.generative_models(?:\.\w+)*\.ChatSession",
        ImportedName("gemini.session"),
    ),
    Rule(
        r"vertexai(?:\.\w+)*\.language_models(?:\.\w+)*\.(?:Code)?(?:TextGeneration|Chat|Generation"
        r")Model",
        ImportedName("vertex.model"),
    ),
)

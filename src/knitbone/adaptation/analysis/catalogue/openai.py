"""Catalogue of OpenAI's clients, from version 0 to today, and of what speaks the same.

Checked against openai 2 and 0.28, and Groq's and Together's clients, which return the same types.
The tables are explained in ``records.py``.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_MESSAGES = ("messages",)
_CHAT = Call(
    "openai-chat",
    "openai.chat",
    _MESSAGES,
    stream="openai.chat-chunk*",
    schema=("response_model", "response_format"),
    # A client that ``instructor.patch`` changed.
    typed=(("response_model", "object"),),
)
_PARSE = Call("openai-chat", "openai.chat", _MESSAGES, schema=("response_format",))
_TEXT = Call("openai-completion", "openai.completion", ("prompt",), stream="openai.completion*")
_RESPONSE = Call(
    "openai-response", "openai.response", ("input", "instructions"), stream="openai.event*"
)


def _raw(call: Call) -> Call:
    """Return the call as it is with ``with_raw_response``: its answer is not decoded yet."""
    return call._replace(
        shape=f"raw:{call.shape}", stream=f"raw:{call.stream}" if call.stream else ""
    )


TYPES: dict[str, Type] = {
    "openai.client": Type(
        {
            "chat": "openai.chat-resource",
            "completions": "openai.completions-resource",
            "responses": "openai.responses-resource",
            "beta": "openai.client",
            "with_options()": "openai.client",
            "copy()": "openai.client",
            "with_raw_response": "openai.raw-client",
            "with": "openai.client",
            # The module of version 0.
            "ChatCompletion": "openai.chat-v0",
            "Completion": "openai.completion-v0",
        },
        role="client",
    ),
    "openai.raw-client": Type({"chat": "openai.raw-chat-resource"}, role="client"),
    "openai.raw-chat-resource": Type({"completions": "openai.raw-chat-completions"}),
    "openai.chat-resource": Type(
        {"completions": "openai.chat-completions", "with_raw_response": "openai.raw-chat-resource"}
    ),
    "openai.chat-completions": Type(
        {
            "create()": _CHAT,
            "parse()": _PARSE,
            "stream()": Call(
                "openai-chat",
                "openai.chat-stream",
                _MESSAGES,
                streamed=True,
                awaited=False,
                schema=("response_format",),
            ),
            "with_raw_response": "openai.raw-chat-completions",
            "with_streaming_response": "openai.raw-chat-completions",
        }
    ),
    "openai.raw-chat-completions": Type({"create()": _raw(_CHAT), "parse()": _raw(_PARSE)}),
    "openai.completions-resource": Type({"create()": _TEXT}),
    "openai.responses-resource": Type(
        {
            "create()": _RESPONSE,
            "parse()": _RESPONSE._replace(schema=("text_format",), stream=""),
            "stream()": Call(
                "openai-response",
                "openai.response-stream",
                ("input", "instructions"),
                streamed=True,
                awaited=False,
                schema=("text_format",),
            ),
            "retrieve()": _RESPONSE._replace(prompt=()),
        }
    ),
    "openai.chat-v0": Type(
        {"create()": _CHAT._replace(awaited=False), "acreate()": _CHAT._replace(awaited=True)}
    ),
    "openai.completion-v0": Type(
        {"create()": _TEXT._replace(awaited=False), "acreate()": _TEXT._replace(awaited=True)}
    ),
    # Responses of chat completions.
    "openai.chat": Type({"choices": "openai.choice*"}),
    "openai.choice": Type({"message": "openai.message", "text": "text"}),
    "openai.message": Type(
        {
            "content": "text",
            "reasoning_content": "text",
            "parsed": "object",
            "refusal": "text",
            "tool_calls": "openai.tool-call*",
            "function_call": "openai.function",
        },
        form="message",
    ),
    "openai.tool-call": Type({"function": "openai.function", "custom": "openai.custom"}),
    "openai.function": Type(
        {"arguments": "arguments", "name": "tool-name", "parsed_arguments": "object"}
    ),
    "openai.custom": Type({"input": "text", "name": "tool-name"}),
    "openai.chat-chunk": Type({"choices": "openai.chunk-choice*"}, piece=True),
    "openai.chunk-choice": Type({"delta": "openai.delta"}, piece=True),
    "openai.delta": Type(
        {
            "content": "piece",
            "reasoning_content": "piece",
            "tool_calls": "openai.delta-call*",
            "function_call": "openai.delta-function",
        },
        form="message",
        piece=True,
    ),
    "openai.delta-call": Type({"function": "openai.delta-function"}, piece=True),
    "openai.delta-function": Type({"arguments": "arguments-piece", "name": "tool-name"}),
    "openai.chat-stream": Type(
        {
            "[]": "openai.chat-event",
            "get_final_completion()": "openai.chat",
            "until_done()": "openai.chat-stream",
        },
        piece=True,
    ),
    "openai.chat-event": Type(
        {
            "delta": "piece",
            "content": "text",
            "parsed": "object",
            "arguments": "arguments",
            "snapshot": "openai.chat",
            "chunk": "openai.chat-chunk",
        },
        piece=True,
    ),
    # Text completions; a chunk of one looks like the whole.
    "openai.completion": Type({"choices": "openai.choice*"}),
    # The Responses API.
    "openai.response": Type(
        {"output_text": "text", "output": "openai.output*", "output_parsed": "object"}
    ),
    "openai.output": Type(
        {
            "content": "openai.output-part*",
            "arguments": "arguments",
            "parsed_arguments": "object",
            "name": "tool-name",
            "input": "text",
        }
    ),
    "openai.output-part": Type({"text": "text", "parsed": "object", "refusal": "text"}),
    "openai.event": Type(
        {
            "delta": "piece",
            "text": "text",
            "arguments": "arguments",
            "response": "openai.response",
            "item": "openai.output",
            "part": "openai.output-part",
        },
        piece=True,
    ),
    "openai.response-stream": Type(
        {"[]": "openai.event", "get_final_response()": "openai.response"}, piece=True
    ),
}

ENTRIES: dict[str, ImportedName] = {
    "openai": ImportedName("openai.client", is_class=False),
    "openai.ChatCompletion": ImportedName("openai.chat-v0", is_class=False),
    "openai.Completion": ImportedName("openai.completion-v0", is_class=False),
}

# Drop-in clients: the tracing of Langfuse and PostHog, and hosts whose client returns the same.
_HOMES = r"(?:openai|langfuse\.openai|posthog\.ai\.openai)(?:\.\w+)*"

RULES: tuple[Rule, ...] = (
    Rule(rf"{_HOMES}\.(?:OpenAI|AzureOpenAI|BedrockOpenAI|Client)", ImportedName("openai.client")),
    Rule(
        rf"{_HOMES}\.Async(?:OpenAI|AzureOpenAI|BedrockOpenAI|Client)",
        ImportedName("openai.client", awaited=True),
    ),
    Rule(r"(?:groq|together)(?:\.\w+)*\.(?:Groq|Together|Client)", ImportedName("openai.client")),
    Rule(
        r"(?:groq|together)(?:\.\w+)*\.Async(?:Groq|Together|Client)",
        ImportedName("openai.client", awaited=True),
    ),
    # Types of responses, which annotations name.
    Rule(r"openai\.types\.chat(?:\.\w+)*\.(?:Parsed)?ChatCompletion", ImportedName("openai.chat")),
    Rule(r"openai\.types\.chat(?:\.\w+)*\.ChatCompletionChunk", ImportedName("openai.chat-chunk")),
    Rule(r"openai\.types\.chat(?:\.\w+)*\.ChatCompletionMessage", ImportedName("openai.message")),
    Rule(r"openai\.types\.responses(?:\.\w+)*\.Response", ImportedName("openai.response")),
)

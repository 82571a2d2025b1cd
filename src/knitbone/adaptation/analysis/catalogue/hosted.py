"""Catalogue of hosted models behind clients of their own: LiteLLM, Cohere, Mistral, Instructor, ...

Checked against litellm (``main``, ``router``), cohere 5 and 7, mistralai 0.4 and 2, instructor 1.
The tables are explained in ``records.py``.
r _NOW _SYNC_CHAT _LATER _ASYNC_CHAT
"""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Call, ImportedName, Rule, Type

__all__ = ["ENTRIES", "RULES", "TYPES"]

_CHAT = Call(
    "litellm-chat",
    "openai.chat",
    ("messages", "1"),
    stream="openai.chat-chunk*",
    schema=("response_format",),
)
_NOW = _CHAT._replace(awaited=False)
_LATER = _CHAT._replace(awaited=True)
_TEXT = _NOW._replace(
    provider="litellm-completion",
    shape="openai.completion",
    prompt=("prompt",),
    stream="openai.completion*",
)
_RESPONSE = _NOW._replace(
    provider="litellm-response", shape="openai.response", prompt=("input",), stream="openai.event*"
)
_MISTRAL = Call("mistral-chat", "openai.chat", ("messages", "0"), awaited=False)
_MISTRAL_PARSED = _MISTRAL._replace(schema=("response_format", "0"))
_COHERE = Call("cohere", "cohere.chat", ("message", "messages", "preamble"), stream="cohere.event*")
_INSTRUCTOR = Call(
    "instructor",
    "object",
    ("messages",),
    schema=("response_model",),
    # Without a model to fill, the client answers as the one that it wraps.
    switch=(("response_model", None, "openai.chat"),),
)
_LMI = Call("lmi", "lmi.result*|lmi.result", ("messages", "0"), awaited=True)

TYPES: dict[str, Type] = {
    "litellm.module": Type(
        {
            "completion()": _NOW,
            "acompletion()": _LATER,
            "completion_with_retries()": _NOW,
            "acompletion_with_retries()": _LATER,
            "batch_completion()": _NOW._replace(shape="openai.chat*", stream=""),
            "abatch_completion()": _LATER._replace(shape="openai.chat*", stream=""),
            "text_completion()": _TEXT,
            "atext_completion()": _TEXT._replace(awaited=True),
            "responses()": _RESPONSE,
            "aresponses()": _RESPONSE._replace(awaited=True),
        },
        role="client",
    ),
    "instructor.client": Type(
        {
            "chat": "instructor.client",
            "completions": "instructor.client",
            "messages": "instructor.client",
            "responses": "instructor.client",
            "create()": _INSTRUCTOR,
            "create_partial()": _INSTRUCTOR._replace(shape="object*", streamed=True, switch=()),
            "create_iterable()": _INSTRUCTOR._replace(shape="object*", switch=()),
            "create_with_completion()": _INSTRUCTOR._replace(shape="instructor.pair", switch=()),
        },
        role="client",
    ),
    # The object, and the response that it was made of.
    "instructor.pair": Type({"[]": "object|openai.chat"}),
    "mistral.client": Type(
        {
            "chat": "mistral.chat-resource",
            "agents": "mistral.chat-resource",
            "fim": "mistral.chat-resource",
            "with": "mistral.client",
        },
        role="client",
    ),
    "mistral.chat-resource": Type(
        {
            "complete()": _MISTRAL,
            "complete_async()": _MISTRAL._replace(awaited=True),
            "parse()": _MISTRAL_PARSED,
            "parse_async()": _MISTRAL_PARSED._replace(awaited=True),
            "stream()": _MISTRAL._replace(shape="mistral.event*", streamed=True),
            "stream_async()": _MISTRAL._replace(
                shape="mistral.event*", streamed=True, awaited=True
            ),
        }
    ),
    "mistral.event": Type({"data": "openai.chat-chunk"}, piece=True),
    # mistralai before 1.
    "mistral.client-v0": Type(
        {
            "chat()": _MISTRAL._replace(awaited=None),
            "chat_stream()": _MISTRAL._replace(shape="openai.chat-chunk*", streamed=True),
            "completion()": _MISTRAL._replace(awaited=None),
            "completion_stream()": _MISTRAL._replace(shape="openai.chat-chunk*", streamed=True),
        },
        role="client",
    ),
    "cohere.client": Type(
        {
            "chat()": _COHERE,
            "chat_stream()": _COHERE._replace(
                shape="cohere.event*", streamed=True, awaited=False, stream=""
            ),
            "generate()": _COHERE._replace(
                shape="cohere.generations", prompt=("prompt",), stream=""
            ),
            "generate_stream()": _COHERE._replace(
                shape="cohere.event*", prompt=("prompt",), streamed=True, awaited=False, stream=""
            ),
            "summarize()": _COHERE._replace(shape="cohere.summary", prompt=("text",), stream=""),
            "v2": "cohere.client",
        },
        role="client",
    ),
    "cohere.chat": Type(
        {"text": "text", "message": "cohere.message", "tool_calls": "cohere.tool-call*"}
    ),
    "cohere.message": Type(
        {
            "content": "cohere.block*",
            "tool_calls": "openai.tool-call*",
            "tool_plan": "text",
        },
        form="message",
    ),
    "cohere.block": Type({"text": "text", "thinking": "text"}),
    "cohere.tool-call": Type({"parameters": "object", "name": "tool-name"}),
    "cohere.generations": Type({"generations": "cohere.block*", "[]": "cohere.block"}),
    "cohere.summary": Type({"summary": "text"}),
    "cohere.event": Type(
        {"text": "piece", "delta": "cohere.delta", "response": "cohere.chat"}, piece=True
    ),
    "cohere.delta": Type({"message": "cohere.delta-message"}, piece=True),
    "cohere.delta-message": Type({"content": "cohere.delta-content"}, piece=True),
    "cohere.delta-content": Type({"text": "piece"}, piece=True),
    # azure-ai-inference
    "azure.inference": Type(
        {
            "complete()": Call(
                "azure-inference", "openai.chat", ("messages",), stream="openai.chat-chunk*"
            )
        },
        role="client",
    ),
    "dashscope.generation": Type(
        {"call()": Call("dashscope", "dashscope.response", ("messages", "prompt"))}
    ),
    "dashscope.response": Type({"output": "dashscope.output"}),
    "dashscope.output": Type({"text": "text", "choices": "openai.choice*"}),
    "lmi.model": Type(
        {
            "call()": _LMI,
            "call_single()": _LMI._replace(shape="lmi.result"),
            "acompletion()": _LMI._replace(shape="lmi.result*"),
        },
        role="model",
    ),
    "lmi.result": Type({"text": "text", "messages": "openai.message*"}),
}

ENTRIES: dict[str, ImportedName] = {
    "litellm": ImportedName("litellm.module", is_class=False),
    "litellm.main": ImportedName("litellm.module", is_class=False),
    "litellm.Router": ImportedName("litellm.module"),
    "litellm.router.Router": ImportedName("litellm.module"),
    "litellm.ModelResponse": ImportedName("openai.chat"),
    "litellm.types.utils.ModelResponse": ImportedName("openai.chat"),
    "dashscope.Generation": ImportedName("dashscope.generation", is_class=False),
    "zhipuai.ZhipuAI": ImportedName("openai.client"),
    "fireworks.client.Fireworks": ImportedName("openai.client"),
    "fireworks.client.AsyncFireworks": ImportedName("openai.client", awaited=True),
    "cerebras.cloud.sdk.Cerebras": ImportedName("openai.client"),
    "cerebras.cloud.sdk.AsyncCerebras": ImportedName("openai.client", awaited=True),
    "aisuite.Client": ImportedName("openai.client"),
    "g4f.client.Client": ImportedName("openai.client"),
    "g4f.client.AsyncClient": ImportedName("openai.client", awaited=True),
    "volcenginesdkarkruntime.Ark": ImportedName("openai.client"),
    "mistralai.client.MistralClient": ImportedName("mistral.client-v0"),
    "mistralai.async_client.MistralAsyncClient": ImportedName("mistral.client-v0", awaited=True),
    "azure.ai.inference.ChatCompletionsClient": ImportedName("azure.inference"),
    "azure.ai.inference.aio.ChatCompletionsClient": ImportedName("azure.inference", awaited=True),
}

RULES: tuple[Rule, ...] = (
    Rule(
        r"instructor(?:\.\w+)*\.(?:from_(?:openai|litellm|anthropic|groq|mistral|cohere|gemini"
        r"|genai|vertexai|bedrock|provider|together|anyscale|databricks|deepseek|fireworks|cerebras"
        r"|writer|xai|perplexity|openrouter)|Instructor)",
        ImportedName("instructor.client"),
    ),
    Rule(r"instructor(?:\.\w+)*\.AsyncInstructor", ImportedName("instructor.client", awaited=True)),
    Rule(r"instructor(?:\.\w+)*\.patch", ImportedName("openai.client")),
    Rule(r"instructor(?:\.\w+)*\.apatch", ImportedName("openai.client", awaited=True)),
    Rule(r"mistralai(?:\.\w+)*\.Mistral(?:GoogleCloud|GCP|Azure)?", ImportedName("mistral.client")),
    Rule(r"cohere(?:\.\w+)*\.(?:Client|ClientV2|BedrockClient\w*)", ImportedName("cohere.client")),
    Rule(
        r"cohere(?:\.\w+)*\.(?:AsyncClient|AsyncClientV2)",
        ImportedName("cohere.client", awaited=True),
    ),
    Rule(r"lmi(?:\.\w+)*\.(?:LiteLLMModel|LLMModel)", ImportedName("lmi.model")),
)

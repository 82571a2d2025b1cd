"""Calls that bring an answer from a model, and where the text stands in their response.

Recognised by what the receiver *is* (an object of the SDK's class, by import, assignment or
annotation). Where the receiver's type is not known, the call's own shape (the full attribute path
and its keywords) counts with medium confidence.
"""

from __future__ import annotations

import ast
from typing import Literal, NamedTuple

__all__ = ["TEXT_PATHS", "Recognised", "client_of", "recognise", "recognise_shape"]


class Recognised(NamedTuple):
    """A call of an SDK."""

    provider: str
    confidence: Literal["high", "medium"]


_CALLS = {
    "openai": {
        ".chat.completions.create": "openai-chat",
        ".beta.chat.completions.parse": "openai-chat",
        ".chat.completions.parse": "openai-chat",
        ".completions.create": "openai-completion",
        ".responses.create": "openai-response",
        ".ChatCompletion.create": "openai-chat",
        ".ChatCompletion.acreate": "openai-chat",
        ".Completion.create": "openai-completion",
    },
    "anthropic": {
        ".messages.create": "anthropic-message",
        ".beta.messages.create": "anthropic-message",
    },
    "langchain": {
        ".invoke": "langchain-message",
        ".ainvoke": "langchain-message",
    },
}

_SHAPES = {
    ".chat.completions.create": ("openai-chat", {"messages"}),
    ".responses.create": ("openai-response", {"input"}),
    ".messages.create": ("anthropic-message", {"messages", "max_tokens"}),
}

TEXT_PATHS = {
    "openai-chat": (".choices[].message.content",),
    "openai-completion": (".choices[].text",),
    "openai-response": (".output_text", ".output[].content[].text"),
    "anthropic-message": (".content[].text",),
    "langchain-message": (".content",),
}
"""Where each response holds its text; ``[]`` is any index."""

_OPENAI = {"OpenAI", "AsyncOpenAI", "AzureOpenAI", "AsyncAzureOpenAI", "Client", "AsyncClient"}
_ANTHROPIC = {"Anthropic", "AsyncAnthropic", "AnthropicBedrock", "AnthropicVertex"}


def client_of(dotted: str) -> str | None:
    """Which SDK an external class or module belongs to."""
    root, _, rest = dotted.partition(".")
    last = rest.rpartition(".")[2]
    if root == "openai" and (not rest or last in _OPENAI):
        return "openai"
    if root == "anthropic" and (not rest or last in _ANTHROPIC):
        return "anthropic"
    if root.startswith("langchain") and last.startswith(("Chat", "AzureChat", "init_chat_model")):
        return "langchain"
    return None


def recognise(name: str, path: str) -> Recognised | None:
    """The call at an attribute path of an external class or module."""
    client = client_of(name)
    provider = _CALLS[client].get(path) if client else None
    # ``openai.chat.completions.create`` and ``openai.OpenAI().chat...`` share their paths.
    return Recognised(provider, "high") if provider else None


def recognise_shape(call: ast.Call) -> Recognised | None:
    """The call by its own shape, where the receiver's type is not known."""
    parts: list[str] = []
    node: ast.expr = call.func
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    written = "".join(f".{part}" for part in reversed(parts))
    keywords = {keyword.arg for keyword in call.keywords}
    splat = None in keywords
    for path, (provider, required) in _SHAPES.items():
        if written.endswith(path) and (splat or required <= keywords):
            return Recognised(provider, "medium")
    return None

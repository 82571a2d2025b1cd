"""Catalogue of models that are asked over plain HTTP: requests, httpx, aiohttp, urllib.

A post is a site where its address is that of a model's interface, or where its JSON body is one
of a chat. What the answer holds follows from the address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from knitbone.adaptation.analysis.catalogue.records import Produced
from knitbone.adaptation.requirements.records import Confidence
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["is_post", "post"]

_CALLS = re.compile(
    r"(?P<plain>requests(?:\.api)?\.(?:post|request)|requests(?:\.sessions)?\.[sS]ession\(\)\.(?:post|request)"
    r"|httpx\.(?:post|request|stream)|httpx\.Client\(\)\.(?:post|request|stream)"
    r"|urllib\.request\.(?:urlopen|Request)|urllib3\.PoolManager\(\)\.request)"
    r"|(?P<later>httpx\.AsyncClient\(\)\.(?:post|request|stream)"
    r"|aiohttp(?:\.client)?\.ClientSession\(\)\.(?:post|request))"
)
_ENDPOINTS: tuple[tuple[str, str, str, str], ...] = (
    (r"/chat/completions", "openai-chat", "openai.chat", "openai.chat-chunk"),
    (r"/v1/completions|/engines/[^/]+/completions", "openai-completion", "openai.completion", ""),
    (r"/v1/messages\b", "anthropic-message", "anthropic.message", "anthropic.event"),
    (r"/v1/responses\b", "openai-response", "openai.response", "openai.event"),
    (r"/api/chat\b|/api/generate\b", "ollama", "ollama.response", "ollama.piece"),
    (r":streamGenerateContent", "gemini", "gemini.response*", "gemini.piece"),
    (r":generateContent", "gemini", "gemini.response", ""),
    (r"api-inference\.huggingface\.co/models/", "huggingface", "hf.generated*", ""),
)
_ENDPOINTS_COMPILED = tuple((re.compile(row[0]), *row[1:]) for row in _ENDPOINTS)
_PROMPTS = frozenset({"messages", "prompt", "input", "inputs", "contents", "query", "**"})
_BODIES = ("json", "data", "content", "body")


def is_post(path: str) -> bool:
    """Return whether the call sends a request."""
    return _CALLS.fullmatch(path) is not None


def post(path: str, keywords: Mapping[str, Any], positional: Sequence[Any]) -> Produced | None:
    """Return what a request brings; ``None`` where it does not go to a model."""
    called = _CALLS.fullmatch(path)
    if called is None:
        return None
    addresses = [keywords.get("url"), *positional[:2]]
    found = next((known for value in addresses if (known := _address(value))), None)
    if found is None:
        body = next((keywords[name] for name in _BODIES if name in keywords), None)
        if not _is_chat(body) or _is_elsewhere(addresses):
            return None
        # The most usual interface, and the shape that most servers speak.
        found = ("openai-chat", "openai.chat", "openai.chat-chunk", "low")
    elif _is_something_else(keywords):
        return None
    provider, whole, piece, confidence = found
    streamed = path.endswith(".stream") or keywords.get("stream") is True
    shape = f"raw:{piece}" if streamed and piece else f"raw:{whole}"
    return Produced(
        kind="chat",
        provider=f"http-{provider}",
        confidence=confidence,
        form="response",
        shape=shape,
        streamed=streamed,
        awaited=bool(called["later"]) and not path.endswith(".stream"),
        prompt=tuple(name for name in _BODIES if name in keywords),
    )


def _address(value: Any) -> tuple[str, str, str, Confidence] | None:
    """Return the known interface that an address belongs to."""
    text = value if isinstance(value, str) else None
    if isinstance(value, Computed):
        text = value.expression
    if text is None:
        return None
    for pattern, provider, whole, piece in _ENDPOINTS_COMPILED:
        if pattern.search(text):
            return provider, whole, piece, "high" if isinstance(value, str) else "medium"
    return None


def _is_elsewhere(addresses: Sequence[Any]) -> bool:
    """Return whether the address is a constant: then it is known not to be that of a model."""
    return any(isinstance(value, str) and "://" in value for value in addresses)


def _is_something_else(keywords: Mapping[str, Any]) -> bool:
    """Return whether the body is known, and nothing in it is a prompt."""
    body = keywords.get("json")
    if not isinstance(body, Mapping) or not body:
        return False
    return _PROMPTS.isdisjoint(cast("Mapping[Any, Any]", body))


def _is_chat(body: Any) -> bool:
    """Return whether the body is that of a chat: ``{"model": ..., "messages": ...}``."""
    if isinstance(body, Mapping):
        return {"model", "messages"} <= set(cast("Mapping[Any, Any]", body))
    if isinstance(body, Computed):
        text = body.expression
        return all(f'"{key}"' in text or f"'{key}'" in text for key in ("model", "messages"))
    if isinstance(body, tuple):
        keys: set[Any] = set()
        for item in cast("tuple[Any, ...]", body):
            if isinstance(item, tuple) and item:
                keys.add(cast("tuple[Any, ...]", item)[0])
        return {"model", "messages"} <= keys
    return False

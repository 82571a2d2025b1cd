"""What every protocol of a model is read into (request, answer, stream), and helpers to read it.

Requests and answers are the application's and the server's: nothing about their shape is taken for
granted, and what is not understood is recorded as it looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, cast

import msgspec

from knitbone.record.events import ChatMessage, Json, ToolCallRequest, encode_json
from knitbone.wire.content import text_of_part
from knitbone.wire.fields import count, field, word
from knitbone.wire.usage import CountNames

__all__ = [
    "Accumulator",
    "Dialect",
    "ModelAnswer",
    "ModelRequest",
    "attributes_of",
    "error_text",
    "identity_of",
    "parsed",
    "text_of",
    "tool_call",
    "with_counts",
]

MAX_PART = 2_000
"""Characters kept of a content part that is no text, such as an image in base64 (ours)."""


class ModelRequest(NamedTuple):
    """What a model was asked."""

    model: str
    messages: tuple[ChatMessage, ...]
    attributes: dict[str, Json]
    """Under their OpenTelemetry names."""
    tools: Any = None
    """The definitions of the tools that were offered, as the provider gets them."""


class ModelAnswer(NamedTuple):
    """What a model answered."""

    output: ChatMessage | None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    attributes: Mapping[str, Json] = MappingProxyType({})
    error: str | None = None
    """What the answer itself says went wrong."""


class Accumulator(Protocol):
    """Puts the chunks of a stream together."""

    def add(self, chunk: Any) -> None: ...
    def answer(self) -> ModelAnswer: ...


class Dialect(NamedTuple):
    """How one protocol is read."""

    operation: str  # gen_ai.operation.name
    request: Callable[[Mapping[str, Any]], ModelRequest]
    """From the body as it is sent."""
    answer: Callable[[Any], ModelAnswer]
    """From the SDK's object, or from the JSON of the body."""
    accumulator: Callable[[], Accumulator]


def text_of(content: Any) -> str:
    """The text of a content: plain, absent, or in parts. What is no text stays as JSON, a long one
    (an image) as a note of what it was."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, (list, tuple)):
        return "\n".join([_part(part) for part in cast("Iterable[Any]", content)])
    return _part(content)


def _part(part: Any) -> str:
    text = text_of_part(part)
    if text is not None:
        return text
    shown = _plain_json(part)
    if len(shown) <= MAX_PART:
        return shown
    kind = field(part, "type")
    return f"[{kind if isinstance(kind, str) else 'part'}: {len(shown)} characters not recorded]"


def _plain_json(value: Any) -> str:
    dump = getattr(value, "model_dump", None)
    return encode_json(dump(mode="json") if callable(dump) else value).decode("utf-8")


def parsed(arguments: Any) -> Json:
    """The arguments of a tool call; the raw text where it is not JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return msgspec.json.decode(arguments)
    except (ValueError, RecursionError):
        return arguments


def tool_call(name: Any, arguments: Any, call_id: Any) -> ToolCallRequest:
    """A tool call that a model asked for."""
    return ToolCallRequest(
        name=word(name) or "unknown", arguments=parsed(arguments), call_id=word(call_id)
    )


_IDENTITY = {"gen_ai.response.id": "id", "gen_ai.response.model": "model"}


def identity_of(response: Any) -> dict[str, Json]:
    """Read what an answer says of itself: its identifier, and the model that gave it."""
    found = {name: word(field(response, key)) for name, key in _IDENTITY.items()}
    return {name: value for name, value in found.items() if value}


def error_text(error: Any) -> str | None:
    """Read the error that an answer itself tells of."""
    return None if error is None else text_of(field(error, "message") or error)


def with_counts(answer: ModelAnswer, usage: Any, names: CountNames) -> ModelAnswer:
    """An answer with its tokens, those from a cache apart as an attribute, too."""
    if usage is None:
        return answer
    cached = names.cached(usage)
    if cached:
        attributes = {**answer.attributes, "gen_ai.usage.cache_read.input_tokens": cached}
        answer = answer._replace(attributes=attributes)
    return answer._replace(
        input_tokens=count(field(usage, names.input[0])),
        output_tokens=count(field(usage, names.output[0])),
    )


def attributes_of(body: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Json]:
    """The parameters of a request.

    Args:
        names: of the body's fields, and what OpenTelemetry calls them.
    """
    return {names[key]: value for key, value in body.items() if key in names and _is_plain(value)}


def _is_plain(value: Any) -> bool:
    """Whether a value is one that was really sent: SDKs mark what was not given by an object."""
    return isinstance(value, (str, int, float, bool, list, tuple, dict))

"""The texts inside the value that a model, a retriever or a splitter returned.

The field names of the known SDKs stand in tables here; no SDK is imported. A value's fields are
read from its instance dictionary, never through properties, which may do work or talk to the
network. Objects of types that are neither an SDK's, nor pydantic's, nor plain data are left alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

__all__ = ["Key", "Path", "ValueText", "fields_of", "find_texts", "is_cut_off", "is_sdk", "parts"]

Key = str | int
Path = tuple[Key, ...]
"""A path from the value to a text: keys, indices, names of attributes."""

_SDKS = (
    "openai", "anthropic", "langchain", "langgraph", "llama_index", "litellm", "ollama", "google",
    "mistralai", "groq", "cohere", "together", "huggingface_hub", "transformers",
)  # fmt: skip
"""First parts of the names of modules whose objects are read."""

_TEXTS = (
    "content", "text", "output_text", "output", "answer", "result", "response", "generated_text",
    "page_content", "completion", "summary_text",
)  # fmt: skip
"""Fields that hold the answer; the first that does is the one that consumers read."""
_HOLDERS = ("message", "delta", "node", "text_resource")
"""Fields that hold the object that holds the text."""
_SERIES = ("generations", "choices", "candidates")
"""Fields that hold alternative answers."""
_BLOCKS = ("content", "output", "parts", "blocks")
"""Fields that hold an answer in pieces, of which only those of text count."""
_TEXT_BLOCKS = frozenset({"text", "output_text", "message", "text_delta"})
_ASSISTANT = frozenset({"assistant", "ai", "AIMessageChunk", "model"})

_REASONS = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason", "reason")
"""Fields that say why a model stopped."""
_REASON_HOLDERS = (
    "choices", "candidates", "generations", "message", "messages", "response_metadata",
    "generation_info", "incomplete_details", "delta", "raw", "response",
)  # fmt: skip
"""Fields below which they stand."""
_LIMITS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
"""What they say where an answer was cut off at its limit of tokens."""
_MAX_DEPTH = 8
_MAX_ITEMS = 10_000


class ValueText(NamedTuple):
    """One text of a value."""

    text: str
    paths: tuple[Path, ...]
    """The paths to the text; more than one where the type keeps it twice."""


def parts(value: Any) -> list[str]:
    """Return the texts of a value, in order; none where its type is not known."""
    return [part.text for part in find_texts(value)]


def find_texts(value: Any) -> tuple[ValueText, ...]:
    """Return the texts of a value with the paths to them."""
    if isinstance(value, str):
        return (ValueText(value, ((),)),)
    return tuple(_texts_below(value, (), 0))


def is_cut_off(value: Any, depth: int = 0) -> bool:
    """Return whether a value says that the model stopped at its limit of tokens."""
    if isinstance(value, str) or depth > _MAX_DEPTH:
        return False
    if isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        return bool(items) and is_cut_off(items[-1], depth + 1)
    fields = fields_of(value)
    for name in _REASONS:
        said = fields.get(name)
        if str(getattr(said, "value", said)).casefold() in _LIMITS:
            return True
    return any(is_cut_off(fields[name], depth + 1) for name in _REASON_HOLDERS if fields.get(name))


def is_sdk(kind: type[Any]) -> bool:
    """Return whether a class comes from an SDK or framework whose values are known."""
    return str(getattr(kind, "__module__", "")).startswith(_SDKS)


def fields_of(value: Any) -> Mapping[str, Any]:
    """Return the fields of a dictionary or object; none where its type is not known."""
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    kind = cast("type[Any]", type(value))
    known = is_sdk(kind) or hasattr(kind, "__pydantic_fields__") or kind is SimpleNamespace
    if dataclasses.is_dataclass(kind):
        return {
            field.name: getattr(value, field.name)
            for field in dataclasses.fields(kind)
            if hasattr(value, field.name)
        }
    if not known:
        return {}
    own: Any = getattr(value, "__dict__", None)
    extra: Any = getattr(value, "__pydantic_extra__", None)
    fields = cast("dict[str, Any]", own) if isinstance(own, dict) else {}
    return {**fields, **extra} if isinstance(extra, dict) and extra else fields


def _texts_below(value: Any, path: Path, depth: int) -> Iterator[ValueText]:
    """Yield the texts of a value and of what it holds."""
    if isinstance(value, str):
        yield ValueText(value, (path,))
        return
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        for index, item in enumerate(items[:_MAX_ITEMS]):
            yield from _texts_below(item, (*path, index), depth + 1)
        return
    fields = fields_of(value)
    for key in _SERIES:
        if isinstance(fields.get(key), list | tuple):
            yield from _texts_below(fields[key], (*path, key), depth + 1)
            return
    for key in _HOLDERS:
        if fields.get(key) is not None:
            found = list(_texts_below(fields[key], (*path, key), depth + 1))
            if found:
                yield from _mirrored_text(found, fields, path)
                return
    if "messages" in fields:
        yield from _last_message(fields["messages"], (*path, "messages"), depth)
        return
    yield from _answer_text(fields, path, depth)


def _answer_text(fields: Mapping[str, Any], path: Path, depth: int) -> Iterator[ValueText]:
    """Yield the texts of the field that holds the answer."""
    for key in _BLOCKS:
        held = fields.get(key)
        if isinstance(held, list | tuple):
            blocks = cast("list[Any] | tuple[Any, ...]", held)
            for index, block in enumerate(blocks[:_MAX_ITEMS]):
                if isinstance(block, str) or _is_text(fields_of(block)):
                    yield from _texts_below(block, (*path, key, index), depth + 1)
            return
        if held is not None and not isinstance(held, str):
            yield from _texts_below(held, (*path, key), depth + 1)
            return
    for key in _TEXTS:
        if isinstance(fields.get(key), str):
            yield ValueText(fields[key], ((*path, key),))
            return


def _is_text(block: Mapping[str, Any]) -> bool:
    """Return whether a block of an answer is text for the user, not a thought, a call or a
    picture."""
    kind = block.get("type")
    if block.get("thought"):
        return False
    return (kind is None and "role" not in block) or (
        isinstance(kind, str) and kind in _TEXT_BLOCKS
    )


def _mirrored_text(
    found: list[ValueText], fields: Mapping[str, Any], path: Path
) -> Iterator[ValueText]:
    """Yield the texts with their paths; two where LangChain's ``ChatGeneration`` keeps its
    message's text twice."""
    if len(found) == 1 and fields.get("text") == found[0].text:
        yield ValueText(found[0].text, (*found[0].paths, (*path, "text")))
        return
    yield from found


def _last_message(messages: Any, path: Path, depth: int) -> Iterator[ValueText]:
    """Yield the text of the last message of a conversation, where the model wrote it."""
    if not isinstance(messages, list | tuple) or not messages:
        return
    said = cast("list[Any] | tuple[Any, ...]", messages)
    last = fields_of(said[-1])
    if any(
        isinstance(who, str) and who in _ASSISTANT for who in (last.get("type"), last.get("role"))
    ):
        yield from _texts_below(said[-1], (*path, len(said) - 1), depth + 1)

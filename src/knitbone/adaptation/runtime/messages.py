"""The messages and tools in the arguments of a model call, in the shapes that SDKs take.

Arguments may be texts, message lists, prompt values or the input of a chain. They are read only
where a check needs them, and never through properties of foreign types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from knitbone.adaptation.repair.checks import PromptMessage
from knitbone.adaptation.runtime.values.texts import fields_of

__all__ = ["TOOL_KEYWORDS", "ToolOffer", "messages_in", "offer_in"]

TOOL_KEYWORDS = ("tools", "functions", "toolConfig")
"""Keyword arguments that tell a model which tools there are."""

_MAX_MESSAGES = 200
"""Messages that are read; of a longer conversation the first and the last ones."""
_MAX_TEXT = 20_000
"""Characters kept of one message."""
_MAX_DEPTH = 6
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system"}
_SPEAKER_ROLES = ("user", "assistant", "system", *_ROLES)
_ASKED = ("messages", "input", "question", "query", "prompt", "text", "topic", "contents")
"""Keys of an input dictionary that hold what is asked, the likeliest first."""


def messages_in(value: Any) -> tuple[PromptMessage, ...]:
    """Return the messages in an argument of a call; none where its type is not known."""
    found = list(_read_messages(value, "", 0))
    if len(found) > _MAX_MESSAGES:
        half = _MAX_MESSAGES // 2
        found = [*found[:half], *found[-half:]]
    return tuple(found)


def _read_messages(value: Any, role: str, depth: int) -> Iterator[PromptMessage]:
    """Yield the messages in a value of any known type."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        if value.strip():
            yield PromptMessage(role=role or "user", text=value[:_MAX_TEXT])
        return
    if isinstance(value, list | tuple):
        yield from _read_list(cast("list[Any] | tuple[Any, ...]", value), role, depth)
        return
    fields = fields_of(value)
    if not fields:
        return
    own = fields.get("role") or fields.get("type")
    if "content" in fields and isinstance(own, str):
        yield from _read_messages(fields["content"], _ROLES.get(own, own), depth + 1)
        return
    if fields.get("messages") is None:
        # What a chain is given beside the question, under any key: it was said before.
        for before in filter(_is_conversation, fields.values()):
            yield from _read_messages(before, role, depth + 1)
    for key in ("text", "messages"):
        if fields.get(key) is not None and (key == "messages" or isinstance(fields[key], str)):
            yield from _read_messages(fields[key], role, depth + 1)
            return
    yield from _read_chain_input(fields, role, depth)


def _read_list(
    items: list[Any] | tuple[Any, ...], role: str, depth: int
) -> Iterator[PromptMessage]:
    if isinstance(items, tuple) and len(items) == 2:
        who, what = items
        if isinstance(who, str) and isinstance(what, str):
            # LangChain's short form of a message: ("human", "...").
            yield from _read_messages(what, _ROLES.get(who, who), depth + 1)
            return
    for item in items:
        yield from _read_messages(item, role, depth + 1)


def _read_chain_input(fields: Any, role: str, depth: int) -> Iterator[PromptMessage]:
    """Yield the input of a chain: the entry that holds the question, else its only text."""
    for key in _ASKED:
        if fields.get(key) is not None and not _is_conversation(fields[key]):
            yield from _read_messages(fields[key], role, depth + 1)
            return
    texts = [value for value in fields.values() if isinstance(value, str)]
    if len(texts) == 1:
        yield from _read_messages(texts[0], role, depth + 1)


def _is_conversation(value: Any) -> bool:
    """Return whether a value is a list of messages that each name a role."""
    if not isinstance(value, list) or not value:
        return False
    items = cast("list[Any]", value)
    return all(_has_role(item) for item in items[:_MAX_MESSAGES])


def _has_role(item: Any) -> bool:
    if isinstance(item, tuple):
        pair = cast("tuple[Any, ...]", item)
        return (
            len(pair) == 2
            and all(isinstance(part, str) for part in pair)
            and pair[0] in _SPEAKER_ROLES
        )
    fields = fields_of(item)
    own = fields.get("role") or fields.get("type")
    return isinstance(own, str) and own in _SPEAKER_ROLES and "content" in fields


class ToolOffer(NamedTuple):
    """The tools that a call offers its model."""

    tools: list[Any] | tuple[Any, ...]
    place: str
    """``file:line`` of the argument that says so."""


def offer_in(value: Any, place: str) -> ToolOffer | None:
    """Return the tools in an argument of a call: the argument itself, or an entry of spread
    keyword arguments."""
    for _ in range(_MAX_DEPTH):
        if isinstance(value, list | tuple):
            offered = cast("list[Any] | tuple[Any, ...]", value)
            return ToolOffer(offered, place) if offered else None
        if not isinstance(value, dict):
            return None
        known = cast("dict[str, Any]", value)
        value = next((known[key] for key in TOOL_KEYWORDS if known.get(key)), None)
    return None

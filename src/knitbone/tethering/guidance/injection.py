"""Guidance into the messages of a request, so that the agent reads it first (AgentTether §III.C.3,
prominence)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from knitbone.tethering.guidance.records import Guidance
from knitbone.wire.fields import elements, field

__all__ = ["guided_messages", "guided_system"]

_SYSTEM = {"system", "developer"}


def guided_messages(messages: Sequence[Any], guidance: Guidance) -> list[Any]:
    """The messages with the guidance in them, where its plan wants it.

    OpenAI's chat messages and Responses items, and Anthropic's messages. The messages that were
    given are not changed; given again, the result stays as it is. Without a text nothing is done.
    With the plan ``system text``, a request without a system message gets one; of Anthropic's,
    whose system text is no message, use :func:`guided_system`.
    """
    text = guidance.text
    if not text or any(_holds(field(message, "content"), text) for message in messages):
        return list(messages)
    if guidance.plan.place == "system text":
        return _in_system(messages, text)
    return _in_first_turn(messages, text)


def guided_system(system: Any, guidance: Guidance) -> Any:
    """Anthropic's ``system`` with the guidance behind it: a text, a list of blocks, or nothing."""
    text = guidance.text
    if not text or _holds(system, text):
        return system
    if not system:
        return text
    if isinstance(system, str):
        return f"{system}\n\n{text}"
    return [*elements(system), {"type": "text", "text": text}]


def _holds(content: Any, text: str) -> bool:
    if isinstance(content, str):
        return text in content
    return any(
        text in said for part in elements(content) if isinstance(said := field(part, "text"), str)
    )


def _in_system(messages: Sequence[Any], text: str) -> list[Any]:
    for place, message in enumerate(messages):
        if field(message, "role") in _SYSTEM and isinstance(message, Mapping):
            content = guided_content(field(message, "content"), text, behind=True)
            return _with(messages, place, cast("Mapping[str, Any]", message), content)
    return [{"role": "system", "content": text}, *messages]


def _in_first_turn(messages: Sequence[Any], text: str) -> list[Any]:
    for place, message in enumerate(messages):
        if field(message, "role") != "user":
            continue
        if not isinstance(message, Mapping):  # an SDK's object: it is left alone
            return [*messages[:place], {"role": "user", "content": text}, *messages[place:]]
        content = guided_content(field(message, "content"), text, behind=False)
        return _with(messages, place, cast("Mapping[str, Any]", message), content)
    return [*messages, {"role": "user", "content": text}]


def _with(
    messages: Sequence[Any], place: int, message: Mapping[str, Any], content: Any
) -> list[Any]:
    return [*messages[:place], {**message, "content": content}, *messages[place + 1 :]]


def guided_content(content: Any, text: str, *, behind: bool) -> Any:
    """A message's content with a text before or behind what it holds."""
    if not content:
        return text
    if isinstance(content, str):
        return f"{content}\n\n{text}" if behind else f"{text}\n\n{content}"
    parts = list(elements(content))
    responses = any(field(part, "type") == "input_text" for part in parts)
    added = {"type": "input_text" if responses else "text", "text": text}
    # Anthropic wants results of tools before anything else in a turn.
    first = next((k for k, p in enumerate(parts) if field(p, "type") != "tool_result"), len(parts))
    place = len(parts) if behind else first
    return [*parts[:place], added, *parts[place:]]

"""Contents of messages: plain, or in parts that say by their type what they are.

The types are tuples, not sets: what a foreign file holds in place of a type may not be hashable.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from knitbone.wire.fields import field, object_of, word

__all__ = [
    "ANTHROPIC_CALLS",
    "ANTHROPIC_THOUGHTS",
    "CALLS",
    "RESPONSES_CALLS",
    "RESULTS",
    "THOUGHTS",
    "joined_text",
    "text_of_part",
]

CALLS = ("tool_call", "tool_use", "function_call")
"""Parts that ask for a tool, in the conventions and in the frameworks."""
ANTHROPIC_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
RESPONSES_CALLS = ("function_call", "custom_tool_call", "mcp_call")
"""Items of OpenAI's Responses API that ask for a tool, as their arguments are read."""
RESULTS = ("tool_call_response", "tool_result")
"""Parts that answer a call."""
THOUGHTS = ("reasoning", "thinking")
"""Parts that hold what a model thought before it spoke."""
ANTHROPIC_THOUGHTS = ("thinking", "redacted_thinking")

_TEXTS = ("text", "refusal")


def text_of_part(part: Any) -> str | None:
    """The text of a part: what was said, or why not; ``None`` where it is no text."""
    if isinstance(part, str):
        return part
    return next((text for name in _TEXTS if (text := word(field(part, name))) is not None), None)


def joined_text(content: str | Iterable[Any] | None) -> str:
    """Put the texts of a content together as they follow each other."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(
        [
            part if isinstance(part, str) else word(object_of(part).get("text")) or ""
            for part in content
        ]
    )

"""Content in the blocks of Bedrock's Converse API, as Strands Agents writes it into events.

A block is an object with one key: ``{"text": ...}``, ``{"toolUse": ...}``, ``{"toolResult": ...}``,
``{"reasoningContent": ...}`` or another kind of content.
"""

from __future__ import annotations

from typing import Any, cast

from knitbone.record.events import Json
from knitbone.tethering.interchange.importers.span_values import first_of, structure_of
from knitbone.tethering.interchange.untrusted_json import text_of_json
from knitbone.wire.fields import object_of

__all__ = ["parts_of", "text_of_blocks"]

_KINDS = frozenset({
    "audio", "cachePoint", "citationsContent", "document", "guardContent", "image",
    "reasoningContent", "text", "toolResult", "toolUse", "video",
})  # fmt: skip


def parts_of(value: Json) -> list[Json] | None:
    """The parts, as the GenAI conventions have them, of JSON text that holds blocks.

    ``None`` for anything else, such as text that happens to be another JSON list.
    """
    blocks: Any = structure_of(value)
    if not isinstance(blocks, list) or not blocks:
        return None
    listed = cast("list[Any]", blocks)
    if not all(_is_block(block) for block in listed):
        return None
    return [_part(cast("dict[str, Any]", block)) for block in listed]


def text_of_blocks(value: Json) -> Json:
    """The text of blocks that hold nothing else; any other value as it is."""
    parts = parts_of(value)
    texts = [cast("dict[str, Any]", part).get("content") for part in parts or ()]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(cast("list[str]", texts))
    return value


def _is_block(value: Json) -> bool:
    block = object_of(value)
    return len(block) == 1 and not _KINDS.isdisjoint(block)


def _part(block: dict[str, Any]) -> Json:
    ((kind, value),) = block.items()
    body = object_of(value)
    if kind == "text":
        return {"type": "text", "content": text_of_json(value)}
    if kind == "toolUse":
        return {
            "type": "tool_call", "id": body.get("toolUseId"), "name": body.get("name"),
            "arguments": body.get("input"),
        }  # fmt: skip
    if kind == "toolResult":
        answer = text_of_blocks(body.get("content"))
        return {"type": "tool_call_response", "id": body.get("toolUseId"), "response": answer}
    if kind == "reasoningContent":
        thought = first_of(body, "reasoningText", "redactedContent")
        said = cast("dict[str, Any]", thought).get("text") if isinstance(thought, dict) else thought
        return {"type": "reasoning", "content": said}
    return cast("Json", block)

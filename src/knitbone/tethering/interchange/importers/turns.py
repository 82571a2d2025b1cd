"""Items of OpenAI's Responses API as turns: several that follow one another are one message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.tethering.interchange.untrusted_json import text_of_json
from knitbone.wire.fields import object_of

__all__ = ["turns_of"]


def turns_of(items: list[Any]) -> list[dict[str, Any]]:
    """Messages, of which items of the Responses API that follow one another are one turn."""
    turns: list[dict[str, Any]] = []
    speaks = False
    for item in items:
        body = dict(cast("dict[str, Any]", item)) if isinstance(item, dict) else {}
        kind = body.get("type")
        if kind == "function_call_output":
            answer = {"role": "tool", "tool_call_id": body.get("call_id")}
            turns.append(answer | {"content": text_of_json(body.get("output"))})
            speaks = False
        elif kind in ("function_call", "reasoning") or (kind == "message" and "id" in body):
            if not speaks:
                turns.append({"role": body.get("role", "assistant"), "content": []})
            _take(turns[-1], body)
            speaks = turns[-1]["role"] == "assistant"
        elif body:
            turns.append(body)
            speaks = False
    return turns


def _take(turn: dict[str, Any], item: Mapping[str, Any]) -> None:
    parts: list[Any] = turn["content"]
    match item["type"]:
        case "function_call":
            parts.append(dict(item) | {"id": item.get("call_id")})
        case "reasoning":
            listed = item.get("summary") or item.get("content")
            for piece in cast("list[Any]", listed) if isinstance(listed, list) else ():
                thought = object_of(piece)
                parts.append({"type": "thinking", "text": thought.get("text")})
        case _:
            content = item.get("content")
            parts.extend(
                cast("list[Any]", content) if isinstance(content, list) else [{"text": content}]
            )

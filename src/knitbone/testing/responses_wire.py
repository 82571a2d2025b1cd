"""OpenAI's Responses API, as the server's side of the protocol.

Source: the OpenAI API reference, ``POST /v1/responses`` and its stream of semantic events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from knitbone.record.events import Usage
from knitbone.testing.openai_wire import OPENAI
from knitbone.testing.replies import ARGUMENT_PIECE, Reply, argument_text
from knitbone.testing.wire import StreamPart, Wire

__all__ = ["RESPONSES"]

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""By finish reason in the words of chat completions."""


def _answer(reply: Reply, body: dict[str, Any], number: int) -> dict[str, Any]:
    return _response(reply, body, number, _items(reply, number))


def _items(reply: Reply, number: int) -> list[dict[str, Any]]:
    """The answer's output: a message, where something is said, and the calls."""
    items: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    if reply.whole_text or not (reply.tool_calls or reply.refusal is not None):
        parts.append(_text_part(reply.whole_text))
    if reply.refusal is not None:
        parts.append({"type": "refusal", "refusal": reply.refusal})
    if parts:
        items.append(_message(number) | {"status": "completed", "content": parts})
    for index, call in enumerate(reply.tool_calls):
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{number}_{index}",
                "call_id": call.call_id or f"call_{number}_{index}",
                "name": call.name,
                "arguments": argument_text(call),
                "status": "completed",
            }
        )
    return items


def _message(number: int) -> dict[str, Any]:
    return {"type": "message", "id": f"msg_{number}", "role": "assistant"}


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(
    reply: Reply, body: dict[str, Any], number: int, output: list[dict[str, Any]]
) -> dict[str, Any]:
    cut = _INCOMPLETE.get(reply.reason())
    response: dict[str, Any] = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": cut} if cut else None,
        "instructions": body.get("instructions"),
        "model": body.get("model", ""),
        "output": output,
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
    }
    used = reply.used(body)
    return response | ({"usage": _usage(used)} if used is not None else {})


def _stream(reply: Reply, body: dict[str, Any], number: int) -> Iterator[StreamPart]:
    events = _Events()
    items = _items(reply, number)
    opening = _response(reply, body, number, []) | {
        "status": "in_progress",
        "incomplete_details": None,
        "usage": None,
    }
    yield events.next("response.created", response=opening)
    yield events.next("response.in_progress", response=opening)
    for place, item in enumerate(items):
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        started = {**item, **empty, "status": "in_progress"}
        yield events.next("response.output_item.added", output_index=place, item=started)
        yield from (_said if item["type"] == "message" else _asked)(events, reply, item, place)
        yield events.next("response.output_item.done", output_index=place, item=item)
    whole = _response(reply, body, number, items)
    yield events.next(f"response.{whole['status']}", response=whole)


def _said(events: _Events, reply: Reply, item: dict[str, Any], place: int) -> Iterator[StreamPart]:
    """The parts of a message, a piece at a time."""
    for index, part in enumerate(item["content"]):
        at: dict[str, Any] = {"item_id": item["id"], "output_index": place, "content_index": index}
        text = part["type"] == "output_text"
        empty = _text_part("") if text else {"type": "refusal", "refusal": ""}
        yield events.next("response.content_part.added", **at, part=empty)
        kind, key = ("output_text", "text") if text else ("refusal", "refusal")
        more: dict[str, Any] = {"logprobs": []} if text else {}
        for piece in reply.text_parts() if text else (part["refusal"],):
            yield events.next(f"response.{kind}.delta", spoken=True, **at, delta=piece, **more)
        yield events.next(f"response.{kind}.done", **at, **{key: part[key]}, **more)
        yield events.next("response.content_part.done", **at, part=part)


def _asked(
    events: _Events, _reply: Reply, item: dict[str, Any], place: int
) -> Iterator[StreamPart]:
    """The arguments of a call, a piece at a time."""
    at: dict[str, Any] = {"item_id": item["id"], "output_index": place}
    arguments: str = item["arguments"]
    for start in range(0, len(arguments), ARGUMENT_PIECE):
        piece = arguments[start : start + ARGUMENT_PIECE]
        yield events.next("response.function_call_arguments.delta", spoken=True, **at, delta=piece)
    yield events.next(
        "response.function_call_arguments.done", **at, name=item["name"], arguments=arguments
    )


class _Events:
    """Server-sent events, numbered as they go out."""

    def __init__(self) -> None:
        self._number = -1

    def next(self, kind: str, *, spoken: bool = False, **fields: Any) -> StreamPart:
        """The next event."""
        self._number += 1
        data = msgspec.json.encode({"type": kind, "sequence_number": self._number, **fields})
        return StreamPart(b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n", spoken)


def _usage(used: Usage) -> dict[str, Any]:
    given, made = used.input_tokens or 0, used.output_tokens or 0
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + made,
    }


RESPONSES = Wire(answer=_answer, stream=_stream, error=OPENAI.error)

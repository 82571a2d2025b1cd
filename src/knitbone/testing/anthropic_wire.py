"""Anthropic's messages, as the server's side of the protocol.

Source: the Anthropic API reference, ``POST /v1/messages`` and its stream events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from knitbone.record.events import ToolCallRequest, Usage
from knitbone.testing.replies import ARGUMENT_PIECE, Reply, argument_text
from knitbone.testing.wire import StreamPart, Wire
from knitbone.wire.fields import object_of

__all__ = ["ANTHROPIC"]

_STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}
_ERROR_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _answer(reply: Reply, body: dict[str, Any], number: int) -> dict[str, Any]:
    reply = _as_forced_tool(reply, body)
    content: list[dict[str, Any]] = []
    if reply.whole_text:
        content.append({"type": "text", "text": reply.whole_text})
    content.extend(
        {**_tool_head(call, number, index), "input": _input(call)}
        for index, call in enumerate(reply.tool_calls)
    )
    message = _envelope(body, number) | {"content": content, "stop_reason": _stop_reason(reply)}
    used = reply.used(body)
    return message | ({"usage": _usage(used)} if used is not None else {})


def _stream(reply: Reply, body: dict[str, Any], number: int) -> Iterator[StreamPart]:
    reply = _as_forced_tool(reply, body)
    used = reply.used(body)
    opening = _envelope(body, number)
    opening.update(content=[], stop_reason=None)
    if used is not None:
        opening["usage"] = _usage(used) | {"output_tokens": 0}
    yield _event("message_start", message=opening)
    place = 0
    if reply.whole_text:
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for text in reply.text_parts():
            delta = {"type": "text_delta", "text": text}
            yield _event("content_block_delta", spoken=True, index=0, delta=delta)
        yield _event("content_block_stop", index=0)
        place = 1
    for index, call in enumerate(reply.tool_calls):
        head: dict[str, Any] = {**_tool_head(call, number, index), "input": {}}
        yield _event("content_block_start", spoken=True, index=place + index, content_block=head)
        arguments = argument_text(call)
        for start in range(0, len(arguments), ARGUMENT_PIECE):
            piece = arguments[start : start + ARGUMENT_PIECE]
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield _event("content_block_delta", spoken=True, index=place + index, delta=delta)
        yield _event("content_block_stop", index=place + index)
    ending: dict[str, Any] = {"delta": {"stop_reason": _stop_reason(reply), "stop_sequence": None}}
    if used is not None:
        ending["usage"] = {"output_tokens": used.output_tokens or 0}
    yield _event("message_delta", **ending)
    yield _event("message_stop")


def _error(status: int, message: str) -> dict[str, Any]:
    kind = _ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def _as_forced_tool(reply: Reply, body: dict[str, Any]) -> Reply:
    """A forced tool call always comes back as one: a text that is a JSON object becomes it."""
    choice = object_of(body.get("tool_choice"))
    if reply.tool_calls or choice.get("type") != "tool":
        return reply
    try:
        arguments = msgspec.json.decode(reply.whole_text, type=dict[str, Any])
    except msgspec.DecodeError:
        return reply
    call = ToolCallRequest(name=str(choice.get("name")), arguments=arguments)
    return msgspec.structs.replace(reply, text="", parts=(), tool_calls=(call,))


def _envelope(body: dict[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "stop_sequence": None,
    }


def _tool_head(call: ToolCallRequest, number: int, index: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.call_id or f"toolu_{number}_{index}", "name": call.name}


def _input(call: ToolCallRequest) -> Any:
    return {} if call.arguments is None else call.arguments


def _stop_reason(reply: Reply) -> str:
    if reply.refusal is not None and reply.finish_reason is None:
        return "refusal"
    return _STOP_REASONS.get(reply.reason(), reply.reason())


def _usage(used: Usage) -> dict[str, int]:
    return {"input_tokens": used.input_tokens or 0, "output_tokens": used.output_tokens or 0}


def _event(kind: str, *, spoken: bool = False, **fields: Any) -> StreamPart:
    data = msgspec.json.encode({"type": kind, **fields})
    return StreamPart(b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n", spoken)


ANTHROPIC = Wire(answer=_answer, stream=_stream, error=_error)

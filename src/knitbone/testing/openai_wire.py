"""OpenAI's chat completions and embeddings, as the server's side of the protocol.

Source: the OpenAI API reference, ``POST /v1/chat/completions`` (and its stream of
``chat.completion.chunk`` objects) and ``POST /v1/embeddings``.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from knitbone.record.events import Usage
from knitbone.testing.replies import ARGUMENT_PIECE, Reply, argument_text
from knitbone.testing.wire import StreamPart, Wire
from knitbone.wire.fields import object_of

__all__ = ["OPENAI", "embeddings"]

_DONE = b"data: [DONE]\n\n"


def _answer(reply: Reply, body: dict[str, Any], number: int) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": reply.whole_text or None,
        "refusal": reply.refusal,
    }
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.call_id or f"call_{number}_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": argument_text(call)},
            }
            for index, call in enumerate(reply.tool_calls)
        ]
    elif message["content"] is None and reply.refusal is None:
        message["content"] = ""
    answer = _envelope("chat.completion", body, number)
    answer["choices"] = [
        {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.reason()}
    ]
    used = reply.used(body)
    if used is not None:
        answer["usage"] = _usage(used)
    return answer


def _stream(reply: Reply, body: dict[str, Any], number: int) -> Iterator[StreamPart]:
    def chunk(
        delta: dict[str, Any], *, finish: str | None = None, spoken: bool = False
    ) -> StreamPart:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event(
            _envelope("chat.completion.chunk", body, number) | {"choices": [choice]}, spoken
        )

    yield chunk({"role": "assistant", "content": ""})
    for text in reply.text_parts():
        yield chunk({"content": text}, spoken=True)
    if reply.refusal is not None:
        yield chunk({"refusal": reply.refusal}, spoken=True)
    for index, call in enumerate(reply.tool_calls):
        identity = {"id": call.call_id or f"call_{number}_{index}", "type": "function"}
        head = {"index": index, **identity, "function": {"name": call.name, "arguments": ""}}
        yield chunk({"tool_calls": [head]}, spoken=True)
        arguments = argument_text(call)
        for start in range(0, len(arguments), ARGUMENT_PIECE):
            piece = {"arguments": arguments[start : start + ARGUMENT_PIECE]}
            yield chunk({"tool_calls": [{"index": index, "function": piece}]}, spoken=True)
    yield chunk({}, finish=reply.reason())
    used = reply.used(body)
    if used is not None and object_of(body.get("stream_options")).get("include_usage"):
        last = _envelope("chat.completion.chunk", body, number)
        yield _event(last | {"choices": [], "usage": _usage(used)}, False)
    yield StreamPart(_DONE)


def _error(status: int, message: str) -> dict[str, Any]:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def embeddings(
    body: dict[str, Any], embed: Callable[[list[str]], Sequence[Sequence[float]]]
) -> dict[str, Any]:
    """The answer to ``POST /v1/embeddings``; ``base64`` is float32, little-endian.

    Raises:
        ValueError: the input is not a text or a list of texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):  # pyright: ignore[reportUnknownVariableType]
        raise ValueError("'input' is not a text or a list of texts.")
    words = [str(text) for text in texts]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    vectors = embed(words)
    encode = _base64 if body.get("encoding_format") == "base64" else list
    count = sum(len(text.split()) for text in words)
    return {
        "object": "list",
        "model": body.get("model", ""),
        "data": [
            {"object": "embedding", "index": index, "embedding": encode(vector)}
            for index, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": count, "total_tokens": count},
    }


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def _envelope(kind: str, body: dict[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": kind,
        "created": 0,
        "model": body.get("model", ""),
    }


def _usage(used: Usage) -> dict[str, int]:
    given, made = used.input_tokens or 0, used.output_tokens or 0
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _event(payload: dict[str, Any], spoken: bool) -> StreamPart:
    return StreamPart(b"data: " + msgspec.json.encode(payload) + b"\n\n", spoken)


OPENAI = Wire(answer=_answer, stream=_stream, error=_error)

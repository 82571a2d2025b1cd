"""Answers of a real model under the real OpenAI client: recorded once, replayed afterwards.

A transport of the client's own HTTP library: what hooks put into a request has been put into it
when it comes here. It also does what a server does that knows its model's way of calling tools:
calls that the model wrote into its answer, such as fenced JSON, become ``tool_calls``.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec

from knitbone.fuzzing.agents.written_calls import read_written_calls
from knitbone.models.chat import ToolSpec

__all__ = ["RecordedWire"]

_MOST_CALLS = 4
"""Tool calls of one answer that are made."""
_REFUSED = "refused"
_PATIENCE = 900.0
"""Seconds that a real model has for one answer."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the recording."""

    case: str
    number: int
    """Of the request in its case, from 0."""
    request: str
    text: str
    finish: str
    tokens: tuple[int, int]
    """In and out."""
    seconds: float


class RecordedWire(httpx.BaseTransport):
    """Answers by case and number of the request, or by an equal request of before; what is not
    there is asked of a server, where there is one, and written down at once.

    Args:
        server: address of an OpenAI-compatible server, up to ``/v1``.
    """

    def __init__(self, path: Path, server: str | None = None) -> None:
        self._path = path
        self._server = server
        self._known: dict[tuple[str, int], _Answer] = {}
        self._equal: dict[str, _Answer] = {}
        self._case, self._number = "", 0
        self.stale = 0
        """Answers whose request was another one when it was recorded."""
        self.lacking = False
        """Whether an answer was neither recorded nor to be had."""
        self.seconds = 0.0
        """What the model took for the answers of this case when they were recorded."""
        for line in path.read_bytes().splitlines() if path.exists() else ():
            self._learn(msgspec.json.decode(line, type=_Answer))

    def knows(self, case: str) -> bool:
        """Whether a case can be begun."""
        return self._server is not None or (case, 0) in self._known

    def begin(self, case: str) -> None:
        """The next requests are those of a case."""
        self._case, self._number, self.seconds = case, 0, 0.0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a chat completion."""
        body = json.loads(request.read())
        answer = self._answer(body)
        if answer is None:
            self.lacking = True
            return httpx.Response(400, json={"error": {"message": "no answer is recorded"}})
        self.seconds += answer.seconds
        if answer.finish == _REFUSED:
            return httpx.Response(400, json={"error": {"message": answer.text}})
        return httpx.Response(200, json=_completion(answer, body))

    def _answer(self, body: dict[str, Any]) -> _Answer | None:
        key = self._case, self._number
        self._number += 1
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:24]
        found = self._known.get(key)
        if found is not None:
            self.stale += found.request != digest
            return found
        if self._server is None:
            return None
        equal = self._equal.get(digest)
        if equal is not None:
            made = msgspec.structs.replace(equal, case=key[0], number=key[1])
        else:
            try:
                made = self._asked(key, digest, body)
            except (httpx.HTTPError, KeyError, ValueError):  # a server that went away, say
                return None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(made) + b"\n")
        self._learn(made)
        return made

    def _asked(self, key: tuple[str, int], digest: str, body: dict[str, Any]) -> _Answer:
        began = time.monotonic()
        reply = httpx.post(f"{self._server}/chat/completions", json=body, timeout=_PATIENCE)
        made = functools.partial(
            _Answer, case=key[0], number=key[1], request=digest,
            seconds=round(time.monotonic() - began, 2),
        )  # fmt: skip
        if reply.status_code == httpx.codes.BAD_REQUEST:  # such as a context that is too long
            return made(text=reply.text[:300], finish=_REFUSED, tokens=(0, 0))
        reply.raise_for_status()
        given = reply.json()
        choice, usage = given["choices"][0], given["usage"]
        return made(
            text=choice["message"]["content"] or "", finish=choice["finish_reason"],
            tokens=(usage["prompt_tokens"], usage["completion_tokens"]),
        )  # fmt: skip

    def _learn(self, answer: _Answer) -> None:
        self._known[answer.case, answer.number] = answer
        self._equal[answer.request] = answer


def _completion(answer: _Answer, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    finish = answer.finish
    functions = [tool["function"] for tool in body.get("tools", ())]
    specs = [
        ToolSpec(name=each["name"], description=each["description"], parameters=each["parameters"])
        for each in functions
    ]
    if written := read_written_calls(answer.text, specs):
        message["content"] = written.remark or None
        message["tool_calls"] = [
            {
                "id": f"call_{len(body['messages'])}_{place}", "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for place, call in enumerate(written.calls[:_MOST_CALLS])
        ]  # fmt: skip
        finish = "tool_calls"
    read, wrote = answer.tokens
    return {
        "id": f"recorded-{answer.request}", "object": "chat.completion", "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
    }  # fmt: skip

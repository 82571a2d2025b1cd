"""A chat model that replays recorded answers, and asks a real one for what is not recorded.

One line of JSON an answer: the request's hash, the answer, and how it ended. The requests
themselves are not kept: a benchmark makes them anew, and what it asks for today finds what was
answered to just that. (:class:`knitbone.models.cassette.Recorded` keeps them, for a person to read;
some thousand requests of an agent with forty tools would be megabytes.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from knitbone.config import ModelConfig
from knitbone.errors import KnitboneError, ModelError
from knitbone.models.cassette import request_hash
from knitbone.models.chat import ChatModel, Completion, ToolSpec, chat_request
from knitbone.models.openai import openai_chat_model
from knitbone.record.events import ChatMessage, Json, ToolCallRequest, Usage, encode_json
from knitbone_evals.lines import lines_of

__all__ = ["Replay", "UnrecordedError", "real_model"]


class UnrecordedError(ModelError):
    """There is no recorded answer, and no model to ask; or the model had failed."""


class Replay:
    """Answers from a file; what is not in it is asked of ``real`` and written down at once.

    An answer is found by the hash of its request. Between ``begin(case)`` and the next one it is
    found by the case and the number of the attempt instead, so that an answer outlives a change of
    the request; how many did is counted in ``stale``.
    """

    def __init__(self, path: Path, name: str, real: ChatModel | None = None) -> None:
        self.name, self._path, self._real = name, path, real
        self._known: dict[str, dict[str, Any]] = {}
        for line in lines_of(path):
            self._learn(json.loads(line))
        self._case, self._attempt, self.stale = "", 0, 0

    def knows(self, case: str) -> bool:
        """Whether there is an answer for a case, or somebody to ask for one."""
        return self._real is not None or _numbered(case, 1) in self._known

    def begin(self, case: str) -> None:
        """Count the attempts of a case from one."""
        self._case, self._attempt = case, 0

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The recorded answer; see ``ChatModel.complete``.

        Raises:
            UnrecordedError: there is none and nobody to ask, or the model had failed.
        """
        if self._case:
            self._attempt += 1
            request = hashlib.sha256(encode_json(list(messages))).hexdigest()[:16]
            record = self._known.get(_numbered(self._case, self._attempt))
        else:
            request = request_hash(self.name, chat_request(messages, tools, schema))[:32]
            record = self._known.get(request)
        if record is None:
            record = await self._ask(messages, tools, schema, request)
        self.stale += record["request"] != request
        return self._completion(record, schema)

    async def _ask(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] | None,
        schema: Mapping[str, Json] | None,
        request: str,
    ) -> dict[str, Any]:
        record: dict[str, Any] = {"request": request}
        if self._case:
            record = {"run": self._case, "attempt": self._attempt, "request": request}
        if self._real is None:
            raise UnrecordedError(
                f"no answer of {self.name} is recorded for {self._case or request}"
            )
        try:
            answer = await self._real.complete(messages, tools=tools, schema=schema)
        except KnitboneError as error:
            record |= {"text": None, "error": error.message[:300]}
        else:
            record |= _recorded(answer, schema)
        self._path.parent.mkdir(exist_ok=True)
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._learn(record)
        return record

    def _learn(self, record: dict[str, Any]) -> None:
        case = record.get("run")
        key = _numbered(case, record["attempt"]) if case else record["request"]
        self._known[key] = record

    def _completion(
        self, record: Mapping[str, Any], schema: Mapping[str, Json] | None
    ) -> Completion:
        if record["text"] is None:
            raise UnrecordedError(record["error"])
        calls = msgspec.convert(record.get("calls", []), tuple[ToolCallRequest, ...])
        message = ChatMessage(role="assistant", content=record["text"], tool_calls=calls)
        return Completion(
            message=message, finish_reason=record.get("finish", "stop"), model=self.name,
            usage=msgspec.convert(record.get("usage", {}), Usage),
            parsed=None if schema is None else json.loads(record["text"]),
        )  # fmt: skip


def _numbered(case: str, attempt: int) -> str:
    return f"{case} #{attempt}"


def _recorded(answer: Completion, schema: Mapping[str, Json] | None) -> dict[str, Any]:
    if schema is not None:
        return {"text": json.dumps(answer.parsed, ensure_ascii=False)}
    record: dict[str, Any] = {"text": answer.text, "finish": answer.finish_reason}
    if answer.message.tool_calls:
        record["calls"] = msgspec.to_builtins(answer.message.tool_calls)
    return record | {"usage": msgspec.to_builtins(answer.usage)}


def real_model(
    url: str, name: str, *, max_tokens: int, temperature: float | None = None
) -> ChatModel:
    """A model of a local server, which is given all the time it needs."""
    config = ModelConfig(
        name=name, base_url=url, timeout_s=900, max_retries=0, max_tokens=max_tokens,
        temperature=temperature,
    )  # fmt: skip
    return openai_chat_model(config, environ={"OPENAI_API_KEY": "none"})

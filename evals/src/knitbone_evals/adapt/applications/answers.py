"""What the local server says: a case's own answers, or a real model's, recorded or asked now."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import httpx

from knitbone.record.events import ToolCallRequest
from knitbone.testing import Reply

__all__ = ["Answers"]

_UNRECORDED = "No answer is recorded for this request."
_MAX_TOKENS = 400
_SECONDS = 300.0


class Answers:
    """The answers of one case after the other.

    A recorded answer is found by application, case and the hash of the messages, so that an
    application may ask again in other words; ``url`` names a server that is asked for what is not
    recorded.
    """

    def __init__(self, recorded: Path | None, model: str, url: str | None) -> None:
        self._path, self._model, self._url = recorded, model, url
        self._known: dict[str, dict[str, Any]] = {}
        if recorded is not None and recorded.exists():
            for line in recorded.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self._known[record["key"]] = record
        self._case = ""
        self._waiting: list[Any] | None = None
        self._lock = threading.Lock()
        self.given: list[Any] = []

    def begin(self, case: str, answers: list[Any] | None) -> None:
        """Start a case: with answers of its own, or with a model's."""
        self._case, self._waiting = case, None if answers is None else list(answers)
        self.given = []

    def reply(self, body: dict[str, Any]) -> Reply:
        """The reply to one request of the application."""
        if self._waiting is None:
            found = self._of_model(body)
        else:
            found = self._waiting.pop(0) if self._waiting else None
        if found is None:
            return Reply(status=400, error=_UNRECORDED)
        self.given.append(found)
        return reply_of(found)

    def _of_model(self, body: dict[str, Any]) -> Any:
        request = chat_of(body)
        said = json.dumps(request, sort_keys=True, ensure_ascii=False)
        key = self._case + " " + hashlib.sha256(said.encode()).hexdigest()[:16]
        with self._lock:  # one model, one question at a time
            record = self._known.get(key)
            if record is None and self._url is not None and self._path is not None:
                record = {"key": key, "answer": self._asked(request)}
                self._known[key] = record
                with self._path.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(record, ensure_ascii=False) + "\n")
        return None if record is None else record["answer"]

    def _asked(self, request: dict[str, Any]) -> Any:
        made = {
            **request,
            "model": self._model,
            "max_tokens": _MAX_TOKENS,
            "temperature": 0.7,
            "seed": 7,
        }
        answer = httpx.post(f"{self._url}/chat/completions", json=made, timeout=_SECONDS)
        answer.raise_for_status()
        message = answer.json()["choices"][0]["message"]
        if message.get("tool_calls"):
            calls = [
                {"name": each["function"]["name"], "arguments": each["function"]["arguments"]}
                for each in message["tool_calls"]
            ]
            return {"content": message.get("content"), "tool_calls": calls}
        return message.get("content") or ""


def reply_of(answer: Any) -> Reply:
    """An answer, text or with tool calls, as the server's."""
    if isinstance(answer, str):
        return Reply(text=answer)
    calls = tuple(
        ToolCallRequest(
            name=call["name"],
            arguments=call["arguments"]
            if isinstance(call["arguments"], str)
            else json.dumps(call["arguments"], ensure_ascii=False),
        )
        for call in answer.get("tool_calls") or ()
    )
    return Reply(text=answer.get("content") or "", tool_calls=calls)


def chat_of(body: dict[str, Any]) -> dict[str, Any]:
    """The request of any of the three protocols as one of chat completions: words and tools."""
    messages: list[dict[str, Any]] = []
    for system in (body.get("system"), body.get("instructions")):
        if system:
            messages.append({"role": "system", "content": _text(system)})
    asked = body.get("messages", body.get("input", []))
    for message in [{"role": "user", "content": asked}] if isinstance(asked, str) else asked:
        role = "system" if message.get("role") == "developer" else message.get("role")
        if role in ("system", "user", "assistant"):
            messages.append({"role": role, "content": _text(message.get("content"))})
        else:
            messages.append(
                {"role": "user", "content": _text(message.get("content", message.get("output")))}
            )
    tools = [_tool(each) for each in body.get("tools") or ()]
    return {"messages": messages, **({"tools": tools} if tools else {})}


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if "function" in tool:
        return tool
    schema = tool.get("input_schema", tool.get("parameters", {"type": "object"}))
    told = {
        "name": tool.get("name"),
        "description": tool.get("description", ""),
        "parameters": schema,
    }
    return {"type": "function", "function": told}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(_text(part.get("text", part.get("content", ""))) for part in content)
    return "" if content is None else str(content)

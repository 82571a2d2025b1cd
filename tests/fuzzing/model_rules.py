"""A model that follows rules, for a ``ModelServer``: checker, writer and agent in one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from knitbone.record.events import ToolCallRequest
from knitbone.testing import Reply

__all__ = ["RuleModel", "texts"]


def texts(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of every message of a request, in either protocol."""
    found = [("system", body["system"])] if isinstance(body.get("system"), str) else []
    for message in body["messages"]:
        content = message.get("content")
        if isinstance(content, list):
            content = " ".join(
                str(part.get("text") or part.get("content") or "") for part in content
            )
        found.append((message["role"], content or ""))
    return found


class RuleModel:
    """Answers by what it is asked to be.

    Args:
        contradicts: from the failing arguments to the words they contradict, or ``None``.
        write: from the failing arguments to queries.
        read: from a query to the arguments that the agent takes out of it.
        tool: name of the tool that the agent calls.
        verdict: the classifier's answer.
    """

    def __init__(
        self,
        *,
        tool: str,
        contradicts: Callable[[dict[str, Any]], str | None] = lambda _: None,
        write: Callable[[dict[str, Any]], list[str]] = lambda a: [
            f"Please do it with {json.dumps(a)}"
        ],
        read: Callable[[str], dict[str, Any]] = lambda q: json.loads(re.search(r"\{.*\}", q)[0]),
        verdict: dict[str, str] | None = None,
    ) -> None:
        self.tool, self.contradicts, self.write, self.read = tool, contradicts, write, read
        self.verdict = verdict or {
            "verdict": "under-specified", "sentence": "", "lack": "the form", "reason": "by rule",
        }  # fmt: skip
        self.asked: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        said = texts(body)
        system = said[0][1]
        if "You review calls of tools" in system:
            self.asked.append("checker")
            return self._answer(body, self._check(json.loads(said[-1][1])["failing_arguments"]))
        if "You write what users ask" in system:
            self.asked.append("writer")
            queries = self.write(json.loads(said[-1][1])["failing_arguments"])
            return self._answer(body, {"queries": queries})
        if "A call of a tool fails" in system:
            self.asked.append("classifier")
            return self._answer(body, self.verdict)
        self.asked.append("agent")
        return self._act(body, said)

    def _check(self, arguments: dict[str, Any]) -> dict[str, str]:
        words = self.contradicts(arguments)
        verdict = "allowed" if words is None else "contradicts"
        return {"verdict": verdict, "sentence": words or "", "reason": "by rule"}

    def _act(self, body: dict[str, Any], said: list[tuple[str, str]]) -> Reply:
        query = next(text for role, text in said if role == "user")
        if len([role for role, _ in said if role != "system"]) > 1:
            return Reply(text="Final Answer: done" if not body.get("tools") else "done")
        arguments = self.read(query)
        if body.get("tools"):
            return Reply(tool_calls=(ToolCallRequest(name=self.tool, arguments=arguments),))
        text = f"Thought: the tool\nAction: {self.tool}\nAction Input: {json.dumps(arguments)}"
        return Reply(text=text)

    def _answer(self, body: dict[str, Any], value: Any) -> Reply:
        # Anthropic's way to a JSON answer is a tool of that schema.
        tools = body.get("tools")
        if tools:
            return Reply(tool_calls=(ToolCallRequest(name=tools[0]["name"], arguments=value),))
        return Reply(text=json.dumps(value))

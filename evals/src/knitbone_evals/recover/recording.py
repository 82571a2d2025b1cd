"""What the agent's model would have been asked and answered, put into the run's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knitbone.record.events import ChatMessage, ErrorInfo, ModelCall, ToolCall, ToolCallRequest
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.recorder import current_recorder
from knitbone_evals.recover.environments import Call

__all__ = ["record_answer", "record_request", "record_tool"]

_MODEL = "simulated"


def record_request(messages: Sequence[dict[str, Any]], call: Call, number: str) -> None:
    """The model asks for a call."""
    asked = ToolCallRequest(name=call.tool, arguments=dict(call.arguments), call_id=number)
    _record(messages, ChatMessage(role="assistant", tool_calls=(asked,)))


def record_answer(messages: Sequence[dict[str, Any]], text: str) -> None:
    """The model answers the user."""
    _record(messages, ChatMessage(role="assistant", content=text))


def record_tool(call: Call, number: str, result: str, error: str | None) -> None:
    """The tool has returned."""
    recorder = current_recorder()
    if recorder is None:
        return
    failure = None if error is None else ErrorInfo(type="ToolError", message=error)
    recorder.record(
        ToolCall(
            id=new_identifier(), started_ns=now_ns(), ended_ns=now_ns(), name=call.tool,
            call_id=number, arguments=dict(call.arguments), result=result, error=failure,
        )
    )  # fmt: skip


def _record(messages: Sequence[dict[str, Any]], output: ChatMessage) -> None:
    recorder = current_recorder()
    if recorder is None:
        return
    recorder.record(
        ModelCall(
            id=new_identifier(), started_ns=now_ns(), ended_ns=now_ns(), model=_MODEL,
            provider="simulated", input=tuple(map(_message, messages)), output=output,
            finish_reason="tool_calls" if output.tool_calls else "stop",
        )
    )  # fmt: skip


def _message(message: dict[str, Any]) -> ChatMessage:
    content = message.get("content")
    calls = tuple(
        ToolCallRequest(
            name=call["function"]["name"], arguments=call["function"]["arguments"],
            call_id=call["id"],
        )
        for call in message.get("tool_calls") or ()
    )  # fmt: skip
    return ChatMessage(
        role=message["role"], content=content if isinstance(content, str) else "",
        tool_calls=calls, tool_call_id=message.get("tool_call_id"),
    )  # fmt: skip

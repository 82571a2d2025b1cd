"""Agents of others under test: LangGraph's, and any callable, recorded with ``knitbone.trace``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import knitbone
from knitbone.config import FuzzConfig, ModelConfig
from knitbone.errors import ModelAuthenticationError
from knitbone.fuzzing.agents import (
    AgentUnderTest,
    CallableAgent,
    OfferedTool,
    StepsUsedUpError,
    ToolReply,
    langgraph_agent,
)
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.models import ChatModel, ToolSpec, create_chat_model
from knitbone.record.events import (
    ChatMessage,
    ErrorInfo,
    Message,
    ModelCall,
    Outcome,
    ToolCall,
    ToolCallRequest,
)
from knitbone.testing import ModelServer, Reply


class Tripling:
    """A tool that keeps its calls."""

    def __init__(self) -> None:
        properties = {"value": {"type": "integer"}}
        self.spec = ToolSpec(
            name="triple",
            description="Triple a value.",
            parameters={"type": "object", "properties": properties, "required": ["value"]},
        )
        self.seen: list[dict[str, Any]] = []

    def call(self, arguments: dict[str, Any]) -> ToolReply:
        self.seen.append(arguments)
        if not isinstance(arguments.get("value"), int):
            return ToolReply(text="Error: no number", error=ErrorInfo(type="TypeError"))
        return ToolReply(text=str(3 * arguments["value"]))


CALL = Reply(tool_calls=(ToolCallRequest(name="triple", arguments={"value": 14}, call_id="c"),))
WRITTEN = '```json\n{"name": "triple", "arguments": {"value": 14}}\n```'


def chat(server: ModelServer) -> ChatModel:
    return create_chat_model(ModelConfig(name="m", base_url=server.base_url), "agent")


def calls_of(result: Any) -> list[tuple[str, Any, Any]]:
    return [(e.name, e.arguments, e.result) for e in result.run.events if isinstance(e, ToolCall)]


def by_hand(query: str, tools: Sequence[OfferedTool]) -> str:
    """An agent of no framework."""
    (tool,) = tools
    return f"{query}: {tool(value=14)}"


def test_any_callable_is_an_agent_under_test() -> None:
    tool = Tripling()
    agent: AgentUnderTest = CallableAgent(by_hand, name="by hand")
    result = agent.work("Triple 14", [tool])
    assert (result.answer, result.stopped) == ("Triple 14: 42", "answered")
    assert calls_of(result) == [("triple", {"value": 14}, "42")]
    assert [type(e) for e in result.run.events] == [Message, ToolCall, Outcome]
    assert result.run.task == "Triple 14"


def test_model_calls_of_a_traced_callable_are_seen_by_the_hooks(tmp_path: Path) -> None:
    import openai

    def asks(query: str, tools: Sequence[OfferedTool]) -> str:
        with openai.OpenAI(base_url=server.base_url, api_key="unused") as client:
            said = client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": query}]
            )
        return f"{said.choices[0].message.content} {tools[0](value=14)}"

    trace = partial(knitbone.trace, store=tmp_path / "runs.sqlite")
    budget = CampaignBudget(FuzzConfig(max_tokens=2), elapsed=lambda: 0.0)
    with ModelServer("It is") as server:
        agent = CallableAgent(asks, name="asks", trace=trace)
        result = agent.work("Triple 14", [Tripling()], budget=budget)
        refused = agent.work("Triple 14", [Tripling()], budget=budget)
    assert result.answer == "It is 42"
    kinds = [type(event) for event in result.run.events]
    assert kinds.count(ModelCall) == kinds.count(ToolCall) == 1
    assert budget.spent().tokens > 2
    assert (refused.stopped, calls_of(refused)) == ("budget", [])


@pytest.mark.parametrize(
    ("error", "stopped"), [(StepsUsedUpError("enough"), "steps"), (KeyError("x"), "failed")]
)
def test_a_callable_that_raises_is_a_result(error: Exception, stopped: str) -> None:
    def breaks(query: str, tools: Sequence[OfferedTool]) -> str:
        by_hand(query, tools)
        raise error

    result = CallableAgent(breaks, name="breaks").work("Triple 14", [Tripling()])
    assert (result.stopped, result.answer) == (stopped, None)
    assert calls_of(result) == [("triple", {"value": 14}, "42")]
    outcome = result.run.events[-1]
    assert isinstance(outcome, Outcome)
    assert outcome.reason


def test_a_model_that_cannot_be_asked_is_no_result() -> None:
    with ModelServer(Reply(status=401, error="no such key")) as server:
        model = chat(server)

        def asks(query: str, tools: Sequence[OfferedTool]) -> str:
            del tools
            message = ChatMessage(role="user", content=query)
            return knitbone.models.chat.complete_sync(model, [message]).text

        with pytest.raises(ModelAuthenticationError):
            CallableAgent(asks, name="asks").work("Triple 14", [Tripling()])


@pytest.mark.parametrize("first", [CALL, WRITTEN], ids=["protocol", "written"])
def test_langgraphs_agent_uses_a_tool_and_answers(first: Any) -> None:
    pytest.importorskip("langgraph")
    tool = Tripling()
    with ModelServer([first, "It is 42."]) as server:
        result = langgraph_agent(chat(server)).work("Triple 14", [tool])
        told = str(server.requests[1].body["messages"])
        offered = server.requests[0].body["tools"][0]["function"]
    assert (result.answer, result.stopped) == ("It is 42.", "answered")
    assert tool.seen == [{"value": 14}]
    assert calls_of(result) == [("triple", {"value": 14}, "42")]
    assert "42" in told
    assert (offered["name"], offered["description"]) == ("triple", "Triple a value.")
    assert offered["parameters"]["properties"] == {"value": {"type": "integer"}}
    assert sum(isinstance(e, ModelCall) for e in result.run.events) == 2


def test_langgraphs_agent_is_told_of_failures_and_stops_after_its_steps() -> None:
    pytest.importorskip("langgraph")
    tool = Tripling()
    wrong = ToolCallRequest(name="triple", arguments={"value": "fourteen"}, call_id="c")
    with ModelServer(Reply(tool_calls=(wrong,))) as server:
        result = langgraph_agent(chat(server), max_steps=3).work("Triple 14", [tool])
    assert result.stopped == "steps"
    assert len(tool.seen) == 3
    assert [call[2] for call in calls_of(result)] == ["Error: no number"] * 3


def test_langgraphs_agent_traced_has_each_call_once(tmp_path: Path) -> None:
    pytest.importorskip("langgraph")
    trace = partial(knitbone.trace, store=tmp_path / "runs.sqlite")
    with ModelServer([CALL, "It is 42."]) as server:
        result = langgraph_agent(chat(server), trace=trace).work("Triple 14", [Tripling()])
    assert calls_of(result) == [("triple", {"value": 14}, "42")]

"""Agents over the wire, in both protocols and both ways of using tools."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from recorded_block import record_run

from knitbone.config import FuzzConfig, ModelConfig, RecordConfig
from knitbone.errors import KnitboneError, ModelAuthenticationError
from knitbone.fuzzing.agents import SandboxedTool, ToolReply, run_agent, run_agent_sync
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.models import ChatModel, ToolSpec, create_chat_model
from knitbone.record.events import Message, ModelCall, Outcome, ToolCall, ToolCallRequest
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply

CALL = ToolCallRequest(name="double", arguments={"value": 21})
REACT = 'Thought: double it\nAction: double\nAction Input: {"value": 21}'
SCRIPTS: dict[str, list[Reply]] = {
    "react": [Reply(text=REACT), Reply(text="Thought: done\nFinal Answer: It is 42.")],
    "tool-calling": [Reply(tool_calls=(CALL,)), Reply(text="It is 42.")],
}


class Double:
    """A tool that keeps its calls."""

    def __init__(self) -> None:
        self.spec = ToolSpec(name="double", description="Double a value.")
        self.seen: list[dict[str, Any]] = []

    def call(self, arguments: dict[str, Any]) -> ToolReply:
        self.seen.append(arguments)
        return ToolReply(text=str(2 * arguments["value"]))


def connect(server: ModelServer, provider: str = "openai") -> ChatModel:
    url = server.base_url if provider == "openai" else server.url
    return create_chat_model(ModelConfig(provider=provider, name="m", base_url=url), "agent")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("style", ["react", "tool-calling"])
def test_an_agent_uses_a_tool_and_answers(style: Any, provider: str) -> None:
    tool = Double()
    with ModelServer(SCRIPTS[style]) as server:
        result = run_agent_sync(connect(server, provider), [tool], "Double 21", style=style)
        told = str(server.requests[1].body["messages"])
    assert (result.answer, result.stopped) == ("It is 42.", "answered")
    assert tool.seen == [{"value": 21}]
    assert "42" in told
    kinds = [type(event) for event in result.run.events]
    assert kinds == [Message, ModelCall, ToolCall, ModelCall, Outcome]
    asked, used = result.run.events[1], result.run.events[2]
    assert isinstance(used, ToolCall)
    assert used.parent == asked.id
    assert used.result == "42"
    assert result.run.task == "Double 21"


def test_an_invented_observation_is_not_read() -> None:
    tool = Double()
    invented = REACT + "\nObservation: 99\nThought: done\nFinal Answer: 99"
    with ModelServer([Reply(text=invented), Reply(text="Final Answer: 42")]) as server:
        result = run_agent_sync(connect(server), [tool], "Double 21")
        told = str(server.requests[1].body["messages"])
    assert result.answer == "42"
    assert "99" not in told


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("hello", "Final Answer:"),
        ("Action: double", "Action Input"),
        ("Action: double\nAction Input: 21", "not one JSON object"),
        ("Action: double\nAction Input: " + '{"a":' * 5_000, "not one JSON object"),
        ("Action: triple\nAction Input: {}", "there is no tool 'triple'"),
    ],
)
def test_a_model_that_is_not_understood_is_told_so(said: str, complaint: str) -> None:
    tool = Double()
    with ModelServer([Reply(text=said), Reply(text="Final Answer: ok")]) as server:
        result = run_agent_sync(connect(server), [tool], "Double 21")
        told = server.requests[1].body["messages"][-1]["content"]
    assert complaint in told
    assert result.answer == "ok"
    assert tool.seen == []


@pytest.mark.parametrize(
    "written", ["{'value': 21}", '```json\n{"value": 21,}\n```', '{"value": 21 // twice\n}']
)
def test_an_action_input_is_read_tolerantly(written: str) -> None:
    tool = Double()
    said = f"Thought: double it\nAction: double\nAction Input: {written}\nFinal Answer: 7"
    with ModelServer([said, "Final Answer: 42"]) as server:
        result = run_agent_sync(connect(server), [tool], "Double 21")
    assert tool.seen == [{"value": 21}]
    assert result.answer == "42"


def test_steps_are_bounded() -> None:
    tool = Double()
    with ModelServer(Reply(text=REACT)) as server:
        result = run_agent_sync(connect(server), [tool], "Double 21", max_steps=3)
        assert len(server.requests) == 3
    assert result.stopped == "steps"
    assert len(tool.seen) == 3


def test_calls_of_one_answer_are_bounded() -> None:
    tool = Double()
    many = Reply(tool_calls=(CALL,) * 30)
    with ModelServer([many, Reply(text="done")]) as server:
        run_agent_sync(connect(server), [tool], "Double 21", style="tool-calling")
    assert len(tool.seen) == 8


def test_a_used_up_budget_ends_the_run_before_the_next_model_call() -> None:
    budget = CampaignBudget(FuzzConfig(max_tokens=5), elapsed=lambda: 0.0)
    with ModelServer(Reply(text=REACT)) as server:
        result = run_agent_sync(connect(server), [Double()], "Double 21", budget=budget)
        assert len(server.requests) == 1
    assert result.stopped == "budget"
    assert budget.spent().tokens > 5


def test_the_events_go_to_the_recorder_that_is_active(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "runs.sqlite")
    with (
        ModelServer(Reply(status=401, error="no such key")) as server,
        record_run(store, config=RecordConfig()) as recorder,
        pytest.raises(ModelAuthenticationError),
    ):
        run_agent_sync(connect(server), [Double()], "Double 21")
    kept = store.get(recorder.run_id).events
    store.close()
    assert [type(event) for event in kept] == [Message, ModelCall]
    assert isinstance(kept[1], ModelCall)
    assert kept[1].error is not None


def test_inside_an_event_loop_the_asynchronous_form_is_named() -> None:
    async def main() -> str | None:
        with ModelServer(SCRIPTS["react"]) as server:
            with pytest.raises(KnitboneError, match="await run_agent"):
                run_agent_sync(connect(server), [Double()], "x")
            return (await run_agent(connect(server), [Double()], "Double 21")).answer

    assert asyncio.run(main()) == "It is 42."


def test_failures_in_the_sandbox_are_told_as_text(private: Path) -> None:
    with Sandbox("knitbone.samples.tools:seat_party") as sandbox:
        tool = SandboxedTool(sandbox, 0, timeout_s=5.0)
        fine = tool.call({"note": "Ann;2;in"})
        raised = tool.call({"note": "Ann;0;in"})
        rejected = tool.call({"note": 3})
    assert fine.error is None
    assert fine.text.startswith("Ann sits")
    assert raised.text == "Error: ZeroDivisionError: integer division or modulo by zero"
    assert raised.error is not None
    assert "do not fit the schema" in rejected.text
    assert [outcome.status for _, outcome in tool.calls] == ["ok", "raised", "rejected"]

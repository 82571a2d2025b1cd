"""One scripted task through every library that has hooks: the decisions are equal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from pathlib import Path

import pytest
from bank_server import TOOLS
from langchain_core.tools import StructuredTool
from langchain_over_sdk import OverOpenai, react_agent
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from supervised_agents import (
    asks,
    chat_loop,
    claude_client,
    claude_loop,
    openai_client,
    responses_loop,
)

from knitbone.testing import ModelServer, Reply
from knitbone.tethering.guidance.records import Directive, ExpectedCall, Guidance
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor

TASK = "Pay the bill of 60 USD from checking."
GUIDANCE = Guidance(
    task="bill",
    run="r1",
    text="Deposit the check before you pay the bill.",
    directives=(
        Directive(
            id="d1",
            family="deposit check",
            constraint="missing step",
            do_first="Deposit the check before you pay.",
            expectation=ExpectedCall(tool="deposit_check", changes_state=True),
        ),
    ),
)
CHECKING = {"account": "checking"}
SCRIPT = [
    *[asks("get_balance", CHECKING, f"c{number}") for number in range(4)],
    asks("get_balance", {"account": "savings"}, "c4"),
    asks("pay_bill", {"account": "checking", "amount": 60}, "c5"),
    asks("get_balance", {"account": "savings"}, "c6"),
    asks("get_balance", {"account": "joint"}, "c7"),
    Reply(text="There is too little money."),
    asks("deposit_check", CHECKING, "c9"),
    asks("pay_bill", {"account": "checking", "amount": 60}, "c10"),
    Reply(text="Paid."),
]
"""What the model says, whatever it hears."""


def judge():
    return Supervisor(TASK, GUIDANCE, risks={"get_balance": "read", "pay_bill": "destructive"})


def through_client(client, loop):
    def agent(server):
        loop(client(server), [{"role": "user", "content": TASK}], TOOLS)

    return agent


def through_langgraph(server):
    tools = [StructuredTool.from_function(tool, description="x") for tool in TOOLS.values()]
    graph = react_agent(OverOpenai(url=server.base_url), tools)
    graph.invoke({"messages": [{"role": "user", "content": TASK}]}, {"recursion_limit": 99})


def through_middleware(server):
    agents = pytest.importorskip("langchain.agents")
    from knitbone.tethering.supervision.hooks.langchain import SupervisionMiddleware

    tools = [StructuredTool.from_function(tool, description="x") for tool in TOOLS.values()]
    graph = agents.create_agent(
        OverOpenai(url=server.base_url), tools, middleware=[SupervisionMiddleware()]
    )
    graph.invoke({"messages": [{"role": "user", "content": TASK}]}, {"recursion_limit": 99})


def through_own_loop(_):
    with contextlib.suppress(StopIteration):
        scripted(lambda name, given, call: RUN[-1].tool_returned(
            name, given, TOOLS[name](**given), call_id=call
        ))  # fmt: skip


def scripted(execute):
    """The script, acted by a loop without any library."""
    for reply in SCRIPT:
        for call in reply.tool_calls:
            execute(call.name, call.arguments, call.call_id)
        if reply.text and RUN[-1].text_answered(reply.text) is None:
            return


def through_mcp(_):
    async def agent():
        script = StdioServerParameters(
            command=sys.executable, args=[str(Path(__file__).parent / "bank_server.py")]
        )
        async with stdio_client(script) as streams, ClientSession(*streams) as session:
            await session.initialize()
            for reply in SCRIPT:
                for call in reply.tool_calls:
                    await session.call_tool(call.name, call.arguments)
                if reply.text and RUN[-1].text_answered(reply.text) is None:
                    return

    asyncio.run(agent())


AGENTS = {
    "OpenAI chat": through_client(openai_client, chat_loop),
    "OpenAI responses": through_client(openai_client, responses_loop),
    "Anthropic": through_client(claude_client, claude_loop),
    "LangGraph": through_langgraph,
    "LangChain middleware": through_middleware,
    "MCP": through_mcp,
    "own loop": through_own_loop,
}
RUN = []


@pytest.mark.parametrize("library", AGENTS)
def test_one_task_has_equal_decisions_everywhere(library):
    expected = judge()
    with supervised(GUIDANCE, expected) as run:
        RUN.append(run)
        through_own_loop(None)
    found = judge()
    with ModelServer(SCRIPT) as server, supervised(GUIDANCE, found) as run:
        RUN.append(run)
        AGENTS[library](server)
    assert found.decisions == expected.decisions
    actions = [decision.action for decision in found.decisions]
    assert {"append", "reroute", "silence"} == set(actions)
    assert found.followed() == {"d1": True}
    if server.requests:
        said = [decision.text for decision in found.decisions if decision.action == "append"]
        last = json.dumps(server.requests[-1].body)
        assert all(json.dumps(text)[1:-1] in last for text in said)
        assert GUIDANCE.text in json.dumps(server.requests[0].body)

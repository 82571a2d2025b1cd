"""LangChain, LangGraph and MCP under supervision; the model below a framework is not supervised
twice."""

from __future__ import annotations

import asyncio

import bank_server
import pytest
from langchain_core.messages import (
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import StructuredTool
from langchain_over_sdk import OverOpenai, react_agent
from mcp import Client
from supervised_agents import SayingSupervisor, asks, chat_loop, openai_client

import knitbone
from knitbone.record.events import ModelCall, ToolCall
from knitbone.testing import ModelServer, Reply
from knitbone.tethering.guidance.records import Guidance, InjectionPlan
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor

GUIDANCE = Guidance(task="t", run="r", text="Deposit the check first.")
IN_SYSTEM = Guidance(
    task="t", run="r", text="Deposit the check first.", plan=InjectionPlan(place="system text")
)
NOTE = "\n\n[note]"
OFFERED = [{"type": "function", "function": {"name": "pay", "parameters": {}}}]


def pay(to: str) -> str:
    """Pay somebody."""
    return f"paid {to}"


PAY = StructuredTool.from_function(pay)


def sent(request):
    return [(m["role"], m.get("content")) for m in request.body["messages"]]


def test_an_agent_of_langgraph_is_supervised_once_and_recorded_as_the_model_got_it(tmp_path):
    judge = SayingSupervisor(behind={"pay": NOTE}, back={"No.": "Yes."})
    replies = ["No.", asks("pay", {"to": "Ann"}, "c1"), "Done."]
    with (
        ModelServer(replies) as server,
        knitbone.trace(store=tmp_path / "runs.sqlite") as run,
        supervised(GUIDANCE, judge),
    ):
        graph = react_agent(OverOpenai(url=server.base_url), [PAY])
        state = graph.invoke({"messages": [("user", "Pay Ann.")]})
        calls = [e for e in run.recorded().events if isinstance(e, ModelCall)]
    assert [(call.tool, call.arguments, call.call_id) for call in judge.calls] == [
        ("pay", {"to": "Ann"}, "c1")
    ]
    assert judge.texts == ["No.", "Done."]
    assert [m.text for m in state["messages"]] == ["Pay Ann.", "", "paid Ann", "Done."]
    asked = ("user", f"{GUIDANCE.text}\n\nPay Ann.")
    between = [("assistant", "No."), ("user", "Yes.")]
    assert sent(server.requests[1]) == [asked, *between]
    assert [role for role, _ in sent(server.requests[2])[3:]] == ["assistant", "tool"]
    assert sent(server.requests[2])[-1] == ("tool", f"paid Ann{NOTE}")
    assert [
        [(m.role, m.content) for m in call.input if m.role != "assistant"] for call in calls
    ] == [
        [(role, content) for role, content in sent(request) if role != "assistant"]
        for request in server.requests
    ]


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream"])
def test_every_way_of_asking_a_chat_model(way):
    judge = SayingSupervisor(behind={"pay": NOTE}, back={"No way.": "Yes."})

    async def everything(chunks):
        return [chunk async for chunk in chunks]

    def asked(model, messages):
        if way == "invoke":
            return model.invoke(messages)
        if way == "ainvoke":
            return asyncio.run(model.ainvoke(messages))
        chunks = list(model.stream(messages)) if way == "stream" else asyncio.run(
            everything(model.astream(messages))
        )  # fmt: skip
        return sum(chunks[1:], chunks[0])

    replies = ["No way.", asks("pay", {"to": "Ann"}, "c1"), "All done."]
    with ModelServer(replies) as server, supervised(GUIDANCE, judge):
        model = OverOpenai(url=server.base_url).bind(tools=OFFERED)
        messages = [SystemMessage("Be kind."), HumanMessage("Pay Ann.")]
        said = asked(model, messages)
        assert [call["args"] for call in said.tool_calls] == [{"to": "Ann"}]
        messages += [said, ToolMessage("paid", tool_call_id="c1")]
        assert asked(model, messages).text == "All done."
        assert judge.texts == ["No way.", "All done."]
        assert sent(server.requests[2])[-1] == ("tool", f"paid{NOTE}")
        assert sent(server.requests[1])[-2:] == [("assistant", "No way."), ("user", "Yes.")]
        assert messages[1].content == "Pay Ann."
        assert messages[3].content == "paid"


@pytest.mark.parametrize("way", ["invoke", "stream"])
def test_a_further_request_of_a_chat_model_that_fails_leaves_the_answer(way):
    judge = SayingSupervisor(back={"No way.": "Yes."})
    with ModelServer(["No way.", Reply(status=500)]) as server, supervised(supervisor=judge):
        model = OverOpenai(url=server.base_url).bind(tools=OFFERED)
        chunks = [model.invoke("Pay.")] if way == "invoke" else model.stream("Pay.")
        assert "".join(chunk.text for chunk in chunks) == "No way."
        assert len(server.requests) == 2


def test_langchain_messages_take_guidance_where_the_plan_wants_it():
    with ModelServer("Done.") as server, supervised(IN_SYSTEM):
        model = OverOpenai(url=server.base_url)
        model.invoke([SystemMessage("Be kind."), HumanMessage("Pay.")])
        model.invoke([HumanMessage("Pay.")])
        first, second = map(sent, server.requests)
        assert first == [("system", f"Be kind.\n\n{GUIDANCE.text}"), ("user", "Pay.")]
        assert second == [("system", GUIDANCE.text), ("user", "Pay.")]


def test_several_conversations_of_one_call_are_guided_and_never_sent_back():
    judge = SayingSupervisor(back={"No.": "Yes."})
    with ModelServer("No.") as server, supervised(GUIDANCE, judge):
        model = OverOpenai(url=server.base_url)
        model.generate([[HumanMessage("a")], [HumanMessage("b")]], tools=OFFERED)
        assert sorted(sent(request)[0][1] for request in server.requests) == [
            f"{GUIDANCE.text}\n\na", f"{GUIDANCE.text}\n\nb",
        ]  # fmt: skip


def test_the_middleware_puts_corrections_into_the_state():
    agents = pytest.importorskip("langchain.agents")
    from knitbone.tethering.supervision.hooks.langchain import SupervisionMiddleware

    judge = SayingSupervisor(behind={"pay": NOTE}, back={"No.": "Yes."})
    replies = ["No.", asks("pay", {"to": "Ann"}, "c1"), "Done."]
    for call in ("invoke", "ainvoke"):
        with ModelServer(replies) as server:
            with supervised(GUIDANCE, judge) as run:
                middleware = SupervisionMiddleware(run)
            graph = agents.create_agent(  # outside of the block: it has its run of its own
                OverOpenai(url=server.base_url), [PAY], middleware=[middleware]
            )
            state = {"messages": [("user", "Pay Ann.")]}
            ended = graph.invoke(state) if call == "invoke" else asyncio.run(graph.ainvoke(state))
            assert [m.text for m in ended["messages"]] == [
                "Pay Ann.", "", f"paid Ann{NOTE}", "Done.",
            ]  # fmt: skip
            assert sent(server.requests[2])[-1] == ("tool", f"paid Ann{NOTE}")
    assert [c.tool for c in judge.calls] == ["pay", "pay"]


def test_the_middleware_says_which_package_it_needs(monkeypatch):
    import sys

    from knitbone.errors import MissingExtraError
    from knitbone.tethering.supervision.hooks.langchain import SupervisionMiddleware, _with_base

    _with_base.cache_clear()
    monkeypatch.setitem(sys.modules, "langchain.agents.middleware", None)
    with pytest.raises(MissingExtraError, match="langchain"):
        SupervisionMiddleware()
    _with_base.cache_clear()


def test_a_correction_of_an_mcp_tool_is_a_further_text_and_not_said_twice(tmp_path):
    judge = SayingSupervisor(behind={"get_balance": NOTE})

    async def agent(server):
        async with Client(bank_server.server) as session:
            loop = asyncio.get_running_loop()

            def through(**given):
                call = session.call_tool("get_balance", given)
                content = asyncio.run_coroutine_threadsafe(call, loop).result().content
                seen.append([part.text for part in content])
                return "\n".join(part.text for part in content)

            client = openai_client(server)
            messages = [{"role": "user", "content": "How much?"}]
            tools = {"bank_get_balance": through}
            return await asyncio.to_thread(chat_loop, client, messages, tools)

    seen = []
    replies = [asks("bank_get_balance", {"account": "checking"}, "c1"), "40 USD."]
    with (
        ModelServer(replies) as server,
        knitbone.trace(store=tmp_path / "runs.sqlite") as run,
        supervised(supervisor=judge),
    ):
        assert asyncio.run(agent(server)) == "40 USD."
        (tool,) = [e for e in run.recorded().events if isinstance(e, ToolCall)]
    assert seen == [["checking: 40 USD", "[note]"]]
    assert len(judge.calls) == 1
    assert sent(server.requests[1])[-1] == ("tool", "checking: 40 USD\n[note]")
    assert tool.result == "checking: 40 USD"  # recording stands inside: what the server said


def test_failures_of_mcp_tools_and_hints_on_their_risk():
    supervisor = Supervisor("Pay.", risks={"deposit_check": "read"})
    told = SayingSupervisor(behind={"pay_bill": NOTE})

    async def agent():
        async with Client(bank_server.server) as session:
            await session.list_tools()
            given = {"account": "checking", "amount": 5_000}
            return await session.call_tool("pay_bill", given)

    with supervised(supervisor=supervisor):
        asyncio.run(agent())
    assert [supervisor.risks.of(name) for name in bank_server.TOOLS] == [
        "read", "read", "destructive",
    ]  # fmt: skip
    with supervised(supervisor=told):
        result = asyncio.run(agent())
    assert result.is_error
    assert result.content[-1].text == "[note]"
    assert told.calls[0].error == told.calls[0].result


def test_risks_are_learned_from_the_tools_of_a_request():
    supervisor = Supervisor("Tidy up.")
    wipes = {
        "name": "frobnicate",
        "parameters": {"type": "object", "properties": {"force": {"type": "boolean"}}},
    }
    with ModelServer("Done.") as server, supervised(supervisor=supervisor):
        openai_client(server).chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}],
            tools=[{"type": "function", "function": wipes}],
        )  # fmt: skip
    assert supervisor.risks.of("frobnicate") == "destructive"

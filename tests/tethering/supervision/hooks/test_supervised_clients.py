"""OpenAI's and Anthropic's clients under supervision, against a real server."""

from __future__ import annotations

import asyncio
import copy
import time

import anthropic
import openai
import pytest
from supervised_agents import (
    CLAUDE_TOOLS,
    RESPONSES_TOOLS,
    TOOLS,
    SayingSupervisor,
    asks,
    chat_loop,
    claude_client,
    claude_loop,
    openai_client,
    responses_loop,
    result_of,
)

import knitbone
from knitbone.record.events import ModelCall
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply, ToolCallRequest
from knitbone.tethering.guidance.records import Guidance, InjectionPlan
from knitbone.tethering.supervision.active import supervised

GUIDANCE = Guidance(task="t", run="r", text="Deposit the check first.")
IN_SYSTEM = Guidance(
    task="t", run="r", text="Deposit the check first.", plan=InjectionPlan(place="system text")
)
ASKED = [{"role": "user", "content": "Pay Ann."}]
PAID = {"pay": lambda **_: "paid"}
NOTE = "\n\n[note]"


def serving(*replies):
    return ModelServer(replies)


AGENTS = {
    "chat": (openai_client, chat_loop),
    "responses": (openai_client, responses_loop),
    "anthropic": (claude_client, claude_loop),
}
"""Protocol → an agent; the messages are the same in all of them at the beginning."""


def sent(request):
    return request.body["messages" if "messages" in request.body else "input"]


@pytest.fixture(params=AGENTS)
def agent(request):
    client, loop = AGENTS[request.param]
    return lambda server, messages, tools: loop(client(server), messages, tools)


def test_guidance_is_in_every_request_and_not_in_the_applications_list(agent):
    with serving(asks("pay", {"to": "Ann"}, "c1"), "Done.") as server:
        messages = copy.deepcopy(ASKED)
        with supervised(GUIDANCE):
            assert agent(server, messages, PAID) == "Done."
        assert messages[0] == ASKED[0]
        for request in server.requests:
            assert GUIDANCE.text in str(sent(request)[0])
            assert str(sent(request)).count(GUIDANCE.text) == 1


def test_a_correction_stands_behind_its_result_from_then_on_and_is_decided_once(agent):
    judge = SayingSupervisor(behind={"pay": NOTE})
    replies = [asks("pay", {"to": "Ann"}, "c1"), asks("look", {"at": 1}, "c2"), "Done."]
    with serving(*replies) as server:
        messages = copy.deepcopy(ASKED)
        with supervised(supervisor=judge):
            agent(server, messages, PAID | {"look": lambda at: f"seen {at}"})
        assert [(c.tool, c.arguments, c.result, c.call_id) for c in judge.calls] == [
            ("pay", {"to": "Ann"}, "paid", "c1"),
            ("look", {"at": 1}, "seen 1", "c2"),
        ]
        first, second, third = map(sent, server.requests)
        assert NOTE.strip() not in str(first)
        for request in (second, third):
            assert str(request).count("[note]") == 1
            assert "paid\\n\\n[note]" in str(request)
        assert "[note]" not in str(messages)
        assert judge.texts == ["Done."]


def test_an_answer_is_sent_back_and_the_application_gets_the_next(agent):
    judge = SayingSupervisor(back={"Nothing to do.": "You have not paid."})
    replies = ["Nothing to do.", asks("pay", {"to": "Ann"}, "c1"), "Done."]
    with serving(*replies) as server:
        messages = copy.deepcopy(ASKED)
        with supervised(supervisor=judge):
            assert agent(server, messages, PAID) == "Done."
        assert judge.texts == ["Nothing to do.", "Done."]
        assert "Nothing to do." not in str(messages)
        _, again, later = map(sent, server.requests)
        inserted = [
            {"role": "assistant", "content": "Nothing to do."},
            {"role": "user", "content": "You have not paid."},
        ]
        assert again == [*ASKED, *inserted]
        assert later[: len(again)] == again  # what the model knew, it goes on knowing


def test_answers_are_sent_back_as_often_as_the_supervisor_says(agent):
    judge = SayingSupervisor(back={"No.": "Yes.", "Still no.": "Still yes."})
    with serving("No.", "Still no.", "Well.") as server:
        with supervised(supervisor=judge):
            assert agent(server, copy.deepcopy(ASKED), PAID) == "Well."
        assert [len(sent(request)) for request in server.requests] == [1, 3, 5]


def test_a_supervisor_without_end_is_bounded(agent):
    judge = SayingSupervisor(back={"No.": "Yes."})
    with ModelServer("No.") as server:
        with supervised(supervisor=judge):
            assert agent(server, copy.deepcopy(ASKED), PAID) == "No."
        assert len(server.requests) == 9


def test_a_further_request_that_fails_leaves_the_answer_there_was(agent):
    judge = SayingSupervisor(back={"No.": "Yes."})
    with serving("No.", Reply(status=500)) as server, supervised(supervisor=judge):
        assert agent(server, copy.deepcopy(ASKED), PAID) == "No."
        assert len(server.requests) == 2


def test_the_same_request_twice_is_the_same(agent):
    judge = SayingSupervisor(behind={"pay": NOTE})
    with serving(asks("pay", {}, "c1"), "Done.", "Again.") as server:
        with supervised(GUIDANCE, judge):
            messages = copy.deepcopy(ASKED)
            agent(server, messages, PAID)
            agent(server, messages[:-1], PAID)
        _, second, third = map(sent, server.requests)
        assert second == third
        assert len(judge.calls) == 1


def test_results_of_an_earlier_conversation_are_nobodys_to_judge(agent):
    judge = SayingSupervisor(behind={"pay": NOTE})
    with serving(asks("pay", {}, "c1"), "Done.", "Again.") as server:
        messages = copy.deepcopy(ASKED)
        agent(server, messages, PAID)
        with supervised(supervisor=judge):
            agent(server, messages, PAID)
        assert judge.calls == []
        assert "[note]" not in str(sent(server.requests[-1]))


def test_a_server_that_gives_each_call_the_same_identifier(agent):
    judge = SayingSupervisor(behind={"pay": NOTE})
    replies = [asks("look", {}, "call"), asks("pay", {}, "call"), asks("look", {}, "call"), "Done."]
    with serving(*replies) as server:
        with supervised(supervisor=judge):
            agent(server, copy.deepcopy(ASKED), PAID | {"look": lambda: "seen"})
        assert [call.tool for call in judge.calls] == ["look", "pay", "look"]
        last = str(sent(server.requests[-1]))
        assert last.count("[note]") == 1
        assert "paid\\n\\n[note]" in last


@pytest.mark.parametrize("outer", ["recording", "supervision"])
def test_what_is_recorded_is_what_the_model_got(agent, tmp_path, outer):
    judge = SayingSupervisor(behind={"pay": NOTE}, back={"No.": "Yes."})
    store = SqliteStore(tmp_path / "runs.sqlite")
    blocks = [knitbone.trace(store=store), supervised(GUIDANCE, judge)]
    if outer == "supervision":
        blocks.reverse()
    with serving("No.", asks("pay", {}, "c1"), "Done.") as server, blocks[0], blocks[1]:
        agent(server, copy.deepcopy(ASKED), PAID)
    calls = [e for e in store.get(store.list()[0].id).events if isinstance(e, ModelCall)]
    store.close()
    assert [call.output.content for call in calls] == ["No.", "", "Done."]
    assert GUIDANCE.text in calls[0].input[0].content
    assert calls[1].input[-1].content == "Yes."
    assert calls[2].input[-1].content == f"paid{NOTE}"


def test_a_model_that_may_call_nothing_is_not_sent_back():
    judge = SayingSupervisor(back={"A summary.": "Pay first."})
    with ModelServer("A summary.") as server, supervised(supervisor=judge):
        client = openai_client(server)
        for settings in ({}, {"tools": TOOLS, "tool_choice": "none"}):
            answer = client.chat.completions.create(model="m", messages=ASKED, **settings)
            assert answer.choices[0].message.content == "A summary."
        claude_client(server).messages.create(model="m", max_tokens=9, messages=ASKED)
        client.responses.create(model="m", input="Sum up.")
    assert judge.texts == []


def test_calls_in_parallel_are_judged_in_their_order():
    judge = SayingSupervisor(behind={"b": NOTE})
    calls = tuple(ToolCallRequest(name=n, arguments={}, call_id=f"c{n}") for n in "abc")
    with serving(Reply(tool_calls=calls), "Done.") as server, supervised(supervisor=judge):
        tools = {name: (lambda name=name: f"of {name}") for name in "abc"}
        chat_loop(openai_client(server), copy.deepcopy(ASKED), tools)
        assert [call.tool for call in judge.calls] == ["a", "b", "c"]
        assert [m["content"] for m in sent(server.requests[1])[2:]] == [
            "of a", f"of b{NOTE}", "of c",
        ]  # fmt: skip


def test_a_result_in_parts_gets_a_further_part():
    judge = SayingSupervisor(behind={"pay": NOTE})
    parts = [{"type": "text", "text": "paid"}]
    with serving(asks("pay", {}, "c1"), "Done.", asks("pay", {}, "c2"), "Done.") as server:
        with supervised(supervisor=judge):
            chat_loop(openai_client(server), copy.deepcopy(ASKED), {"pay": lambda: list(parts)})
            claude_loop(claude_client(server), copy.deepcopy(ASKED), {"pay": lambda: list(parts)})
        corrected = [*parts, {"type": "text", "text": NOTE}]
        assert sent(server.requests[1])[-1]["content"] == corrected
        assert sent(server.requests[3])[-1]["content"][0]["content"] == corrected
        assert [call.result for call in judge.calls] == ["paid", "paid"]


def test_a_failed_call_of_anthropic_is_told_as_one():
    judge = SayingSupervisor()
    with serving(asks("pay", {}, "c1"), "Done.") as server, supervised(supervisor=judge):
        client = claude_client(server)
        answer = client.messages.create(model="m", max_tokens=9, messages=ASKED, tools=CLAUDE_TOOLS)
        result = {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}
        client.messages.create(
            model="m", max_tokens=9, tools=CLAUDE_TOOLS,
            messages=[
                *ASKED,
                {"role": "assistant", "content": answer.content},
                {"role": "user", "content": [result]},
            ],
        )  # fmt: skip
    assert judge.calls[0].error == "no"


def test_guidance_in_the_system_text():
    with ModelServer("Done.") as server, supervised(IN_SYSTEM):
        claude_client(server).messages.create(
            model="m", max_tokens=9, messages=ASKED, system="Be kind."
        )
        openai_client(server).chat.completions.create(model="m", messages=ASKED)
        first, second = (request.body for request in server.requests)
        assert first["system"] == f"Be kind.\n\n{GUIDANCE.text}"
        assert first["messages"] == ASKED
        assert second["messages"] == [{"role": "system", "content": GUIDANCE.text}, *ASKED]


def test_a_conversation_that_the_server_keeps_is_guided_once():
    judge = SayingSupervisor(behind={"pay": NOTE})
    with serving(asks("pay", {"to": "Ann"}, "c1"), "Done.") as server:
        client = openai_client(server)
        with supervised(GUIDANCE, judge):
            first = client.responses.create(model="m", input="Pay Ann.", tools=RESPONSES_TOOLS)
            output = {"type": "function_call_output", "call_id": "c1", "output": "paid"}
            client.responses.create(
                model="m", input=[output], tools=RESPONSES_TOOLS, previous_response_id=first.id
            )
        assert sent(server.requests[0]) == [
            {"role": "user", "content": f"{GUIDANCE.text}\n\nPay Ann."}
        ]
        assert sent(server.requests[1]) == [{**output, "output": f"paid{NOTE}"}]
        assert judge.calls[0].arguments == {"to": "Ann"}


def test_raw_responses_are_judged_and_those_that_the_application_reads_are_not():
    judge = SayingSupervisor(back={"No.": "Yes."})
    with serving("No.", "Done.", "No.") as server, supervised(supervisor=judge):
        completions = openai_client(server).chat.completions
        raw = completions.with_raw_response.create(model="m", messages=ASKED, tools=TOOLS)
        assert raw.parse().choices[0].message.content == "Done."
        with completions.with_streaming_response.create(
            model="m", messages=ASKED, tools=TOOLS
        ) as response:
            assert response.parse().choices[0].message.content == "No."
        assert len(server.requests) == 3


def test_an_error_of_the_server_is_the_applications():
    with serving(Reply(status=400)) as server, supervised(GUIDANCE, SayingSupervisor()):
        with pytest.raises(openai.BadRequestError):
            openai_client(server).chat.completions.create(model="m", messages=ASKED)
        assert len(server.requests) == 1


def test_retries_send_the_same_request_and_judge_once():
    judge = SayingSupervisor(behind={"pay": NOTE})
    replies = [asks("pay", {}, "c1"), Reply(status=500, retry_after=0), "Done."]
    with serving(*replies) as server, supervised(GUIDANCE, judge):
        chat_loop(openai_client(server, max_retries=2), copy.deepcopy(ASKED), PAID)
        assert sent(server.requests[1]) == sent(server.requests[2])
        assert len(judge.calls) == 1


def test_asynchronous_clients_do_the_same():
    judge = SayingSupervisor(behind={"pay": NOTE}, back={"No.": "Yes."})

    async def chat(server):
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="x") as client:
            messages = copy.deepcopy(ASKED)
            create = client.chat.completions.create
            answer = await create(model="m", messages=messages, tools=TOOLS)
            call = answer.choices[0].message.tool_calls[0]
            messages += [answer.choices[0].message, result_of(call)]
            answer = await create(model="m", messages=messages, tools=TOOLS)
            return answer.choices[0].message.content

    async def claude(server):
        async with anthropic.AsyncAnthropic(base_url=server.url, api_key="x") as client:
            answer = await client.messages.create(
                model="m", max_tokens=9, messages=ASKED, tools=CLAUDE_TOOLS
            )
            return answer.content[0].text

    with serving("No.", asks("pay", {}, "c1"), "Done.", "No.", "Fine.") as server:
        with supervised(GUIDANCE, judge):
            assert asyncio.run(chat(server)) == "Done."
            assert asyncio.run(claude(server)) == "Fine."
        assert sent(server.requests[2])[-1]["content"] == f"paid{NOTE}"


def test_a_supervisor_that_waits_lets_other_tasks_go_on():
    judge = SayingSupervisor(back={"No.": "Yes."})
    judge.waits = True
    ticks = []

    judge.text_answered = lambda _: time.sleep(0.2)

    async def ticking():
        while True:
            ticks.append(1)
            await asyncio.sleep(0.01)

    async def chat(server):
        other = asyncio.create_task(ticking())
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="x") as client:
            await client.chat.completions.create(model="m", messages=ASKED, tools=TOOLS)
            before = len(ticks)
            await client.chat.completions.create(model="m", messages=ASKED, tools=TOOLS)
        other.cancel()
        return len(ticks) - before

    with ModelServer("No.") as server, supervised(supervisor=judge):
        assert asyncio.run(chat(server)) > 5


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "tool", "content": "no identifier"}],
        [{"role": "tool", "tool_call_id": "x", "content": {"odd": 1}}],
        [{"role": "assistant", "tool_calls": "none"}, {"role": "user", "content": None}],
        [{"role": "alien", "content": [[]]}, {}],
        ["text"],
        [],
    ],
)
def test_messages_of_odd_shapes_pass_as_they_are(messages):
    judge = SayingSupervisor(behind={"pay": NOTE})
    with ModelServer("Done.") as server, supervised(supervisor=judge):
        openai_client(server).post(
            "/chat/completions", body={"model": "m", "messages": messages}, cast_to=object
        )
        assert sent(server.requests[0]) == messages
    assert judge.calls == []

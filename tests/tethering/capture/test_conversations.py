"""Six agents in one recording: as many conversations, with their parents, through every library
that is captured and however the agents are run. All ask for the same in the same words, and the
same call identifiers come back, so that nothing but their history tells them apart."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import anthropic
import openai
import pytest
from agents_under_trace import find_table
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from test_capture_frameworks import OverSdk

import knitbone
from knitbone.record.events import Message, ModelCall, Run, ToolCall, ToolCallRequest
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply
from knitbone.tethering.diagnosis.conversations import conversations_of
from knitbone.tethering.diagnosis.engine import diagnose, examine
from knitbone.tethering.diagnosis.suspicion import by_plane

ASK = (ToolCallRequest(name="find_table", arguments={"guests": 4}, call_id="call_a"),)
WORDS = "A table for four, please."
TOLD = json.dumps({"table": 7, "guests": 4})


def answer(body):
    told = json.dumps(body.get("messages") or body.get("input"))
    if "previous_response_id" in body or "table" in told.replace(WORDS, "").replace(
        "find_table", ""
    ):
        return Reply(text="Seated at table seven.")
    return Reply(text="I look.", tool_calls=ASK)


@pytest.fixture(scope="module")
def url():
    with ModelServer(answer) as server:
        yield server.base_url


def chat(url):
    with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
        messages = [{"role": "user", "content": WORDS}]
        said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        find_table(4)
        messages += [
            said.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": "call_a", "content": TOLD},
        ]
        client.chat.completions.create(model="m", messages=messages)


def streamed(url):
    with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
        messages = [{"role": "user", "content": WORDS}]
        list(client.chat.completions.create(model="m", messages=messages, stream=True))
        find_table(4)
        function = {"name": "find_table", "arguments": json.dumps({"guests": 4})}
        asked = [{"id": "call_a", "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": "I look.", "tool_calls": asked},
            {"role": "tool", "tool_call_id": "call_a", "content": TOLD},
        ]
        list(client.chat.completions.create(model="m", messages=messages, stream=True))


def responses(url):
    with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
        first = client.responses.create(model="m", input=WORDS)
        find_table(4)
        told = {"type": "function_call_output", "call_id": "call_a", "output": TOLD}
        items = [{"role": "user", "content": WORDS}, *first.output, told]
        client.responses.create(model="m", input=items)


def kept_by_the_server(url):
    with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
        first = client.responses.create(model="m", input=WORDS)
        find_table(4)
        told = {"type": "function_call_output", "call_id": "call_a", "output": TOLD}
        client.responses.create(model="m", input=[told], previous_response_id=first.id)


def claude(url):
    base = url.removesuffix("/v1")
    with anthropic.Anthropic(base_url=base, api_key="unused-key", max_retries=0) as client:
        messages = [{"role": "user", "content": WORDS}]
        said = client.messages.create(model="m", max_tokens=99, messages=messages)
        find_table(4)
        told = {"type": "tool_result", "tool_use_id": "call_a", "content": TOLD}
        messages += [
            {"role": "assistant", "content": [part.model_dump() for part in said.content]},
            {"role": "user", "content": [told]},
        ]
        client.messages.create(model="m", max_tokens=99, messages=messages)


def langchain(url):
    model = OverSdk(url=url)
    said = model.invoke([HumanMessage(WORDS)])
    assert isinstance(said, AIMessage)
    find_table(4)
    model.invoke([HumanMessage(WORDS), said, ToolMessage(TOLD, tool_call_id="call_a")])


def lite(url):
    module = sys.modules["litellm"]
    messages = [{"role": "user", "content": WORDS}]
    said = module.completion("m", messages, url=url).choices[0].message
    find_table(4)
    messages += [
        said.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": "call_a", "content": TOLD},
    ]
    module.completion("m", messages, url=url)


@pytest.fixture(autouse=True)
def litellm(monkeypatch):
    module = types.ModuleType("litellm")

    def completion(model, messages=(), *, url):
        with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
            return client.chat.completions.create(model=model, messages=messages)

    module.completion = module.acompletion = completion
    monkeypatch.setitem(sys.modules, "litellm", module)


def one_after_another(agent, url):
    for _ in range(6):
        agent(url)


def in_threads(agent, url):
    threads = [threading.Thread(target=agent, args=(url,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_a_pool(agent, url):
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(agent, [url] * 6))


def in_tasks(agent, url):
    async def work():
        await asyncio.gather(*(asyncio.to_thread(agent, url) for _ in range(6)))

    asyncio.run(work())


@knitbone.tool
def below(agent, url):
    agent(url)


def nested_in_tools(agent, url):
    with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
        messages = [{"role": "user", "content": "Seat everybody."}]
        said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        for _ in range(5):
            below(agent, url)
        messages += [
            said.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": "call_a", "content": TOLD},
        ]
        client.chat.completions.create(model="m", messages=messages)


AGENTS = (chat, streamed, responses, kept_by_the_server, claude, langchain, lite)


def recorded_run(store, way, agent, url):
    with knitbone.trace(store=store) as traced:
        way(agent, url)
    opened = SqliteStore(store)
    try:
        return opened.get(traced.id)
    finally:
        opened.close()


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("way", [one_after_another, in_threads, in_a_pool, in_tasks])
def test_six_agents_are_six_conversations(tmp_path, url, way, agent):
    run = recorded_run(tmp_path / "runs.sqlite", way, agent, url)
    found = conversations_of(run)
    assert [conversation.parent for conversation in found] == [None] * 6
    for conversation in found:
        kinds = [type(run.events[number]) for number in conversation.events]
        assert sorted(kinds, key=str) == [ModelCall, ModelCall, ToolCall]
    diagnosis = diagnose(run, claim=True)
    assert diagnosis.claim is None
    assert "repeated action" not in {finding.kind for finding in diagnosis.findings}
    assert len(diagnosis.conversations) == 6
    assert sorted(diagnosis.ranking) == sorted(
        number for number, event in enumerate(run.events) if isinstance(event, ModelCall)
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_agents_inside_a_tool_have_the_caller_as_their_parent(tmp_path, url, agent):
    run = recorded_run(tmp_path / "runs.sqlite", nested_in_tools, agent, url)
    found = conversations_of(run)
    assert [conversation.parent for conversation in found] == [None, 0, 0, 0, 0, 0]
    outer = [run.events[number] for number in found[0].events]
    assert [type(event) for event in outer if isinstance(event, ModelCall)] == [ModelCall] * 2


def test_tasks_of_asyncio_with_an_asynchronous_client(tmp_path, url):
    async def seat(client):
        messages = [{"role": "user", "content": WORDS}]
        said = await client.chat.completions.create(model="m", messages=messages)
        await asyncio.sleep(0.01)
        find_table(4)
        messages += [
            said.choices[0].message.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": "call_a", "content": TOLD},
        ]
        await client.chat.completions.create(model="m", messages=messages)

    async def work():
        async with openai.AsyncOpenAI(base_url=url, api_key="unused", max_retries=0) as client:
            await asyncio.gather(*(seat(client) for _ in range(6)))

    run = recorded_run(tmp_path / "runs.sqlite", lambda *_: asyncio.run(work()), None, url)
    found = conversations_of(run)
    assert [len(conversation.events) for conversation in found] == [3] * 6


def test_an_agent_called_by_plain_code_while_a_call_waits_for_its_tool(tmp_path, url):
    def outer(agent, url):
        with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
            messages = [{"role": "user", "content": "Seat everybody."}]
            said = client.chat.completions.create(model="m", messages=messages)
            agent(url)
            in_threads(agent, url)
            messages += [
                said.choices[0].message.model_dump(exclude_none=True),
                {"role": "tool", "tool_call_id": "call_a", "content": TOLD},
            ]
            client.chat.completions.create(model="m", messages=messages)

    run = recorded_run(tmp_path / "runs.sqlite", outer, chat, url)
    assert [c.parent for c in conversations_of(run)] == [None, *[0] * 7]


def test_a_chain_of_prompts_that_hands_words_on_is_one_conversation(tmp_path):
    def answers(body):
        said = body["messages"][-1]["content"]
        return "The ferry leaves from the east dock." if "plan" in said else "All done."

    def chain(_, url):
        with openai.OpenAI(base_url=url, api_key="unused-key", max_retries=0) as client:
            first = client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "Make a plan."}]
            )
            asked = f"Carry this out:\n{first.choices[0].message.content}"
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": asked}])

    with ModelServer(answers) as server:
        run = recorded_run(tmp_path / "runs.sqlite", chain, None, server.base_url)
    assert len(conversations_of(run)) == 1


def test_a_run_without_inputs_is_one_conversation():
    events = [
        Message(id="u", role="user", content=WORDS),
        *(ModelCall(id=f"m{n}", model="m") for n in range(3)),
    ]
    (only,) = conversations_of(Run(id="r", events=tuple(events)))
    assert only.events == (0, 1, 2, 3)
    assert conversations_of(Run(id="empty"))[0].events == ()


def test_what_a_plane_knows_of_one_conversation_only_is_a_record_a_step_of_all(tmp_path):
    @knitbone.tool
    def cancel_booking(booking: str) -> str:
        return "cancelled"

    def talk(client, words):
        asked = [{"role": "user", "content": words}]
        client.chat.completions.create(model="m", messages=asked)

    store = SqliteStore(tmp_path / "runs.sqlite")
    replies = ["I have checked everything.", "Nothing to do here.", "All is well."]
    with ModelServer(replies) as server, knitbone.trace(store=store) as run:
        with openai.OpenAI(base_url=server.base_url, api_key="unused-key", max_retries=0) as client:
            talk(client, "Is the museum open on Monday, and what does it cost?")
            talk(client, "Cancel the booking of Mrs Brandt for tonight, please.")
            cancel_booking("BK4471")
            talk(client, "How far is it from the station to the harbour?")
        run.outcome(success=False)
    examined = examine(run.recorded(), claim=True)
    planes = by_plane(examined.case.evidence)
    assert "conduct" in planes
    for records in planes.values():
        assert [record.ordinal for record in records] == list(range(examined.diagnosis.units))
    store.close()

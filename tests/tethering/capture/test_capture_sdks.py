"""OpenAI's and Anthropic's SDKs, against a real server: what is recorded, what stays the same."""

from __future__ import annotations

import asyncio
import gc
import json

import anthropic
import openai
import pytest
from agents_under_trace import ASK, answer, find_table, raw_server, recorded, seat
from pydantic import BaseModel

import knitbone
from knitbone.config import load_config
from knitbone.record.events import ModelCall, ToolCall
from knitbone.testing import ModelServer, Reply


@pytest.fixture
def store(tmp_path):
    return tmp_path / "runs.sqlite"


@pytest.fixture
def server():
    with ModelServer(answer) as made:
        yield made


@pytest.fixture
def client(server):
    with openai.OpenAI(base_url=server.base_url, api_key="unused-key", max_retries=0) as made:
        yield made


@pytest.fixture
def claude(server):
    with anthropic.Anthropic(base_url=server.url, api_key="unused-key", max_retries=0) as made:
        yield made


ASKED = [{"role": "user", "content": "four guests"}]


def test_a_run_has_requests_answers_usage_and_the_tool_call_below_its_model_call(client, store):
    with knitbone.trace(store=store):
        seat(client, "four guests", temperature=0.5)
    first, tool, last = recorded(store)
    assert [m.role for m in first.input] == ["system", "user"]
    assert first.output.content == "I look."
    assert first.output.tool_calls == ASK
    assert first.attributes["gen_ai.request.temperature"] == 0.5
    assert (first.provider, first.model, first.finish_reason) == ("openai", "m", "tool_calls")
    assert (first.usage.input_tokens, first.usage.output_tokens) == (4, 3)
    assert first.started_ns < first.ended_ns <= tool.started_ns
    assert isinstance(tool, ToolCall)
    assert (tool.parent, tool.call_id, tool.arguments) == (first.id, "call_a", {"guests": 4})
    assert tool.result == {"table": 7, "guests": 4}
    assert [m.role for m in last.input] == ["system", "user", "assistant", "tool"]
    assert last.input[2].tool_calls == ASK
    assert last.input[3].tool_call_id == "call_a"


def test_the_cost_comes_from_the_configured_prices(client, store):
    config = load_config(
        record={
            "prices": {
                "m": {"input_usd_per_million": 1_000_000, "output_usd_per_million": 2_000_000},
                "mx": {"input_usd_per_million": 9, "output_usd_per_million": 9},
            }
        }
    )
    with knitbone.trace(store=store, config=config):
        for model in ("m", "m-2026-01-01", "other"):
            client.chat.completions.create(model=model, messages=ASKED)
    assert [event.usage.cost_usd for event in recorded(store)] == [8.0, 8.0, None]


def test_tool_definitions_are_kept_once_and_referred_to(client, store):
    tools = [{"type": "function", "function": {"name": "find_table", "parameters": {}}}]
    with knitbone.trace(store=store):
        seat(client, "x", tools=tools)
    first, _, last = recorded(store)
    assert first.attributes["gen_ai.tool.definitions"] == tools
    assert last.attributes["knitbone.tools.event"] == first.id


def test_a_stream_gives_the_same_objects_and_is_recorded_at_its_end(client, store):
    with knitbone.trace(store=store):
        stream = client.chat.completions.create(
            model="m", messages=ASKED, stream=True, stream_options={"include_usage": True}
        )
        assert type(stream) is openai.Stream
        seen = list(stream)
        (event,) = recorded(store)
    assert all(type(chunk).__name__ == "ChatCompletionChunk" for chunk in seen)
    assert event.output.content == "I look."
    assert event.output.tool_calls == ASK
    assert (event.finish_reason, event.usage.output_tokens) == ("tool_calls", 3)
    assert "knitbone.stream.unfinished" not in event.attributes


@pytest.mark.parametrize("ending", ["closed", "with", "dropped", "the run ends", "never read"])
def test_a_stream_that_is_left_is_recorded_with_what_came(client, store, ending):
    with knitbone.trace(store=store):
        stream = client.chat.completions.create(
            model="m", messages=[{"role": "tool", "content": "a b c", "tool_call_id": "x"}],
            stream=True,
        )  # fmt: skip
        if ending == "with":
            with stream:
                next(stream), next(stream)
        elif ending != "never read":
            next(stream), next(stream)
        if ending == "closed":
            stream.close()
        if ending in ("dropped", "never read"):
            del stream
            gc.collect()
        if ending in ("closed", "with"):
            assert len(recorded(store)) == 1
    if ending == "the run ends":
        stream.close()
    (event,) = recorded(store)
    assert event.attributes["knitbone.stream.unfinished"] is True
    if ending != "never read":
        assert event.output.content.strip() == "Seated:"


def test_a_broken_stream_raises_its_own_error_and_is_recorded(store):
    with (
        ModelServer(Reply(text="one two three", close_after=1)) as server,
        openai.OpenAI(base_url=server.base_url, api_key="unused-key", max_retries=0) as client,
        knitbone.trace(store=store),
    ):
        stream = client.chat.completions.create(model="m", messages=ASKED, stream=True)
        with pytest.raises(openai.APIError) as caught:
            list(stream)
        (event,) = recorded(store)
    assert event.error.type.endswith(type(caught.value).__name__)
    assert event.output.content.strip() == "one"


def test_the_managers_of_streams_and_parsed_answers_are_recorded(client, store):
    class Table(BaseModel):
        table: int

    with knitbone.trace(store=store):
        with client.chat.completions.stream(model="m", messages=ASKED) as stream:
            kinds = [event.type for event in stream]
        with ModelServer('{"table": 7}') as other:
            parsed = client.with_options(base_url=other.base_url).chat.completions.parse(
                model="m", messages=ASKED, response_format=Table
            )
    assert "content.delta" in kinds
    assert parsed.choices[0].message.parsed == Table(table=7)
    streamed, whole = recorded(store)
    assert streamed.output.tool_calls == ASK
    assert whole.output.content == '{"table": 7}'
    assert whole.attributes["knitbone.request.response_format"]["type"] == "json_schema"


def test_raw_responses_are_recorded_also_of_a_client_that_was_used_before(client, store):
    raw = client.chat.completions.with_raw_response
    raw.create(model="m", messages=ASKED)
    with knitbone.trace(store=store):
        response = raw.create(model="m", messages=ASKED)
        assert response.parse().choices[0].message.content == "I look."
        for chunk in raw.create(model="m", messages=ASKED, stream=True).parse():
            assert chunk.object == "chat.completion.chunk"
        with client.chat.completions.with_streaming_response.create(
            model="m", messages=ASKED
        ) as live:
            assert live.parse().choices[0].message.content == "I look."
        with client.chat.completions.with_streaming_response.create(
            model="m", messages=ASKED
        ) as live:
            assert b"I look." in live.read()
    events = recorded(store)
    assert [event.output.tool_calls for event in events] == [ASK] * 4


def test_an_error_is_recorded_and_is_the_same_error(store):
    with (
        ModelServer(Reply(status=429, error="slow down")) as server,
        openai.OpenAI(base_url=server.base_url, api_key="unused-key", max_retries=0) as client,
    ):
        with knitbone.trace(store=store) as run, pytest.raises(openai.RateLimitError) as caught:
            client.chat.completions.create(model="m", messages=ASKED)
        assert "slow down" in str(caught.value)
        (event,) = recorded(store, run.id)
        assert event.output is None
        assert (event.error.type, event.error.message) == (
            "openai.RateLimitError", str(caught.value),
        )  # fmt: skip


def test_requests_that_are_no_inference_are_left_alone(client, store):
    with knitbone.trace(store=store):
        client.embeddings.create(model="e", input="text")
    assert recorded(store) == ()


def test_async_clients_plain_and_streamed(server, store):
    async def work():
        async with (
            openai.AsyncOpenAI(base_url=server.base_url, api_key="unused-key") as client,
            knitbone.trace(store=store),
        ):
            await client.chat.completions.create(model="m", messages=ASKED)
            stream = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
            assert len([chunk async for chunk in stream]) > 3
            left = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
            async for _ in left:
                break
            await left.close()
            raw = await client.chat.completions.with_raw_response.create(model="m", messages=ASKED)
            assert raw.parse().choices
            with pytest.raises(asyncio.TimeoutError):
                async with asyncio.timeout(0) if hasattr(asyncio, "timeout") else _timeout():
                    await client.chat.completions.create(model="m", messages=ASKED)

    asyncio.run(work())
    whole, streamed, left, raw, *cancelled = recorded(store)
    assert whole.output.tool_calls == streamed.output.tool_calls == raw.output.tool_calls == ASK
    assert left.attributes["knitbone.stream.unfinished"] is True
    assert [event.error.type for event in cancelled] in ([], ["asyncio.exceptions.CancelledError"])


class _timeout:
    async def __aenter__(self):
        raise TimeoutError

    async def __aexit__(self, *_): ...


def test_anthropic_messages_streams_and_managers(claude, store):
    said = [
        {"role": "user", "content": "four guests"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "find_table", "input": {"guests": 4}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "table 7"},
            {"type": "text", "text": "and now?"},
        ]},
    ]  # fmt: skip
    about = {"model": "c", "max_tokens": 50}
    with knitbone.trace(store=store):
        claude.messages.create(**about, system="Seat guests.", messages=ASKED)
        raw = list(claude.messages.create(**about, messages=ASKED, stream=True))
        with claude.messages.stream(**about, messages=said) as stream:
            text = "".join(stream.text_stream)
    assert raw[0].type == "message_start"
    whole, streamed, managed = recorded(store)
    assert [(m.role, m.content) for m in whole.input] == [
        ("system", "Seat guests."), ("user", "four guests"),
    ]  # fmt: skip
    for event in (whole, streamed):
        assert event.output.content == "I look."
        assert event.output.tool_calls == ASK
        assert (event.provider, event.finish_reason) == ("anthropic", "tool_use")
        assert event.usage.output_tokens == 3
    assert [m.role for m in managed.input] == ["user", "assistant", "tool", "user"]
    assert managed.input[1].tool_calls[0].arguments == {"guests": 4}
    assert (managed.input[2].content, managed.input[2].tool_call_id) == ("table 7", "t1")
    assert managed.output.content == text


def test_async_anthropic(server, store):
    async def work():
        async with anthropic.AsyncAnthropic(base_url=server.url, api_key="unused-key") as client:
            with knitbone.trace(store=store):
                async with client.messages.stream(
                    model="c", max_tokens=9, messages=ASKED
                ) as stream:
                    await stream.get_final_message()

    asyncio.run(work())
    assert recorded(store)[0].output.tool_calls == ASK


RESPONSE = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m",
    "output": [
        {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "I look.", "annotations": []}]},
        {"type": "function_call", "id": "f1", "call_id": "call_a", "name": "find_table",
         "arguments": '{"guests": 4}', "status": "completed"},
    ],
    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12,
              "input_tokens_details": {"cached_tokens": 5},
              "output_tokens_details": {"reasoning_tokens": 0}},
}  # fmt: skip


def sse(*events):
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def test_the_responses_api_plain_and_streamed(store):
    deltas = [
        {"type": "response.output_text.delta", "delta": word, "item_id": "m1", "output_index": 0,
         "content_index": 0, "sequence_number": n, "logprobs": []}
        for n, word in enumerate(("I ", "look."))
    ]  # fmt: skip
    last = {"type": "response.completed", "response": RESPONSE, "sequence_number": 9}
    plain, stream = "application/json", "text/event-stream"
    items = [
        {"role": "user", "content": "four guests"},
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "find_table", "arguments": "{}"},
        {"type": "function_call", "call_id": "c2", "name": "find_table", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "table 7"},
    ]
    replies = [(plain, json.dumps(RESPONSE).encode()), (stream, sse(*deltas, last)),
               (stream, sse(*deltas))]  # fmt: skip
    with (
        raw_server(*replies) as url,
        openai.OpenAI(base_url=url, api_key="unused-key") as client,
        knitbone.trace(store=store),
    ):
        client.responses.create(model="m", instructions="Seat guests.", input="four guests")
        list(client.responses.create(model="m", input=items, stream=True))
        list(client.responses.create(model="m", input="x", stream=True))
        find_table(4)
    whole, streamed, cut, tool = recorded(store)
    assert [(m.role, m.content) for m in whole.input] == [
        ("system", "Seat guests."), ("user", "four guests"),
    ]  # fmt: skip
    assert [(m.role, len(m.tool_calls)) for m in streamed.input] == [
        ("user", 0), ("assistant", 2), ("tool", 0),
    ]  # fmt: skip
    for event in (whole, streamed):
        assert (event.output.content, event.output.tool_calls) == ("I look.", ASK)
        assert (event.usage.input_tokens, event.usage.output_tokens) == (9, 3)
        assert event.attributes["gen_ai.usage.cache_read.input_tokens"] == 5
    assert cut.output.content == "I look."
    assert tool.parent == whole.id


def test_an_agent_on_the_responses_api(store):
    """Whole, streamed and managed, on the server that applications test with."""
    replies = [
        Reply(text="I look.", tool_calls=ASK), "Seated.", Reply(text="one two", tool_calls=ASK),
        "Managed.",
    ]  # fmt: skip
    with (
        ModelServer(replies) as server,
        openai.OpenAI(base_url=server.base_url, api_key="unused-key") as client,
        knitbone.trace(store=store),
    ):
        first = client.responses.create(model="m", instructions="Seat guests.", input="four")
        found = find_table(4)
        told = {"type": "function_call_output", "call_id": "call_a", "output": json.dumps(found)}
        items = [{"role": "user", "content": "four"}, *first.output, told]
        client.responses.create(model="m", input=items)
        list(client.responses.create(model="m", input="four", stream=True))
        with client.responses.stream(model="m", input="four") as stream:
            for _ in stream:
                pass
    asked, tool, seated, streamed, managed = recorded(store)
    assert [(m.role, m.content) for m in asked.input] == [
        ("system", "Seat guests."), ("user", "four"),
    ]  # fmt: skip
    assert (asked.output.content, asked.output.tool_calls) == ("I look.", ASK)
    assert (tool.parent, tool.call_id) == (asked.id, "call_a")
    assert [m.role for m in seated.input] == ["user", "assistant", "tool"]
    assert seated.input[1].tool_calls == ASK
    assert seated.output.content == "Seated."
    assert (streamed.output.content, streamed.output.tool_calls) == ("one two", ASK)
    assert managed.output.content == "Managed."
    assert (streamed.finish_reason, streamed.usage.output_tokens) == ("completed", 3)


@pytest.mark.parametrize(
    "content",
    [None, 5, [{"type": "image_url", "image_url": {"url": "data:" + "x" * 5_000_000}}], [None, 3],
     {"a": [[]]}, "\ud83d" + "x" * 2_000_000],
)  # fmt: skip
def test_odd_contents_are_recorded_somehow_and_bounded(client, store, content):
    with knitbone.trace(store=store) as run:
        options = openai._models.FinalRequestOptions(
            method="post", url="/chat/completions",
            json_data={"model": "m", "messages": [{"role": "user", "content": content}, 7, None]},
        )  # fmt: skip
        with pytest.raises((openai.APIError, UnicodeEncodeError, TypeError, ValueError)):
            client.with_options(base_url="http://127.0.0.1:9").request(dict, options)
        assert run.lost == 0
    (event,) = recorded(store)
    assert isinstance(event, ModelCall)
    assert [message.role for message in event.input] == ["user"] * 3
    assert len(event.input[0].content) < 1_000_200

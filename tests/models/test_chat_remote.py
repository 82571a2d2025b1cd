"""The contract of a chat model, through the real client libraries, over the wire."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from hangs import no_hang

from knitbone.config import ModelConfig
from knitbone.errors import (
    KnitboneError,
    MissingKeyError,
    ModelAuthenticationError,
    ModelError,
    ModelRateLimitError,
    ModelRequestError,
    ModelServerError,
    ModelTimeoutError,
)
from knitbone.models import ChatModel, Completion, ToolSpec, complete_sync
from knitbone.models.anthropic import anthropic_chat_model
from knitbone.models.openai import openai_chat_model
from knitbone.record.events import ChatMessage, ToolCallRequest, Usage
from knitbone.testing import ModelServer, Reply

HELLO = [ChatMessage(role="user", content="hello")]
WEATHER = ToolSpec(
    name="weather",
    description="The weather of a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}},
)
SCORE: dict[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
    "additionalProperties": False,
}

Make = Callable[..., ChatModel]


AT_ONCE = {"retry-after-ms": "1"}
"""Asks the client to come back at once, so that a test does not wait."""


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def make(provider: str) -> Make:
    def build(server: ModelServer | str, **settings: Any) -> ChatModel:
        url = server if isinstance(server, str) else server.base_url
        config = ModelConfig(
            **{"name": "test-model", "base_url": url, "timeout_s": 5.0, **settings}  # type: ignore[arg-type]
        )
        factory = openai_chat_model if provider == "openai" else anthropic_chat_model
        return factory(config, environ={"TEST_KEY": "secret-key-1234567890"})

    return build


def test_an_answer_carries_text_reason_usage_and_cost(make: Make) -> None:
    usage = Usage(input_tokens=1000, output_tokens=500)
    with ModelServer(Reply(text="good morning", usage=usage)) as server:
        model = make(server, price_input_usd_per_million=2.0, price_output_usd_per_million=10.0)
        answer = complete_sync(model, HELLO)
    assert answer.text == "good morning"
    assert answer.message == ChatMessage(role="assistant", content="good morning")
    assert answer.finish_reason == "stop"
    assert answer.model == "test-model"
    assert answer.usage.input_tokens == 1000
    assert answer.usage.output_tokens == 500
    assert answer.usage.cost_usd == pytest.approx(0.007)
    assert server.requests[0].body["messages"][-1]["role"] == "user"


def test_cost_is_unknown_without_a_price(make: Make) -> None:
    with ModelServer("hi") as server:
        assert complete_sync(make(server), HELLO).usage.cost_usd is None


def test_absent_usage_is_unknown_not_zero(make: Make) -> None:
    with ModelServer(Reply(text="hi", usage=None)) as server:
        model = make(server, price_input_usd_per_million=2.0, price_output_usd_per_million=10.0)
        assert complete_sync(model, HELLO).usage == Usage()


def test_tool_calls_arrive_parsed_and_malformed_arguments_stay_raw(
    make: Make, provider: str
) -> None:
    calls = (
        ToolCallRequest(name="weather", arguments={"city": "Oslo"}, call_id="a"),
        ToolCallRequest(name="weather", arguments='{"city": "Osl', call_id="b"),
    )
    with ModelServer(Reply(tool_calls=calls)) as server:
        answer = complete_sync(make(server), HELLO, tools=[WEATHER])
    assert answer.message.tool_calls == calls
    assert answer.finish_reason == "tool_calls"
    sent = server.requests[0].body["tools"][0]
    assert WEATHER.parameters in (
        sent.get("input_schema"),
        sent.get("function", {}).get("parameters"),
    )


def test_a_conversation_with_tool_results_travels_whole(make: Make, provider: str) -> None:
    conversation = [
        ChatMessage(role="system", content="be brief"),
        ChatMessage(role="user", content="weather?"),
        # Without identifiers, as imported traces have them.
        ChatMessage(
            role="assistant",
            tool_calls=(
                ToolCallRequest(name="weather", arguments={"city": "Oslo"}),
                ToolCallRequest(name="weather", arguments={"city": "Rome"}),
            ),
        ),
        ChatMessage(role="tool", content="rain"),
        ChatMessage(role="tool", content="sun"),
        ChatMessage(role="user", content="and?"),
    ]
    with ModelServer("fine") as server:
        complete_sync(make(server), conversation)
    body = server.requests[0].body
    if provider == "openai":
        asked = [call["id"] for call in body["messages"][2]["tool_calls"]]
        answered = [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"]
        assert body["messages"][0] == {"role": "system", "content": "be brief"}
    else:
        assert body["system"] == "be brief"
        assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
        asked = [block["id"] for block in body["messages"][1]["content"]]
        results = [b for b in body["messages"][2]["content"] if b["type"] == "tool_result"]
        answered = [block["tool_use_id"] for block in results]
        assert [block["content"] for block in results] == ["rain", "sun"]
    assert len(set(asked)) == 2
    assert asked == answered


def test_a_schema_gives_a_parsed_value(make: Make, provider: str) -> None:
    with ModelServer('{"score": 3}') as server:
        answer = complete_sync(make(server), HELLO, schema=SCORE)
    assert answer.parsed == {"score": 3}
    assert answer.finish_reason == "stop"
    assert answer.message.tool_calls == ()
    body = server.requests[0].body
    if provider == "openai":
        assert body["response_format"]["json_schema"]["schema"] == SCORE
        assert body["response_format"]["json_schema"]["strict"] is True
    else:
        assert body["tools"][0]["input_schema"] == SCORE
        assert body["tool_choice"]["type"] == "tool"


def test_a_schema_that_is_no_object_works_too(make: Make, provider: str) -> None:
    text = "[1, 2]" if provider == "openai" else '{"value": [1, 2]}'
    with ModelServer(text) as server:
        answer = complete_sync(make(server), HELLO, schema={"type": "array"})
    assert answer.parsed == [1, 2]


def test_one_fence_around_the_json_is_taken_off(make: Make) -> None:
    with ModelServer('```json\n{"score": 3}\n```') as server:
        assert complete_sync(make(server), HELLO, schema=SCORE).parsed == {"score": 3}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(text="The score is 3."), "asked for JSON and said 'The score is 3.'"),
        (Reply(text='{"score": 3'), "asked for JSON"),
        (Reply(text="[3]"), "asked for a JSON object"),
        (Reply(text="[" * 100_000), "asked for JSON"),
    ],
)
def test_an_answer_that_is_not_the_json_asked_for_is_an_error(
    make: Make, reply: Reply, words: str
) -> None:
    with ModelServer(reply) as server:
        with pytest.raises(ModelServerError, match="asked for") as raised:
            complete_sync(make(server), HELLO, schema=SCORE)
        assert words in str(raised.value)
        assert len(str(raised.value)) < 1000
    assert len(server.requests) == 1, "asking again would cost again"


def test_json_that_was_cut_off_names_max_tokens(make: Make) -> None:
    with (
        ModelServer(Reply(text='{"score": ', finish_reason="length")) as server,
        pytest.raises(ModelServerError, match="raise max_tokens"),
    ):
        complete_sync(make(server), HELLO, schema=SCORE)


def test_a_refusal_is_an_answer_but_not_where_json_was_asked_for(make: Make, provider: str) -> None:
    refusal = (
        Reply(refusal="I cannot help with that.")
        if provider == "openai"
        else Reply(text="I cannot help with that.", finish_reason="content_filter")
    )
    with ModelServer(refusal) as server:
        answer = complete_sync(make(server), HELLO)
        assert answer.refusal == "I cannot help with that."
        with pytest.raises(ModelRequestError, match="declined to answer: 'I cannot help"):
            complete_sync(make(server), HELLO, schema=SCORE)


def test_tools_and_schema_together_are_refused_before_anything_is_sent(make: Make) -> None:
    with ModelServer("x") as server:
        with pytest.raises(KnitboneError, match="both tools and a schema"):
            complete_sync(make(server), HELLO, tools=[WEATHER], schema=SCORE)
        with pytest.raises(KnitboneError, match="without any message"):
            complete_sync(make(server), [])
    assert server.requests == ()


def test_a_wrong_key_is_named_by_its_variable_and_never_shown(make: Make) -> None:
    with (
        ModelServer("x", api_key="the-right-key") as server,
        pytest.raises(ModelAuthenticationError) as raised,
    ):
        complete_sync(make(server, api_key_env="TEST_KEY"), HELLO)
    text = str(raised.value)
    assert "'test-model' at 127.0.0.1:" in text
    assert "answered 401: Incorrect API key provided." in text
    assert "the key in TEST_KEY" in text
    assert len(server.requests) == 1, "a refused key is not tried again"


def test_a_key_that_the_server_repeats_is_removed(make: Make) -> None:
    reply = Reply(status=401, error="Wrong key: secret-key-1234567890\x1b[31m!")
    with (
        ModelServer(reply) as server,
        pytest.raises(ModelAuthenticationError) as raised,
    ):
        complete_sync(make(server, api_key_env="TEST_KEY"), HELLO)
    assert "secret-key" not in str(raised.value)
    assert "\x1b" not in str(raised.value)
    assert raised.value.__suppress_context__
    assert "secret-key-1234567890" in str(server.requests[0].headers)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_passing_failure_is_retried(make: Make, status: int) -> None:
    busy = Reply(status=status, headers=AT_ONCE)
    with ModelServer([busy, busy, "fine"]) as server:
        assert complete_sync(make(server, max_retries=2), HELLO).text == "fine"
    assert len(server.requests) == 3


@pytest.mark.parametrize(("status", "kind"), [(429, ModelRateLimitError), (500, ModelServerError)])
def test_a_failure_that_stays_is_the_error_it_names(
    make: Make, status: int, kind: type[ModelError]
) -> None:
    with (
        ModelServer(Reply(status=status, error="slow down", headers=AT_ONCE)) as server,
        pytest.raises(kind, match=f"answered {status}: slow down") as raised,
    ):
        complete_sync(make(server, max_retries=2), HELLO)
    assert len(server.requests) == 3
    assert raised.value.next_step


def test_the_pause_that_a_server_asks_for_is_kept(make: Make) -> None:
    with ModelServer([Reply(status=429, retry_after=1), "fine"]) as server:
        started = time.monotonic()
        complete_sync(make(server), HELLO)
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refused_request_is_not_sent_again(make: Make, status: int) -> None:
    with (
        ModelServer(Reply(status=status, error="no such model")) as server,
        pytest.raises(ModelRequestError, match=f"answered {status}: no such model"),
    ):
        complete_sync(make(server), HELLO)
    assert len(server.requests) == 1


def test_a_server_that_says_nothing_times_out(make: Make) -> None:
    with (
        no_hang(),
        ModelServer(Reply(text="x", delay_s=60)) as server,
        pytest.raises(ModelTimeoutError, match=r"said nothing for 0.2 s"),
    ):
        complete_sync(make(server, timeout_s=0.2, max_retries=1), HELLO)
    assert len(server.requests) == 2


def test_a_cut_connection_is_tried_again(make: Make) -> None:
    with ModelServer([Reply(text="one", close_after=0), "fine"]) as server:
        assert complete_sync(make(server), HELLO).text == "fine"
    assert len(server.requests) == 2


def test_a_refused_connection_says_where_and_what_to_check(make: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelServerError) as raised:
        complete_sync(make(f"http://127.0.0.1:{port}/v1", max_retries=1), HELLO)
    assert f"at 127.0.0.1:{port} cannot be reached" in str(raised.value)
    assert "base_url" in str(raised.value)


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>It works!</html>",
        b"{",
        b"{}",
        b"[]",
        b"null",
        b'"text"',
        b'{"choices": [], "content": 3}',
        b'{"choices": [{"message": "hi"}], "content": ["hi"]}',
        b'{"choices": 7, "content": null}',
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b"",
    ],
)
def test_a_garbage_body_is_a_server_error(make: Make, raw: bytes) -> None:
    with (
        ModelServer(Reply(raw=raw)) as server,
        pytest.raises(ModelServerError, match="not its protocol's"),
    ):
        complete_sync(make(server, max_retries=0), HELLO)


def test_a_garbage_html_page_of_any_content_type_is_a_server_error(make: Make) -> None:
    page = Reply(raw=b"<html>\x1b[31m</html>", headers={"Content-Type": "text/html"})
    with (
        ModelServer(page) as server,
        pytest.raises(ModelServerError, match="html") as raised,
    ):
        complete_sync(make(server, max_retries=0), HELLO)
    assert "\x1b" not in str(raised.value)


def test_lone_surrogates_do_not_stop_a_request(make: Make) -> None:
    conversation = [
        ChatMessage(role="user", content="bad \ud800 text"),
        ChatMessage(
            role="assistant",
            tool_calls=(ToolCallRequest(name="f", arguments={"k\udfff": "\ud800"}),),
        ),
        ChatMessage(role="tool", content="\ud83d"),
    ]
    with ModelServer("fine") as server:
        assert complete_sync(make(server), conversation).text == "fine"
    assert "\ufffd" in str(server.requests[0].body)


def test_one_model_serves_several_event_loops(make: Make) -> None:
    with ModelServer("fine") as server:
        model = make(server)
        assert [complete_sync(model, HELLO).text for _ in range(3)] == ["fine"] * 3


def test_many_requests_at_once(make: Make) -> None:
    async def ask() -> list[Completion]:
        return await asyncio.gather(
            *(model.complete([ChatMessage(role="user", content=str(n))]) for n in range(20))
        )

    def echo(body: dict[str, Any]) -> str:
        content = body["messages"][0]["content"]
        return content if isinstance(content, str) else content[0]["text"]

    with ModelServer(echo) as server:
        model = make(server)
        assert [answer.text for answer in asyncio.run(ask())] == [str(n) for n in range(20)]


def test_cancelling_a_call_is_not_an_error_of_the_model(make: Make) -> None:
    async def cancel() -> None:
        task = asyncio.ensure_future(model.complete(HELLO))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with ModelServer(Reply(delay_s=30)) as server:
        model = make(server)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancel())
    assert len(server.requests) == 1


def test_complete_sync_inside_a_loop_says_what_to_use(make: Make) -> None:
    async def inside() -> None:
        complete_sync(make("http://127.0.0.1:1/v1"), HELLO)

    with pytest.raises(KnitboneError, match=r"await model\.complete"):
        asyncio.run(inside())


def test_a_missing_key_names_the_variable(provider: str) -> None:
    factory = openai_chat_model if provider == "openai" else anthropic_chat_model
    variable = f"{provider.upper()}_API_KEY"
    with pytest.raises(MissingKeyError, match=f"{variable} is not set") as raised:
        factory(ModelConfig(name="m"), environ={})
    assert f"export {variable}" in str(raised.value)
    assert isinstance(raised.value, ModelError)


def test_the_models_repr_shows_no_key(make: Make) -> None:
    model = make("http://127.0.0.1:1/v1", api_key_env="TEST_KEY")
    assert "secret-key" not in repr(model)

"""The test server, over plain HTTP and through the providers' own clients."""

from __future__ import annotations

import asyncio
import http.client
import json
import math
import threading
import time
from typing import Any

import anthropic
import openai
import pytest
from hangs import no_hang
from hypothesis import given
from hypothesis import strategies as st

from knitbone.errors import KnitboneError
from knitbone.record.events import Usage
from knitbone.testing import ModelServer, Reply, ToolCallRequest, simulated_embedding

HELLO: list[Any] = [{"role": "user", "content": "hello"}]


def client(server: ModelServer, **settings: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.base_url, **{"api_key": "k", "max_retries": 0, **settings})


def ask(server: ModelServer, **more: Any) -> str | None:
    with client(server) as api:
        answer = api.chat.completions.create(model="m", messages=HELLO, **more)
        return answer.choices[0].message.content


def post(server: ModelServer, body: bytes, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
    try:
        connection.request("POST", "/v1/chat/completions", body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_replies_come_in_order_and_one_too_many_says_so() -> None:
    with ModelServer(["one", Reply(text="two")]) as server:
        assert [ask(server), ask(server)] == ["one", "two"]
        with pytest.raises(openai.BadRequestError, match="2 replies are used up"):
            ask(server)


def test_a_single_reply_serves_every_request() -> None:
    with ModelServer("same") as server:
        assert [ask(server) for _ in range(3)] == ["same"] * 3


def test_a_function_answers_from_the_request() -> None:
    with ModelServer(lambda body: body["model"].upper()) as server:
        assert ask(server) == "M"


def test_a_fault_of_the_script_reaches_the_client_once() -> None:
    def broken(body: dict[str, Any]) -> str:
        raise LookupError("no such answer")

    with (
        ModelServer(broken) as server,
        client(server, max_retries=3) as api,
        pytest.raises(openai.BadRequestError, match="LookupError: no such answer"),
    ):
        api.chat.completions.create(model="m", messages=HELLO)
    assert len(server.requests) == 1


def test_a_script_that_gives_no_reply_is_told_so() -> None:
    with (
        ModelServer(lambda body: 3) as server,  # type: ignore[arg-type,return-value]
        pytest.raises(openai.BadRequestError, match="gave a int, not a str or Reply"),
    ):
        ask(server)


def test_a_stream_comes_in_words_and_ends_with_the_usage() -> None:
    with ModelServer(Reply(text=" a  b c ")) as server, client(server) as api:
        chunks = list(
            api.chat.completions.create(
                model="m", messages=HELLO, stream=True, stream_options={"include_usage": True}
            )
        )
    texts = [c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content]
    assert texts == [" a", "  b", " c", " "]
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 3


def test_an_asynchronous_stream_of_tool_calls() -> None:
    call = ToolCallRequest(name="find", arguments={"query": "a long enough question"})

    async def collect(base_url: str) -> str:
        async with openai.AsyncOpenAI(base_url=base_url, api_key="k") as api:
            stream = await api.chat.completions.create(model="m", messages=HELLO, stream=True)
            pieces: list[str] = []
            async for chunk in stream:
                for piece in chunk.choices[0].delta.tool_calls or ():
                    assert piece.function is not None
                    pieces.append(piece.function.arguments or "")
            assert len(pieces) > 2
            return "".join(pieces)

    with ModelServer(Reply(tool_calls=(call,))) as server:
        assert json.loads(asyncio.run(collect(server.base_url))) == call.arguments


def test_the_anthropic_client_streams_text_and_tool_use() -> None:
    call = ToolCallRequest(name="find", arguments={"query": "x"}, call_id="t1")
    reply = Reply(
        text="let me see", tool_calls=(call,), usage=Usage(input_tokens=4, output_tokens=9)
    )
    with (
        ModelServer(reply) as server,
        anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0) as api,
    ):
        with api.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:
            assert "".join(stream.text_stream) == "let me see"
            final = stream.get_final_message()
        whole = api.messages.create(model="m", max_tokens=9, messages=HELLO)
    for message in (final, whole):
        assert [block.type for block in message.content] == ["text", "tool_use"]
        assert message.content[1].input == {"query": "x"}  # type: ignore[union-attr]
        assert message.stop_reason == "tool_use"
        assert (message.usage.input_tokens, message.usage.output_tokens) == (4, 9)


def test_embeddings_in_numbers_and_in_base64_agree() -> None:
    with ModelServer() as server, client(server) as api:
        packed = api.embeddings.create(model="e", input=["a b", "c"])
        plain = api.embeddings.create(model="e", input=["a b", "c"], encoding_format="float")
        short = api.embeddings.create(model="e", input="a", dimensions=8)
    assert packed.data[0].embedding == pytest.approx(plain.data[0].embedding, abs=1e-6)
    assert plain.data[0].embedding == simulated_embedding(["a b"])[0]
    assert packed.usage.prompt_tokens == 3
    assert len(short.data[0].embedding) == 8


def test_embeddings_come_from_the_given_function() -> None:
    with (
        ModelServer(embed=lambda texts: [[float(len(t))] for t in texts]) as server,
        client(server) as api,
    ):
        answer = api.embeddings.create(model="e", input=["ab", "abc"])
    assert [item.embedding for item in answer.data] == [[2.0], [3.0]]


@given(st.lists(st.text(), max_size=4), st.integers(1, 40))
def test_a_simulated_embedding_is_a_unit_vector_of_the_given_size(
    texts: list[str], dimensions: int
) -> None:
    vectors = simulated_embedding(texts, dimensions=dimensions)
    assert len(vectors) == len(texts)
    for vector in vectors:
        assert len(vector) == dimensions
        assert math.isclose(sum(value * value for value in vector), 1.0, rel_tol=1e-9)
    assert vectors == simulated_embedding(texts, dimensions=dimensions)


def test_the_key_is_checked_for_every_path() -> None:
    with ModelServer("x", api_key="right") as server:
        with client(server, api_key="wrong") as api:
            with pytest.raises(openai.AuthenticationError):
                api.chat.completions.create(model="m", messages=HELLO)
            with pytest.raises(openai.AuthenticationError):
                api.embeddings.create(model="m", input="x")
        with client(server, api_key="right") as api:
            assert api.chat.completions.create(model="m", messages=HELLO).choices


def test_the_environment_points_unchanged_applications_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ModelServer("found", api_key="right") as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        with openai.OpenAI() as api:
            answer = api.chat.completions.create(model="m", messages=HELLO)
        with anthropic.Anthropic() as other:
            message = other.messages.create(model="m", max_tokens=9, messages=HELLO)
    assert answer.choices[0].message.content == "found"
    assert message.content[0].text == "found"  # type: ignore[union-attr]


def test_requests_are_kept_as_they_arrived_and_their_repr_shows_no_key() -> None:
    with ModelServer("x") as server, client(server, api_key="very-secret") as api:
        api.chat.completions.create(model="m", messages=HELLO, temperature=0.5)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["temperature"] == 0.5
    assert request.headers["authorization"] == "Bearer very-secret"
    assert "very-secret" not in repr(request)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(body: bytes) -> None:
    with ModelServer("x") as server:
        status, answer = post(server, body)
    assert status == 400
    assert b"not a JSON object" in answer
    assert server.requests == ()


@pytest.mark.parametrize("length", ["-1", "x", "99999999999999999999"])
def test_an_impossible_length_is_refused(length: str) -> None:
    with ModelServer("x") as server:
        assert post(server, b"{}", **{"Content-Length": length})[0] == 413


@pytest.mark.parametrize(
    "body", [{"stream": "yes"}, {"stream": True, "stream_options": 3}, {"messages": 7}, {}]
)
def test_odd_but_possible_requests_are_answered(body: dict[str, Any]) -> None:
    with ModelServer("fine") as server:
        status, answer = post(server, json.dumps(body).encode())
    assert status == 200
    assert b"fine" in answer


def test_an_unknown_path_says_what_is_served() -> None:
    with (
        ModelServer("x") as server,
        client(server) as api,
        pytest.raises(openai.NotFoundError, match="/v1/chat/completions"),
    ):
        api.completions.create(model="m", prompt="x")


def test_a_delay_holds_the_answer_back() -> None:
    with ModelServer(Reply(text="x", delay_s=0.2)) as server:
        started = time.monotonic()
        ask(server)
    assert time.monotonic() - started >= 0.2


def test_closing_does_not_wait_for_stalled_connections_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    failed = threading.Event()

    def stalled() -> None:
        with pytest.raises((openai.APIError, Exception)):
            ask(server)
        failed.set()

    with no_hang(), ModelServer(Reply(text="x", stall_after=0)) as server:
        thread = threading.Thread(target=stalled)
        thread.start()
        while not server.requests:
            time.sleep(0.01)
        idle = http.client.HTTPConnection(server.url.removeprefix("http://"))
        idle.connect()
    thread.join(5)
    idle.close()
    assert failed.is_set()
    assert set(threading.enumerate()) <= before


def test_a_client_that_leaves_a_stalled_answer_frees_its_thread() -> None:
    with ModelServer(Reply(text="x", stall_after=0)) as server:
        with client(server, timeout=0.2) as api, pytest.raises(openai.APITimeoutError):
            api.chat.completions.create(model="m", messages=HELLO)
        deadline = time.monotonic() + 5
        while any(t.name == "knitbone-model-connection" for t in threading.enumerate()):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_two_servers_at_once_and_one_used_again() -> None:
    first, second = ModelServer("one"), ModelServer("two")
    with first, second:
        assert [ask(first), ask(second)] == ["one", "two"]
        with pytest.raises(KnitboneError, match="already running"):
            first.__enter__()
    with first:
        assert ask(first) == "one"
    with pytest.raises(KnitboneError, match="not running"):
        _ = first.base_url


def test_many_clients_at_once_get_one_reply_each() -> None:
    answers: list[str | None] = []
    with ModelServer([str(n) for n in range(24)]) as server:
        threads = [
            threading.Thread(target=lambda: answers.extend(ask(server) for _ in range(3)))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers, key=lambda text: int(text or -1)) == [str(n) for n in range(24)]


ANSWERS = [
    Reply(text="one two", usage=Usage(input_tokens=5, output_tokens=2)),
    Reply(tool_calls=(ToolCallRequest(name="add", arguments={"a": 1, "b": [2] * 9}),)),
    Reply(text="I add.", tool_calls=tuple(ToolCallRequest(name=name) for name in ("add", "sum"))),
    Reply(refusal="No."),
    Reply(text="one tw", finish_reason="length"),
    Reply(),
]


@pytest.mark.parametrize("reply", ANSWERS)
def test_the_responses_api_says_the_same_whole_and_streamed(reply: Reply) -> None:
    with ModelServer(reply) as server, client(server) as api:
        whole = api.responses.create(model="m", input="four guests", instructions="Seat.")
        events: list[Any] = list(api.responses.create(model="m", input="four guests", stream=True))
        with api.responses.stream(model="m", input="four guests") as stream:
            for _ in stream:
                pass
    assert whole.status == ("incomplete" if reply.finish_reason else "completed")
    assert events[-1].type == f"response.{whole.status}"
    assert [event.sequence_number for event in events] == list(range(len(events)))
    calls = [item for item in whole.output if item.type == "function_call"]
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [
        (call.name, call.arguments or {}) for call in reply.tool_calls
    ]
    streamed = [
        "".join(e.delta for e in events if e.type == f"response.{kind}.delta")
        for kind in ("output_text", "refusal", "function_call_arguments")
    ]
    asked = "".join(call.arguments for call in calls)
    assert streamed == [reply.text, reply.refusal or "", asked]
    assert whole.output_text == reply.text
    whole_output = [item.model_dump(exclude={"id", "call_id"}) for item in whole.output]
    said = [item.model_dump(exclude={"id", "call_id"}) for item in events[-1].response.output]
    assert said == whole_output
    if reply.text == "one two":
        assert whole.usage is not None
        assert (whole.usage.input_tokens, whole.usage.output_tokens) == (5, 2)


def test_the_responses_api_fails_stalls_and_counts_as_the_others() -> None:
    with ModelServer([Reply(status=429, error="slow down"), "a b c"]) as server:
        with client(server) as api, pytest.raises(openai.RateLimitError, match="slow down"):
            api.responses.create(model="m", input="x")
        with client(server) as api:
            items: Any = [
                {"role": "user", "content": [{"type": "input_text", "text": "one two"}]},
                {"type": "function_call_output", "call_id": "c", "output": "three"},
            ]
            whole = api.responses.create(model="m", input=items, instructions="four")
    assert whole.usage is not None
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (4, 3)
    with ModelServer(Reply(text="a b c", close_after=2)) as server, client(server) as api:
        stream = api.responses.create(model="m", input="x", stream=True)
        with pytest.raises(openai.APIError):
            list(stream)

"""Streamed answers under supervision: held back where they may be sent back, and only there."""

from __future__ import annotations

import asyncio
import copy
import gc
import weakref

import anthropic
import openai
import pytest
from supervised_agents import (
    CLAUDE_TOOLS,
    RESPONSES_TOOLS,
    TOOLS,
    SayingSupervisor,
    asks,
    claude_client,
    openai_client,
    result_of,
)

import knitbone
from knitbone.record.events import ModelCall
from knitbone.record.sqlite_store import SqliteStore
from knitbone.testing import ModelServer, Reply
from knitbone.tethering.guidance.records import Directive, ExpectedCall, Guidance
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall

ASKED = [{"role": "user", "content": "Pay Ann."}]


def chat(server):
    client = openai_client(server)
    return client.chat.completions.create(model="m", messages=ASKED, tools=TOOLS, stream=True)


def responses(server):
    client = openai_client(server)
    return client.responses.create(model="m", input=ASKED, tools=RESPONSES_TOOLS, stream=True)


def claude(server):
    client = claude_client(server)
    return client.messages.create(
        model="m", max_tokens=9, messages=ASKED, tools=CLAUDE_TOOLS, stream=True
    )


STREAMS = {"chat": chat, "responses": responses, "anthropic": claude}


@pytest.fixture(params=STREAMS)
def begun(request):
    return STREAMS[request.param]


def said(chunks):
    """The text of a stream of any of the protocols."""
    found = []
    for chunk in chunks:
        if getattr(chunk, "choices", None):
            found.append(chunk.choices[0].delta.content or "")
        elif getattr(chunk, "type", "") in ("response.output_text.delta", "content_block_delta"):
            delta = chunk.delta
            found.append(delta if isinstance(delta, str) else getattr(delta, "text", ""))
    return "".join(found)


def without_identity(chunks):
    """What the application gets, but for what differs between two requests anyway."""
    changing = {"id", "created", "created_at", "completed_at", "item_id"}

    def plain(value):
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if k not in changing}
        return [plain(each) for each in value] if isinstance(value, list) else value

    return [plain(chunk.model_dump()) for chunk in chunks]


@pytest.mark.parametrize("reply", ["one two three", asks("pay", {"to": "Ann"}, "c1")])
@pytest.mark.parametrize("mode", ["on", "observe"])
def test_an_accepted_stream_is_the_stream_that_it_would_be(begun, reply, mode):
    with ModelServer(reply) as server:
        plain = begun(server)
        expected = without_identity(plain)
        with supervised(supervisor=SayingSupervisor(mode=mode)):
            stream = begun(server)
            assert type(stream) is type(plain)
            assert without_identity(stream) == expected
        assert len(server.requests) == 2


def test_a_streamed_answer_that_is_sent_back_is_never_seen(begun):
    judge = SayingSupervisor(back={"No way.": "Pay her."})
    with ModelServer(["No way.", "All done."]) as server, supervised(supervisor=judge):
        chunks = list(begun(server))
        assert said(chunks) == "All done."
        assert judge.texts == ["No way.", "All done."]
        assert len(server.requests) == 2


def test_a_text_is_held_back_and_a_call_is_not(begun):
    """Before the first chunk is given, a text has come whole, of a call only its beginning."""
    judge = SayingSupervisor()
    replies = ["one two three", asks("pay", {"to": "Ann" * 40}, "c1")]
    with ModelServer(replies) as server, supervised(supervisor=judge):
        stream = begun(server)
        next(stream)
        assert judge.texts == ["one two three"]
        list(stream)
        called = begun(server)
        next(called)
        assert not called._iterator._ended
        assert not called._iterator._back
        list(called)


@pytest.mark.parametrize("reason", ["observe", "no reroute", "no tools"])
def test_what_cannot_be_sent_back_is_not_held(reason):
    judge = SayingSupervisor(mode="observe" if reason == "observe" else "on")
    judge.may_reroute = reason != "no reroute"
    with ModelServer("one two three") as server, supervised(supervisor=judge):
        client = openai_client(server)
        offered = {} if reason == "no tools" else {"tools": TOOLS}
        stream = client.chat.completions.create(model="m", messages=ASKED, stream=True, **offered)
        next(stream)
        assert judge.texts == []
        list(stream)
        assert judge.texts == ([] if reason == "no tools" else ["one two three"])


def test_the_calls_of_a_stream_are_known():
    judge = SayingSupervisor(behind={"pay": "\n[note]"})
    with ModelServer([asks("pay", {"to": "Ann"}, "c1"), "Done."]) as server:
        client = openai_client(server)
        with supervised(supervisor=judge):
            messages = copy.deepcopy(ASKED)
            with client.chat.completions.stream(
                model="m", messages=messages, tools=TOOLS
            ) as stream:
                message = stream.get_final_completion().choices[0].message
            messages += [message.model_dump(exclude_none=True), result_of(message.tool_calls[0])]
            client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
        assert [(call.tool, call.arguments) for call in judge.calls] == [("pay", {"to": "Ann"})]
        assert server.requests[1].body["messages"][-1]["content"] == "paid\n[note]"


def test_the_streaming_helpers_give_the_answer_that_was_taken():
    judge = SayingSupervisor(back={"No way.": "Pay her."})
    with ModelServer(["No way.", "All done."] * 3) as server, supervised(supervisor=judge):
        client = openai_client(server)
        with client.chat.completions.stream(model="m", messages=ASKED, tools=TOOLS) as stream:
            content = stream.get_final_completion().choices[0].message.content
            assert content == "All done."
        with client.responses.stream(model="m", input=ASKED, tools=RESPONSES_TOOLS) as stream:
            assert stream.get_final_response().output_text == "All done."
        claude = claude_client(server)
        with claude.messages.stream(
            model="m", max_tokens=9, messages=ASKED, tools=CLAUDE_TOOLS
        ) as stream:
            assert stream.get_final_text() == "All done."


def test_a_stream_that_breaks_gives_what_came_and_raises_as_it_would(begun):
    broken = Reply(parts=tuple("abcdef"), close_after=3)
    with ModelServer(broken) as server:
        outcomes = []
        for judge in (None, SayingSupervisor()):
            chunks = []
            with supervised(supervisor=judge):
                stream = begun(server)
                with pytest.raises(Exception) as raised:  # noqa: PT011 - the libraries' own
                    chunks += stream
            outcomes.append((without_identity(chunks), type(raised.value)))
        assert outcomes[0] == outcomes[1]


def test_a_further_stream_that_cannot_be_had_leaves_the_first(begun):
    judge = SayingSupervisor(back={"No way.": "Pay her."})
    with ModelServer(["No way.", Reply(status=500)]) as server, supervised(supervisor=judge):
        assert said(begun(server)) == "No way."


@pytest.mark.parametrize("sent_back", [False, True])
def test_a_stream_that_is_dropped_is_freed_with_its_connection(sent_back):
    judge = SayingSupervisor(back={"No way.": "Pay her."} if sent_back else {})
    with ModelServer(["No way.", "one two three"]) as server, supervised(supervisor=judge):
        gc.disable()
        try:
            stream = chat(server)
            next(stream)
            response, kept = weakref.ref(stream.response), weakref.ref(stream)
            del stream
            assert kept() is None
        finally:
            gc.enable()
        gc.collect()  # the SDK's own response is in a circle, under Python 3.10 also here
        assert response() is None


def test_a_further_stream_is_closed_with_the_first_one(tmp_path):
    judge = SayingSupervisor(back={"No way.": "Pay her."})
    store = SqliteStore(tmp_path / "runs.sqlite")
    call = asks("pay", {"to": "Ann" * 100}, "c1")
    with (
        ModelServer(["No way.", call]) as server,
        knitbone.trace(store=store) as run,
        supervised(supervisor=judge),
    ):
        with chat(server) as stream:
            next(stream)
        assert stream.response.is_closed
        first, second = [e for e in run.recorded().events if isinstance(e, ModelCall)]
    store.close()
    assert first.output.content == "No way."
    assert second.attributes["knitbone.stream.unfinished"] is True


def test_asynchronous_streams_do_the_same():
    judge = SayingSupervisor(back={"No way.": "Pay her."})

    async def agent(server):
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="x") as client:
            stream = await client.chat.completions.create(
                model="m", messages=ASKED, tools=TOOLS, stream=True
            )
            chunks = [chunk async for chunk in stream]
        async with (
            anthropic.AsyncAnthropic(base_url=server.url, api_key="x") as client,
            client.messages.stream(
                model="m", max_tokens=9, messages=ASKED, tools=CLAUDE_TOOLS
            ) as stream,
        ):
            text = await stream.get_final_text()
        return said(chunks), text

    replies = ["No way.", "All done.", "No way.", "Paid."]
    with ModelServer(replies) as server, supervised(supervisor=judge):
        assert asyncio.run(agent(server)) == ("All done.", "Paid.")


async def everything(stream, into):
    async for chunk in stream:
        into.append(chunk)


def test_an_asynchronous_stream_that_breaks_or_fails():
    judge = SayingSupervisor(back={"No way.": "Pay her."})

    async def agent(server):
        async with openai.AsyncOpenAI(
            base_url=server.base_url, api_key="x", max_retries=0
        ) as client:
            create = client.chat.completions.create
            stream = await create(model="m", messages=ASKED, tools=TOOLS, stream=True)
            chunks = []
            with pytest.raises(openai.APIError):
                await everything(stream, chunks)
            stream = await create(model="m", messages=ASKED, tools=TOOLS, stream=True)
            return said(chunks), said([chunk async for chunk in stream])

    broken = Reply(parts=tuple("abcdef"), close_after=3)
    replies = [broken, "No way.", Reply(status=500)]
    with ModelServer(replies) as server, supervised(supervisor=judge):
        assert asyncio.run(agent(server)) == ("abc", "No way.")


def test_the_supervisor_says_when_no_answer_can_be_sent_back():
    directive = Directive(
        id="d1", family="pay", constraint="missing step", do="Pay.",
        expectation=ExpectedCall(tool="pay"),
    )  # fmt: skip
    guidance = Guidance(task="t", run="r", directives=(directive,))
    assert not Supervisor("Pay Ann.").may_reroute  # there is nothing to act on
    assert not Supervisor("Pay Ann.", guidance, mode="observe").may_reroute
    supervisor = Supervisor("Pay Ann.", guidance)
    assert supervisor.may_reroute
    assert not supervisor.waits
    supervisor.tool_returned(ReturnedCall(tool="pay", arguments={}, result="paid"))
    assert not supervisor.may_reroute  # all that was expected is done

"""Streams that a context manager opens, with the real client."""

import asyncio

import pytest

import knitbone
from knitbone.adaptation import report
from knitbone.testing import ModelServer, Reply

pytestmark = pytest.mark.usefixtures("every_scenario")

APP = """
    import anthropic
    import knitbone

    client = anthropic.Anthropic(max_retries=0)
    later = anthropic.AsyncAnthropic(max_retries=0)

    def asked(question):
        return {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": question}]}

    @knitbone.adapt
    def joined(question):
        with client.messages.stream(**asked(question)) as stream:
            text = "".join(stream.text_stream)
            assert isinstance(stream, anthropic.MessageStream)
            return text, stream.get_final_message().stop_reason

    @knitbone.adapt
    async def joined_later(question):
        async with later.messages.stream(**asked(question)) as stream:
            text = "".join([piece async for piece in stream.text_stream])
        await later.close()
        return text
"""
ASKED = "What is your favourite colour, and how do you organise the theatre?"
SAID = "The color is grey. Nobody minds it at all here. The theatre is organised by neighbors."
WANTED = SAID.replace("color", "colour").replace("neighbors", "neighbours")


@pytest.fixture
def app(load, monkeypatch):
    with ModelServer(lambda _body: Reply(text=SAID)) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        loaded = load(APP)
        yield loaded
        loaded.client.close()


def test_the_texts_of_the_stream_are_adapted_and_the_stream_stays_one(app):
    with knitbone.session(ASKED):
        assert app.joined(ASKED) == (WANTED, "end_turn")
    assert report().sites[0].repaired == 1


def test_a_manager_of_coroutines(app):
    async def ask():
        async with knitbone.session(ASKED):
            return await app.joined_later(ASKED)

    assert asyncio.run(ask()) == WANTED

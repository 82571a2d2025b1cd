"""System prompts that are arguments of their own count among what the model was told."""

import pytest

from knitbone.adaptation.runtime.exchange import note_request, note_system, take_exchange
from knitbone.testing import ModelServer, Reply

APP = """
    import anthropic
    import knitbone

    client = anthropic.Anthropic(max_retries=0)
    RULES = {"spelling": "Write in American English.", "none": "Be brief."}

    @knitbone.adapt
    def answer(question, rule):
        message = client.messages.create(
            model="m",
            max_tokens=99,
            system=RULES[rule],
            messages=[{"role": "user", "content": question}],
        )
        return message.content[0].text
"""
SAID = "The colour is grey, and nobody minds it."


@pytest.fixture
def app(load, monkeypatch, every_scenario):
    with ModelServer(lambda _body: Reply(text=SAID)) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        loaded = load(APP)
        yield loaded
        loaded.client.close()


def test_a_variety_that_the_system_prompt_names_holds(app):
    assert app.answer("Which one is it?", "spelling") == "The color is gray, and nobody minds it."


def test_a_system_prompt_that_names_none_sets_none(app):
    assert app.answer("Which one is it?", "none") == SAID


@pytest.mark.parametrize("system", ["Be brief.", [{"type": "text", "text": "Be brief."}]])
@pytest.mark.parametrize("asked", ["Why?", [{"role": "user", "content": "Why?"}]])
def test_the_system_prompt_comes_first(system, asked):
    note_request(asked, 7)
    note_system(system, 7)
    told = take_exchange(7).messages()
    assert [(one.role, one.text) for one in told] == [("system", "Be brief."), ("user", "Why?")]


def test_what_was_asked_is_forgotten_with_the_answer():
    note_system("Be brief.", 8)
    assert take_exchange(8).messages()[0].text == "Be brief."
    assert take_exchange(8).messages() == ()
    note_request("Why?", 8)
    assert take_exchange(8).request == "Why?"

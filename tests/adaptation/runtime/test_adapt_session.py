"""Sessions: what one conversation knows, no other does."""

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import knitbone
from knitbone import Session
from knitbone.adaptation.runtime.session import current_session
from knitbone.adaptation.testing import CheckPlan, Invocation, PromptMessage, analyse_files
from knitbone.config import AdaptConfig


class State:
    def __init__(self):
        self.seen = []


def test_a_session_keeps_one_state_of_a_kind():
    session = Session("Hello")
    assert session.state(State) is session.state(State)
    assert session.state(State) is not Session().state(State)


def test_the_innermost_session_holds_and_ends_with_its_block():
    assert current_session() is None
    with knitbone.session() as outer:
        with knitbone.session() as inner:
            assert current_session() is inner
        assert current_session() is outer
    assert current_session() is None


def test_a_session_ends_where_an_error_leaves_it():
    with pytest.raises(ZeroDivisionError), knitbone.session():
        _ = 1 / 0
    assert current_session() is None


def test_tasks_and_threads_keep_theirs_apart():
    async def turn(name):
        async with knitbone.session(name) as own:
            for _ in range(20):
                await asyncio.sleep(0)
                assert current_session() is own
            return current_session().inputs

    async def both():
        return await asyncio.gather(*(turn(str(number)) for number in range(50)))

    assert asyncio.run(both()) == [(str(number),) for number in range(50)]

    def job(name):
        with knitbone.session(name):
            return current_session().inputs

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(job, "abcdefgh")) == [(name,) for name in "abcdefgh"]
    with knitbone.session("here"):
        assert ThreadPoolExecutor(1).submit(current_session).result() is None


def test_a_framework_may_leave_in_another_context_than_it_entered():
    session = Session()
    contextvars.copy_context().run(session.__enter__)
    session.__exit__(None, None, None)
    assert current_session() is None


def test_one_session_can_be_entered_several_times():
    session = Session()
    with session, knitbone.session(), session:
        assert current_session() is session
    assert current_session() is None


def test_a_long_conversation_keeps_its_first_and_last_inputs():
    session = Session("first")
    for number in range(2_000):
        session.hear(str(number))
    assert session.inputs[0] == "first"
    assert session.inputs[-1] == "1999"
    assert len(session.inputs) <= 1_000


SAID = (PromptMessage(role="system", text="Be kind."), PromptMessage(role="user", text="one"))
SAID += (PromptMessage(role="assistant", text="two"), PromptMessage(role="user", text="three"))


def test_what_the_user_asked_is_the_sessions_word_or_the_calls():
    calls = []

    def asked():
        calls.append(1)
        return SAID

    told = Invocation(AdaptConfig(), asked=asked)
    assert (told.query, told.first_input) == ("three", "one")
    assert calls == [1]
    own = Invocation(AdaptConfig(), session=Session("mine"), asked=asked)
    assert (own.query, own.first_input) == ("mine", "mine")
    nothing = Invocation(AdaptConfig())
    assert (nothing.query, nothing.first_input, nothing.messages) == ("", "", ())


def test_a_heuristic_is_switched_off_by_its_name_or_its_packages():
    invocation = Invocation(AdaptConfig(without=("positional", "syntax.brackets")))
    assert not invocation.uses("positional.reorder")
    assert not invocation.uses("syntax.brackets")
    assert invocation.uses("syntax.commas")


APP = """
    import knitbone

    class Client:
        class chat:
            class completions:
                pass

    HEARD = []

    @knitbone.source
    def ask(prompt, temperature=0):
        return ANSWER

    @knitbone.source
    def talk(model, *, messages):
        return ANSWER

    @knitbone.adapt
    def plain(question):
        answer = ask(f"Please: {question}")
        return [line.split(". ")[1] for line in answer.splitlines()]

    @knitbone.adapt
    def chat(question):
        messages = [{"role": "system", "content": "Be brief."}]
        messages.append({"role": "user", "content": question})
        return [line.split(". ")[1] for line in talk("m", messages=messages).splitlines()]
"""


@pytest.mark.parametrize(
    ("function", "said"),
    [("plain", ["user"]), ("chat", ["system", "user"])],
)
def test_what_the_call_tells_the_model_reaches_the_checks(load, monkeypatch, function, said):
    app = load(APP)
    app.ANSWER = "1. a\n2. b"
    found = []
    init = Invocation.__init__

    def spy(self, *args, **kwargs):
        init(self, *args, **kwargs)
        found.append(self)

    monkeypatch.setattr(Invocation, "__init__", spy)
    assert getattr(app, function)("Where is it?") == ["a", "b"]
    (invocation,) = found
    assert [message.role for message in invocation.messages] == said
    assert invocation.query.endswith("Where is it?")


def test_an_unknown_heuristic_is_an_error_with_the_nearest_name(monkeypatch):
    monkeypatch.setenv("KNITBONE_ADAPT_WITHOUT", "positionl")
    with pytest.raises(knitbone.KnitboneError, match="positional"):
        knitbone.adapt(lambda: None)


SETTINGS = (("all",), ("intact_text",), AdaptConfig().scenario)


def test_a_scenario_that_is_left_out_is_not_checked(load):
    app = load(APP)
    (site, *_) = analyse_files([Path(app.__file__)]).sites
    names = [
        {
            rule.requirement.name
            for group in plan.groups
            for rule in group.rules
            if group.from_scenario
        }
        for plan in (CheckPlan(site, AdaptConfig(scenario=each)) for each in SETTINGS)
    ]
    assert "succinct_content" in names[0]
    assert names[1:] == [set(), set()]


def test_what_is_no_text_is_passed_over(caplog):
    """A message of pictures, or none: the request goes on."""
    with knitbone.session([{"type": "image_url"}]) as session:
        session.hear(None)
        session.hear(b"bytes")
        session.hear("Hello")
    assert session.inputs == ("Hello",)
    assert "no text heard" in caplog.text

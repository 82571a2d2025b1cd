"""What each strategy tells the next attempt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.errors import KnitboneError
from knitbone.models.chat import Completion
from knitbone.record.events import ChatMessage, ModelCall, Run, ToolCall, ToolCallRequest, Usage
from knitbone.tethering.recovery.strategies import FailedAttempt, StrategyParts, strategy_named


class Reflecting:
    """A chat model that says the next of these texts, and remembers what it was shown."""

    name = "reflecting"

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)
        self.shown: list[Any] = []

    async def complete(
        self, messages: Sequence[ChatMessage], *, tools: Any = None, schema: Any = None
    ) -> Completion:
        self.shown.append(json.loads(messages[-1].content))
        return Completion(
            message=ChatMessage(role="assistant", content=self._texts.pop(0)),
            finish_reason="stop",
            usage=Usage(),
            model=self.name,
        )


def a_run(result: str = "Error: no such account") -> Run:
    call = ToolCallRequest(name="close_account", arguments={"account_id": "A1"}, call_id="c1")
    return Run(
        id="run-1",
        task="close it",
        events=(
            ModelCall(
                id="m1",
                model="m",
                input=(ChatMessage(role="user", content="close it"),),
                output=ChatMessage(role="assistant", content="", tool_calls=(call,)),
            ),
            ToolCall(
                id="t1", name="close_account", call_id="c1", arguments={"account_id": "A1"},
                result=result, parent="m1",
            ),
            ModelCall(
                id="m2", model="m", output=ChatMessage(role="assistant", content="It is closed.")
            ),
        ),
    )  # fmt: skip


def failed(reason: str = "the account is open", run: Run | None = None) -> FailedAttempt:
    return FailedAttempt(task="close it", key="task-1", number=0, run=run or a_run(), reason=reason)


def test_blind_says_nothing():
    assert strategy_named("blind", StrategyParts()).guidance(failed()) is None


@given(st.text(max_size=3_000))
def test_outcome_quotes_what_was_said_whatever_it_is(reason: str):
    told = strategy_named("outcome", StrategyParts()).guidance(failed(reason))
    assert told is not None
    quoted = told.text.partition("quoted as data: ")[2].rpartition(". Do better")[0]
    assert isinstance(json.loads(quoted), str)  # nothing in it closes the quotation
    assert "\n" not in told.text
    assert "\x1b" not in told.text
    assert len(told.text) < 3_000


def test_reflexion_passes_on_what_the_model_wrote_and_keeps_three():
    model = Reflecting("first", "second", "third", "fourth")
    strategy = strategy_named("reflexion", StrategyParts(agent=model))
    texts = [strategy.guidance(failed()) for _ in range(4)]
    last = texts[-1]
    assert last is not None
    assert last.text.splitlines()[1:] == ["second", "third", "fourth"]


def test_reflexion_shows_the_run_as_material():
    model = Reflecting("noted")
    strategy_named("reflexion", StrategyParts(agent=model)).guidance(failed())
    (material,) = model.shown
    assert material["task"] == "close it"
    assert material["result"] == "the account is open"
    assert any(step.get("tool") == "close_account" for step in material["steps"])


def test_the_steps_that_reflexion_is_shown_are_bounded():
    model = Reflecting("noted")
    huge = a_run("x" * 1_000_000)
    strategy_named("reflexion", StrategyParts(agent=model)).guidance(failed(run=huge))
    assert len(json.dumps(model.shown)) < 20_000


def test_post_run_without_a_recorded_step_says_so():
    empty = Run(id="empty", task="close it")
    with pytest.raises(KnitboneError, match="nothing to diagnose"):
        strategy_named("post-run", StrategyParts()).guidance(failed(run=empty))


@pytest.mark.parametrize(
    ("name", "supervises"),
    [("blind", False), ("outcome", False), ("post-run", False), ("full", True)],
)
def test_only_full_supervises(name: str, supervises: bool):
    strategy = strategy_named(name, StrategyParts())
    assert strategy.name == name
    assert strategy.supervises is supervises

"""The search under a model that may say anything, and one that is asked the same again.

A hostile model plays writer, agent and oracle at once. Whatever it says, the search ends with a
report, every answer is charged, and no call follows one that used the budget up.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from documentation_support import TOOLS, RuleChat, set_of
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.errors import ModelAuthenticationError, ModelRateLimitError, ModelTimeoutError
from knitbone.fuzzing.agents import ModelAgent, ToolReply
from knitbone.fuzzing.documentation.cascade import Cascade
from knitbone.fuzzing.documentation.engine import DocumentationSearch, fuzz_documentation
from knitbone.fuzzing.documentation.experiments import RepeatedCalls, TriedCall
from knitbone.fuzzing.documentation.memory import AnswerMemory, RememberingModel
from knitbone.fuzzing.documentation.oracle import ModelOracle
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.fuzzing.documentation.records import (
    DocumentationCampaign,
    DocumentationFinished,
    SetJudged,
)
from knitbone.fuzzing.documentation.spending import Ledger
from knitbone.fuzzing.documentation.steps import Steps
from knitbone.fuzzing.documentation.tool_search import ToolSearch
from knitbone.fuzzing.documentation.writer import PromptWriter
from knitbone.fuzzing.journal import Journals
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.models.chat import ChatModel, Completion, ToolSpec
from knitbone.models.structured import parse_structured
from knitbone.record.events import ChatMessage, ToolCallRequest, Usage
from knitbone.report.documentation import documentation_lines

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"season": {"type": "string"}}}
TOOL = ToolUnderTest(name="price", target="t", documentation="Price.", schema=SCHEMA)


class Price:
    """The tool without a sandbox."""

    roots: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.spec = ToolSpec(name="price", description="Price.", parameters=SCHEMA)

    def call(self, arguments: dict[str, Any]) -> ToolReply:
        known = {"low": "60", "high": "110"}
        return ToolReply(text=known.get(str(arguments.get("season")), "Error: no such season"))

    def forget(self) -> None:
        """Nothing is kept."""


class Again:
    """Experiments with that tool."""

    def repeat(self, calls: Sequence[dict[str, Any]]) -> RepeatedCalls:
        return RepeatedCalls(same=True, same_but_for_times=True)

    def attempt(self, arguments: dict[str, Any]) -> TriedCall:
        text = Price().call(arguments).text
        return TriedCall(output=text, failure=text if text.startswith("Error") else "")


class Hostile:
    """Says what it is given, in turn, and then falls silent; refuses the key in the end."""

    name = "hostile"

    def __init__(self, answers: Sequence[Any]) -> None:
        self.answers = list(answers)
        self.tokens = 0
        self.calls = 0

    async def complete(self, messages: Any, *, tools: Any = None, schema: Any = None) -> Completion:
        self.calls += 1
        said = self.answers.pop(0) if self.answers else ModelAuthenticationError("no key")
        if isinstance(said, Exception):
            raise said
        finish, refusal, calls, text = said
        self.tokens += 15
        completion = Completion(
            message=ChatMessage(role="assistant", content=text, tool_calls=calls),
            finish_reason=finish,
            usage=Usage(input_tokens=10, output_tokens=5),
            model=self.name,
            refusal=refusal,
        )
        return parse_structured(completion, schema, "hostile")


GOOD = (
    json.dumps({"templates": ["Price in [season]?", "What is [season]?"]}),
    json.dumps({"infills": [{"mask": "season", "thing": "x", "ways": ["low", "summer"]}]}),
    json.dumps({"answer": "60"}),
    json.dumps({"expectation": "60"}),
    json.dumps({"reason": "bad", "score": 2}),
    json.dumps({"requests": ["low", "summer"]}),
    'Thought: x\nAction: price\nAction Input: {"season": "low"}',
    'Thought: x\nAction: price\nAction Input: {"season": "summer"}',
    "Final Answer: 60",
)
BAD = (
    "",
    "I'm sorry, I can't help with that.",
    '{"templates": ["Price in [sea',
    '{"infills": {"season": ["low"]}}',
    '{"score": NaN, "reason": null}',
    '{"score": 1e999, "reason": ""}',
    "[" * 5_000,
    "\x1b[2J\u202e\ud800",
    "Action: invented\nAction Input: {}",
    'Action: price\nAction Input: {"season": ["low", {"deep": null}]}',
    "Action: price\nAction Input: no object",
    "Final Answer:",
    '{"templates": []}',
    '{"templates": ["[a]", "x [0]", "", "no mask"]}',
    '{"infills": [{"mask": "season", "ways": ["season", "", "[x]", "low", "low"]}]}',
)
REQUESTS = (
    (),
    (ToolCallRequest(name="price", arguments={"season": "low"}, call_id="1"),),
    (ToolCallRequest(name="invented", arguments={}, call_id="1"),),
    (ToolCallRequest(name="price", arguments="{cut", call_id=None),) * 12,
)
ANSWERS = st.one_of(
    st.tuples(st.just("stop"), st.none(), st.just(()), st.sampled_from(GOOD)),
    st.tuples(st.just("stop"), st.none(), st.just(()), st.sampled_from(GOOD)),
    st.tuples(
        st.sampled_from(["stop", "length", "content_filter", "tool_calls", "?"]),
        st.sampled_from([None, "no"]),
        st.sampled_from(REQUESTS),
        st.one_of(st.sampled_from(BAD), st.text(max_size=30)),
    ),
    st.sampled_from([ModelRateLimitError("429"), ModelTimeoutError("late")]),
)


def campaign_of(model: Hostile, style: Any, **config: Any) -> tuple[DocumentationCampaign, Ledger]:
    """The search of one tool with this model in every part."""
    search = DocumentationSearch(config=FuzzConfig(sets=3, prompts=2, **config), humanise=True)
    ledger = Ledger(search.config)
    steps = Steps(ledger)
    tool = Price()
    cascade = Cascade(
        TOOL,
        name="price",
        experiments=Again(),
        oracle=ModelOracle(model),
        steps=steps,
        budget=ledger,
    )
    searched = ToolSearch(
        TOOL,
        [tool],  # pyright: ignore[reportArgumentType] - what the search uses of one
        search,
        agent=ModelAgent(model, style=style, max_steps=3),
        writer=PromptWriter(model, PromptFiles()),
        cascade=cascade,
        steps=steps,
        ledger=ledger,
    )
    for _ in searched.run():
        pass
    campaign = searched.conclude(agent="a", writer="w", oracle="o", versions={}, confinement=())
    return campaign, ledger


@settings(max_examples=120, deadline=None)
@given(answers=st.lists(ANSWERS, max_size=60), style=st.sampled_from(["react", "tool-calling"]))
def test_a_hostile_model_ends_in_a_report_in_which_all_is_charged(
    answers: list[Any], style: Any
) -> None:
    model = Hostile(answers)
    campaign, _ = campaign_of(model, style)
    assert campaign.spent.tokens == model.tokens
    assert sum(stage.tokens for stage in campaign.stages) == model.tokens
    assert campaign.faults or campaign.silence
    lines = "\n".join(line for line, _ in documentation_lines(campaign))
    assert not {"\x1b", "\u202e", "\ud800"} & set(lines)
    for result in campaign.sets:
        texts = [prompt.text for prompt in result.set.prompts]
        assert len(set(texts)) == len(texts) >= 2
        assert not any("[" in text for text in texts)


@settings(max_examples=60, deadline=None)
@given(answers=st.lists(ANSWERS, min_size=20, max_size=60), limit=st.integers(1, 200))
def test_no_model_call_follows_one_that_used_the_budget_up(answers: list[Any], limit: int) -> None:
    model = Hostile(answers)
    campaign, _ = campaign_of(model, "react", max_tokens=limit)
    assert model.tokens < limit + 15
    assert campaign.spent.tokens == model.tokens


def test_the_hostile_model_can_also_be_right() -> None:
    templates, infills, answer, _, rating, requests, low, summer, final = (
        ("stop", None, (), text) for text in GOOD
    )
    runs = [low, final, summer, final]
    model = Hostile([templates, templates, infills, requests, *runs, answer, answer, rating])
    campaign, _ = campaign_of(model, "react")
    assert campaign.faults[0].lack.text.startswith("The documentation does not say the form of")
    assert campaign.stopped == "no key"


def test_failures_in_a_row_end_the_search() -> None:
    model = Hostile([ModelRateLimitError("429: slow down")] * 50)
    campaign, _ = campaign_of(model, "react")
    assert model.calls <= 3
    assert "no usable prompt set was written" in campaign.silence


# --- asked before --------------------------------------------------------------------------------


class Counting:
    """A model that counts."""

    name = "counting"

    def __init__(self) -> None:
        self.calls = 0

    async def complete(self, messages: Any, *, tools: Any = None, schema: Any = None) -> Completion:
        self.calls += 1
        text = f"Final Answer: {self.calls}"
        return Completion(
            message=ChatMessage(role="assistant", content=text),
            finish_reason="stop",
            usage=Usage(input_tokens=10, output_tokens=5, cost_usd=1.0),
            model="counting",
        )


@pytest.mark.parametrize(
    ("temperature", "calls", "repeated"), [(0.0, 2, 2), (0.7, 4, 0), (None, 4, 0)]
)
def test_identical_calls_are_answered_once_where_that_is_honest(
    temperature: float | None, calls: int, repeated: int
) -> None:
    counting = Counting()
    memory = AnswerMemory()
    model: ChatModel = RememberingModel(counting, memory, role="agent", temperature=temperature)  # pyright: ignore[reportArgumentType]
    again = set_of("Say [x]", x=["a", "b"])
    search = DocumentationSearch(prompt_sets={"shout": (again, again)})
    *_, finished = fuzz_documentation(
        f"{TOOLS}:shout",
        agent=ModelAgent(model),
        writer=RuleChat(),
        oracle=None,
        search=search,
        memory=memory,
    )
    assert isinstance(finished, DocumentationFinished)
    campaign = finished.campaign
    assert counting.calls == calls
    (agent,) = (stage for stage in campaign.stages if stage.stage == "agent")
    assert (agent.model_calls, agent.repeated) == (calls, repeated)
    assert (agent.tokens, agent.usd) == (15 * calls, float(calls))
    assert campaign.spent.model_calls == calls


def test_what_was_answered_before_a_kill_is_not_asked_after_it(tmp_path: Path) -> None:
    counting, again = Counting(), set_of("Say [x]", x=["a", "b"])

    def events(*, resume: bool) -> Any:
        memory = AnswerMemory()
        model: Any = RememberingModel(counting, memory, role="agent", temperature=0.0)
        return fuzz_documentation(
            f"{TOOLS}:shout",
            agent=ModelAgent(model),
            writer=RuleChat(),
            oracle=None,
            search=DocumentationSearch(prompt_sets={"shout": (again, again)}),
            journals=Journals(tmp_path, resume=resume),
            memory=memory,
        )

    killed = events(resume=False)
    for event in killed:
        if isinstance(event, SetJudged):
            break
    killed.close()
    *_, finished = events(resume=True)
    assert counting.calls == 2
    (agent,) = (stage for stage in finished.campaign.stages if stage.stage == "agent")
    assert (agent.model_calls, agent.repeated, agent.tokens) == (2, 2, 30)

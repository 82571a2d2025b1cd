"""The paper's baselines: requests that should go wrong, and their own judge."""

from __future__ import annotations

import re
from typing import Any

from documentation_support import TOOLS, RuleChat, ScriptedAgent

from knitbone.config import FuzzConfig
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json
from knitbone_evals.fuzz_docs.paper_baselines import BaselineCampaign, fuzz_baseline
from knitbone_evals.fuzz_docs.source_code import source_of

REQUESTS: list[Json] = [
    "Price of 3 nights in summer?",
    "price of 3 nights in summer",
    '"a" * 1000',
    "Price of 3 nights in low?",
    "Price of 3 nights in spring?",
]


def baseline(writer: RuleChat, **settings: Any) -> BaselineCampaign:
    def calls(query: str) -> list[dict[str, Any]]:
        season = re.sub(r".* in (\w+)\?", r"\1", query)
        return [{"nights": 3, "season": season}]

    settings = {"kind": "gray box", "count": 3, "config": FuzzConfig()} | settings
    (campaign,) = fuzz_baseline(
        f"{TOOLS}:lodge_price", agent=ScriptedAgent(calls), writer=writer, **settings
    )
    return campaign


def test_requests_that_should_break_the_tool_are_tried_and_failures_grouped() -> None:
    writer = RuleChat(baseline_crash={"requests": REQUESTS})
    campaign = baseline(writer, technique="runtime")
    assert [each.run.query for each in campaign.runs] == [REQUESTS[0], REQUESTS[3], REQUESTS[4]]
    assert (campaign.degenerate, campaign.repeated) == (1, 1)
    # A ValueError that the tool raises on purpose is no failure, as in knitbone fuzz.
    assert campaign.unique_failures == {}


def test_answers_are_judged_without_an_expectation() -> None:
    writer = RuleChat(baseline_wrong={"requests": REQUESTS})
    judging = RuleChat(
        baseline_judge=lambda material: {
            "reason": "by rule", "correct": "Error" not in material["answer"]
        }
    )  # fmt: skip
    campaign = baseline(writer, technique="correctness", judging=judging)
    assert [each.wrong for each in campaign.runs] == [True, False, True]
    assert len(campaign.flagged) == 2
    assert [stage.stage for stage in campaign.stages] == ["requests", "agent", "judge"]
    assert campaign.spent.model_calls == 4


def test_the_white_box_is_shown_the_source() -> None:
    told: list[dict[str, Any]] = []

    def requests(material: dict[str, Any]) -> dict[str, Any]:
        told.append(material)
        return {"requests": REQUESTS[:1]}

    for kind in ("gray box", "white box"):
        baseline(RuleChat(baseline_crash=requests), technique="runtime", kind=kind, count=1)
    assert "source" not in told[0]
    assert 'prices = {"low": 60, "high": 110}' in told[1]["source"]
    assert "def day_of" not in told[1]["source"]


def test_a_tool_elsewhere_has_no_source() -> None:
    tool = ToolUnderTest(name="t", target="mcp:http:x", documentation="", schema={})
    assert source_of(tool) == ""


def test_a_writer_that_repeats_itself_is_not_asked_for_ever() -> None:
    writer = RuleChat(baseline_crash={"requests": REQUESTS[:1]})
    campaign = baseline(writer, technique="runtime", count=50)
    assert len(campaign.runs) == 1
    assert writer.asked == ["baseline_crash"] * 2


def test_a_baseline_keeps_its_budget() -> None:
    writer = RuleChat(baseline_crash={"requests": REQUESTS})
    campaign = baseline(writer, technique="runtime", config=FuzzConfig(max_tokens=1))
    assert campaign.runs == ()
    assert campaign.stopped is not None
    assert campaign.spent.model_calls == 1

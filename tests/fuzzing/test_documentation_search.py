"""The whole search in the sandbox, with given prompt sets and scripted agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from documentation_support import (
    TOOLS,
    RuleChat,
    ScriptedAgent,
    SureOracle,
    searched,
    set_of,
)

from knitbone.config import FuzzConfig
from knitbone.errors import InputFormatError
from knitbone.fuzzing.documentation.engine import DocumentationSearch, fuzz_documentation
from knitbone.fuzzing.documentation.faults import as_campaign, is_faulty
from knitbone.fuzzing.documentation.records import (
    REFUSED_ALIKE,
    DocumentationCampaign,
    DocumentationFinished,
    PromptRunFinished,
    SetJudged,
)
from knitbone.fuzzing.journal import Journals
from knitbone.report.documentation import documentation_lines
from knitbone.report.fuzz import campaign_lines
from knitbone.report.fuzz_html import fuzz_page

SEASONS = set_of("Price of 3 nights in [season]?", season=["low season", "summer", "high season"])


def season_of(query: str) -> list[dict[str, Any]]:
    """Writes a season as the request does, but for its last word."""
    said = query.removesuffix("?").rpartition(" in ")[2]
    return [{"nights": 3, "season": said.removesuffix(" season")}]


def last_word(argument: str, **more: Any) -> Any:
    """An agent that puts the last word of a request into an argument."""
    return lambda query: [{argument: query.removesuffix("?").rpartition(" ")[2], **more}]


def text_of(campaign: DocumentationCampaign) -> str:
    return "\n".join(line for line, _ in documentation_lines(campaign))


def test_a_documentation_that_does_not_say_a_form_is_found() -> None:
    campaign = searched("lodge_price", [SEASONS], season_of)
    (fault,) = campaign.faults
    assert fault.lack.kind == "form"
    assert fault.lack.text == (
        'The documentation does not say the form of `season`: "low" and "high" worked, "summer" '
        "failed (unknown season 'summer')."
    )
    assert [form.value for form in fault.varies[0].forms if form.worked] == ["low", "high"]
    assert [bucket.prompts for bucket in fault.buckets] == [(0,), (1,), (2,)]
    assert campaign.silence == ""
    finding = fault.finding
    assert (finding.kind, finding.counts) == ("misleading", True)
    assert finding.arguments == {"nights": 3, "season": "summer"}


def test_existing_reports_show_a_misleading_documentation() -> None:
    campaign = searched("lodge_price", [SEASONS], season_of)
    shared = as_campaign(campaign)
    assert "misleading" in "\n".join(line for line, _ in campaign_lines(shared))
    assert "The documentation misleads an agent" in fuzz_page([shared]).replace(
        "the documentation", "The documentation"
    )
    assert "the form of `season`" in text_of(campaign)


def test_only_the_argument_that_is_to_blame_is_named() -> None:
    def calls(query: str) -> list[dict[str, Any]]:
        return [{**season_of(query)[0], "nights": 3 if "low" in query else 4}]

    campaign = searched("lodge_price", [SEASONS], calls)
    assert campaign.faults[0].lack.argument == "season"


def test_a_sound_documentation_says_nothing_but_why() -> None:
    shouted = set_of("Shout [word]", word=["hey", "Hey"])
    campaign = searched("shout", [shouted], lambda query: [{"word": "hey"}])
    assert campaign.faults == ()
    assert campaign.silence == "1 set with the same calls"
    assert "no fault was found: 1 set with the same calls" in text_of(campaign)
    assert campaign.sets[0].verdicts[-1].check == "input"


def test_other_calls_with_the_same_result_are_no_fault() -> None:
    shouted = set_of("Shout [word]", word=["hey", "Hey"])
    campaign = searched("shout", [shouted], last_word("word"))
    assert campaign.silence == "1 set with the same results"


def test_a_result_that_repeats_the_argument_is_the_same_result() -> None:
    guests = set_of("Welcome [name]", name=["ann", "Ann", "ANN"])
    oracle = SureOracle(wrong=lambda _: True)
    campaign = searched("greeting", [guests], last_word("name"), oracle=oracle)
    assert campaign.silence == "1 set with the same results"


def test_answers_that_were_expected_are_no_fault() -> None:
    oracle = SureOracle(wrong=lambda _: False)
    campaign = searched("lodge_price", [SEASONS], season_of, oracle=oracle)
    assert campaign.silence == "1 set with answers that were to be expected"
    assert len(oracle.rated) == 3


def test_a_form_that_the_documentation_names_accuses_nobody() -> None:
    oracle = SureOracle()
    campaign = searched("stated_price", [SEASONS], season_of, oracle=oracle)
    assert campaign.faults == ()
    assert '"low"' in campaign.sets[0].documented
    assert oracle.rated == []


def test_what_is_said_of_one_argument_excuses_no_other() -> None:
    def calls(query: str) -> list[dict[str, Any]]:
        season = season_of(query)[0]["season"]
        return [{"nights": "three" if season == "summer" else 3, "season": season}]

    campaign = searched("lodge_price", [SEASONS], calls)
    assert [each.argument for each in campaign.sets[0].varies] == ["season", "nights"]
    assert campaign.faults[0].lack.argument == "season"


def test_a_refused_form_is_told_before_a_run_without_a_call() -> None:
    def calls(query: str) -> list[dict[str, Any]]:
        return [] if "high" in query else season_of(query)

    oracle = SureOracle(wrong=lambda answer: "know" in answer or "rror" in answer)
    campaign = searched("lodge_price", [SEASONS], calls, oracle=oracle)
    assert campaign.faults[0].lack.kind == "form"


def test_a_tool_that_draws_lots_is_told_apart_before_the_oracle() -> None:
    players = set_of("Points of [player]?", player=["Ann", "Anne"])
    oracle = SureOracle(wrong=lambda _: True)
    campaign = searched("lottery", [players], last_word("player"), oracle=oracle)
    assert campaign.faults == ()
    assert campaign.sets[0].unstable
    assert campaign.silence == "1 set with results that differ for the same input"
    assert oracle.rated == []


def test_the_same_input_with_other_results_never_counts() -> None:
    players = set_of("Points of [player]?", player=["Ann", "Anne"])
    oracle = SureOracle(wrong=lambda _: True)
    campaign = searched(
        "lottery", [players], lambda _: [{"player": "Ann"}], oracle=oracle, exhaustive=True
    )
    assert campaign.sets[0].fails(("input",)) is False
    assert campaign.sets[0].fails(("output",)) is False
    assert campaign.sets[0].fails(("oracle",)) is True


def test_times_in_results_do_not_tell_calls_apart() -> None:
    places = set_of("Where is [place]?", place=["Vienna", "Wien"])
    campaign = searched("clock", [places], last_word("place"))
    assert campaign.silence == "1 set with the same results"


def test_forms_that_all_work_and_mean_other_things_are_found() -> None:
    days = set_of("Tide in Dover [day]?", day=["tomorrow", "demain"])

    def calls(query: str) -> list[dict[str, Any]]:
        return [{"harbour": "Dover", "when": query.removesuffix("?").rpartition(" ")[2]}]

    oracle = SureOracle(wrong=lambda answer: answer == "9:30")
    campaign = searched("tides", [days], calls, oracle=oracle)
    (fault,) = campaign.faults
    assert (fault.lack.kind, fault.lack.argument) == ("meaning", "when")
    assert '"tomorrow" and "demain" all work, with other results: 7:30 and 9:30' in fault.lack.text


def test_forms_that_all_fail_are_found() -> None:
    days = set_of("Day of [date]?", date=["2031-05-02", "2.5.2031"])
    campaign = searched("day_of", [days], last_word("date"))
    (fault,) = campaign.faults
    assert (fault.lack.kind, fault.lack.argument) == ("limits", "date")


def test_calls_of_another_tool_of_the_target_are_counted() -> None:
    """ToolFuzz, App. H.3: a prompt for one tool that makes the agent call another."""
    sets = {"shout": (set_of("Shout [season]", season=["low season", "high season"]),)}
    events = list(
        fuzz_documentation(
            f"{TOOLS}:PAIR",
            agent=ScriptedAgent(season_of),  # which calls the first of its tools
            writer=RuleChat(),
            oracle=SureOracle(),
            search=DocumentationSearch(prompt_sets=sets, together=True),
        )
    )
    finished = [event for event in events if isinstance(event, DocumentationFinished)]
    assert [event.campaign.tool.name for event in finished] == ["lodge_price", "shout"]
    campaign = finished[1].campaign
    assert campaign.runs == {
        "answered": 2, "without a call": 2, "with a call of another tool": 2,
    }  # fmt: skip
    assert [call.tool for call in campaign.sets[0].runs[0].calls] == ["lodge_price"]
    assert campaign.silence == "the agent called the tool for none of 2 prompts"
    assert campaign.offered == ("lodge_price", "shout")
    (other,) = campaign.others
    assert (other.tool, other.prompts, other.instead) == ("lodge_price", 2, 2)
    assert other.worked == sum(not run.calls[0].failure for run in campaign.sets[0].runs)
    assert other.queries == ("Shout low season", "Shout high season")
    assert "lodge_price was called for 2 of 2 prompts, for 2 of them in its" in text_of(campaign)
    assert finished[0].campaign.others == ()


def test_the_same_wrong_call_every_time_is_told() -> None:
    """The paper's cascade holds it for consistent; silence would be taken for good news."""
    campaign = searched("lodge_price", [SEASONS], lambda _: [{"nights": 3, "season": "summer"}])
    assert campaign.faults == ()
    assert "all of which the tool refused (unknown season 'summer'" in campaign.silence


def always_winter(_: str) -> list[dict[str, Any]]:
    return [{"nights": 3, "season": "winter"}]


def test_the_same_refused_call_every_time_is_found_by_a_rule_beside_the_cascade() -> None:
    campaign = searched("lodge_price", [SEASONS], always_winter, checks=REFUSED_ALIKE)
    (fault,) = campaign.faults
    assert fault.lack.text == (
        "The documentation does not say what the tool accepts: it refused "
        '{"nights": 3, "season": "winter"}, which all prompts became (unknown season \'winter\').'
    )
    assert fault.finding.message == "every call of 3 prompts that mean the same was refused"
    assert "does not say what the tool accepts" in text_of(campaign)
    assert campaign_lines(as_campaign(campaign))


@pytest.mark.parametrize(
    ("tool", "calls", "oracle", "why"),
    [
        # The documentation lists the seasons.
        ("stated_price", always_winter, SureOracle(), "the agent disregarded"),
        # That the tool refuses is what is to be expected.
        ("lodge_price", always_winter, SureOracle(wrong=lambda _: False), "to be expected"),
        ("lodge_price", season_of, SureOracle(), "not refused altogether (a call worked)"),
        ("lodge_price", lambda _: [], SureOracle(), "called the tool for none of 3 prompts"),
    ],
)
def test_refused_calls_alone_accuse_no_documentation(
    tool: str, calls: Any, oracle: SureOracle, why: str
) -> None:
    campaign = searched(tool, [SEASONS], calls, oracle=oracle, checks=REFUSED_ALIKE)
    assert campaign.faults == ()
    assert why in campaign.silence


def test_the_rule_beside_the_cascade_changes_nothing_in_it() -> None:
    for exhaustive in (False, True):
        campaign = searched("lodge_price", [SEASONS], always_winter, exhaustive=exhaustive)
        assert campaign.faults == ()
        assert campaign.sets[0].fails(REFUSED_ALIKE) is exhaustive


def test_an_agent_that_never_calls_is_told() -> None:
    campaign = searched("lodge_price", [SEASONS], lambda _: [])
    assert campaign.silence == "the agent called the tool for none of 3 prompts"
    assert campaign.runs == {"answered": 3, "without a call": 3}


def test_an_agent_that_sometimes_calls_shows_an_unsaid_purpose() -> None:
    def calls(query: str) -> list[dict[str, Any]]:
        return [] if "summer" in query else season_of("in low?")

    oracle = SureOracle(wrong=lambda answer: "know" in answer)
    campaign = searched("lodge_price", [SEASONS], calls, oracle=oracle)
    assert campaign.faults[0].lack.kind == "purpose"
    assert "1 of 3 prompts were answered without it" in campaign.faults[0].lack.text


def test_the_tool_that_is_taken_in_its_place_is_named() -> None:
    """A prompt that is answered by another tool is no call of this one, and says of which."""

    class Confused(ScriptedAgent):
        def work(self, query: str, tools: Any, *, budget: Any = None) -> Any:
            place = 1 if "summer" in query else 0
            return super().work(query, tools[place:], budget=budget)

    def calls(query: str) -> list[dict[str, Any]]:
        return [{"word": "summer"}] if "summer" in query else season_of(query)

    sets = {"lodge_price": (SEASONS,)}
    events = list(
        fuzz_documentation(
            f"{TOOLS}:PAIR",
            agent=Confused(calls),
            writer=RuleChat(),
            oracle=SureOracle(wrong=lambda answer: "SUMMER" in answer),
            search=DocumentationSearch(prompt_sets=sets, together=True),
        )
    )
    finished = [event for event in events if isinstance(event, DocumentationFinished)]
    (fault,) = finished[0].campaign.faults
    assert fault.lack.kind == "purpose"
    assert fault.lack.text.endswith("1 of 3 prompts were answered without it, by `shout`.")
    (other,) = finished[0].campaign.others
    assert (other.tool, other.prompts, other.instead, other.worked) == ("shout", 1, 1, 1)


def test_calls_that_all_runs_share_do_not_vary() -> None:
    def calls(query: str) -> list[dict[str, Any]]:
        return [{"nights": 9, "season": "low"}, *season_of(query)]

    campaign = searched("lodge_price", [SEASONS], calls)
    (varies,) = campaign.faults[0].varies
    assert varies.argument == "season"


def test_sets_that_lack_the_same_sentence_are_one_fault() -> None:
    other = set_of("What are 2 nights in [season]?", season=["winter", "high season"])
    campaign = searched("lodge_price", [other, SEASONS], season_of)
    (fault,) = campaign.faults
    assert len(fault.sets) == 2
    assert fault.finding.count == 2


def test_every_check_can_be_asked_alone_of_the_same_runs() -> None:
    campaign = searched("shout", [set_of("Shout [word]", word=["hey", "Hey"])],
                        last_word("word"), exhaustive=True)  # fmt: skip
    result = campaign.sets[0]
    assert [verdict.check for verdict in result.verdicts] == [
        "refused",
        "input",
        "output",
        "oracle",
    ]
    assert [result.fails((check,)) for check in ("input", "output", "oracle")] == [
        True, False, False,
    ]  # fmt: skip
    assert not is_faulty(result, ("input", "output"))


def test_two_checks_make_the_search_without_an_oracle() -> None:
    search = DocumentationSearch(
        prompt_sets={"lodge_price": (SEASONS,)}, checks=("input", "output")
    )
    events = fuzz_documentation(
        f"{TOOLS}:lodge_price",
        agent=ScriptedAgent(season_of),
        writer=RuleChat(),
        oracle=None,
        search=search,
    )
    *_, finished = events
    assert isinstance(finished, DocumentationFinished)
    assert len(finished.campaign.faults) == 1


# --- budgets, journal, repetitions ---------------------------------------------------------------


def ticking() -> Any:
    """A clock that goes on by a second whenever it is read."""
    now = [0.0]

    def read() -> float:
        now[0] += 1.0
        return now[0]

    return read


def written() -> RuleChat:
    """A writer of two templates whose infills differ from set to set."""

    def infills(material: dict[str, Any]) -> dict[str, Any]:
        used = len(material["used"].get("season", ()))
        ways = [["summer", "low season"], ["winter", "high season"]][bool(used)]
        return {"infills": [{"mask": "season", "thing": ways[0], "ways": ways}]}

    templates = ["Price of 3 nights in [season]?", "What are 3 nights in [season]?"]
    return RuleChat(templates={"templates": templates}, infills=infills)


class Killed(BaseException):
    """Nothing of ours catches it."""


def search_of(
    folder: Path | None, *, resume: bool = False, dies_at: int = 0, **config: Any
) -> tuple[DocumentationCampaign | None, ScriptedAgent, RuleChat]:
    """A search that is killed while the agent works on the given query (from 1)."""
    agent, writer = ScriptedAgent(season_of, tokens=100), written()

    def calls(query: str) -> Sequence[dict[str, Any]]:
        if len(agent.queries) == dies_at:
            raise Killed
        return season_of(query)

    agent.calls = calls
    events = fuzz_documentation(
        f"{TOOLS}:lodge_price",
        agent=agent,
        writer=writer,
        oracle=SureOracle(),
        search=DocumentationSearch(config=FuzzConfig(sets=2, prompts=2, time_s=9_999, **config)),
        journals=None if folder is None else Journals(folder, resume=resume),
        clock=ticking(),
    )
    try:
        *_, finished = events
    except Killed:
        return None, agent, writer
    assert isinstance(finished, DocumentationFinished)
    return finished.campaign, agent, writer


@pytest.mark.parametrize("dies_at", [1, 2, 4])
def test_a_killed_and_resumed_search_gives_the_same_report(tmp_path: Path, dies_at: int) -> None:
    whole, asked, _ = search_of(None)
    gone, before, first = search_of(tmp_path / "j", dies_at=dies_at)
    assert gone is None
    resumed, after, second = search_of(tmp_path / "j", resume=True)
    assert whole is not None
    assert whole.faults
    assert resumed == whole
    assert len(before.queries) - 1 + len(after.queries) == len(asked.queries)
    assert first.asked + second.asked == ["templates", "infills", "infills"]


def test_a_search_with_other_settings_is_not_resumed(tmp_path: Path) -> None:
    search_of(tmp_path, dies_at=2)
    with pytest.raises(InputFormatError, match="settings changed"):
        search_of(tmp_path, resume=True, normalise=("times",))


def test_runs_of_a_set_that_the_budget_cut_are_kept() -> None:
    campaign, agent, _ = search_of(None, max_tokens=150)
    assert campaign is not None
    assert len(agent.queries) == 1
    (result,) = campaign.sets
    assert [run.query for run in result.runs] == agent.queries
    assert result.verdicts == ()
    assert "1 set not judged any more" in campaign.silence


@pytest.mark.parametrize("limit", [1, 150, 250])
def test_a_hard_budget_stops_within_one_call(limit: int) -> None:
    campaign, agent, writer = search_of(None, max_tokens=limit)
    assert campaign is not None
    calls = len(agent.queries) + len(writer.asked)
    largest = 100
    assert limit <= campaign.spent.tokens < limit + largest
    assert campaign.spent.model_calls == calls
    assert campaign.stopped is not None
    assert f"of {limit} tokens are used" in campaign.stopped
    assert "stopped early" in text_of(campaign)


def test_stages_add_up_to_what_was_spent() -> None:
    campaign, _, _ = search_of(None)
    assert campaign is not None
    assert [stage.stage for stage in campaign.stages] == [
        "templates", "infills", "agent", "stability", "experiments", "expectation", "rating",
    ]  # fmt: skip
    for name in ("tokens", "model_calls"):
        total = sum(getattr(stage, name) for stage in campaign.stages)
        assert total == getattr(campaign.spent, name)
    assert all(stage.seconds > 0 for stage in campaign.stages)


def test_events_tell_what_happens_in_order() -> None:
    events = list(
        fuzz_documentation(
            f"{TOOLS}:lodge_price",
            agent=ScriptedAgent(season_of),
            writer=RuleChat(),
            oracle=SureOracle(),
            search=DocumentationSearch(prompt_sets={"lodge_price": (SEASONS,)}),
        )
    )
    kinds = [type(event).__name__ for event in events]
    assert kinds == [
        "DocumentationStarted", "SetWritten", *["PromptRunFinished"] * 3, "SetJudged",
        "DocumentationFinished",
    ]  # fmt: skip
    run, judged = events[2], events[5]
    assert isinstance(run, PromptRunFinished)
    assert isinstance(judged, SetJudged)
    assert judged.result.runs[0] == run.run


def test_an_agent_that_raises_is_counted() -> None:
    def calls(query: str) -> list[dict[str, Any]]:
        if "summer" in query:
            raise ValueError("no agent of ours")
        return season_of(query)

    campaign = searched("lodge_price", [SEASONS], calls)
    assert campaign.runs == {"answered": 2, "failed": 1}
    assert campaign.sets[0].runs[1].error == "ValueError: no agent of ours"


def test_secrets_reach_neither_report_nor_journal(tmp_path: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 5
    search = DocumentationSearch(prompt_sets={"shout": (set_of("Say [x]", x=["a", "b"]),)})
    journals = Journals(tmp_path)
    *_, finished = fuzz_documentation(
        f"{TOOLS}:shout",
        agent=ScriptedAgent(lambda query: [{"word": f"{query} {secret}"}]),
        writer=RuleChat(),
        oracle=SureOracle(),
        search=search,
        journals=journals,
    )
    told = msgspec.json.encode(finished) + b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert secret.encode() not in told
    assert secret.upper().encode() in told or b"redacted" in told.lower()

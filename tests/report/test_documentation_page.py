"""The page of ``knitbone fuzz-docs``: what is unsaid, which tools are confused, nothing escapes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from page_support import HOSTILE, Page
from test_fuzz_reports import TOOL

from knitbone.fuzzing.documentation.faults import faults_of
from knitbone.fuzzing.documentation.records import (
    ArgumentForm,
    ArgumentVariation,
    Bucket,
    CheckVerdict,
    DocumentationCampaign,
    Expectation,
    FilledPrompt,
    Lack,
    OtherToolUse,
    PromptRun,
    PromptSet,
    PromptTemplate,
    Rating,
    SetResult,
    StageCost,
    ToolUse,
)
from knitbone.report.documentation import cross_call_lines
from knitbone.report.documentation_html import documentation_page


def result(said: str = "") -> SetResult:
    """A faulty set; ``said`` stands wherever a tool, a model or a person could put it."""
    queries = (f"Seat two at noon {said}", f"Seat two at twelve {said}")
    prompts = tuple(FilledPrompt(text=query, infills={"time": query}) for query in queries)
    forms = (
        ArgumentForm(value=f"12:00{said}", prompts=(0,), worked=True),
        ArgumentForm(absent=True, prompts=(1,), worked=False, failure=said or "no time"),
    )
    verdicts = (
        CheckVerdict(
            check="input",
            failed=True,
            buckets=tuple(
                Bucket(kind="one call", text=f'{{"note": "{word}{said}"}}', prompts=(at,))
                for at, word in enumerate(("noon", "twelve"))
            ),
        ),
        CheckVerdict(check="output", failed=True),
        CheckVerdict(
            check="oracle",
            failed=True,
            expectation=Expectation(text=f"A table at noon {said}"),
            ratings=(Rating(score=2, reason=f"no table {said}", judge="m-oracle", prompts=(1,)),),
        ),
    )
    runs = tuple(
        PromptRun(
            prompt=at,
            query=query,
            calls=(ToolUse(tool="seat", arguments={"note": said}, output=said),),
            answer=said,
            stopped="answered",
        )
        for at, query in enumerate(queries)
    )
    return SetResult(
        set=PromptSet(
            id=f"s{said}",
            template=PromptTemplate(text="Seat two at [time]", masks=("time",)),
            prompts=prompts,
        ),
        runs=runs,
        verdicts=verdicts,
        varies=(ArgumentVariation(argument=f"note{said}", forms=forms),),
        lack=Lack(
            kind="form",
            argument=f"note{said}",
            text=f"The documentation does not say the form of `note`: {said}.",
        ),
    )


def searched(*results: SetResult, **changes: Any) -> DocumentationCampaign:
    """The search of one tool."""
    checks = ("input", "output", "oracle")
    base = DocumentationCampaign(
        tool=TOOL, seed=0, agent="react / m-agent", writer="m-writer", oracle="m-oracle",
        checks=checks, sets=results,
        faults=faults_of(results, TOOL, checks=checks, agent="react / m", command="knitbone x"),
        silence="" if results else "no usable prompt set was written", offered=("seat",),
        stages=(StageCost(stage="agent", model_calls=4, tokens=1_200),), confinement=("landlock",),
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


def confused(said: str = "") -> DocumentationCampaign:
    """A tool for whose prompts another one was called."""
    other = OtherToolUse(tool=f"ring{said}", prompts=2, instead=1, worked=2, queries=(said,))
    return searched(offered=("seat", f"ring{said}"), others=(other,))


def test_the_page_opens_with_what_is_unsaid_and_which_tools_are_confused() -> None:
    page = documentation_page([searched(), searched(result()), confused()])
    Page(page)
    assert page.index("The documentation does not say the form of `note`") < page.index("no usable")
    assert "Which tools are confused with which" in page
    assert "for 1 of them in its place" in page
    assert "2 of 10 by m-oracle" in page
    assert "left out" in page
    alone = documentation_page([searched(result())])
    assert "confused with" not in alone


def test_a_fault_of_the_baseline_is_no_news() -> None:
    campaign = searched(result())
    known = msgspec.structs.replace(campaign.faults[0].finding, known=True)
    fault = msgspec.structs.replace(campaign.faults[0], finding=known)
    page = documentation_page([msgspec.structs.replace(campaign, faults=(fault,))])
    assert "in the baseline" in page
    assert 'class="card failing"' not in page


def test_a_sentence_that_is_wrong_is_marked_where_it_stands() -> None:
    campaign = searched(result())
    (fault,) = campaign.faults
    wrong = msgspec.structs.replace(
        fault.finding.classification, sentence="Three parts, parted by ';'."
    )
    finding = msgspec.structs.replace(fault.finding, classification=wrong)
    fault = msgspec.structs.replace(fault, finding=finding)
    shown = Page(documentation_page([msgspec.structs.replace(campaign, faults=(fault,))]))
    assert shown.marked == ["Three parts, parted by ';'."]


@pytest.mark.parametrize("said", HOSTILE)
def test_what_tools_and_models_say_cannot_act_in_the_page(said: str) -> None:
    tool = msgspec.structs.replace(TOOL, name=said, documentation=said, target=said)
    page = documentation_page([searched(result(said), tool=tool), confused(said)])
    Page(page)
    assert "\x1b" not in page
    page.encode("utf-8")


def test_confused_tools_stand_in_one_table_the_most_first() -> None:
    few = confused()
    other = msgspec.structs.replace(few.others[0], tool="terminal", prompts=5, instead=5)
    many = msgspec.structs.replace(few, others=(other,), runs={"with a call of another tool": 5})
    many = msgspec.structs.replace(many, sets=(result(),))
    lines = [text for text, _ in cross_call_lines([few, many])]
    assert lines == [
        "Calls of other tools: for 5 of 2 prompts",
        "  written for  called    prompts  in its place  worked",
        "  seat         terminal        5             5       2",
        "  seat         ring            2             1       2",
    ]
    assert list(cross_call_lines([searched(result())])) == []

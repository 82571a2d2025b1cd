"""Reports of fuzzing: each format is well-formed, tells all, and shows nothing unescaped."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree as ET

import msgspec
import pytest
from page_support import Page
from sarif_support import problems

from knitbone.fuzzing.records import (
    AgentQuery,
    Attempt,
    Campaign,
    Classification,
    Estimate,
    Finding,
    FindingKind,
    Spent,
    StackFrame,
    ToolUnderTest,
)
from knitbone.report.fuzz import campaign_lines, figures, news, signature, totals_line
from knitbone.report.fuzz_html import fuzz_page
from knitbone.report.fuzz_junit import junit_xml
from knitbone.report.fuzz_rules import FUZZ_RULES, rule_name
from knitbone.report.fuzz_sarif import fuzz_sarif_log

TOOL = ToolUnderTest(
    name="seat",
    target="inn.tools:seat",
    documentation="Seat a party. Three parts, parted by ';'. The second is a number.",
    schema={
        "properties": {
            "note": {"type": "string"},
            "table": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "kind": {"enum": ["a"]},
            "who": {"$ref": "#/$defs/Guest"},
        },
        "required": ["note"],
    },
    roots=("/inn/tools.py",),
)
FRAME = StackFrame(file="/inn/tools.py", line=31, source="60 // guests", function="seat")


def finding(number: int = 1, **changes: object) -> Finding:
    base = Finding(
        id=f"{number:010x}", fingerprint=f"{number:016x}", kind="raised",
        exception="ZeroDivisionError", frame=FRAME, message="division by zero",
        arguments={"note": "Ann;0;in"}, call=17 * number, count=3,
        reproducer="knitbone fuzz inn.tools:seat --replay '{}'",
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


FINDINGS = (
    finding(
        classification=Classification(verdict="under-specified", lack="range of the second part"),
        query=AgentQuery(text="Seat Ann and nobody", runs=2, reproduced=1, steps=("called seat",)),
    ),
    finding(2, kind="returned", exception=None, frame=None, message="Error: full", known=True),
    finding(
        3,
        message="bad note",
        classification=Classification(verdict="documented", sentence="Three parts, parted by ';'."),
    ),
    finding(4, kind="hang", exception=None, replays=False, frame=None, message="no answer"),
    finding(5, message="late", replays=None, arguments={"note": "a" * 5_000}),
)


def campaign(*findings: Finding, **changes: object) -> Campaign:
    base = Campaign(
        tool=TOOL, seed=3, calls=200, findings=findings, rejected=4, denied=2,
        minimisation_calls=9, chao1=Estimate(value=4, low=4, high=7.5),
        behaviours=('split on ";" into 3',), confinement=("landlock 7",),
    )  # fmt: skip
    return msgspec.structs.replace(base, **changes)


def text_of(shown: Campaign) -> str:
    return "\n".join(line for line, _ in campaign_lines(shown))


def test_the_terminal_tells_what_where_why_and_how_to_repeat_it() -> None:
    text = text_of(campaign(*FINDINGS))
    assert text.startswith("seat(note: str, table: int | None?, kind: enum?, who: Guest?)    200 ")
    assert 'learned   split on ";" into 3' in text
    assert "raised ZeroDivisionError  tools.py:31  60 // guests" in text
    assert "under-specified: range of the second part" in text
    assert '"Seat Ann and nobody"  (1 of 2 agent runs fail)' in text
    assert "did not replay in a fresh process" in text
    assert "the time was used up" in text
    assert "(5000 characters)" in text
    assert "1 known from the baseline" in text
    assert "Error: full" not in text
    assert "refused   1 way, on purpose, not counted, 1 announced by the documentation" in text
    assert len(text) < 4_000


def test_what_is_known_or_documented_is_no_news() -> None:
    assert [f.id[-1] for f in news(campaign(*FINDINGS))] == ["1", "4", "5"]
    line = figures(campaign(*FINDINGS))
    assert line.startswith(
        "4 unique failures: 3 raised or worse, 1 returned as text    one in 50 calls"
    )
    assert line.endswith("in all: about 4 (between 4 and 7), judged by how often each came")
    both = [campaign(*FINDINGS), campaign()]
    assert totals_line(both) == "2 tools, 400 calls: 3 unique failures, 1 tool has none"


def test_what_models_consumed_is_told_where_one_was_asked() -> None:
    spent = Spent(tokens=26_000, usd=0.12, model_calls=9, over=("26,000 of 25,000 tokens",))
    shown = campaign(*FINDINGS, spent=spent, tool_level="3 refused by the sanity check")
    text = text_of(shown)
    assert "9 calls, 26,000 tokens, 0.1200 USD; over the soft budget: 26,000 of 25,000" in text
    assert "3 refused by the sanity check" in text
    alone = campaign(*FINDINGS, tool_level="no model is configured")
    assert "models" not in text_of(alone)


@pytest.mark.parametrize(
    "schema", [{}, {"properties": 3, "required": "x"}, {"properties": {"a": 1}}]
)
def test_a_tool_may_describe_itself_badly(schema: dict[str, object]) -> None:
    assert signature(msgspec.structs.replace(TOOL, schema=schema)).startswith("seat(")


def test_the_sarif_log_has_the_structure_of_the_schema() -> None:
    log = json.loads(json.dumps(fuzz_sarif_log([campaign(*FINDINGS)], root=Path("/inn"))))
    assert problems(log, "log") == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(FINDINGS)
    for result, each in zip(run["results"], FINDINGS, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == rule_name(each.kind)
        assert result["partialFingerprints"] == {"knitbone/fuzz/v1": each.fingerprint}
        assert bool(result.get("suppressions")) == (each.known or each.is_documented)
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "tools.py", "uriBaseId": "PROJECT"}
        assert place["region"]["startLine"] == (31 if each.frame else 1)
    assert "[under-specified: range of the second part]" in run["results"][0]["message"]["text"]
    assert all(re.fullmatch(r"Tool[A-Z]\w*", rule["name"]) for rule in rules)


def test_junit_has_a_suite_for_each_tool_and_a_case_for_each_finding() -> None:
    root = ET.fromstring(junit_xml([(campaign(*FINDINGS), 1.25), (campaign(), 0.5)]))
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "6", "3")
    first, second = root.findall("testsuite")
    assert (first.get("name"), first.get("time"), first.get("skipped")) == (
        "inn.tools:seat", "1.250", "2",
    )  # fmt: skip
    cases = first.findall("testcase")
    assert len(cases) == len(FINDINGS)
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.get("type") == "ZeroDivisionError"
    assert "/inn/tools.py:31: 60 // guests" in (failure.text or "")
    assert [case.find("failure") for case in second.findall("testcase")] == [None]


def test_the_page_is_one_well_formed_file_that_loads_nothing() -> None:
    text = fuzz_page([campaign(), campaign(*FINDINGS)])
    page = Page(text)
    assert {"tool-0", "tool-1"} <= set(page.ids)
    for shown in (
        "The documentation leaves unsaid: range of the second part", "Seat Ann and nobody",
        "called seat",
        "<mark>Three parts, parted by &#39;;&#39;.</mark>", "200 calls without a failure",
        "about 4 (between 4 and 7)", "split on &#34;;&#34; into 3",
    ):  # fmt: skip
        assert shown in text


HOSTILE = (
    "</pre></code>\"'<script>alert(1)</script><!-- ]]> \x1b[2J \u202e \udc80 \ufffe \x00 {{7*7}}"
)


def test_what_a_tool_or_a_model_says_acts_in_no_report() -> None:
    frame = StackFrame(file=f"/inn/{HOSTILE}.py", line=1, source=HOSTILE, function=HOSTILE)
    hostile = finding(
        exception=HOSTILE, frame=frame, message=HOSTILE, reproducer=HOSTILE,
        arguments={HOSTILE: HOSTILE * 10, "deep": [{HOSTILE: HOSTILE}]},
        classification=Classification(
            verdict="ill-specified", sentence=HOSTILE, lack=HOSTILE, reason=HOSTILE
        ),
        query=AgentQuery(text=HOSTILE, steps=(HOSTILE,), model=HOSTILE),
    )  # fmt: skip
    tool = ToolUnderTest(
        name=HOSTILE, target=HOSTILE, documentation=f"a\n{HOSTILE}\nb",
        schema={"properties": {HOSTILE: {"type": HOSTILE}}}, roots=(HOSTILE,),
    )  # fmt: skip
    shown = campaign(
        hostile, tool=tool, behaviours=(HOSTILE,), stopped=HOSTILE, tool_level=HOSTILE,
        attempts=(Attempt(action="connect", object=HOSTILE),),
    )  # fmt: skip
    Page(fuzz_page([shown]))
    ET.fromstring(junit_xml([(shown, 0.0)]).encode("utf-8"))
    json.dumps(fuzz_sarif_log([shown], root=Path("/inn"))).encode("ascii")
    for text in (text_of(shown) + figures(shown), fuzz_page([shown])):
        text.encode("utf-8")
        assert not set(text) & {"\x1b", "\u202e", "\x00"}


@pytest.mark.parametrize("kind", get_args(FindingKind))
def test_every_kind_of_finding_has_a_rule(kind: FindingKind) -> None:
    rule = FUZZ_RULES[kind]
    assert not rule.title.endswith(".")
    assert rule.help.endswith(".")

"""Fences that code looks for with several expressions, and tags that it takes off."""

import re

import pytest
from use_trees import described, read

from knitbone.adaptation.requirements.reading.patterns import fence_tags

DOTALL = int(re.DOTALL)


@pytest.mark.parametrize(
    ("pattern", "tags"),
    [
        (r"```[\w\s]*python\n([\s\S]*?)```|```([\s\S]*?)```", ("python", "")),
        (r"```[Ss][Qq][Ll]\n(.*?)```", ("sql",)),
        (r"```[sq]\n(.*?)```", ("",)),
        (r"```(?:python|py)?(.*?)```", ("python", "py", "")),
        (r"```\w*\s*SELECT", ("",)),
    ],
)
def test_tags_of_an_expression(pattern, tags):
    assert fence_tags(pattern) == tags


def test_expressions_that_are_tried_in_turn_are_alternatives():
    found = read(
        [
            ("re.findall", r"```sql\n(.*?)```", DOTALL, {"line": 3}),
            ("re.findall", r"```(.*?)```", DOTALL, {"line": 7}),
        ]
    )
    assert [r.languages for r in found] == [("sql",), ("",)]
    assert [r.evidence.line for r in found] == [3, 7]
    assert {r.alternative for r in found} == {"app.py:3"}


def test_an_expression_after_a_test_is_one_requirement():
    uses = [("contains", "```bash"), ("re.findall", r"```bash(.*?)```", DOTALL)]
    assert len(read(uses)) == 1


@pytest.mark.parametrize(
    "polish",
    [
        ("re.sub", "^(python|py)", ""),
        (".strip", [("re.sub", r"^(?:python|py)\s*", "")]),
        (".removeprefix", "python", [(".removeprefix", "py")]),
    ],
)
def test_tags_that_are_taken_off_are_accepted(polish):
    uses = [(".split", "```", [("getitem", 1, [polish])])]
    assert described(uses) == ["fence: python or py or none"]


def test_other_words_that_are_replaced_are_no_tags():
    uses = [(".split", "```", [("getitem", 1, [("re.sub", "python", "")])])]
    assert described(uses) == ["fence: none"]


def test_a_match_that_is_only_asked_for_before_it_is_replaced_demands_nothing():
    asked = ("re.match", r"^`.*`$", [("truth",)])
    polished = ("re.sub", r"^`(.*)`$", r"\1", [("exec",)])
    assert described([asked, polished]) == ["Python"]
    kept = ("re.match", r"^`(.*)`$", [(".group", 1, [("exec",)])])
    assert described([kept, polished])[0] == 'one record: "`" <text> "`"'


def test_a_match_that_is_only_asked_for_is_unsure_unless_its_lack_raises():
    asked = ("re.match", r"^Answer: .*$", {"on_violation": "silent"}, [("truth",)])
    assert [r.confidence for r in read([asked])] == ["medium"]
    raising = ("re.match", r"^Answer: .*$", {"on_violation": "raises"}, [("truth",)])
    assert [r.confidence for r in read([raising])] == ["high"]

"""Headings: one form within an answer and over a session, and what may be meant and stays."""

import pytest
from lexical_helpers import judge

from knitbone import Session
from knitbone.adaptation.scenario.lexical.headings import find_headings, may_differ
from knitbone.adaptation.scenario.lexical.spans import protected_spans
from knitbone.adaptation.testing import Deadline

QUESTION = "What can we see in Porto?"
THREE = "## Morning\n\nGo up.\n\n{}\n\nGo on.\n\n## Evening\n\nGo down.\n"


def turns(*answers):
    session = Session(QUESTION)
    return [judge(answer, session=session).text for answer in answers]


@pytest.mark.parametrize(
    "form", ["Noon\n----", "## Noon ##", "## **Noon**", "##Noon", "Noon\r\n------"]
)
def test_one_heading_in_another_form_is_written_as_the_others(form):
    verdict = judge(THREE.format(form), QUESTION)
    assert verdict.text == THREE.format("## Noon")
    assert verdict.edits == 1


@pytest.mark.parametrize(
    "text",
    [
        THREE.format("**Noon**"),
        THREE.format("### Noon"),
        THREE.format("# Noon"),
        THREE.format("#noon"),
        THREE.format("##noon is a tag of ours, #two"),
        THREE.format("Go there at noon.\n---"),
        THREE.format("- noon\n---"),
        THREE.format("```\n##Noon\n```"),
        "---\ntitle: Porto\n---\n\n## Morning\n\n## Evening\n",
        "## **Morning**\n\nGo.\n\n## **Noon**\n\nEat.\n\n## Evening\n",
        "## Morning ##\n\nGo.\n\n## Noon ##\n\nEat.\n",
        "Morning\n-------\n\nGo.\n\nNoon\n----\n\n## Evening\n",
    ],
)
def test_what_may_be_meant_is_left_alone(text):
    verdict = judge(text, QUESTION)
    assert verdict.text is text
    assert verdict.disposition == "conforming"


def test_a_series_of_numbered_titles_has_one_form():
    text = "## 1. Up\n\nGo.\n\n**2. On**\n\nGo.\n\n## 3. Down\n\nGo.\n"
    assert judge(text, QUESTION).text == text.replace("**2. On**", "## 2. On")
    for meant in ("## 1. Up\n\n### 1.1 Here\n\n### 1.2 There\n", "## 10 reasons\n\n### 3 places\n"):
        assert judge(meant, QUESTION).text is meant


@pytest.mark.parametrize(
    ("first", "later", "wanted"),
    [
        ("## A\n\na\n\n## B\n\nb", "**C**\n\nc\n\n**D**\n\nd", "## C\n\nc\n\n## D\n\nd"),
        ("## A\n\na\n\n## B\n\nb", "### C\n\nc\n\n### D\n\nd", "## C\n\nc\n\n## D\n\nd"),
        ("**A**\n\na\n\n**B**\n\nb", "## C\n\nc\n\n## D\n\nd", "**C**\n\nc\n\n**D**\n\nd"),
    ],
)
def test_the_form_of_the_first_answer_holds_for_the_session(first, later, wanted):
    assert turns(first, later) == [first, wanted]
    assert turns(later) == [later]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("# Plan\n\n## A\n\na", "### C\n\nc\n\n### D\n\nd"),
        ("# Plan\n\na", "## C\n\nc\n\n## D\n\nd"),
        ("## A\n\na\n\n### B\n\nb", "### C\n\nc\n\n### D\n\nd"),
        ("## A\n\na\n\n## B\n\nb", "## C\n\nc\n\n**D**\n\nd"),
        ("## A\n\na\n\n## B\n\nb", "**Mind:**\nc\n\n**Also:**\nd"),
        ("## A\n\na\n\n## B\n\nb", "### C\n\nc"),
        ("## A\n\na\n\n## B\n\nb", "c\n**C**\nd\n**D**"),
    ],
)
def test_levels_of_their_own_are_left_alone(first, later):
    assert turns(first, later) == [first, later]


def test_a_user_who_speaks_of_the_layout_changes_it():
    session = Session(QUESTION)
    judge("## A\n\na\n\n## B\n\nb", session=session)
    later = "**C**\n\nc\n\n**D**\n\nd"
    session.hear("No headings with # please.")
    assert judge(later, session=session).text is later
    session.hear("And then?")
    assert judge(later, session=session).text is later


@pytest.mark.parametrize("text", ["#" * 90_000, "## " + "*" * 90_000, "## a " + " #" * 40_000])
def test_long_lines_of_marks_cost_no_more_than_their_length(text):
    deadline = Deadline(2)
    may_differ(text)
    find_headings(text, protected_spans(text), deadline)
    deadline.check()

"""Lines that one expression with several groups takes apart."""

# ruff: noqa: RUF001 - marks that models write
import re

import pytest
from positional_templates import CHORES, LOG, NUMBERED_READ, POINTS, judged, template_of

from knitbone.adaptation.repair.positional.line_patterns import read_pieces
from knitbone.adaptation.repair.positional.list_lines import reads_beyond_head
from knitbone.adaptation.repair.positional.slot_lines import prepare_slot_lines
from knitbone.adaptation.testing import UnreadablePattern


@pytest.mark.parametrize(
    "line",
    [
        "10:30 Ada: x (y): z",
        "10:30 - Ada: x (y): z",
        "(10:30) Ada: x (y): z",
        "**[10:30]** Ada: x (y): z",
        "- [10:30] Ada: x (y): z",
        "3. [10:30] Ada: x (y): z",
        "3) [10:30] Ada: x (y): z",
        "> [10:30] Ada: x (y): z",
        "[10:30] **Ada:** x (y): z",
        "[10:30] **Ada**: x (y): z",
        "[10:30] Ada - x (y): z",
        "[10:30]: Ada: x (y): z",
        "[10:30] - Ada: x (y): z",
        "[10:30]Ada: x (y): z",
        "[10:30] Ada：x (y): z",
    ],
)
def test_a_line_with_other_marks_is_written_as_the_code_reads_it(line):
    verdict = judged(LOG, f"The log:\n[09:00] Bo: in\n{line}")
    assert verdict.text == "The log:\n[09:00] Bo: in\n[10:30] Ada: x (y): z"


@pytest.mark.parametrize(
    "line",
    [
        "1. Buy bread (two) [high]",
        "1. Buy bread (two) - high",
        "1. Buy bread (two): high",
        "1. Buy bread (two) | High",
        "1. Buy bread (two) (HIGH)",
        "1. Buy bread (two) (**high**)",
        "1. Buy bread (two) **(high)**",
        "1. Buy bread (two) (Priority: high)",
        "1. Buy bread (two) (high).",
        "1. Buy bread (two)(high)",
        "1. Buy bread (two) (high)  ",
    ],
)
def test_marks_behind_the_text_of_a_list_are_written_too(line):
    answer = f"{line}\n2. Call - today (low)"
    assert judged(CHORES, answer).text == "1. Buy bread (two) (high)\n2. Call - today (low)"


def test_a_missing_zero_of_a_time_is_written():
    assert judged(LOG, "[8:05] Ada: x").text == "[08:05] Ada: x"


@pytest.mark.parametrize("content", ["1.5", "7-3"])
def test_no_zero_is_written_into_other_numbers(content):
    template = template_of(r"^\[(\d{2}[.-]\d{2})\] (\w+): (.+)$", re.MULTILINE)
    answer = f"[{content}] Ada: x"
    assert judged(template, answer).text is answer


@pytest.mark.parametrize(
    "line",
    [
        "[10:30] lights out",
        "[10:30] Ada-Marie: x",
        "[10:30] Ada's hat: x",
        "[10:30] **Ada - x**",
        "[10:30] Ada (x): y",
        "[10:30] Ada, x",
        "At [10:30] Ada - x",
        "Ada: x",
        "10:30 works for Ada: yes",
        "Total: 2 entries - all fine",
    ],
)
def test_another_line_is_left_as_it_is(line):
    answer = f"[09:00] Bo: in\n{line}"
    assert judged(LOG, answer).text is answer


@pytest.mark.parametrize(
    "line",
    [
        "3. Set the bar high",
        "3. Buy",
        "3. Buy (someday)",
        "3. Buy [high",
        "3. Buy (low) or (high) cost",
        "3. Buy - high or low",
        "**Legend** - high",
    ],
)
def test_what_may_be_content_behind_a_number_stays(line):
    answer = f"1. Call - today (low)\n2. Go (high)\n{line}"
    assert judged(CHORES, answer).text is answer


def test_a_record_that_lacks_a_part_is_reported():
    answer = "[09:00] Bo: in\n[10:30] lights out"
    verdict = judged(LOG, answer)
    assert verdict.disposition == "refused"
    assert "lights out" in verdict.reason


def test_names_and_numbers_count_only_where_all_lines_are_such():
    assert judged(POINTS, "Ada - 3\nBo: 4").text == "Ada: 3\nBo: 4"
    answer = "Ada: 3\nPages - 12\nThat is all of them."
    assert judged(POINTS, answer).text is answer


@pytest.mark.parametrize("answer", ["[10:00] Ada: said - no", "[10:00] Ada: **x** [11:00] Bo: y"])
def test_what_the_code_reads_is_the_same_object(answer):
    verdict = judged(LOG, answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    "pattern",
    [
        r"Task (\d+): (.+)",
        r"(\d+) (\w+)",
        r"(\d+):(?: (\w+))?",
        r"((\d+):(.+))",
        r"(.+): (.+)",
        r"(.+):(.+):(.+):(\d+)",
    ],
)
def test_an_expression_that_tells_too_little_has_no_such_check(pattern):
    assert prepare_slot_lines(template_of(pattern, re.MULTILINE)) is None


def test_a_stream_of_lines_waits_where_more_than_the_head_is_checked():
    assert reads_beyond_head(CHORES)
    assert reads_beyond_head(LOG)
    assert not reads_beyond_head(NUMBERED_READ)


def test_the_texts_of_a_group_are_found_however_they_are_factored():
    pattern = read_pieces(r"\[(test|task|x)\] (a|b): (.*)")
    assert [slot.options for slot in pattern.slots] == [("test", "task", "x"), ("a", "b"), ()]
    assert [gap.text for gap in pattern.gaps] == ["[", "] ", ": ", ""]


@pytest.mark.parametrize(
    "pattern", [r"(a)*", r"(\d+): ((?:a+)+)", r"(\d+)[a-z](\d+)", r"(?i)(\d+): (a)", r"(\d+)\b(a)"]
)
def test_other_patterns_are_not_taken_apart(pattern):
    with pytest.raises(UnreadablePattern):
        read_pieces(pattern)

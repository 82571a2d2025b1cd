"""A value within words: exactly one that the consumer accepts is delivered, nothing else."""

import re
import string

import pytest
from adaptation.positional_templates import judged, template_of
from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.text.wrappers.spans import (
    apart,
    bracketed,
    is_prose,
    paragraphs,
    phrases,
    shape_of,
)

ORDER = template_of(r"([A-Z])-(\d+)$", method="match")
MAIL = template_of(r"[\w.+-]+@[\w-]+\.[\w.]+", method="fullmatch")
PROSE = st.lists(
    st.sampled_from(["the", "order", "is", "late", "and", "it", "came", "from", "Rome,", "so."]),
    max_size=12,
).map(" ".join)
ORDERS = st.builds("{}-{}".format, st.sampled_from(string.ascii_uppercase), st.integers(0, 99_999))


@given(PROSE, ORDERS, PROSE, st.sampled_from(["{}", "**{}**", '"{}"', "`{}`", "({})", "{}."]))
def test_the_only_value_is_delivered_as_it_stands(before, order, behind, marks):
    answer = f"{before} {marks.format(order)} {behind}".strip()
    verdict = judged(ORDER, answer)
    if "and" in behind.split()[:1]:
        assert verdict.text in (order, answer)
    else:
        assert verdict.text == order


@given(PROSE, ORDERS, PROSE, ORDERS)
def test_two_values_that_read_differently_are_left(before, one, between, other):
    answer = f"{before} {one} {between} {other}"
    verdict = judged(ORDER, answer)
    assert verdict.text == (one if one == other and verdict.disposition == "repaired" else answer)


@given(
    PROSE,
    ORDERS,
    st.sampled_from(["not", "never", "maybe", "unless it is", "for example", "either", "or", "no"]),
)
def test_a_value_that_may_be_taken_back_is_left(before, order, word):
    for answer in (f"{before} {word} {order}", f"{order} {before} {word}"):
        assert judged(ORDER, answer).text == answer


@pytest.mark.parametrize(
    "answer",
    [
        "before A-17",
        "A-17 and onwards",
        "from A-17 to C-4",
        "It is A-17. Wait, that is wrong.",
        "Is it A-17?",
        "A-17x",
        "AA-17",
        "The orders A-17 and a-18.",
        "x" * 5_000 + " A-17",
        " ".join(["word"] * 300) + " A-17",
        "<think>A-17?</think>\nI do not know.",
    ],
)
def test_what_is_no_single_value_is_left(answer):
    assert judged(ORDER, answer).text is answer


def test_the_full_stop_of_a_sentence_is_no_part_of_a_value_that_may_hold_one():
    assert judged(MAIL, "Write to kim@example.org.").text == "kim@example.org"


def test_the_budget_ends_the_search():
    answer = " ".join(f"w{n}-x" for n in range(199)) + " A-17"
    with pytest.raises(TimeoutError):
        judged(ORDER, answer, budget_ms=0.001)


WORDS = st.text(alphabet=string.ascii_letters + string.digits + " .,:*`\"'()[]<>\n-", max_size=120)


@given(WORDS)
def test_no_phrase_begins_or_ends_within_a_number_or_a_word(text):
    for span in (*phrases(text), *apart(text)):
        assert 0 <= span.start < span.end <= len(text)
        assert not re.search(r"\w\Z", text[: span.start]) or not text[span.start].isalnum()
        assert not text[span.end :][:1].isalnum() or not text[span.end - 1].isalnum()


@given(WORDS)
def test_paragraphs_hold_every_line_that_is_not_blank(text):
    kept = "\n".join(text[s.start : s.end] for s in paragraphs(text))
    assert sorted(kept.split()) == sorted(text.split())


def test_paragraphs_end_at_blank_lines_fences_and_colons():
    text = "Here it is:\na,b\n\n```csv\nc,d\ne,f\n```\nDone."
    found = [text[s.start : s.end] for s in paragraphs(text)]
    assert found == ["Here it is:", "a,b", "c,d\ne,f", "Done."]


@pytest.mark.parametrize(
    "text", ["Here it is:", "I hope this helps!", "# Title", "**Table**", "Sure!"]
)
def test_a_sentence_or_a_heading_is_prose(text):
    assert is_prose(text)


@pytest.mark.parametrize("text", ["a,b", "name: Ben", "| a | b |", "3, 4", "nut 9", "Rome", "{a}."])
def test_a_record_is_no_prose(text):
    assert not is_prose(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x = ['a', \"]\"] ok", ["['a', \"]\"]"]),
        ("[1, [2]] and (3)", ["[1, [2]]", "(3)"]),
        ("<b>x</b>", ["<b>x</b>"]),
        ("none", []),
    ],
)
def test_the_outermost_brackets_are_parts(text, parts):
    assert [text[s.start : s.end] for s in bracketed(text)] == parts


def test_a_bracket_without_its_counterpart_is_an_empty_part():
    assert [tuple(s) for s in bracketed("[1, [2]")] == [(0, 0)]


def test_the_shape_of_a_text_is_its_marks():
    assert shape_of("ada.l@example.org 12:30") == "a.a@a.a 9:9"

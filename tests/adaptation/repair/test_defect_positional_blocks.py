"""Records in blocks: labelled lines between empty lines, or between rules."""

import msgspec
import pytest
from positional_templates import CARDS, LINE_BREAK, SLOT, judged, record_of

from knitbone.adaptation.testing import Step

RULED = msgspec.structs.replace(CARDS, steps=(Step("split", ("---",)), Step("splitlines")))
NAMED = record_of(
    "Word:", SLOT, LINE_BREAK, "Meaning:", SLOT, repeated=True, line_start=True,
    spans_lines=False, steps=(Step("split", ("\n\n",)), Step("splitlines")),
)  # fmt: skip
WANTED = "Q: x: y?\nA: b\n\nQ: c\nA: d. e"


@pytest.mark.parametrize(
    "answer",
    [
        "**Q:** x: y?\n**A:** b\n\n**Q:** c\n**A:** d. e",
        "**Q**: x: y?\n**A**: b\n\n**Q**: c\n**A**: d. e",
        "Q: x: y?\nA: b\n\nQ: c\n**A:** d. e",
        "q: x: y?\na: b\n\nq: c\na: d. e",
        "1. Q: x: y?\nA: b\n\n2. Q: c\nA: d. e",
        "Q: x: y?\nA: b\nQ: c\nA: d. e",
        "Q: x: y?\n\nA: b\n\nQ: c\n\nA: d. e",
        "Q: x: y? A: b\n\nQ: c A: d. e",
        "Q: x: y?\nA: b\n---\nQ: c\nA: d. e",
        "Q1: x: y?\nA1: b\n\nQ2: c\nA2: d. e",
        "Q. x: y?\nA. b\n\nQ. c\nA. d. e",
        "Question: x: y?\nAnswer: b\n\nQuestion: c\nAnswer: d. e",
        "**Question:** x: y?\n**Answer:** b\n\n**Question:** c\n**Answer:** d. e",
    ],
)
def test_every_block_becomes_one_record(answer):
    verdict = judged(CARDS, answer)
    assert verdict.text == WANTED
    assert verdict.edits >= 1
    assert judged(CARDS, WANTED).disposition == "conforming"


def test_the_separator_is_the_one_that_the_code_looks_for():
    verdict = judged(RULED, "Q: a\nA: b\n***\nQ: c\nA: d")
    assert [block.strip() for block in verdict.text.split("---")] == ["Q: a\nA: b", "Q: c\nA: d"]


def test_an_announcement_and_a_remark_stay_apart_from_the_records():
    verdict = judged(CARDS, "Here they are:\nQ: a\nA: b\nQ: c\nA: d\nGood luck!")
    assert verdict.text == "Here they are:\n\nQ: a\nA: b\n\nQ: c\nA: d\n\nGood luck!"


@pytest.mark.parametrize(
    "answer",
    [
        WANTED,
        "Here you go!\n\nQ: a\nA: b\n\nQ:c\nA:d\n\nGood luck!",
        "Q: what is Q: here?\nA: the A: comes later",
        "Q: **x** is y\nA: **z**",
        "I know no question: sorry.",
        "Pick a: one, or b: two.",
        "",
        "\n\n\n\n",
    ],
)
def test_what_the_code_reads_is_the_same_object(answer):
    verdict = judged(CARDS, answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    "answer",
    [
        "Q: a\nA: b\n\nQ: c",  # an answer is lost
        "Q1: a\nA1: b\n\nQ3: c\nA3: d",  # the numbers say something
        "Question: a\nAnswer: b\n\nQuiz: c\nAnswer: d",  # two words with one initial
        "Quebec: a\nQuito: b",
        "Q: a\nA: b\nA: c\n\nQ: d",
        "Word of warning.\nQ: a\nA: b\nQ: c\nA: d",
    ],
)
def test_what_is_not_clear_stays(answer):
    assert judged(CARDS, answer).text is answer


def test_words_are_no_initials_of_longer_labels():
    answer = "Wording: a\nMeanings: b"
    assert judged(NAMED, answer).text is answer


def test_a_block_that_lacks_a_part_is_not_passed_over_beside_repaired_ones():
    answer = "**Q:** a\n**A:** b\n\nQ: c"
    verdict = judged(CARDS, answer)
    assert verdict.text is answer
    assert "missing" in verdict.reason

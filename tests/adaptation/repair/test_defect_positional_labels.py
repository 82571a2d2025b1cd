"""Labelled records: identifiers clustered, re-ordered and aligned; slots byte-identical."""

# ruff: noqa: E501, RUF001 - answers of models as they are
import re

import msgspec
import pytest
from positional_templates import (
    ANSWER,
    CAST,
    EITHER_LABEL,
    HINT,
    KEEP,
    LANGCHAIN,
    PAIRS,
    QUOTE,
    REVIEW,
    SCORE,
    SLOT,
    STEP,
    STEP_UNREAD,
    TYPED,
    judged,
    record_of,
    template_of,
)

from knitbone.adaptation.testing import PromptMessage

GOOD_STEP = "Thought: a\nAction: b\nAction Input: c"


@pytest.mark.parametrize("template", [STEP, STEP_UNREAD], ids=["replayed", "derived"])
@pytest.mark.parametrize(
    "drifted",
    [
        "Action: b\nThought: a\nAction Input: c",
        "Action Input: c\nAction: b\nThought: a",
        "**Thought:** a\n**Action:** b\n**Action Input:** c",
        "**Thought**: a\n**Action**: b\n**Action Input**: c",
        "Thought: a Action: b Action Input: c",
        "Thought: a\nActoin: b\nAction Input: c",
        "thought: a\naction: b\naction input: c",
        "Thought: a\nACTION: b\nACTION INPUT: c",
        "Thought: a\nAction: b\nActionInput: c",
        "Thought: a\nAction: b\nAction_Input: c",
        "Thought - a\nAction - b\nAction Input - c",
        "Thought：a\nAction：b\nAction Input：c",
        "1. Thought: a\n2. Action: b\n3. Action Input: c",
        "- Thought: a\n- Action: b\n- Action Input: c",
        "> Thought: a\n> Action: b\n> Action Input: c",
        "## Thought\na\n## Action\nb\n## Action Input\nc",
        "Thought: a\nAction: b\nInput: c",
        "Thought:a\nAction:b\nAction Input:c",
    ],
)  # fmt: skip
def test_a_drifted_step_is_read_as_it_was_meant(template, drifted):
    verdict = judged(template, drifted)
    assert (verdict.disposition, verdict.text) == ("repaired", GOOD_STEP)
    assert verdict.rules
    assert verdict.edits >= 1


@pytest.mark.parametrize(
    ("template", "drifted", "repaired"),
    [
        (STEP, "I need it.\nAction: b\nAction Input: c", "Thought: I need it.\nAction: b\nAction Input: c"),
        (STEP, "Thought: a\n**Action**: b\nAction Input:", "Thought: a\nAction: b\nAction Input: "),
        (STEP, "Well.\nThought: a\nAction: b\naction input: c\nd", "Well.\nThought: a\nAction: b\nAction Input: c\nd"),
        (LANGCHAIN, "final answer: 42", "Final Answer: 42"),
        (LANGCHAIN, "**Final Answer:** 42", "Final Answer: 42"),
        (LANGCHAIN, "Thought: x\nAction: b\nActon Input: c", "Thought: x\nAction: b\nAction Input: c"),
        (LANGCHAIN, "Action Input: c\nAction: b", "Action: b\nAction Input: c"),
        (SCORE, "**Score**: 8", "Score: 8"),
        (SCORE, "Score: **8**/10", "Score: 8**/10"),
        (SCORE, "Score - 8", "Score: 8"),
        (SCORE, "Score 8", "Score: 8"),
        (SCORE, "Scoer: 8", "Score: 8"),
        (SCORE, "## Score\n8", "Score: 8"),
        (ANSWER, "**Answer:** 42", "Answer: 42"),
        (ANSWER, "ANSWER:\n42", "Answer: 42"),
        (ANSWER, "Anwser: 42\nmore", "Answer: 42\nmore"),
        (ANSWER, "**Answer: 42**", "Answer: 42"),
        (TYPED, "Score: **8**", "Score: 8"),
        (TYPED, "Score: exactly 8", "Score: 8"),
        (REVIEW, "Label: Positive\nConfidence: 70%", "Label: positive\nConfidence: 70"),
        (REVIEW, "Confidence: 70\nLabel: positive", "Label: positive\nConfidence: 70"),
        (REVIEW, "label: **positive**\nconfidence: 70", "Label: positive\nConfidence: 70"),
        (KEEP, "Keep: x", "KEEP: x"),
        (KEEP, "**KEEP:** x", "KEEP: x"),
        (KEEP, "Sure, here:\nKEEP: x", "KEEP: x"),
        (PAIRS, "Q: a\nA: b\n**Q:** c\n**A:** d", "Q: a\nA: b\nQ: c\nA: d"),
        (PAIRS, "Q: a\nA: b\n\nA: d\nQ: c", "Q: a\nA: b\n\nQ: c\nA: d"),
        (PAIRS, "q: a\na: b", "Q: a\nA: b"),
        (EITHER_LABEL, "**Fact:** a\n- Guess: b\nok", "Fact: a\nGuess: b\nok"),
        (EITHER_LABEL, "Fatc: a", "Fact: a"),
        (HINT, "**Hint:** a ## b", "Hint: a ## b"),
        (QUOTE, "So: <Quote>a</Quote>", "So: <quote>a</quote>"),
        (QUOTE, "< quote >a b</quote>.", "<quote>a b</quote>."),
        (QUOTE, "&lt;quote&gt;a&lt;/quote&gt;", "<quote>a</quote>"),
    ],
)  # fmt: skip
def test_other_records_are_reached_as_well(template, drifted, repaired):
    assert judged(template, drifted).text == repaired


def test_a_scale_behind_a_score_is_left_out_where_the_prompt_gives_it():
    answer = "Score: 8/10"
    assert judged(TYPED, answer).text is answer
    assert (
        judged(TYPED, answer, said=(PromptMessage(role="user", text="From 1 to 10"),)).text
        == "Score: 8"
    )


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (STEP, GOOD_STEP),
        (STEP, "Thought: a\n\nAction: b\n\nAction Input: c\n"),
        (STEP_UNREAD, 'Sure.\nThought: a\nAction: b\nAction Input: {"Action": 1}'),
        (LANGCHAIN, "Action 1: b\nAction 1 Input: c"),
        (LANGCHAIN, "Thought: x\nAction:b\nAction Input:c"),
        (SCORE, "The Score: 8/10"),
        (SCORE, "Score: 8.5"),
        (ANSWER, "x Answer: 42"),
        (ANSWER, "42"),
        (TYPED, "Score: 8"),
        (REVIEW, "Label: positive\nConfidence: 70"),
        (KEEP, "DROP: y"),
        (KEEP, "KEEP: x"),
        (PAIRS, "Q: a\nA: b\n\nbye"),
        (EITHER_LABEL, "Fact: a\nGuess: b\nNote: c"),
        (HINT, "Hint: a ## b"),
    ],
)
def test_what_the_consumer_reads_is_the_same_object(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    ("template", "answer", "reason"),
    [
        (STEP, "Thought: a\nAction: b", '"Action Input:" is missing'),
        (STEP, "Action Input: c", "is missing"),
        (STEP, "I cannot help with that.", "nothing in the answer is an identifier"),
        (STEP, "", "nothing in the answer is an identifier"),
        (STEP, '{\n  "thought": "a",\n  "action": "b"\n}', "nothing in the answer"),
        (
            STEP,
            "thought: a\nAction: b\nAction Input: c\nObservation: x\nThought: y",
            "another part",
        ),
        (STEP, "thought: a\naction: b\naction: d\naction input: c", "missing"),
        (STEP, "Here you go:\nAction: b\nAction Input: c", '"Thought:" is missing'),
        (LANGCHAIN, "Action: b\nAction Input: c\nFinal Answer: 3", "two alternatives"),
        (LANGCHAIN, "Answer: 42", "nothing in the answer"),
        (SCORE, "Score = 8.5", "a number would be cut"),
        (SCORE, "The score was great", "nothing in the answer"),
        (TYPED, "Score: about 8 or 9", "is not what the code takes"),
        (REVIEW, "Label: mixed\nConfidence: 70", "is not what the code takes"),
        (REVIEW, "Label: not positive\nConfidence: 70", "is not what the code takes"),
        (HINT, "Hint: a", "does not read them"),
        (QUOTE, "<quote>a", "is missing"),
        (KEEP, "DROP: it only says KEEP: x", "other text stands before"),
        (KEEP, "DROP: no\nKEEP: yes", "other text stands before"),
        (KEEP, "I doubt it.\nKEEP: yes", "other text stands before"),
        (EITHER_LABEL, "Hm", "nothing in the answer"),
    ],
)
def test_what_is_not_clear_is_refused_with_a_reason(template, answer, reason):
    verdict = judged(template, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer
    assert reason in verdict.reason


def test_a_name_that_is_near_two_identifiers_is_none_of_them():
    from positional_templates import SLOT, record_of

    both = record_of("Input:", SLOT, "Output:", SLOT, on_violation="raises")
    assert judged(both, "Intput: a\nOutput: b").text == "Input: a\nOutput: b"
    near = record_of("Case A:", SLOT, "Case B:", SLOT, on_violation="raises")
    assert judged(near, "Case C: a\nCase B: b").disposition == "refused"


def test_a_record_with_three_edits_is_not_this_template():
    answer = "### **Actoin Inptu**: c\n### **Actoin**: b\n### **Tought**: a"
    verdict = judged(STEP, answer)
    assert verdict.disposition == "refused"
    assert "edits, not this template" in verdict.reason


def test_each_record_is_counted_by_itself():
    answer = "\n".join(f"**q:** {n}\n**a:** {n}" for n in range(20))
    verdict = judged(PAIRS, answer)
    assert PAIRS.reader.read(verdict.text) == [(str(n), str(n)) for n in range(20)]
    assert verdict.edits >= 20


@pytest.mark.parametrize(
    ("heuristic", "answer"),
    [
        ("cluster", "Thought: a\nActoin: b\nAction Input: c"),
        ("reorder", "Action: b\nThought: a\nAction Input: c"),
        ("supply", "I need it.\nAction: b\nAction Input: c"),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, answer):
    assert judged(STEP, answer).disposition == "repaired"
    verdict = judged(STEP, answer, without=(f"positional.{heuristic}",))
    assert verdict.disposition == "refused"
    assert verdict.text is answer


def test_a_thought_that_was_not_said_is_not_made_up():
    answer = "Action: b\nAction Input: c"
    verdict = judged(STEP, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer


@pytest.mark.parametrize(
    "drifted",
    [
        "**Mira:** Where: here?\n**Tobin:** No - there.",
        "**Mira**: Where: here?\n**Tobin**: No - there.",
        "MIRA: Where: here?\nTOBIN: No - there.",
        "- Mira: Where: here?\n- Tobin: No - there.",
        "> Mira: Where: here?\n> Tobin: No - there.",
        "Mira: Where: here?\nTobni: No - there.",
        "Mira：Where: here?\nTobin：No - there.",
    ],
)
def test_one_of_a_few_names_begins_a_line(drifted):
    verdict = judged(CAST, drifted)
    assert verdict.disposition == "repaired"
    assert verdict.text == "Mira: Where: here?\nTobin: No - there."


@pytest.mark.parametrize(
    "text",
    [
        "Mira: Tobin: come!\nTobin: **Silence**",
        "Scene one: the cave\n\nMira:Hi\n\nThe end - for now.",
        "Ghost: Boo!\nMira: No",
        "Nobody speaks.",
    ],
)
def test_lines_of_the_cast_and_other_lines_stay(text):
    assert judged(CAST, text).text is text


def perhaps_titled():
    """``head.replace("Title:", "")`` before ``text.partition("Story:")``."""
    template = record_of("Title:", SLOT, "Story:", SLOT, on_violation="silent")
    optional = [msgspec.structs.replace(e, optional=True) for e in template.elements[:2]]
    return msgspec.structs.replace(template, elements=(*optional, *template.elements[2:]))


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("Title: Home\nStory: He went.", None),
        ("Home\nStory: He went.", None),
        ("Home\n\nStory: He went, his Title: none.", None),
        ("title: Home\nstory: He went.", "Title: Home\nStory: He went."),
        ("**Title:** Home\n**Story:** He went.", "Title: Home\nStory: He went."),
        ("Home\nstory: He went.", "Home\nStory: He went."),
    ],
)
def test_a_label_that_may_be_missing_is_aligned_only_where_the_answer_begins_with_it(
    answer, wanted
):
    verdict = judged(perhaps_titled(), answer)
    assert verdict.text == (wanted or answer)
    assert verdict.disposition == ("repaired" if wanted else "conforming")


PRICED = template_of(r"Price: ([\d.]+)", 0, "search")
PRICED = msgspec.structs.replace(
    PRICED,
    elements=tuple(
        msgspec.structs.replace(e, type="number") if e.kind == "slot" else e
        for e in PRICED.elements
    ),
)
COUNTED = template_of(r"Units: (\d+)", 0, "search")


@pytest.mark.parametrize(
    ("template", "drifted", "wanted"),
    [
        (PRICED, "Price: $0.05\nUnits: 3", "Price: 0.05\nUnits: 3"),
        (PRICED, "Price: €1,250.75\nIn all: 7", "Price: 1250.75\nIn all: 7"),
        (PRICED, "**Price:** $12\nUnits: 3", "Price: 12\nUnits: 3"),
        (COUNTED, "Units: 1,200 boxes", "Units: 1200 boxes"),
        (COUNTED, "Units: 12,345,678\nPrice: 2", "Units: 12345678\nPrice: 2"),
    ],
)
def test_a_number_is_written_as_the_code_reads_it_whatever_stands_on_other_lines(
    template, drifted, wanted
):
    assert judged(template, drifted).text == wanted


@pytest.mark.parametrize(
    "text", ["Units: 1,2 or 3", "Units: 1,20", "Units: 1,2345", "Units: 12, 5"]
)
def test_a_list_of_numbers_is_not_one_number(text):
    assert judged(COUNTED, text).text is text


def test_under_multiline_a_label_may_start_any_line():
    scored = template_of(r"^Score:\s*(\w+)", re.MULTILINE, "search")
    text = "It is good.\n**Score:** high\nBye"
    assert judged(scored, text).text == "It is good.\nScore: high\nBye"
    alone = template_of(r"Score:\s*(\w+)", 0, "match")
    assert judged(alone, text).disposition == "refused"


def test_an_expression_that_reads_one_line_is_replayed_inside_it():
    call = template_of(r"(fix|feat): (\w+)", 0, "fullmatch")
    inside = msgspec.structs.replace(call, reader=None, inside=call.reader)
    assert judged(inside, "`fix: parser`").text == "fix: parser"
    assert judged(inside, "fix: parser").disposition == "conforming"

"""Answers that are one value: constants, numbers, dates, slots between marks, lists."""

# ruff: noqa: RUF001 - the quotes and dashes that models write
import pytest
from positional_templates import (
    ADDRESS,
    APPROVED,
    COUNT,
    DASHES,
    DAY,
    FACT,
    FIELDS,
    HEADING,
    KIND,
    LIST,
    NO_ANSWER,
    PAGE,
    PRICE,
    SAFETY,
    TASK_LINES,
    TASK_NUMBERS,
    VAT,
    VERDICT,
    YES_NO,
    judged,
    record_of,
    words,
)

from knitbone.adaptation.testing import PromptMessage

LETTERS = record_of(words("a", "b", "c"))


@pytest.mark.parametrize(
    ("template", "answer", "repaired"),
    [
        (YES_NO, "Yes", "yes"),
        (YES_NO, "Yes.", "yes"),
        (YES_NO, '"no"', "no"),
        (YES_NO, "“No”", "no"),
        (YES_NO, "Answer: yes", "yes"),
        (YES_NO, "**Answer:** no", "no"),
        (YES_NO, "Yes, because it is", "yes"),
        (YES_NO, "The answer is no.", "no"),
        (YES_NO, "```\nyes\n```", "yes"),
        (YES_NO, "- yes", "yes"),
        (KIND, "Category: billing", "billing"),
        (KIND, "Category: billing\nReason: card", "billing"),
        (KIND, "The category is **billing**.", "billing"),
        (KIND, "This is billing.", "billing"),
        (KIND, "Billing (the card)", "billing"),
        (SAFETY, "safe", "SAFE"),
        (SAFETY, "Unsafe.", "UNSAFE"),
        (SAFETY, "SAFE\n\nThe text is fine", "SAFE"),
        (SAFETY, "Verdict: UNSAFE - it harms", "UNSAFE"),
        (NO_ANSWER, "No answer.", "NO_ANSWER"),
        (LETTERS, "(b)", "b"),
        (LETTERS, "b. Paris", "b"),
        (APPROVED, "Approved. Good", "APPROVED. Good"),
        (APPROVED, "**APPROVED**: good", "APPROVED: good"),
        (APPROVED, "Verdict: APPROVED, good", "APPROVED, good"),
        (PAGE, "x\n**PAGE**", "x\nPAGE"),
        (PAGE, "so PAGE.", "so PAGE"),
    ],
)
def test_an_answer_that_names_one_constant_is_that_constant(template, answer, repaired):
    verdict = judged(template, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (YES_NO, "Yes, no doubt"),
        (YES_NO, "I do not know"),
        (YES_NO, "yes or no"),
        (YES_NO, "Not yes"),
        (YES_NO, "Yes?"),
        (YES_NO, ""),
        (KIND, "This is a billing issue"),
        (KIND, "not billing"),
        (KIND, "The category is not billing"),
        (KIND, "the label is not technical but billing"),
        (KIND, "Category: billing\nReason: it is not technical"),
        (KIND, "It isn’t billing"),
        (KIND, "Please send the billing."),
        (SAFETY, "Not safe"),
        (SAFETY, "It is hard to say whether it is SAFE"),
        (LETTERS, "A cat"),
        (LETTERS, "Wrong answer: b"),
    ],
)
def test_doubt_is_refused(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (YES_NO, "yes"),
        (record_of(words("yes", "no"), ignore_case=True), "Yes"),
        (NO_ANSWER, "there is no answer"),
        (NO_ANSWER, "Paris"),
        (APPROVED, "APPROVED it"),
        (APPROVED, "REJECTED"),
        (APPROVED, "Not approved"),
        (PAGE, "SLEEP"),
        (PAGE, "x PAGE"),
        (COUNT, " 8\n"),
        (COUNT, "-5"),
        (PRICE, "1e3"),
        (DAY, "2024-05-06"),
        (ADDRESS, "db : 80"),
        (FACT, "k = v"),
        (LIST, "a, b"),
        (LIST, "a"),
        (LIST, "a; b"),
        (LIST, "a\nb"),
        (LIST, "He left; she stayed because of the rain that fell; nobody spoke"),
        (LIST, "a; b\nc; d"),
        (LIST, "- a"),
        (FIELDS, "http://x"),
        (VAT, "VAT DE 12"),
    ],
)
def test_what_the_code_takes_is_the_same_object(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    ("template", "answer", "repaired"),
    [
        (COUNT, "Score: 8", "8"),
        (COUNT, "twelve", "12"),
        (COUNT, "**Twenty-one**", "21"),
        (COUNT, "8.0", "8"),
        (COUNT, "1,234", "1234"),
        (COUNT, "−5", "-5"),
        (COUNT, "The answer is 8", "8"),
        (COUNT, "**8**", "8"),
        (PRICE, "8.5.", "8.5"),
        (PRICE, "Price: 1,234.50", "1234.50"),
        (DAY, "On 2024-05-06.", "2024-05-06"),
        (DAY, "6 May 2024", "2024-05-06"),
        (DAY, "May 6th, 2024", "2024-05-06"),
        (DAY, "2024/05/06", "2024-05-06"),
        (ADDRESS, "db：80", "db:80"),
        (ADDRESS, "db:80.", "db:80"),
        (ADDRESS, "(db:80)", "db:80"),
        (FACT, "k: v", "k=v"),
        (FACT, "k -> v", "k=v"),
        (VERDICT, "yes – x", "yes - x"),
        (LIST, "- a\n- b", "a, b"),
        (LIST, "boats; tides; the moon", "boats, tides, the moon"),
        (LIST, "boats\ntides\nthe moon\n", "boats, tides, the moon"),
        (LIST, "Here:\n1. a\n2. b", "a, b"),
        (LIST, "1. a 2. b 3. c", None),
        (FIELDS, "Label:x", "Label: x"),
        (FIELDS, "**Label:** x", "Label: x"),
        (FIELDS, "**Label**: x", None),
        (FIELDS, "Label - x", "Label: x"),
        (HEADING, "#T\n- a", "# T\n- a"),
        (HEADING, "**T**\n- a", "# T\n- a"),
        (TASK_LINES, "1. a\n2. b", "Task 1. a\nTask 2. b"),
        (TASK_LINES, "task 1. a\nTsak 2. b", "Task 1. a\nTask 2. b"),
        (TASK_LINES, "**Task 1.** a\n- Task 2. b", "Task 1. a\nTask 2. b"),
        (TASK_LINES, "**Task 1. a** b", "Task 1. **a** b"),
        (TASK_LINES, "**Task 1. a**\n**2. b**: c", "Task 1. a\n**2. b**: c"),
        (TASK_LINES, "Plan:\nStep 1: a\nStep 2: b\nDone.", "Plan:\nTask 1: a\nTask 2: b\nDone."),
        (TASK_NUMBERS, "Task 1: a\nTask 2: b", "Task 1. a\nTask 2. b"),
        (TASK_NUMBERS, "**Task 1.** a\n**Task 2.** b", "Task 1. a\nTask 2. b"),
        (DASHES, "* a\n* b", "- a\n- b"),
        (DASHES, "1. a\n2. b", "- a\n- b"),
        (VAT, "**VAT DE 12**", "VAT DE 12"),
        (VAT, "Here it is:\nVAT DE 12", "VAT DE 12"),
    ],
)
def test_a_value_is_freed_of_what_stands_around_it(template, answer, repaired):
    verdict = judged(template, answer)
    if repaired is None:
        assert verdict.text is answer
    else:
        assert (verdict.disposition, verdict.text) == ("repaired", repaired)


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        *((COUNT, text) for text in (
            "8.5", "8 stars", "30 minutes", "8 or 9", "twelve or so", "12/10", "less than 5",
            "3 to 4", "3-4", "5 million", "2024-05-06", "v2", "8 (out of 10)", "~8", "about 8",
            "8-", "not 8", "",
            "1,23", "5k", "8/10", "8 out of 10", "3/4", "1 234", "3 of them in 2 days",
        )),
        *((COUNT, text) for text in ("#1", "=3", "$5", "<5", "≈5", "§ 5", "5 | 6")),
        *((PRICE, text) for text in ("70%", "$19.99", "#1", "3.5/5", "1.234,5", "8,5", "~8")),
        (PRICE, "3.50 or 4"),
        *((DAY, text) for text in (
            "05/06/2024", "not 2024-05-06", "2024-05-06 or 2024-05-07", "May 2024", "2024-13-01",
            "31 February 2024",
        )),
        (ADDRESS, "http://db:80"),
        (ADDRESS, "the host db, port 80"),
        (FACT, "nothing"),
        (FACT, "The key: is a thing: no"),
        (VERDICT, "well-known thing"),
        (LIST, "1. a\n2. b\n3. "),
        (LIST, "- a, b\n- c"),
        (VAT, "VAT 12"),
        (HEADING, "T\n\n- a"),
        (VAT, "This is wrong.\nVAT DE 12"),
        (HEADING, "a # b"),
        (TASK_LINES, "Task 1. a\n3 apples are enough\n1. b"),
        (TASK_LINES, "5 people\nTasks are hard"),
        (TASK_NUMBERS, "Task 1. a\nTask 2. b"),
        (FIELDS, "Here:"),
        (FIELDS, "at 10:30"),
    ],
)  # fmt: skip
def test_nothing_is_guessed(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition in ("refused", "conforming")
    assert verdict.text is answer


def test_a_unit_is_understood_where_the_prompt_asked_for_it():
    asked = (PromptMessage(role="user", text="How many minutes does it take?"),)
    assert judged(COUNT, "30 minutes", said=asked).text == "30"
    assert judged(COUNT, "2 hours", said=asked).disposition == "refused"


@pytest.mark.parametrize(
    ("prompt", "answers"),
    [
        ("Rate it from 1 to 10.", {"8/10": "8", "8 out of 10": "8", "3/5": None, "11/10": None}),
        ("Give a score out of 5", {"3/5": "3", "3.5/5": None, "8/10": None}),
        ("Write Score: x/100", {"70/100": "70", "7/10": None}),
        ("Rate it (0-10)", {"8/10": "8"}),
        ("Out of 100 people, 10 came. The answer was 7/10.", {"7/10": None}),
        ("", {"8/10": None}),
    ],
)
def test_a_scale_is_left_out_where_the_prompt_gives_it(prompt, answers):
    said = (PromptMessage(role="user", text=prompt),)
    for answer, expected in answers.items():
        verdict = judged(COUNT, answer, said=said)
        assert verdict.text == (expected or answer), (prompt, answer)
    assert (
        judged(PRICE, "3.5/5", said=(PromptMessage(role="user", text="From 1 to 5"),)).text == "3.5"
    )


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("How many percent?", "85"),
        ("The share in %:", "85"),
        ("The percentage of women", "85"),
        ("How sure are you, between 0 and 1?", None),
        ("A probability (0.0-1.0), no percentage", None),
        ("Last year it was 70%, or 70 %. And now?", None),
        ("", None),
    ],
)
def test_a_percent_sign_is_left_out_where_percent_were_asked_for(prompt, expected):
    verdict = judged(PRICE, "85%", said=(PromptMessage(role="user", text=prompt),))
    assert verdict.text == (expected or "85%")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("What does it cost?", "12"),
        ("The price of the ticket:", "12"),
        ("How many $ are left?", "12"),
        ("How many guests?", "$12"),
        ("", "$12"),
    ],
)
def test_a_currency_sign_is_left_out_where_money_was_asked_for(prompt, expected):
    assert judged(COUNT, "$12", said=(PromptMessage(role="user", text=prompt),)).text == expected


@pytest.mark.parametrize(
    ("template", "answer", "heuristic"),
    [
        (YES_NO, "Yes.", "constants"),
        (COUNT, "The answer is 8", "values"),
        (FACT, "k: v", "delimiters"),
        (LIST, "- a\n- b", "items"),
        (VAT, "**VAT DE 12**", "frame"),
        (KIND, "billing.", "constants"),
    ],
)
def test_each_heuristic_can_be_switched_off(template, answer, heuristic):
    assert judged(template, answer).disposition == "repaired"
    without = (f"positional.{heuristic}", "positional.words")
    assert judged(template, answer, without=without).text is answer


VERDICTS = record_of(words("APPROVE", "REJECT"))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("APPROVED", "APPROVE"), ("**Rejected**", "REJECT"), ("Not approved", None), ("PROVED", None)],
)
def test_a_verdict_in_the_past_is_the_verdict(answer, expected):
    assert judged(VERDICTS, answer).text == (expected or answer)


def test_a_past_that_is_an_option_of_its_own_is_that_one():
    template = record_of(words("ADD", "ADDED"))
    assert judged(template, "added").text == "ADDED"
    assert judged(record_of(words("bat", "red")), "bated").disposition == "refused"

"""Named lines that become a dictionary: names are aligned, other lines go where none may stand."""

# ruff: noqa: RUF001 - answers of models as they are
import pytest
from positional_templates import CARD, TICKET, judged

GOOD = "Title: a: b\nDue Date: May"
GOOD_CARD = "name: Ada\nemail: a@b.c"


@pytest.mark.parametrize(
    "drifted",
    [
        "**Title:** a: b\n**Due Date:** May",
        "**Title**: a: b\n**Due Date**: May",
        "title: a: b\ndue date: May",
        "Title： a: b\nDue Date： May",
        "- Title: a: b\n- Due Date: May",
        "1. Title: a: b\n2. Due Date: May",
        "### Title\na: b\n### Due Date\nMay",
        "Title: a: b\nDue Dtae: May",
        "Title: a: b, Due Date: May",
        "Title: a: b\nDue_Date: May",
    ],
)
def test_a_drifted_name_is_the_one_that_the_code_looks_for(drifted):
    verdict = judged(TICKET, drifted)
    assert verdict.disposition == "repaired"
    assert verdict.text.strip().replace("\n\n", "\n") == GOOD


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Due Date: May\nTitle: a",
        "Sure.\n\nTitle: a\nMood: fine\nDue Date: - **b** -\nNote: x\n\nBye: now",
        "Title:a\nDue Date:b",
        "Title: a\nDue Date: Title: b",
        "Title: a\nDue Date: b\nNote: **Title:** c",
    ],
)
def test_what_the_code_reads_stays(text):
    assert judged(TICKET, text).text is text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Title: a", "missing"),
        ("title: a\ntitle: b\nDue Date: c", "more than once"),
        ("It is due in May.", "nothing in the answer"),
    ],
)
def test_what_is_not_told_is_refused(text, reason):
    verdict = judged(TICKET, text)
    assert (verdict.disposition, verdict.text) == ("refused", text)
    assert reason in verdict.reason


@pytest.mark.parametrize(
    "drifted",
    [
        "name: Ada\n\nemail: a@b.c",
        "Here is the contact:\n\nname: Ada\nemail: a@b.c",
        "name: Ada\nemail: a@b.c\n\nLet me know if you need anything else!",
        "```\nname: Ada\nemail: a@b.c\n```",
        "name:Ada\nemail:\ta@b.c",
        "name: Ada, email: a@b.c",
        "name = Ada\nemail = a@b.c",
        "full name: Ada\nemail: a@b.c",
        "name: Ada\nemail address: a@b.c",
    ],
)
def test_where_each_line_must_be_a_record_nothing_else_stands(drifted):
    verdict = judged(CARD, drifted)
    assert (verdict.disposition, verdict.text) == ("repaired", GOOD_CARD)


@pytest.mark.parametrize(
    "text", [GOOD_CARD, "\n  Email: a@b.c\nNAME: Ada\n", "name: Ada: B\nemail: -\nage: 3"]
)
def test_a_card_that_is_read_stays(text):
    assert judged(CARD, text).text is text


@pytest.mark.parametrize(
    "text",
    [
        "name: Ada\nof Bern\nemail: a@b.c",
        "I am not sure.\nname: Ada\nemail: a@b.c",
        "company name: ACME\nemail: a@b.c",
        "name: Ada\nemail: a@b.c\nNot checked yet.",
    ],
)
def test_a_line_that_says_something_is_not_left_out(text):
    verdict = judged(CARD, text)
    assert (verdict.disposition, verdict.text) == ("refused", text)

"""Answers of several lines: rows, sections, labelled lines, lists with a number missing."""

import msgspec
import pytest
from positional_templates import (
    INTEGER,
    MAIL,
    PARTS,
    RATED,
    ROWS,
    SECTIONS,
    SLOT,
    STEP,
    TASK_NUMBERS,
    judged,
    template_of,
)

from knitbone.adaptation.testing import (
    Element,
    PositionalTemplate,
    PromptMessage,
    Step,
    prepare_check,
)

COLUMNS = PromptMessage(role="system", text="One contact a line:\nname|city|budget in euros")
HEADINGS = PromptMessage(
    role="user", text="Use the sections '## Summary', '## Risks' and '## Next steps'."
)
NUMBERED = template_of(r"^\d+\. (.+)$", 8)
SURE_SECTIONS = msgspec.structs.replace(SECTIONS, confidence="high")
MAYBE_SECTIONS = msgspec.structs.replace(SECTIONS, confidence="medium")
PASSED_OVER = msgspec.structs.replace(ROWS, on_violation="silent", confidence="medium")
FIRST_MARK = msgspec.structs.replace(
    RATED, evidence=msgspec.structs.replace(RATED.evidence, expression='line.split(",", 1)')
)


@pytest.mark.parametrize(
    ("template", "answer", "repaired"),
    [
        (ROWS, "|Ann|Oslo|3|\n|Bob|Rome|4|", "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "Ann|Oslo|3|\nBob|Rome|4|", "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "| who | where | sum |\n|---|:-:|--:|\n| Ann | Oslo | 3 |", "Ann|Oslo|3"),
        (ROWS, "Ann;Oslo;3\nBob;Rome;4", "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "Ann\tOslo\t3", "Ann|Oslo|3"),
        (ROWS, "Ann|Oslo|3\nBob;Rome;4", "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "Here they are:\n\nAnn|Oslo|3", "Ann|Oslo|3"),
        (ROWS, "Ann|Oslo|3\n\nThese are all contacts.", "Ann|Oslo|3"),
        (ROWS, "```\nAnn|Oslo|3\n```", "Ann|Oslo|3"),
        (ROWS, "Ann|Oslo|3\n\nBob|Rome|4", "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "Ann|Oslo|**3**", "Ann|Oslo|3"),
        (ROWS, "**Ann**|Oslo|**3**\nBob|*Rome*|4", "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "| `Ann` | __Oslo__ | 3 |", "Ann|Oslo|3"),
        (ROWS, "| 2 * 3 | a_b_c | 3 |", "2 * 3|a_b_c|3"),
        (ROWS, "**Ann** and **Bob**;Oslo;3", "**Ann** and **Bob**|Oslo|3"),
        (RATED, "Ann;3\nBob;4", "Ann,3\nBob,4"),
        (RATED, "Ann: 3\nBob: 4", "Ann,3\nBob,4"),
        (PARTS, "Ann|3|Oslo", "Ann;3;Oslo"),
        (PARTS, "Ann, 3, Oslo", "Ann;3;Oslo"),
    ],
)
def test_rows_are_brought_to_the_cells_that_the_code_takes(template, answer, repaired):
    verdict = judged(template, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (ROWS, "Ann|Oslo|3\nBob|Rome|4"),
        (ROWS, "Ann||3"),
        (ROWS, "**Ann**|Oslo|3"),
        (ROWS, "Li; Wei|A, B|3"),
        (ROWS, "Ann | Oslo | 3"),
        (PASSED_OVER, "Hello\n\nAnn|Oslo|3\nBye, all; of you"),
        (PASSED_OVER, "Nobody was there."),
        (PASSED_OVER, "Ann|Oslo|3|more"),
        (msgspec.structs.replace(ROWS, skips_blank=True), "Ann|Oslo|3\n\nBob|Rome|4"),
        (PARTS, "Ann;3;Oslo"),
        (RATED, "Ann,3"),
    ],
)
def test_rows_that_the_code_reads_are_the_same_object(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is answer


@pytest.mark.parametrize(
    "answer",
    [
        "Ann|3\nBob|Rome|4",
        "Ann|Oslo|open\nBob|Rome|4",
        "Bob|Rome|4\nAnn|Oslo|open",
        "Ann|Oslo|in|3",
        "Ann|Oslo|3\n\nBut Bob may pay 4.",
        "Bob was not there.\nAnn|Oslo|3",
        "Ann|Oslo|3\nNote: paid\nBob|Rome|4",
    ],
)
def test_a_row_with_other_cells_is_left_as_it_is(answer):
    verdict = judged(ROWS, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer


def test_a_header_is_left_out_where_the_prompt_names_the_columns_so():
    answer = "name|city|budget\nAnn|Oslo|3"
    assert judged(ROWS, answer, said=[COLUMNS]).text == "Ann|Oslo|3"
    assert judged(ROWS, answer).disposition == "refused"
    assert judged(ROWS, "Ed|Graz|open\nAnn|Oslo|3", said=[COLUMNS]).disposition == "refused"


def test_further_marks_belong_to_the_last_cell_of_a_bounded_cut():
    letters = msgspec.structs.replace(
        FIRST_MARK, elements=(*FIRST_MARK.elements[:-1], FIRST_MARK.elements[0])
    )
    assert judged(letters, "Ann,likes a,b").disposition == "conforming"


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        ("### A\nx\n### B\ny", "## A\nx\n## B\ny"),
        ("# A\nx\n# B\ny", "## A\nx\n## B\ny"),
        ("# Title\n### A\nx\n### B\ny", "# Title\n## A\nx\n## B\ny"),
        ("**A**\nx\n\n**B:**\ny", "## A\nx\n\n## B\ny"),
        ("##A\nx\n##B\ny", "## A\nx\n## B\ny"),
        ("  ## A\nx\n  ## B\ny", "## A\nx\n## B\ny"),
        ("## A\nx\n##B\ny", "## A\nx\n## B\ny"),
        ("```markdown\n## A\nx\n```", "## A\nx"),
    ],
)
def test_headings_are_written_as_the_code_looks_for_them(answer, repaired):
    verdict = judged(SURE_SECTIONS, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)


@pytest.mark.parametrize(
    "answer",
    [
        "# Title\n\n## A\nx\n\n## B\ny",
        "## A\n### deeper\nx\n## B\n**bold**\n**also bold**",
        "## A\n```\n##no heading\n```\n## B",
        "## A\n#1 is best\n#!x",
        "## a:\nx\n## 1. b\ny",
    ],
)
def test_sections_that_the_code_finds_are_the_same_object(answer):
    verdict = judged(SURE_SECTIONS, answer)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is answer


def test_underlined_headings_lose_their_line():
    answer = "A\n===\nx\n\nB b\n---\ny\n\n---\nz"
    assert judged(SURE_SECTIONS, answer).text == "## A\nx\n\n## B b\ny\n\n---\nz"


@pytest.mark.parametrize("answer", ["It ends here.\n---\nSo it does.\n---\nx", "a\nb\n---\nc"])
def test_a_rule_below_a_sentence_makes_no_heading(answer):
    assert judged(SURE_SECTIONS, answer).disposition == "refused"


@pytest.mark.parametrize(
    "answer", ["Nothing.", "# A\n# B\n### c\n### d", "# A\nx\n### B\ny", "**A** is bold\nx"]
)
def test_which_lines_are_headings_must_be_clear(answer):
    assert judged(SURE_SECTIONS, answer).disposition == "refused"
    assert judged(MAYBE_SECTIONS, answer).disposition == "conforming"


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        ("## SUMMARY\na\n## Risks:\nb\n## 3. Next steps\nc",
         "## Summary\na\n## Risks\nb\n## Next steps\nc"),
        ("## Sumamry\na\n## Risks\nb\n## Next steps\nc",
         "## Summary\na\n## Risks\nb\n## Next steps\nc"),
        ("**Summary**\na\n**Risks**\nb\n**Next Steps**\nc",
         "## Summary\na\n## Risks\nb\n## Next steps\nc"),
        ("Summary\na\nRisks\nb\nNext steps\nc",
         "## Summary\na\n## Risks\nb\n## Next steps\nc"),
    ],
)  # fmt: skip
def test_titles_are_written_as_the_prompt_names_them(answer, repaired):
    verdict = judged(SURE_SECTIONS, answer, said=[HEADINGS])
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)


def test_a_section_that_the_prompt_names_is_missed():
    answer = "## Summary\na\n## Risks\nb"
    verdict = judged(SURE_SECTIONS, answer, said=[HEADINGS])
    assert (verdict.disposition, verdict.reason) == (
        "refused",
        "the section 'Next steps' is missing",
    )


def test_headings_of_the_prompt_itself_are_not_asked_for():
    own = PromptMessage(role="system", text="## Task\nWrite a brief.\n## Rules\nBe short.")
    assert judged(SURE_SECTIONS, "## A\nx\n## B\ny", said=[own]).disposition == "conforming"


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        ("**Category:** a\n**Urgency:** 3\n**Reply:** x", "Category: a\nUrgency: 3\nReply: x"),
        ("1. Category: a\n2. Urgency: 3\n3. Reply: x", "Category: a\nUrgency: 3\nReply: x"),
        ("urgency = 3\nreply = x\ncategory = a", "Urgency: 3\nReply: x\nCategory: a"),
        ("Category: a Urgency: 3 Reply: x", "Category: a\nUrgency: 3\nReply: x"),
        ("Category: a\nUrgency: 3\nReply:\nx", "Category: a\nUrgency: 3\nReply: x"),
        ("Catgory: a\nUrgency: 3\nReply: x", "Category: a\nUrgency: 3\nReply: x"),
    ],
)
def test_labelled_lines_are_found_in_any_order(answer, repaired):
    verdict = judged(MAIL, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)


@pytest.mark.parametrize(
    "answer",
    [
        "Urgency: 3\nReply: x\nMood: fine\nCategory: a",
        "Category: a\nUrgency: 3\nReply: Category: what we look up",
        "Category: a\nUrgency: 3\nReply:\nx\ny",
        "Category: a\nUrgency: 3\nReply:",
    ],
)
def test_labelled_lines_that_the_code_reads_are_the_same_object(answer):
    verdict = judged(MAIL, answer)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is answer


@pytest.mark.parametrize(
    ("answer", "disposition"),
    [
        ("Category: a\nUrgency: 3", "refused"),
        ("Category: a\nUrgency: soon\nReply: x", "refused"),
        ("**Category:** a\n**Category:** b\nUrgency: 3\nReply: x", "refused"),
        ("I cannot sort this.", "refused"),
    ],
)
def test_labelled_lines_that_are_not_clear_are_left(answer, disposition):
    assert judged(MAIL, answer).disposition == disposition
    assert judged(MAIL, answer).text is answer


def test_without_any_label_a_template_that_is_not_sure_says_nothing():
    maybe = msgspec.structs.replace(MAIL, confidence="medium")
    assert judged(maybe, "I cannot sort this.").disposition == "conforming"
    assert judged(maybe, "Category: a").disposition == "refused"


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        ("1. a\nb\n3. c", "1. a\n2. b\n3. c"),
        ("1. a\nb\nc\n4. d", "1. a\n2. b\n3. c\n4. d"),
        ("a\n2. b\n3. c", "1. a\n2. b\n3. c"),
        ("1. a\nb\n3. c\n\nEnjoy!", "1. a\n2. b\n3. c\n\nEnjoy!"),
        ("1. a\n- b\n3. c", "1. a\n2. b\n3. c"),
    ],
)
def test_a_line_without_its_number_stands_between_its_neighbours(answer, repaired):
    verdict = judged(NUMBERED, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)


@pytest.mark.parametrize(
    "answer",
    [
        "1. a\n   goes on\n2. b\n4. c",
        "1. a\nb\n3. c\nand more",
        "1. a\n3. c",
        "Steps:\n2. b\n3. c",
        "Words before.\n\n2. b\n3. c",
        "7. a\nb\n9. c",
    ],
)
def test_a_line_that_may_go_on_gets_no_number(answer):
    assert judged(NUMBERED, answer).text is answer


def test_numbers_that_begin_anew_are_two_lists():
    answer = "Task 1. a\nTask 2. b\n\nTask 1. c\nTask 2. d"
    assert judged(TASK_NUMBERS, answer).reason.startswith("the numbers begin anew")
    assert judged(NUMBERED, answer.replace("Task ", "")).disposition == "conforming"


def test_two_lists_are_brought_into_their_form_all_the_same():
    answer = "Task 1) a\nTask 2) b\n\nTask 1) c\nTask 2) d"
    assert judged(TASK_NUMBERS, answer).text == answer.replace(")", ".")


def test_digits_alone_stand_before_the_mark_where_the_code_asks():
    digits = msgspec.structs.replace(
        TASK_NUMBERS, reader=msgspec.structs.replace(TASK_NUMBERS.reader, steps=(), digits=True)
    )
    digits = msgspec.structs.replace(
        digits,
        reader=msgspec.structs.replace(digits.reader, steps=TASK_NUMBERS.reader.steps[:1]),
    )
    assert judged(digits, "   1. a\n   2. b").text == "1. a\n2. b"
    assert judged(digits, "1. a\n2. b").disposition == "conforming"


def test_a_part_that_is_said_twice_is_said_once():
    answer = "Thought: a\nAction: b\nAction Input: c\nAction Input: c"
    assert judged(STEP, answer).text == "Thought: a\nAction: b\nAction Input: c"
    inside = "Thought: a\nAction: b\nAction: b\nAction Input: c"
    assert judged(STEP, inside).text == "Thought: a\nAction: b\nAction Input: c"


@pytest.mark.parametrize(
    "answer",
    [
        "Thought: a\nAction: b\nAction Input: c\nAction Input: d",
        "Thought: a\nAction: b\nAction: d\nAction Input: c",
        "Thought: a\nAction: b\nAction Input: c\nObservation: d\nThought: e",
    ],
)
def test_a_part_that_takes_another_with_it_is_said(answer):
    verdict = judged(STEP, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer


def test_a_name_inside_a_line_is_content():
    answer = "Thought: a\nAction: b\nAction Input: say 'Action: x'"
    assert judged(STEP, answer).disposition == "conforming"


def _typed_table(passed_over, *, framed):
    """Name and count, of lines of which the code passes over the first ones."""
    bar = Element(kind="delimiter", text="|", options=("|",))
    cells = (SLOT, bar, INTEGER)
    return PositionalTemplate(
        elements=(bar, *cells, bar) if framed else cells,
        repeated=False,
        passed_over=passed_over,
        steps=(Step("strip"), Step("splitlines")),
        on_violation="raises",
        confidence="medium",
        evidence=ROWS.evidence,
    )


ASKED = PromptMessage(role="user", text="Two columns:\nname|count")


@pytest.mark.parametrize("passed_over", [1, -1])
def test_a_header_that_the_code_passes_over_stays(passed_over):
    text = "name|count\nbolt|3\nnut|4"
    verdict = judged(_typed_table(passed_over, framed=False), text, said=(ASKED,))
    assert verdict.text is text


@pytest.mark.parametrize(
    "drifted",
    [
        "name,count\nbolt,3\nnut,4",
        "Here they are:\n\nname|count\nbolt|3\nnut|4",
        "| name | count |\n|---|---|\n| bolt | 3 |\n| nut | 4 |",
    ],
)
def test_as_many_lines_as_the_code_passes_over_stay_before_the_rows(drifted):
    verdict = judged(_typed_table(1, framed=False), drifted, said=(ASKED,))
    header, *rows = verdict.text.split("\n")
    assert (rows, "count" in header) == (["bolt|3", "nut|4"], True)
    unknown = judged(_typed_table(-1, framed=False), drifted, said=(ASKED,))
    assert (unknown.disposition, unknown.text) == ("refused", drifted)


TABLE = "| name | count |\n|---|---|\n| bolt | 3 |\n| nut | 4 |"


@pytest.mark.parametrize(
    "drifted",
    [
        "name | count\n---|---\nbolt | 3\nnut | 4",
        "| name | count |\n| bolt | 3 |\n| nut | 4 |",
        "Here it is:\n\n" + TABLE,
        f"```markdown\n{TABLE}\n```",
        "name\tcount\n---\t---\nbolt\t3\nnut\t4",
        "| name | count |\n|---|---|\n| bolt | 3\n| nut | 4",
    ],
)
def test_a_table_gets_the_frame_and_the_rule_that_the_code_counts_on(drifted):
    template = _typed_table(2, framed=True)
    verdict = judged(template, drifted)
    rows = [line.split("|")[1:-1] for line in verdict.text.split("\n")[2:]]
    assert [[cell.strip() for cell in row] for row in rows] == [["bolt", "3"], ["nut", "4"]]
    assert judged(template, verdict.text).disposition == "conforming"


@pytest.mark.parametrize(
    "text",
    [
        "| bolt | 3 |\n| nut | 4 |",  # which lines the code passes over are rows
        "Parts\n\n" + TABLE,
    ],
)
def test_a_table_whose_first_lines_are_not_clear_is_passed_on(text):
    verdict = judged(_typed_table(2, framed=True), text)
    assert (verdict.disposition, verdict.text) == ("refused", text)


def test_a_mark_before_a_line_makes_no_row_of_it():
    bar = Element(kind="delimiter", text="|", options=("|",))
    template = msgspec.structs.replace(
        _typed_table(0, framed=True), elements=(bar, SLOT), on_violation="unknown"
    )
    text = f"Here you go:\n\n{TABLE}\n\nEnjoy!"
    check = prepare_check(template)
    assert check is None or judged(template, text).text is text


def test_lines_without_a_bar_are_none_of_a_table_that_the_code_picks_out():
    template = msgspec.structs.replace(_typed_table(0, framed=True), on_violation="silent")
    text = "Here you go:\n\n| bolt | 3 |\n| nut | 4 |\n\nEnjoy!"
    assert judged(template, text).text is text

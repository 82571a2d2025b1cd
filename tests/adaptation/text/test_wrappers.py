"""Wrappers of an answer: what is taken off, and what stays since it may say something."""

import pytest

from knitbone.adaptation.text.wrappers.fences import (
    code_blocks,
    content_of_block,
    is_fence,
    is_fence_of_data,
    json_in_block,
    lines_of_block,
    parts_with_table,
    without_fence_marks,
    without_markdown_fence,
)
from knitbone.adaptation.text.wrappers.labels import (
    answer_start,
    code_end,
    code_start,
    question_start,
    without_label,
)
from knitbone.adaptation.text.wrappers.layers import elements_in, peel
from knitbone.adaptation.text.wrappers.remarks import (
    is_closing_remark,
    is_lead_in,
    without_closing,
    without_introduction,
    without_other_lines,
)


@pytest.mark.parametrize(
    ("text", "core", "layers"),
    [
        ("yes", "yes", ()),
        ("**Answer: yes**", "yes", ("emphasis", "label")),
        ("**Answer:** yes.", "yes", ("final stop", "label")),
        ("```text\nyes\n```", "yes", ("fence",)),
        ("- “yes”", "yes", ("list mark", "quotes")),
        ("[x](y)", "[x](y)", ()),
        ("Risk: none", "Risk: none", ()),
        ("...", "...", ()),
        ("**Answer:**", "Answer", ("emphasis", "final stop")),
    ],
)
def test_the_core_of_a_short_answer_is_found_layer_by_layer(text, core, layers):
    assert peel(text) == (core, layers)


def test_marks_around_one_value_are_one_extraneous_element():
    assert elements_in(("emphasis", "quotes", "label")) == 2


@pytest.mark.parametrize("line", ["```", "  ```json  ", "```c++"])
def test_a_line_of_a_fence_is_told(line):
    assert is_fence(line)


@pytest.mark.parametrize("line", ["```json {", "~~~", "`x`", "     ```", "text```"])
def test_other_lines_are_no_fence_of_an_answer(line):
    assert not is_fence(line)


def test_data_stands_in_fences_of_any_kind():
    assert is_fence_of_data("~~~~json5")
    assert not is_fence_of_data("~~~ {")


def test_a_block_that_is_all_of_a_text_gives_its_content():
    assert content_of_block("```\n yes \n```") == "yes"
    assert content_of_block("```\n`yes`\n```") is None
    assert lines_of_block(" ```x\na\n\n`b`\n```\n") == "a\n\n`b`"
    assert lines_of_block("```\na\n```\n```\nb\n```") is None
    assert json_in_block("~~~JSON\n{}\n~~~") == "{}"
    assert json_in_block("```yaml\n{}\n```") is None


def test_markdown_is_taken_out_of_its_fence_if_the_others_close():
    assert without_markdown_fence("```markdown\n# A\n```") == "# A"
    inner = "# A\n```py\nx\n```"
    assert without_markdown_fence(f"```\n{inner}\n```") == inner
    cut = "```\na\n```\nb\n```"
    assert without_markdown_fence(cut) is cut


def test_marks_of_fences_become_line_breaks():
    assert without_fence_marks("```text\na\nb\n```") == "\na\nb\n"


def test_a_table_may_stand_in_each_part_the_last_one_first():
    assert parts_with_table("a,b") == ["a,b"]
    assert parts_with_table("x\n```\na\n```\n~~~csv\nb\n~~~\n") == ["b\n", "a\n"]
    assert parts_with_table("a,b\n```\n") == ["a,b\n"]


def test_blocks_of_code_end_at_a_fence_of_their_kind():
    text = "Here:\n````PY\n```\nx\n````\n~~~\ny\n"
    closed, opened = code_blocks(text)
    assert (closed.tag, closed.code, closed.closed) == ("py", "```\nx\n", True)
    assert (opened.tag, opened.code, opened.closed) == ("", "y\n", False)
    assert text[closed.start : closed.end] == "````PY\n```\nx\n````"
    assert code_blocks("no fence") == []


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Answer: yes", "yes"),
        ("The final answer is: yes", "yes"),
        ("**Label:** spam", "spam"),
        ("Reason: yes", "Reason: yes"),
        ("Answering yes", "Answering yes"),
    ],
)
def test_a_label_names_the_value_itself(text, rest):
    assert without_label(text) == rest


def test_labels_around_code_and_between_question_and_answer():
    assert "**SQL Query:** SELECT 1"[code_start("**SQL Query:** SELECT 1") :] == "SELECT 1"
    assert code_start("x: int = 1") == 0
    assert code_end("SELECT 1\nSQLResult: 1") == len("SELECT 1\n")
    assert code_end("SELECT 1") is None
    assert question_start("Q: why?") == 3
    assert question_start("why?") is None
    assert answer_start("why? A: so", 4) == 8
    assert answer_start("why? so", 4) is None


@pytest.mark.parametrize("line", ["Sure, here it is:\n", "\n", "The list:\n"])
def test_a_lead_in_only_announces(line):
    assert is_lead_in(line)


@pytest.mark.parametrize("line", ["Sure, here it is:", "Note: a, b:\n", "It is so.\n", "a\nb:\n"])
def test_what_may_say_something_is_no_lead_in(line):
    assert not is_lead_in(line)


@pytest.mark.parametrize(
    "line", ["Let me know if you need more!", "These are all contacts.", "Done"]
)
def test_a_closing_remark_only_ends(line):
    assert is_closing_remark(line)


@pytest.mark.parametrize(
    "line", ["These are not all contacts.", "Let me know by 5.", "I hope", "Contacts end here"]
)
def test_what_may_take_something_back_is_no_closing_remark(line):
    assert not is_closing_remark(line)


def test_the_last_remark_or_fence_is_left_out():
    assert without_closing("a\nb\nDone.") == "a\nb"
    assert without_closing("x\n```py\na\n```") == "x\na"
    assert without_closing("a\n```") is None
    assert without_closing("Done.") is None


def test_the_introduction_of_a_version_is_left_out():
    assert without_introduction("Here is the revised draft:\n\nText") == "Text"
    assert without_introduction("In short:\n\nText") == "In short:\n\nText"


def test_only_lines_that_say_nothing_are_left_out_between_records():
    text = "Sure, the fields:\n```\na=1\n\nb=2\n```\nThese are all."
    kept, rules = without_other_lines(text, lambda line: "=" in line)
    assert kept == "a=1\nb=2"
    assert rules == [
        "text before the lines left out",
        "fence left out",
        "blank lines left out",
        "closing remark left out",
    ]
    other = "a=1\nBut a is wrong.\nb=2"
    assert without_other_lines(other, lambda line: "=" in line) == (other, [])

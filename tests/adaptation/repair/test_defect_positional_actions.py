"""Actions of an agent: brackets, case and labels as the code's own expression has them."""

import re

import pytest
from positional_templates import judged, template_of

NAMED = template_of(r"Action: (search|finish)\[(.+?)\]", 0, "search")
ANY_NAME = template_of(r"^Action:\s*([a-z]+)\[([^\]]*)\]\s*$", re.MULTILINE, "search")
CALL = template_of(r"^(\w+)\((.*)\)$", 0, "match")
THOUGHT = "Thought: I know it.\n"


@pytest.mark.parametrize("template", [NAMED, ANY_NAME])
@pytest.mark.parametrize(
    "drifted",
    [
        "Action: finish(Paris)",
        "Action: finish{Paris}",
        "Action: finish <Paris>",
        "Action: finish [Paris]",
        "Action: Finish[Paris]",
        "Action 2: finish[Paris]",
        "**Action:** finish(Paris)",
        "- Action: `finish[Paris]`.",
        "Action: finish\nAction Input: Paris",
    ],
)
def test_an_action_is_written_as_the_code_reads_it(template, drifted):
    verdict = judged(template, THOUGHT + drifted)
    assert verdict.text == f"{THOUGHT}Action: finish[Paris]"


@pytest.mark.parametrize("drifted", ["Action: finish: Paris", "Action: finish Paris"])
def test_without_brackets_the_name_has_to_be_known(drifted):
    assert judged(NAMED, drifted).text == "Action: finish[Paris]"
    assert judged(ANY_NAME, drifted).disposition == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "Action: finish[Paris",  # it may have been cut off
        "Action: finish the task",
        "Action: finish the long task and say so",
        "Action: dance(Paris)",
        "Action: search(a)\nAction: finish(b)",  # which one?
        "Action: finish(a) or finish(b)",
        "Action: finish()",
        "I may finish(Paris) or not.",
    ],
)
def test_what_may_be_something_else_is_passed_on(text):
    verdict = judged(NAMED, text)
    assert (verdict.disposition, verdict.text) == ("refused", text)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (NAMED, f"{THOUGHT}Action: finish[f(x)]"),
        (NAMED, "Action: search[a]\nAction: finish(b)"),
        (CALL, "say([hello])"),
    ],
)
def test_what_the_code_reads_stays(template, text):
    assert judged(template, text).text is text


@pytest.mark.parametrize(
    "drifted", ["move[3, 4]", "move (3, 4)", "move{3, 4}", "Action: move(3, 4)", "`move[3, 4]`."]
)
def test_a_call_without_a_label(drifted):
    assert judged(CALL, drifted).text == "move(3, 4)"


def test_it_goes_with_the_delimiters():
    text = "Action: finish(Paris)"
    assert judged(NAMED, text, without=("positional.delimiters",)).text is text

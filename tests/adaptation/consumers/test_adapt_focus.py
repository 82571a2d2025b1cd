"""What the code does to an output before a consumer reads it, replayed."""

import re

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.consumers.focus import after_reasoning, focus_check
from knitbone.adaptation.testing import (
    FunctionCheck,
    Invocation,
    Step,
    conforming,
    refused,
    repaired,
)
from knitbone.config import AdaptConfig


@FunctionCheck
def digits(text, invocation):
    """A consumer that wants digits; a letter o is a zero that drifted."""
    if re.fullmatch(r"\s*\d+\s*", text):
        return conforming(text)
    mended = text.strip().replace("o", "0")
    if re.fullmatch(r"\d+", mended):
        return repaired(mended, "o -> 0", edits=text.count("o"))
    return refused(text, "no number")


def steps(*described):
    return tuple(Step(name, tuple(arguments)) for name, *arguments in described)


SCORE = steps(("re.search", r"Score: (\S+)", 0), ("group", 1))
TAGS = steps(("re.finditer", r"<(\w+)>", 0), ("iterate",), ("group", 1))
FENCE = steps(("split", "```n\n"), ("split", "```"), ("strip",))
CASES = {
    "trimmed": (steps(("strip",)), "  1o2\n", "  102\n"),
    "a suffix": (steps(("strip",), ("rstrip", ".")), "1o2. ", "102. "),
    "a group": (SCORE, "Score: 1o of 20", "Score: 10 of 20"),
    "lines": (steps(("splitlines",)), "1o\n22\no3\n", "10\n22\n03\n"),
    "the last line": (
        steps(("strip",), ("split", "\n"), ("getitem", -1), ("removeprefix", "N: ")),
        "no number\n\nN: 1o\n",
        "no number\n\nN: 10\n",
    ),
    "the first line": (steps(("splitlines",), ("getitem", 0)), "1o\nno number", "10\nno number"),
    "all matches": (TAGS, "<1o> - <o>", "<10> - <0>"),
    "the last match": (
        steps(("re.findall", r"<(\w+)>", 0), ("getitem", -1)),
        "<o> - <1o>",
        "<o> - <10>",
    ),
    "the second match": (
        steps(("re.findall", r"<\w+>", 0), ("getitem", 1), ("strip", "<>")),
        "<o> - <1o> - <o>",
        "<o> - <10> - <o>",
    ),
    "a group of each match": (
        steps(("re.findall", r"(\w)=(\w+)", 0), ("iterate",), ("getitem", 1)),
        "a=1o b=o",
        "a=10 b=0",
    ),
    "an object in prose": (
        steps(("slice",), ("strip", "{}")),
        "x {1o} [x]",
        "x {10} [x]",
    ),
    "a bracket that the code adds": (
        steps(("strip",), ("concat", "<", "!>"), ("strip", "<!>")),
        " 1o ",
        " 10 ",
    ),
    "a fence": (FENCE, "o ```n\n1o\n``` o", "o ```n\n10\n``` o"),
    "a fence whose lines are no part of what is read": (
        steps(("split", "```n"), ("split", "```")),
        "```n\n1o\n```",
        "```n\n10\n```",
    ),
    "what stands between two marks": (
        steps(("split", "```"), ("getitem", 1), ("removeprefix", "n\n"), ("strip",)),
        "o ```n\n1o\n``` o",
        "o ```n\n10\n``` o",
    ),
    "what stands behind the first mark": (
        steps(("partition", "```"), ("getitem", 1), ("strip", "`\n")),
        "x ```\n1o\n```",
        "x ```\n10\n```",
    ),
    "lower case": (steps(("lower",)), "1o", "10"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_piece_that_the_consumer_sees_is_repaired_where_it_stands(name):
    path, text, wanted = CASES[name]
    check = focus_check(digits, path)
    verdict = check(text, Invocation(AdaptConfig()))
    assert (verdict.disposition, verdict.text) == ("repaired", wanted)
    again = check(wanted, Invocation(AdaptConfig()))
    assert again.disposition == "conforming"
    assert again.text is wanted


def test_without_steps_it_is_the_check_itself():
    assert focus_check(digits, ()) is digits


@pytest.mark.parametrize("name", ["json.loads", "translate", "getitem", "join"])
def test_steps_that_cannot_be_replayed_leave_the_requirement_unchecked(name):
    assert focus_check(digits, steps((name,))) is None


@pytest.mark.parametrize(
    "path",
    [
        (("re.findall", r"<(\w+)>", 0), ("iterate",), ("getitem", 0)),
        (("re.findall", r"(\w)=(\w)", 0), ("iterate",), ("getitem", 2)),
        (("re.search", r"<(\w+)>", 0), ("group", 2)),
        (("re.search", r"<(\w+)>", 0), ("group", -1)),
    ],
)
def test_what_no_match_has_leaves_the_requirement_unchecked(path):
    assert focus_check(digits, steps(*path)) is None


def test_a_line_that_is_not_there_is_none_of_its_business():
    check = focus_check(digits, steps(("splitlines",), ("getitem", 3)))
    assert check is not None
    text = "a\nb"
    assert check(text, Invocation(AdaptConfig())).text is text


def test_a_match_that_is_not_there_is_none_of_its_business():
    text = "<o>"
    check = focus_check(digits, steps(("re.findall", r"<(\w+)>", 0), ("getitem", 1)))
    assert check(text, Invocation(AdaptConfig())).text is text


WHOLE = steps(("re.search", r"<(\w+)>", 0), ("group", 1), ("otherwise",), ("strip",))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("o <1o> o", "o <10> o"), ("1o \n", "10 \n"), ("<10> o", None), ("10 ", None)],
)
def test_where_nothing_matches_the_code_may_go_on_with_the_text_itself(text, wanted):
    verdict = focus_check(digits, WHOLE)(text, Invocation(AdaptConfig()))
    assert verdict.text == (wanted or text)
    assert verdict.disposition == ("repaired" if wanted else "conforming")


PERHAPS = steps(("strip",), ("perhaps", 2), ("strip", "`"), ("removeprefix", "n"))


def test_what_is_only_to_be_taken_off_is_not_repaired():
    seen = []

    def check(text, invocation):
        seen.append(text)
        return digits(text, invocation)

    text = "`n12`"
    assert focus_check(check, PERHAPS)(text, Invocation(AdaptConfig())) == conforming(text)
    assert seen == ["12"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("10\n", None),
        ("`n10`", None),
        ("`n1o`", "`n10`"),
        ("1o ", "10 "),
        # Where nothing is taken off, a mark at the end would stay.
        ("x 1o`", None),
    ],
)
def test_what_the_code_may_take_off_is_no_part_of_a_repair_that_needs_it(text, wanted):
    def marked(seen, invocation):
        marks = re.fullmatch(r"`n(\w+)`", seen)
        verdict = digits(marks[1] if marks else seen, invocation)
        if marks and verdict.disposition == "repaired":
            return repaired(f"`n{verdict.text}`", "o -> 0")
        return refused(seen, "a mark") if marks or "`" in seen else verdict

    verdict = focus_check(marked, PERHAPS)(text, Invocation(AdaptConfig()))
    assert verdict.text == (wanted or text)


FENCED = steps(("split", "```n\n"), ("split", "```"), ("otherwise",))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1o", "10"),
        ("10", None),
        ("```n\n1o\n```", "```n\n10\n```"),
        ("```n\n10\n```", None),
        ("```other\n1o\n```", None),
    ],
)
def test_where_there_is_no_fence_the_code_may_go_on_with_the_text_itself(text, wanted):
    verdict = focus_check(digits, FENCED)(text, Invocation(AdaptConfig()))
    assert verdict.text == (wanted or text)


@pytest.mark.parametrize(("text", "wanted"), [("<1o>", "10"), ("<10>", None), ("1o", "10")])
def test_what_the_code_takes_out_is_not_what_is_read(text, wanted):
    taken_out = steps(("re.sub", r"^<|>$", 0, ""))
    bare = focus_check(
        lambda seen, at: digits(seen.strip("<>") if seen.startswith("<") else seen, at), taken_out
    )
    assert bare(text, Invocation(AdaptConfig())).text == (wanted or text)
    assert focus_check(digits, steps(("re.sub", "(", 0, ""))) is None
    assert focus_check(digits, steps(("re.sub", "<", 0, "["))) is None


def test_a_text_is_looked_at_as_a_function_leaves_it():
    flush = focus_check(
        lambda text, _: refused(text, "indented") if text[0] == " " else conforming(text),
        steps(("textwrap.dedent",)),
    )
    for text, disposition in (("  a\n  b", "conforming"), ("  a\nb", "refused")):
        assert flush(text, Invocation(AdaptConfig())).disposition == disposition


def test_what_the_code_adds_stays():
    def no_bracket(text, invocation):
        return repaired(text.strip("<"), "bracket removed") if "<" in text else conforming(text)

    text = "12"
    check = focus_check(no_bracket, steps(("concat", "<", "")))
    verdict = check(text, Invocation(AdaptConfig()))
    assert (verdict.disposition, verdict.text) == ("refused", text)


@pytest.mark.parametrize(
    ("text", "wanted"), [("```\n1\n2\n```", "1\n2"), ("```sh\n1o\n2\n```\n", "10\n2")]
)
def test_a_fence_around_lines_that_are_read_one_by_one_goes(text, wanted):
    verdict = focus_check(digits, steps(("splitlines",)))(text, Invocation(AdaptConfig()))
    assert (verdict.disposition, verdict.text) == ("repaired", wanted)


@pytest.mark.parametrize("text", ["```\nx\n```", "```\n1\n```\n```\n2\n```", "```\n1", "1\n```"])
def test_a_fence_stays_where_the_lines_inside_are_not_accepted(text):
    verdict = focus_check(digits, steps(("splitlines",)))(text, Invocation(AdaptConfig()))
    assert verdict.text is text


def test_what_the_consumer_never_sees_is_none_of_its_business():
    text = "no score here"
    check = focus_check(digits, SCORE)
    assert check(text, Invocation(AdaptConfig())).text is text


def test_a_piece_that_stands_twice_is_not_written_back():
    text = "o o"
    check = focus_check(digits, steps(("re.search", r"\S$", 0), ("group", 0)))
    verdict = check(text, Invocation(AdaptConfig()))
    assert (verdict.disposition, verdict.text) == ("refused", text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<think>\n12 or 13?\n</think>\n\n12", "12"),
        ("<thinking>hm</thinking>1o", "10"),
        ("<think>hm</think>none", "<think>hm</think>none"),
        ("<think>never ends 12", "<think>never ends 12"),
        ("<b>no</b>12", "<b>no</b>12"),
    ],
)
def test_reasoning_before_the_answer_is_left_out_where_the_rest_is_right(text, wanted):
    verdict = after_reasoning(digits)(text, Invocation(AdaptConfig()))
    assert verdict.text == wanted
    assert (verdict.disposition == "refused") == (text == wanted)


PATHS = st.sampled_from([case[0] for case in CASES.values()])


@settings(max_examples=contract_examples(), deadline=None)
@given(path=PATHS, text=st.text(alphabet="1o2x \n<>`n:Scre.", max_size=30))
def test_contracts(path, text):
    check = focus_check(digits, path)
    verdict = check(text, Invocation(AdaptConfig()))
    if verdict.disposition == "conforming" or verdict.disposition == "refused":
        assert verdict.text is text
    else:
        assert verdict.text.replace("0", "o") == text.replace("0", "o")
        assert check(verdict.text, Invocation(AdaptConfig())).disposition != "repaired"


LAST = steps(("strip",), ("splitlines",), ("getitem", -1), ("removeprefix", "N: "), ("strip",))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Because.\n\nN: 10\n\nLet me know if you have any questions.", "Because.\n\nN: 10"),
        ("Because.\n```\nN: 1o\n```", "Because.\nN: 10"),
    ],
)
def test_what_stands_behind_the_last_line_is_left_out(answer, expected):
    check = focus_check(digits, LAST)
    assert check is not None
    verdict = check(answer, Invocation(AdaptConfig()))
    assert verdict.text == expected
    assert check(expected, Invocation(AdaptConfig())).text is expected


@pytest.mark.parametrize(
    "answer",
    [
        "N: 10\nBut that may be wrong.",
        "N: 10\nLet me know if it is 11.",
        "Let me know.",
        "```\nN: 10",
        "N: x\nLet me know if you have any questions.",
    ],
)
def test_other_last_lines_stay(answer):
    check = focus_check(digits, LAST)
    assert check is not None
    verdict = check(answer, Invocation(AdaptConfig()))
    assert verdict.text is answer

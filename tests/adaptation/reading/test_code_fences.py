"""Fences that code looks for with several expressions, and tags that it takes off."""

import re

import pytest
from use_trees import described, read

from knitbone.adaptation.reading.code_fences import fence_tags

DOTALL = int(re.DOTALL)


@pytest.mark.parametrize(
    ("pattern", "tags"),
    [
        (r"```[\w\s]*python\n([\s\S]*?)```|```([\s\S]*?)```", ("python", "")),
        (r"```[Ss][Qq][Ll]\n(.*?)```", ("sql",)),
        (r"```[sq]\n(.*?)```", ("",)),
        (r"```(?:python|py)?(.*?)```", ("python", "py", "")),
        (r"```\w*\s*SELECT", ("",)),
    ],
)
def test_tags_of_an_expression(pattern, tags):
    assert fence_tags(pattern) == tags


def test_blanks_behind_a_fence_are_no_tag():
    assert fence_tags(r"```(?:python|py)?[ \t]*\n(.*?)```") == ("python", "py", "")
    assert fence_tags(r"```[a-z]*\n(.*?)```") == ("",)
    assert fence_tags(r"```(\w+)\n(.*?)```") == ()


def test_expressions_that_are_tried_in_turn_are_alternatives():
    found = read(
        [
            ("re.findall", r"```sql\n(.*?)```", DOTALL, {"line": 3}),
            ("re.findall", r"```(.*?)```", DOTALL, {"line": 7}),
        ]
    )
    assert [r.languages for r in found] == [("sql",), ("",)]
    assert [r.evidence.line for r in found] == [3, 7]
    assert {r.alternative for r in found} == {"app.py:3"}


def test_an_expression_after_a_test_is_one_requirement():
    uses = [("contains", "```bash"), ("re.findall", r"```bash(.*?)```", DOTALL)]
    assert len(read(uses)) == 1


@pytest.mark.parametrize(
    "polish",
    [
        ("re.sub", "^(python|py)", ""),
        (".strip", [("re.sub", r"^(?:python|py)\s*", "")]),
        (".removeprefix", "python", [(".removeprefix", "py")]),
    ],
)
def test_tags_that_are_taken_off_are_accepted(polish):
    uses = [(".split", "```", [("getitem", 1, [polish])])]
    assert described(uses) == ["fence: python or py or none"]


def test_other_words_that_are_replaced_are_no_tags():
    uses = [(".split", "```", [("getitem", 1, [("re.sub", "python", "")])])]
    assert described(uses) == ["fence: none"]


def test_a_match_that_is_only_asked_for_before_it_is_replaced_demands_nothing():
    asked = ("re.match", r"^`.*`$", [("truth",)])
    polished = ("re.sub", r"^`(.*)`$", r"\1", [("exec",)])
    assert described([asked, polished]) == ["Python"]
    kept = ("re.match", r"^`(.*)`$", [(".group", 1, [("exec",)])])
    assert described([kept, polished])[0] == 'one record: "`" <text> "`"'


def test_a_match_that_is_only_asked_for_is_unsure_unless_its_lack_raises():
    asked = ("re.match", r"^Answer: .*$", {"on_violation": "silent"}, [("truth",)])
    assert [r.confidence for r in read([asked])] == ["medium"]
    raising = ("re.match", r"^Answer: .*$", {"on_violation": "raises"}, [("truth",)])
    assert [r.confidence for r in read([raising])] == ["high"]


BLOCK = ("re.search", r"```js\n(.*?)```", DOTALL)


def test_what_is_done_with_the_block_and_with_the_text_itself_makes_the_fence_optional():
    count = (".count", "x", {"line": 9})
    silent = {"line": 3, "on_violation": "silent"}
    uses = [(*BLOCK, silent, [(".group", 1, [count])]), count]
    assert described(uses) == ["fence: js, or no fence"]


@pytest.mark.parametrize(
    ("fate", "line"),
    [("silent", 8), ("raises", 9)],
    ids=["something else is done with the text", "a missing fence is an error"],
)
def test_a_fence_is_demanded_where_the_text_itself_is_not_read_in_its_place(fate, line):
    options = {"line": 3, "on_violation": fate}
    found = (*BLOCK, options, [(".group", 1, [(".count", "x", {"line": 9})])])
    assert described([found, (".count", "x", {"line": line})])[0] == "fence: js"


def test_a_parser_of_the_block_or_the_text_itself_reads_both():
    run = ("exec", {"line": 9, "position": "0"})
    uses = [(*BLOCK, {"line": 3}, [(".group", 1, [(".strip", [run])])]), (".strip", [run])]
    names = [step.name for r in read(uses) if hasattr(r, "parser") for step in r.steps]
    assert names == ["re.search", "group", "otherwise", "strip"]


def test_a_parser_of_the_block_alone_reads_no_text_without_one():
    run = ("exec", {"line": 9, "position": "0"})
    uses = [(*BLOCK, {"line": 3}, [(".group", 1, [run])]), ("print", {"line": 5})]
    names = [step.name for r in read(uses) if hasattr(r, "parser") for step in r.steps]
    assert names == ["re.search", "group"]


LOADS = ("json.loads", {"line": 20, "expression": "json.loads(text)"})


def ways_of(uses):
    """The steps before the parser."""
    (found,) = [r for r in read(uses) if getattr(r, "parser", "") == "json.loads"]
    return [(step.name, *step.arguments) for step in found.steps]


@pytest.mark.parametrize(
    ("uses", "expected"),
    [
        (
            [(".startswith", "```json"), ("slice", 7, None, None, [LOADS]), LOADS],
            [("removeprefix", "```json")],
        ),
        (
            [(".endswith", "```"), ("slice", None, -3, None, [LOADS]), LOADS],
            [("removesuffix", "```")],
        ),
        # Another length, and code that does not go on with the text as it is.
        (
            [(".startswith", "```"), ("slice", 7, None, None, [LOADS]), LOADS],
            [("slice", 7, None, None)],
        ),
        (
            [(".startswith", "```json"), ("slice", 7, None, None, [LOADS])],
            [("slice", 7, None, None)],
        ),
        (
            [
                (".startswith", "```"),
                (
                    ".strip",
                    "`",
                    [(".startswith", "json"), ("slice", 4, None, None, [LOADS]), LOADS],
                ),
                LOADS,
            ],
            [("perhaps", 2), ("strip", "`"), ("removeprefix", "json")],
        ),
        (
            [
                (
                    ".split",
                    "```json",
                    [("getitem", 1, [(".split", "```", [("getitem", 0, [LOADS])])])],
                ),
                LOADS,
            ],
            [
                ("split", "```json"),
                ("getitem", 1),
                ("split", "```"),
                ("getitem", 0),
                ("otherwise",),
            ],
        ),
        # What is taken off inside the fence only belongs to it.
        (
            [
                (
                    ".split",
                    "```",
                    [
                        (
                            "getitem",
                            1,
                            [(".startswith", "json"), ("slice", 4, None, None, [LOADS]), LOADS],
                        )
                    ],
                ),
                LOADS,
            ],
            [("split", "```"), ("getitem", 1), ("removeprefix", "json"), ("otherwise",)],
        ),
    ],
)  # fmt: skip
def test_what_is_taken_off_where_it_stands_is_known_as_that(uses, expected):
    assert ways_of(uses) == expected

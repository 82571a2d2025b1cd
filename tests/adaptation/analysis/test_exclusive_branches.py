"""Consumers of one output of which only one runs are alternatives."""

import ast
import textwrap
from pathlib import Path

import pytest

import knitbone
from knitbone.adaptation import report
from knitbone.adaptation.analysis.engine import Branches
from knitbone.adaptation.testing import (
    Element,
    Evidence,
    Field,
    Group,
    Invocation,
    PositionalTemplate,
    Reader,
    Shape,
    StructuredTemplate,
    TextRule,
    analyse_files,
    judge,
    prepare_check,
)
from knitbone.config import AdaptConfig

CODE = """
    def f(text):
        if a(text):                 # 2
            b(text)                 # 3
            return 1                # 4
        elif c(text):               # 5
            d(text)                 # 6
        else:
            e(text)                 # 8
        if not g(text):             # 9
            raise ValueError        # 10
        h(text)                     # 11
        for x in text:              # 12
            if i(x):                # 13
                j(x)                # 14
                continue            # 15
            k(x)                    # 16
        return l(text)              # 17
"""


@pytest.mark.parametrize(
    ("first", "second", "excluded"),
    [
        *((3, 6, True), (3, 8, True), (6, 8, True), (3, 11, True), (2, 11, True), (14, 16, True)),
        *((2, 3, False), (6, 11, False), (8, 17, False), (9, 11, False), (14, 17, False)),
        *((5, 6, False), (11, 17, False)),
    ],
)
def test_lines_of_which_only_one_runs(first, second, excluded):
    branches = Branches(ast.parse(textwrap.dedent(CODE).strip()))
    assert (branches.exclude(first, second) is not None) is excluded
    assert branches.exclude(second, first) == branches.exclude(first, second)


AGENT = """
    import re
    import knitbone

    STEP = re.compile(r"Action: (.*)\\nAction Input: (.*)")

    @knitbone.source
    def model(prompt):
        return ANSWER

    @knitbone.adapt
    def step(task):
        text = model(task)
        if "Final Answer:" in text:
            return text.split("Final Answer:")[1].strip()
        found = STEP.search(text)
        return found.group(1), found.group(2)
"""


def test_the_alternatives_share_a_mark(load):
    app = load(AGENT)
    (site,) = analyse_files([Path(app.__file__)]).sites
    marks = {r.alternative for r in site.requirements if hasattr(r, "elements")}
    assert len(marks) == 1
    assert marks != {""}


@pytest.mark.parametrize(
    ("answer", "result", "repaired"),
    [
        ("Final Answer: 3", "3", 0),
        ("Action: look\nAction Input: x", ("look", "x"), 0),
        ("final answer - 3", "3", 1),
        ("Action - look\nAction input: x", ("look", "x"), 1),
    ],
)
def test_a_text_that_one_branch_accepts_is_right_and_the_nearest_is_repaired(
    load, answer, result, repaired
):
    app = load(AGENT)
    app.ANSWER = answer
    assert app.step("x") == result
    (site,) = report().sites
    assert (site.repaired, site.conforming) == (repaired, 1 - repaired)
    assert knitbone.adapt(app.step) is app.step


REACT = """
    import re
    import knitbone

    TOOLS = {"look": str.upper, "count": len}

    @knitbone.source
    def model(prompt):
        return ANSWER

    @knitbone.adapt(mode=MODE)
    def step(task):
        out = model(task)
        if "Final Answer:" in out:
            return out.split("Final Answer:")[-1].strip()
        found = re.search(r"Action: (\\w+)\\nAction Input: (.*)", out)
        if not found:
            raise ValueError("cannot be read: " + out)
        name, argument = found.group(1), found.group(2)
        return TOOLS[name](argument)
"""


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("Action: look\nAction Input: x", "X"),
        ("**Action:** look\n**Action Input:** x", "X"),
        ("action: count\naction_input: abc", 3),
        ("Action: Look\nAction Input: x", "X"),
        ("Thought: done\nFinal Answer: 3", "3"),
    ],
)
def test_what_reads_a_match_is_no_alternative_to_it(load, answer, result):
    """A tool that is looked up by the name that was matched accepts every text without a match."""
    app = load(REACT.replace("MODE", "'repair'"))
    app.ANSWER = answer
    assert app.step("x") == result


@pytest.mark.parametrize(
    ("answer", "result"),
    [("Action: look\nAction Input: x", "X"), ("Thought: done\nFinal Answer: 3", "3")],
)
def test_strict_accepts_what_either_branch_reads(load, answer, result):
    """The handler reads the text a third time, which marks alternatives of its own."""
    app = load(REACT.replace("MODE", "'strict'"))
    app.ANSWER = answer
    assert app.step("x") == result
    app.ANSWER = "Let me think."
    with pytest.raises(knitbone.errors.RequirementViolation):
        app.step("x")


PARTED = """
    import re
    import knitbone

    TOOLS = {"look": str.upper, "count": len}
    PATTERN = re.compile(r"Action:\\s*(.*?)\\nAction Input:\\s*(.*)", re.DOTALL)

    @knitbone.source
    def model(prompt):
        return ANSWER

    def read(text):
        if "Final Answer:" in text:
            return {"final": text.split("Final Answer:")[-1].strip()}
        match = PATTERN.search(text)
        if not match:
            raise ValueError("cannot be read: " + text)
        return {"tool": match.group(1).strip(), "input": match.group(2).strip()}

    @knitbone.adapt(mode="strict")
    def step(task):
        found = read(model(task))
        if "final" in found:
            return found["final"]
        return TOOLS[found["tool"]](found["input"])
"""


@pytest.mark.parametrize(
    ("answer", "result"),
    [("Thought: done\nFinal Answer: 3", "3"), ("Action: look\nAction Input: x", "X")],
)
def test_a_name_that_another_function_looks_up_goes_on_from_the_match(load, answer, result):
    app = load(PARTED)
    app.ANSWER = answer
    assert app.step("x") == result


NAMED = """
    def f(text):
        action = re.search("a", text)             # 2
        label = re.search("l", text)              # 3
        final = re.search("f", text)              # 4
        if final:                                 # 5
            return final[1]                       # 6
        elif action is not None and label:        # 7
            return action[1], label[1]            # 8
        found = re.match("m", text)               # 9
        if not found:                             # 10
            return text.split(":")                # 11
        title = re.search("t", text)              # 12
        if title:                                 # 13
            use(title)                            # 14
        author = re.search("u", text)             # 15
        if author is None:                        # 16
            raise ValueError(text.partition(":")) # 17
        parsed = json.loads(text)                 # 18
        if parsed:                                # 19
            return parsed                         # 20
        return text.split(",")                    # 21
"""


@pytest.mark.parametrize(
    ("first", "second", "excluded"),
    [
        *((2, 4, True), (3, 4, True), (4, 9, True), (9, 11, True), (4, 18, True)),
        *((2, 3, False), (12, 15, False), (9, 18, False), (15, 17, False), (18, 21, False)),
    ],
)
def test_a_match_that_is_kept_under_a_name_decides_where_the_name_is_asked(first, second, excluded):
    branches = Branches(ast.parse(textwrap.dedent(NAMED).strip()))
    assert (branches.exclude(first, second) is not None) is excluded
    assert branches.exclude(second, first) == branches.exclude(first, second)


KEPT = """
    import re
    import knitbone

    @knitbone.source
    def model(prompt):
        return ANSWER

    @knitbone.adapt(mode=MODE)
    def step(task):
        out = model(task)
        action = re.search(r"^Action: (.*)$", out, re.M)
        argument = re.search(r"^Action Input: (.*)$", out, re.M)
        final = re.search(r"^Final Answer: (.*)", out, re.M)
        if final:
            return final.group(1)
        if action and argument:
            return action.group(1), argument.group(1)
        return None

    @knitbone.adapt(mode=MODE)
    def last(task):
        out = model(task)
        found = re.search(r"Action: (\\w+)\\nAction Input: (.*)", out)
        if found:
            return found.group(1), found.group(2)
        return out.split("Final Answer:")[-1].strip()
"""


@pytest.mark.parametrize("mode", ["strict", "repair"])
@pytest.mark.parametrize("function", ["step", "last"])
@pytest.mark.parametrize(
    ("answer", "result"),
    [("Action: look\nAction Input: x", ("look", "x")), ("Final Answer: 3", "3")],
)
def test_what_one_of_the_named_matches_reads_is_right(load, mode, function, answer, result):
    app = load(KEPT.replace("MODE", repr(mode)))
    app.ANSWER = answer
    assert getattr(app, function)("x") == result
    (site,) = report().sites
    assert site.conforming == 1


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("action: look\nAction Input: x", ("look", "x")),
        ("**Action:** look\nAction Input: x", ("look", "x")),
        ("**Final Answer:** 3", "3"),
    ],
)
def test_all_that_one_branch_demands_is_repaired_together(load, answer, result):
    app = load(KEPT.replace("MODE", "'repair'"))
    app.ANSWER = answer
    assert app.step("x") == result


def test_a_text_that_a_branch_reads_in_part_is_not_right(load):
    app = load(KEPT.replace("MODE", "'strict'"))
    app.ANSWER = "Action: look\nno argument"
    with pytest.raises(knitbone.errors.RequirementViolation):
        app.step("x")


def alternatives():
    """What ``knitbone learn`` saw of one output: JSON in one state, a line in the other."""
    evidence = Evidence(file="app.py", line=1, expression="read(text)")
    line = PositionalTemplate(
        elements=(
            Element(kind="words", text="Result", options=("Result",)),
            Element(kind="delimiter", text=":", options=(":",)),
            Element(kind="space", text=" "),
            Element(kind="slot", captured=True),
        ),
        reader=Reader(kind="regex", method="match", pattern="Result: (.*)"),
        repeated=False,
        evidence=evidence,
        when="kind == 'line'",
    )
    data = StructuredTemplate(
        format="json",
        shape=Shape(type="object", fields=(Field(name="value", shape=Shape()),)),
        parser="json.loads",
        evidence=evidence,
        when="kind == 'json'",
    )
    rules = [TextRule(each, "template discrepancy", prepare_check(each)) for each in (line, data)]
    return (Group(0, tuple(rules)),)


def decided(text):
    return judge(text, alternatives(), Invocation(AdaptConfig()))


def test_an_alternative_that_finds_nothing_does_not_hide_a_repair_of_another_one():
    assert decided('```json\n{"Value": 3}\n```').text == '{"value": 3}'


@pytest.mark.parametrize(
    "text", ["Nothing of the kind.", "Result: 3", "", "3 {of} 4", "{", '{"value": 3}']
)
def test_a_text_that_an_alternative_passes_on_stays_as_it_is(text):
    decision = decided(text)
    assert decision.text is text
    assert decision.disposition == "conforming"

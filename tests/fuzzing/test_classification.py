"""The classification by rules: what documentation says, and what a failure shows of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.classification.documentation import read_documentation
from knitbone.fuzzing.classification.promises import (
    examples,
    grants_by_range,
    has_grammar,
    lists_value,
    permits,
    promises_fallback,
)
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.records import (
    CallOutcome,
    Classification,
    Finding,
    FindingKind,
    StackFrame,
    ToolUnderTest,
)
from knitbone.fuzzing.trials import Trials
from knitbone.record.events import Json


def tool(documentation: str, **fields: Any) -> ToolUnderTest:
    schema = {"type": "object", "properties": fields or {"value": {"type": "string"}}}
    return ToolUnderTest(name="tool", target="m:tool", documentation=documentation, schema=schema)


def finding(
    arguments: dict[str, Any],
    exception: str | None = "ValueError",
    message: str = "",
    *,
    source: str = "x = y",
    kind: FindingKind = "raised",
) -> Finding:
    frame = StackFrame(file="m.py", line=1, source=source, function="tool")
    return Finding(
        id="f", kind=kind, exception=exception, frame=frame, message=message,
        arguments=arguments, call=1,
    )  # fmt: skip


def classify(documentation: str, found: Finding, **fields: Any) -> Classification:
    return classify_by_rules(tool(documentation, **fields), found)


STYLES = {
    "google": "Do it.\n\nArgs:\n    day: The day.\n        Two lines.\n    year (int): A year.\n\n"
    "Returns:\n    The result: a text.\n\nRaises:\n    KeyError: It is unknown.\n",
    "numpy": "Do it.\n\nParameters\n----------\nday : str\n    The day.\n    Two lines.\n"
    "year : int\n    A year.\n\nReturns\n-------\n    The result: a text.\n\n"
    "Raises\n------\nKeyError\n    It is unknown.\n",
    "rest": "Do it.\n\n:param day: The day.\n    Two lines.\n:param int year: A year.\n"
    ":returns: The result: a text.\n:raises KeyError: It is unknown.\n",
    "list": "Do it.\n\n## Parameters\n\n- `day` (string): The day.\n  Two lines.\n"
    "- `year`: A year.\n\n## Returns\n\nThe result: a text.\n\n"
    "## Raises\n\nKeyError: It is unknown.\n",
}


@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_documentation_is_read(style: str) -> None:
    written = read_documentation(tool(STYLES[style], day={}, year={}))
    about = " ".join(sentence.text for sentence in written.about("day"))
    assert "The day. Two lines." in about
    assert any("A year." in sentence.text for sentence in written.about("year"))
    returns = [s.text for s in written.sentences if s.section == "returns"]
    assert "The result: a text." in returns
    raises = [s.exception for s in written.sentences if s.section == "raises"]
    assert raises == ["KeyError"]
    assert written.general()[0].text == "Do it."


def test_descriptions_in_the_schema_count_once() -> None:
    field = {"type": "string", "description": "The day.", "enum": ["a", "b"]}
    written = read_documentation(tool("Do it.\n\nArgs:\n    day: The day.\n", day=field))
    assert [s.text for s in written.about("day")] == ["The day."]
    assert written.enumerations == {"day": ("a", "b")}


@pytest.mark.parametrize(
    ("sentence", "value", "granted"),
    [
        ("Between 1 and 20.", 20, True),
        ("Between 1 and 20.", 21, False),
        ("Within -1e9 and 1e9.", -5.5, True),
        ("Size, from 0 up to 1,000.", 1000, True),
        ("Number of persons, at most 40.", 0, False),
        ("Number of the column, from 0.", 3, False),
        ("From 1 to 5.", True, False),
        ("From 1 to 5.", "3", False),
    ],
)
def test_ranges(sentence: str, value: Any, granted: bool) -> None:
    assert grants_by_range(sentence, value) is granted


@pytest.mark.parametrize(
    ("sentence", "value", "listed"),
    [
        ("north, south or harbour.", "South", True),
        ("north, south or harbour.", "so", False),
        ('One of "east" and "west".', "west", True),
        ("The check character is a digit or X.", "X", True),
        ("The check character is a digit or X.", "a", False),
        ("Name of the harbour.", "harbour", False),
    ],
)
def test_lists_of_values(sentence: str, value: str, listed: bool) -> None:
    assert lists_value(sentence, value) is listed


def test_words_that_promise() -> None:
    assert has_grammar("Two capital letters and four digits.")
    assert not has_grammar("The name of a town.")
    assert permits("The number may be negative.", "-5 W")
    assert not permits("The number may be negative.", "5 W")
    assert not permits("It may not be empty.", "")
    assert promises_fallback('"elsewhere" if it is not one of ours')
    assert not promises_fallback('Where it is, or "There is no such parcel.".')
    assert list(examples('Written as in "17->4" or "1->2".')) == ["17->4", "1->2"]
    assert list(examples("The year, such as MCMXIV, in capitals.")) == ["MCMXIV"]
    assert list(examples("A colour, such as red.")) == []


def test_nothing_written_is_under_specified() -> None:
    said = classify("Split a bill.", finding({"people": 0}, "ZeroDivisionError"), people={})
    assert said.verdict == "under-specified"
    assert "people" in said.lack
    assert said.judge == "rules"


def test_a_range_that_is_stated_and_fails_is_ill_specified() -> None:
    text = "Do it.\n\nArgs:\n    people: How many, 0 to 40.\n"
    said = classify(text, finding({"people": 0}, "ZeroDivisionError"), people={})
    assert (said.verdict, said.sentence) == ("ill-specified", "How many, 0 to 40.")


def test_a_listed_value_that_fails_is_ill_specified_and_an_unlisted_one_is_not() -> None:
    text = "Do it.\n\nArgs:\n    unit: days, weeks or quarters.\n    count: 1 to 9.\n"
    listed = finding({"unit": "quarters", "count": 2}, "KeyError", "'quarters'")
    other = finding({"unit": "years", "count": 2}, "KeyError", "'years'")
    assert classify(text, listed, unit={}, count={}).verdict == "ill-specified"
    assert classify(text, other, unit={}, count={}).verdict == "under-specified"


def test_a_key_that_the_tool_wants_and_nobody_mentions_is_lacking() -> None:
    text = "Do it.\n\nArgs:\n    event: JSON object, such as {}.\n"
    said = classify(text, finding({"event": "{}"}, "KeyError", "'order'"), event={})
    assert (said.verdict, said.lack) == ("under-specified", "possibly the form of `event`")


def test_one_granted_argument_does_not_promise_the_other() -> None:
    text = "Do it.\n\nArgs:\n    zone: 0 to 9.\n    name: Whoever it is.\n"
    said = classify(text, finding({"zone": 3, "name": "x"}, "IndexError"), zone={}, name={})
    assert said.verdict == "under-specified"


def test_an_announced_exception_is_documented_only_where_it_is_raised_on_purpose() -> None:
    text = "Do it.\n\nRaises:\n    ValueError: The text is no date.\n"
    raised = finding({"value": "x"}, source='raise ValueError("no date")')
    slipped = finding({"value": "x"}, source="int(value)")
    assert classify(text, raised).verdict == "documented"
    assert classify(text, raised).sentence == "The text is no date."
    assert classify(text, slipped).verdict == "under-specified"


def test_an_announced_answer_is_documented() -> None:
    text = 'Do it.\n\nArgs:\n    value: A town. For others the answer is "Unknown town.".\n'
    told = finding({"value": "x"}, None, "Unknown town.", kind="returned")
    other = finding({"value": "x"}, None, "Error: 7", kind="returned")
    assert classify(text, told).verdict == "documented"
    assert classify(text, other).verdict == "under-specified"


def test_results_that_differ_contradict_a_promise_of_order() -> None:
    differs = finding({"value": "x"}, None, "", kind="nondeterminism")
    assert classify("The names in alphabetical order.", differs).verdict == "ill-specified"
    assert classify("Some names.", differs).verdict == "under-specified"


def campaign_of(folder: Path, body: str) -> Classification:
    path = folder / "tool_file.py"
    path.write_text(body)
    campaign = fuzz(f"{path}:tool", calls=60, seed=1, config=FuzzConfig(memory_mb=256))
    said = campaign.findings[0].classification
    assert said is not None
    return said


def test_an_example_that_fails_is_found_by_trying_it(private: Path, tmp_path: Path) -> None:
    said = campaign_of(
        tmp_path,
        'def tool(day: str) -> str:\n    """Name a day.\n\n    Args:\n        '
        'day: The day, such as "2024/05/01".\n    """\n'
        '    year, month, number = day.split("-")\n    return month\n',
    )
    assert said.verdict == "ill-specified"
    assert said.sentence == 'The day, such as "2024/05/01".'


def test_a_form_that_is_demanded_and_fails_where_less_works_is_over_specified(
    private: Path, tmp_path: Path
) -> None:
    said = campaign_of(
        tmp_path,
        'def tool(town: str) -> str:\n    """Say how many letters the name of a town has.\n\n'
        '    Args:\n        town: It must be given with its country, as in "Graz, Austria".\n'
        '    """\n    if "," in town:\n        raise RuntimeError("no such town")\n'
        "    return str(len(town))\n",
    )
    assert said.verdict == "over-specified"


def test_hostile_documentation_is_read_in_time() -> None:
    for text in ("a, " * 20_000, "(" * 50_000, '"' * 50_000, "x:\n" * 10_000, "1 to " * 10_000):
        classify(text, finding({"value": "a" * 50_000}))


# -- which arguments a hint names -----------------------------------------------------------------

LIFTED_BY: dict[str, tuple[Callable[..., bool], dict[str, Json]]] = {
    "the divisor alone": (lambda a, b, c=0: b == 0, {"a": 3, "b": 0, "c": 5}),
    "one of two summands": (lambda a, b, c=0: b + c == 0, {"a": 3, "b": 0, "c": 0}),
    "one that is left out": (lambda a, b, c=0: b + c == 0, {"a": 3, "b": 0}),
    "a flag that is left out": (lambda a, b, c=0: b < 0 and not c, {"a": 3, "b": -4}),
    "either end": (lambda a, b, c=0: b > c, {"a": 1, "b": 9, "c": 4}),
    "what it equals": (lambda a, b, c=0: b != c, {"a": 1, "b": 9, "c": 4}),
    "a value of a list": (lambda a, b, c=0: b not in (41, 43) and not c, {"a": 1, "b": 7}),
    "a number from one on": (lambda a, b, c=0: not c <= a <= b, {"a": 1, "b": 0}),
}
"""When a tool fails, and a call that does."""


@given(
    way=st.sampled_from(sorted(LIFTED_BY)),
    order=st.permutations(("a", "b", "c")),
    others=st.lists(st.tuples(*[st.integers(-9, 50)] * 3), min_size=10, max_size=20),
    near=st.lists(
        st.dictionaries(st.sampled_from("abc"), st.integers(-9, 50), min_size=1, max_size=2),
        min_size=5,
        max_size=20,
    ),
)
def test_a_hint_that_names_one_argument_is_about_no_other(
    way: str,
    order: list[str],
    others: list[tuple[int, int, int]],
    near: list[dict[str, int]],
) -> None:
    fails, given_to = LIFTED_BY[way]
    named = dict(zip("abc", order, strict=True))

    def outcome(arguments: dict[str, Json]) -> CallOutcome:
        own = {key: arguments[name] for key, name in named.items() if name in arguments}
        if not {"a", "b"} <= set(own) or not all(type(v) is int for v in own.values()):
            return CallOutcome(status="rejected", message="no")
        if not fails(**own):
            return CallOutcome(status="ok", text="done")
        frame = StackFrame(file="m.py", line=1, source="x = y", function="tool")
        return CallOutcome(status="raised", exception="ValueError", message="bad", frame=frame)

    failing = {named[key]: value for key, value in given_to.items()}
    drawn = [dict(zip("abc", values, strict=True)) for values in others]
    drawn += [{key: value for key, value in call.items() if key != named["c"]} for call in drawn]
    drawn += [failing | {named[key]: value for key, value in call.items()} for call in near]
    taken = [call for call in drawn if outcome(call).status == "ok"]
    fields = {name: {"type": "integer"} for name in "abc"}
    trials = Trials(outcome, roots=("m.py",), most=400, taken=taken)
    said = classify_by_rules(
        tool("Do it.", **fields), finding(failing, message="bad"), trials=trials
    )
    shown = {
        name
        for name in fields
        for call in taken
        if {**failing, name: None} == {**call, name: None} and outcome(failing).status != "ok"
    }
    assert said.tested
    if len(said.arguments) == 1:
        values = [{**failing, said.arguments[0]: value} for value in range(-9, 51)]
        assert any(outcome(call).status == "ok" for call in values), said.lack
        assert shown <= set(said.arguments), said.lack

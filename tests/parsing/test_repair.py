"""``knitbone.repair``: named faults, blind ones, and hostile texts."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import random
import string
import time
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import knitbone
from knitbone.errors import RepairRefused, SchemaError

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
ADA = {"name": "Ada", "age": 36, "tags": ["x", "y"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ada", "age": 36, "tags": ["x", "y"]}',
        '```json\n{"name": "Ada", "age": 36, "tags": ["x", "y"]}\n```',
        'Sure, here it is:\n{"name": "Ada", "age": 36, "tags": ["x", "y"]}\nAnything else?',
        "{'name': 'Ada', 'age': 36, 'tags': ['x', 'y'],}",
        '{name: "Ada", age: 36, tags: ["x", "y",]}',
        '{"name": "Ada" "age": 36, "tags": ["x", "y"]}',
        '{"name": "Ada", "age": 36, "tags": ["x", "y"}',
        '{"name": "Ada", "age": 36 "tags": ["x", "y"]}',
        '{"name": "Ada", "age": 36, "tags": "x", "y"]}',
        '{"name": "Ada", "age": "36", "tags": ["x", "y"]}',
        '{"Name": "Ada", "AGE": 36, "Tags": ["x", "y"]}',
        '{"name": "Ada", // who\n "age": 36, /* old */ "tags": ["x", "y"]}',
        '"name": "Ada", "age": 36, "tags": ["x", "y"]}',
        '{"name": "Ada, "age": 36, "tags": ["x", "y"]}',
        '{"name": Ada", "age": 36, "tags": ["x", "y"]}',
        '{"name" "Ada", "age": 36, "tags": ["x", "y"]}',
        '{"name": "Ada", "age": 36, "tags": "[\\"x\\", \\"y\\"]"}',
        '{"person": {"name": "Ada", "age": 36, "tags": ["x", "y"]}}',
        '[{"name": "Ada", "age": 36, "tags": ["x", "y"]}]',
        '{"name": "Ada", "age": 36, "tags": ["x", "y"]}}',
        2 * '{"name": "Ada", "age": 36, "tags": ["x", "y"]}',
        'callback({"name": "Ada", "age": 36, "tags": ["x", "y"]});',
        "{“name”: “Ada”, “age”: 36, “tags”: [“x”, “y”]}",
    ],
)  # fmt: skip
def test_a_named_fault_gives_the_value(text: str) -> None:
    result = knitbone.repair(text, PERSON)
    assert (result.ok, result.value) == (True, ADA), result.refusal
    assert json.loads(result.text) == ADA
    assert bool(result.edits) is (text != json.dumps(ADA))
    assert result.unwrap() == ADA


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no document"),
        ("I cannot do that.", "no document"),
        ('{"name": "Ada", "age": 3', "cut off"),
        ('{"name": "Ada", "age": 36, "tags": ["x"', "cut off"),
        ('{"name": "Ada", "ag', "cut off"),
        ('{"name": "Ada"}', '"age" is missing'),
        ('{"name": "Ada", "age": 36, "tag": 1, "color": "red"}', "no such key"),
        ('{"name": "Ada", "age": "old"}', "integer"),
        ('{"name": "Ada", "age": 36}\n{"name": "Bob", "age": 40}', "several documents"),
        ('{"name": "Ada", "age": 36, "age": 37}', "stands twice"),
    ],
)
def test_what_is_not_sure_is_refused_with_the_reason(text: str, reason: str) -> None:
    result = knitbone.repair(text, PERSON)
    assert not result.ok
    assert result.value is None
    assert reason in result.refusal
    with pytest.raises(RepairRefused, match="was not read") as caught:
        result.unwrap()
    assert caught.value.result is result


def test_two_readings_are_both_named() -> None:
    result = knitbone.repair('{"a": "x"y"}', ["a"])
    assert not result.ok
    assert "two ways" in result.refusal
    assert result.refusal.count("gives") == 2


def test_well_formed_text_is_left_alone() -> None:
    text = '{ "name":"Ada",\n"age" : 36 }'
    result = knitbone.repair(text, PERSON)
    assert (result.text, result.edits) == (text, ())


def test_edits_say_what_where_and_why() -> None:
    text = '{"name": "Ada",\n "age": 36,}'
    (edit,) = knitbone.repair(text, PERSON).edits
    assert (edit.place, edit.before, edit.after) == ("line 2, column 11", ",", "")
    assert edit.rule == "trailing comma removed"


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Car:
    make: str
    colour: Colour


class Trip(TypedDict):
    to: str
    days: int


def test_types_are_targets() -> None:
    assert knitbone.repair("{make: 'Fiat', colour: 'Red'}", Car).unwrap() == Car("Fiat", Colour.RED)
    assert knitbone.repair('{"to": "Rome", "days": "3"}', Trip).unwrap() == {
        "to": "Rome",
        "days": 3,
    }
    assert knitbone.repair('[{"to": "Rome", "days": 3,}]', list[Trip]).unwrap()[0]["days"] == 3


def test_a_tool_is_a_target() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": PERSON}}
    assert knitbone.repair("{'name': 'Ada', 'age': '36'}", tool).unwrap()["age"] == 36


def test_an_example_gives_keys_and_types() -> None:
    result = knitbone.repair('{"Name": "Ada", "age": "36"}', example={"name": "x", "age": 1})
    assert result.unwrap() == {"name": "Ada", "age": 36}


def test_python_literals() -> None:
    result = knitbone.repair("{'a': (1, 2), 'b': true, 'c': None", "python")
    assert not result.ok
    assert knitbone.repair("{'a': (1, 2), 'b': true, 'c': None]", "python").unwrap() == {
        "a": (1, 2), "b": True, "c": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("jason", "no format"),
        ([], "no list of keys"),
        ([1], "no list of keys"),
        ({"$ref": "https://example.org/s.json"}, "leads out of the schema"),
        ({"$ref": "#/$defs/a"}, "leads nowhere"),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "back to itself"),
        ({"properties": 3}, "not an object"),
        (3, "is no target"),
    ],
)
def test_a_bad_target_is_an_error(target: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        knitbone.repair("{}", target)


def test_a_recursive_schema() -> None:
    tree = {
        "type": "object",
        "properties": {
            "v": {"type": "integer"},
            "below": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["v"],
    }
    value: dict[str, Any] = {"v": 1, "below": [{"v": 2, "below": []}, {"v": 3}]}
    text = json.dumps(value).replace('"v": 2', "v: '2'")
    assert knitbone.repair(text, tree).unwrap() == value


_KEYWORDS = [
    "minLength", "maximum", "multipleOf", "enum", "required", "anyOf", "prefixItems", "properties",
    "patternProperties", "$defs", "dependentRequired", "pattern", "items", "additionalProperties",
    "not", "type",
]  # fmt: skip
_VALUES = st.sampled_from([None, True, 3, "x", "(", [], [1], ["a"], {}, {"(": {}}, {"a": 1}])


@given(schema=st.dictionaries(st.sampled_from(_KEYWORDS), _VALUES, max_size=3))
@settings(max_examples=400, deadline=None)
def test_any_schema_is_read_or_is_an_error_that_says_so(schema: dict[str, Any]) -> None:
    for text in ('{"a": 1,}', '["a", 1]', '"abc"', "3"):
        with contextlib.suppress(SchemaError):
            result = knitbone.repair(text, schema)
            assert result.ok or result.refusal


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": true, "a": 1}', "stands twice"),
        ('```\n{"a": true}\n```\n```\n{"a": 1}\n```', "several documents"),
        ('{"a": 1e99999}', "too large"),
        ('{"a": NaN,}', "no number"),
        ('{"a": ' + "9" * 5_000 + ",}", "more digits"),
    ],
)
def test_values_that_only_python_takes_for_equal_or_for_numbers(text: str, reason: str) -> None:
    assert reason in knitbone.repair(text).refusal


def test_an_expression_of_a_schema_that_may_take_too_long_is_not_run() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    started = time.monotonic()
    result = knitbone.repair('{"a": "' + "a" * 60 + '!",}', schema)
    assert "would take too long" in result.refusal
    assert time.monotonic() - started < 20
    assert knitbone.repair('{"a": "aaa",}', schema).unwrap() == {"a": "aaa"}


def test_an_escape_that_python_warns_of_changes_no_filter_for_the_host() -> None:
    """The suite turns warnings into errors."""
    assert knitbone.repair(r"{'a': '\d',}", "python").unwrap() == {"a": r"\d"}


HOSTILE = [
    "\n".join([">" * 5_000 + "x"] * 2),
    "\n".join(["+" * 5_000 + "x"] * 2),
    "-" * 200_000 + "1",
    "&" + "amp;" * 20_000 + "quot;",
    "[" * 100_000,
    '{"a":' * 100_000,
    '"' * 50_000,
    "{" + '"a": "\\' * 20_000,
    '{"a": "' + "x" * 3_000_000,
    '{"a": 1' + "0" * 100_000 + "}",
    '{"a": "\ud800\x00", "b": }',
    "[" + "1," * 100_000,
    "```json\n" * 10_000,
    '{"a": ' + "[1, 2" * 5_000,
    "{'a': '" + "it's " * 20_000 + "'}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("target", [None, PERSON, "python"], ids=["any", "schema", "python"])
def test_hostile_texts_end_soon(text: str, target: Any) -> None:
    """A bound that guards against a hang, and measures no speed."""
    started = time.monotonic()
    knitbone.repair(text, target)
    assert time.monotonic() - started < 20


_WORDS = st.text(string.ascii_letters + " ,.'é日", max_size=12)
_RECORDS = st.fixed_dictionaries(
    {"name": _WORDS, "age": st.integers(0, 99), "tags": st.lists(_WORDS, max_size=3)}
)


@given(record=_RECORDS, seed=st.integers(0, 10_000), kind=st.sampled_from(["lost", "doubled"]))
@settings(max_examples=300, deadline=None)
def test_a_structural_mark_lost_or_doubled_never_gives_another_value(
    record: dict[str, Any], seed: int, kind: str
) -> None:
    """Blind faults. Another value may come only where it lies as near: one character away."""
    text = json.dumps(record, ensure_ascii=False)
    marks = [index for index, sign in enumerate(text) if sign in '{}[],:"']
    at = random.Random(seed).choice(marks)
    broken = text[:at] + (text[at] if kind == "doubled" else "") * 2 + text[at + 1 :]
    result = knitbone.repair(broken, PERSON)
    if result.ok and result.value != record:
        assert _is_one_character_away(broken, result.value)


def _is_one_character_away(text: str, value: Any) -> bool:
    for at in range(len(text) + 1):
        for sign in ("", *'{}[],:"\\'):
            for behind in (at, at + 1):
                try:
                    if json.loads(text[:at] + sign + text[behind:]) == value:
                        return True
                except ValueError:
                    pass
    return False


@given(record=_RECORDS)
@settings(max_examples=200, deadline=None)
def test_what_conforms_is_never_changed(record: dict[str, Any]) -> None:
    text = json.dumps(record)
    result = knitbone.repair(text, PERSON)
    assert (result.ok, result.value, result.text, result.edits) == (True, record, text, ())


@given(text=st.text(st.sampled_from("{}[],:\"'\\ \n1ae-.tn`/#"), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_a_record(text: str) -> None:
    result = knitbone.repair(text)
    if result.ok:
        assert json.loads(result.text) == result.value
    else:
        assert result.refusal
    again = knitbone.repair(result.text)
    if result.ok:
        assert (again.value, again.edits) == (result.value, ())


def test_a_character_that_is_two_escapes_is_one_in_whatever_quotes() -> None:
    assert knitbone.repair(r"""[1, {'A': "\ud83d\ude00"}, 'B',]""").value == [1, {"A": "😀"}, "B"]
    half = knitbone.repair(r"['\ud83d']")
    assert (half.value, half.text) == (["\ud83d"], r'["\ud83d"]')
    half.text.encode()


@pytest.mark.parametrize(
    "text",
    [
        'a ```json {"k": "v"} ``` b ```json [1, 2] ```',
        '{"a": 1} or {"a": 2}',
        'First {"a": 1}, then [2, 3].',
        '"see [3"] more"',
        "]",
        "} ",
        '["x": {"d": 1}]',
        '["x": [1, 2]]',
        '{"x": (5)}',
        "{'a', 'b'}",
        "[1, // ... and so on\n 2]",
        '{"n": [1 234, 5]}',
        'x"abc" is {"a": 1"b"}',
        '[\u2018a\u2019, "b \u2018c\u2019"]',
        r'{"a": "C:\dir", "b": "C:\new"}',
        '{"a": 1 "b": 2 "c" 3}',
    ],
)
def test_what_can_be_read_in_several_ways_is_refused(text):
    result = knitbone.repair(text)
    assert not result.ok, result
    assert result.refusal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('({"a": 1})', {"a": 1}),
        ('{"s": [{"a": 1}}]', {"s": [{"a": 1}]}),
        ('{"a": 1} See [1].', {"a": 1}),
        ('For example {"a": 1}. Answer: {"a": 1}', {"a": 1}),
        ('```json\n{"a": 1, "b": 2\n```', {"a": 1, "b": 2}),
        ('\uff5b"a"\uff1a 1\uff5d', {"a": 1}),
    ],
)
def test_marks_in_a_wrong_place_are_read(text, value):
    assert knitbone.repair(text).unwrap() == value


def test_a_refusal_says_what_was_expected_and_where():
    assert knitbone.repair('{\n"share": 25%}').refusal == (
        "\",\" or a closing bracket is expected where '%}' stands (line 2, column 12)"
    )
    assert "cut off" in knitbone.repair('{"share": ').refusal
    assert (
        "number where"
        in knitbone.repair('{"n": 1.5}', {"properties": {"n": {"type": "boolean"}}}).refusal
    )

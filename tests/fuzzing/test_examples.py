"""Examples of the user, and those that a tool's own words show, begin a campaign."""

import json

import msgspec
import pytest

import knitbone
from knitbone.errors import InputFormatError
from knitbone.fuzzing.generate.directed_generator import DirectedGenerator
from knitbone.fuzzing.generate.examples import chosen, read_examples, shown_examples
from knitbone.fuzzing.records import ToolUnderTest


def tool(documentation="", name="seat", **properties):
    properties = properties or {"note": {"type": "string"}, "tables": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": [next(iter(properties))]}
    return ToolUnderTest(
        name=name, target=f"t.py:{name}", documentation=documentation, schema=schema
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[{"note": "a"}, {"note": "b"}]', [(None, {"note": "a"}), (None, {"note": "b"})]),
        ('{"note": "a"}\n\n{"note": "b"}\n', [(None, {"note": "a"}), (None, {"note": "b"})]),
        ('{"note": "a"}', [(None, {"note": "a"})]),
        ('{"seat": [{"note": "a"}]}', [("seat", {"note": "a"})]),
        ('\ufeff[{"note": "\\u2028"}]', [(None, {"note": "\u2028"})]),
    ],
)
def test_a_file_of_examples_is_json_or_json_lines(tmp_path, text, found):
    path = tmp_path / "examples"
    path.write_text(text, encoding="utf-8")
    assert list(read_examples(path)) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no JSON"),
        ("note: a", "is no JSON"),
        ('{"note": "a"}\n{"note": }', "in line 2"),
        ('{"note": "a"}\n[1]', "in line 2"),
        ('[{"note": "a"}, 3]', "as example 2"),
        ("[]", "holds no example"),
        ("3", "JSON int"),
    ],
)
def test_a_file_that_holds_something_else_says_where(tmp_path, text, said):
    path = tmp_path / "examples"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputFormatError, match=said):
        read_examples(path)


def test_a_file_of_examples_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputFormatError, match="nothing-here"):
        read_examples(tmp_path / "nothing-here")


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ((None, {"nota": "a"}), "has no argument 'nota'"),
        ((None, {"tables": 1}), "needs an argument 'note'"),
        ((None, {"note": 3}), "does not fit its schema"),
        (("stand", {"note": "a"}), "no tool is called stand"),
    ],
)
def test_an_example_that_fits_no_tool_is_refused(example, said):
    with pytest.raises(InputFormatError, match=said):
        chosen((example,), [tool()])


def test_each_tool_gets_the_examples_that_fit_it():
    other = tool(name="call", number={"type": "integer"})
    examples = ((None, {"note": "a"}), (None, {"number": 1}), ("seat", {"note": "b"}))
    assert chosen(examples, [tool(), other]) == [
        [{"note": "a"}, {"note": "b"}],
        [{"number": 1}],
    ]


@pytest.mark.parametrize(
    ("documentation", "shown"),
    [
        ('>>> seat("Ann;2;in", tables=3)', {"note": "Ann;2;in", "tables": 3}),
        ('Example: {"note": "Bo;1;out"}', {"note": "Bo;1;out"}),
        ("Example::\n\n    seat(note='Li (2)')", {"note": "Li (2)"}),
    ],
)
def test_a_call_that_the_documentation_shows_is_an_example(documentation, shown):
    assert shown_examples(tool(documentation))[0] == shown


def test_values_that_the_schema_shows_for_all_fields_make_calls():
    made = shown_examples(
        tool(
            note={"type": "string", "examples": ["Ann;2;in", "Bo;1;out"]},
            place={"enum": ["in", "out"]},
        )
    )
    assert made == [
        {"note": "Ann;2;in", "place": "in"},
        {"note": "Bo;1;out", "place": "out"},
    ]


@pytest.mark.parametrize("schema", [{}, {"properties": 3, "required": "x", "examples": 1}])
def test_a_schema_that_makes_no_sense_shows_nothing(schema):
    odd = msgspec.structs.replace(tool(), schema=schema)
    assert shown_examples(odd) == []


def test_examples_of_the_user_come_before_all_other_calls():
    given = [{"note": "first"}, {"note": "second", "tables": 2}]
    spec = tool('>>> seat("third")')
    generator = DirectedGenerator(spec, seed=5, examples=given)
    calls = [generator.propose(number).arguments for number in range(1, 4)]
    assert json.dumps(calls) == json.dumps([*given, {"note": "third"}])


def test_examples_are_given_from_python_too(tmp_path):
    path = tmp_path / "desk.py"
    path.write_text("def seat(note: str) -> str:\n    return note.upper()\n")
    target = f"{path}:seat"
    campaign = knitbone.fuzz(target, calls=3, examples=[{"note": "Ann;2;in"}])
    assert campaign.findings == ()
    with pytest.raises(InputFormatError, match="no argument 'guest'"):
        knitbone.fuzz(target, calls=3, examples=[{"guest": "Ann"}])

"""Notations of requirements: what is written reads back as it was, and reads well."""

import re

import pytest
from arbitrary_requirements import elements, requirements, shapes, steps, tuples
from hypothesis import given

from knitbone.adaptation.requirements.file import (
    decode,
    encode,
    read_elements,
    read_evidence,
    read_shape,
    read_steps,
    write_elements,
    write_evidence,
    write_shape,
    write_steps,
)
from knitbone.adaptation.testing import Element, Evidence, Field, Shape, Step

NOWHERE = Evidence(file="/nowhere.py", line=1, expression="")


@given(requirements)
def test_every_requirement_survives_its_table(requirement):
    (read,) = decode(encode((requirement,)), default_evidence=NOWHERE)
    assert repr(read) == repr(requirement)


@given(shapes)
def test_every_shape_survives_its_keys(shape):
    assert repr(read_shape(write_shape(shape))) == repr(shape)


@given(tuples(elements))
def test_every_element_survives_its_notation(sequence):
    assert repr(read_elements(write_elements(sequence))) == repr(sequence)


@given(steps)
def test_every_step_survives_its_notation(sequence):
    assert repr(read_steps(write_steps(sequence))) == repr(sequence)


def test_a_date_says_how_the_code_reads_it():
    when = Shape(type="date", convertible=True, reading="%Y-%m-%d", nullable=True)
    shape = Shape(type="object", fields=(Field(name="when", shape=when),))
    assert write_shape(shape) == ["when: date-like or null by '%Y-%m-%d'"]
    assert read_shape(write_shape(shape)) == shape
    quoted = Shape(type="date", reading='%d o\'clock \\ "%H"')
    assert read_shape(write_shape(quoted)) == quoted


def test_a_slot_says_how_the_code_reads_its_date():
    slot = Element(kind="slot", type="date", captured=True, reading="%B %d, %Y")
    assert write_elements((slot,)) == ["slot, captured, date by '%B %d, %Y'"]
    assert read_elements(write_elements((slot,))) == (slot,)
    with pytest.raises(ValueError, match="'iso' is neither a format"):
        read_elements(["slot, date by 'iso'"])


def test_a_date_by_nothing_known_is_refused():
    with pytest.raises(ValueError, match="'ISO' is neither a format"):
        read_shape(["when: date-like by 'ISO'"])


def test_keys_read_as_paths_with_types():
    item = Shape(
        type="object",
        fields=(
            Field(name="qty", shape=Shape(type="integer", convertible=True)),
            Field(name="state", shape=Shape(type="string", values=("on", "off"))),
            Field(name="at site", required=False, shape=Shape(nullable=True)),
        ),
    )
    shape = Shape(
        type="object",
        fields=(
            Field(name="items", shape=Shape(type="array", items=item)),
            Field(name="meta", required=False, shape=Shape(type="object", name="app.Meta")),
        ),
    )
    assert write_shape(shape) == [
        "items[].qty: integer-like",
        "items[].state: string in ('on', 'off',)",
        'items[]."at site"?: any or null',
        "meta?: object as app.Meta",
    ]


def test_elements_and_steps_read_as_words():
    written = write_elements(
        (
            Element(
                kind="choice",
                alternatives=(
                    (Element(kind="number", captured=True),),
                    (Element(kind="words", text="Task", options=("Task", "task")),),
                ),
            ),
            Element(kind="delimiter", text=".", options=(".", ")"), optional=True),
            Element(kind="space", text=" "),
            Element(kind="slot", captured=True, type="integer"),
        )
    )
    assert written == [
        ["choice", ["number, captured"], ["words 'Task' or 'task'"]],
        "delimiter '.' or ')', optional",
        "space",
        "slot, captured, integer",
    ]
    assert write_steps((Step(".split", ("\n", 1)), Step("c().execute"))) == [
        ".split('\\n', 1)",
        "c().execute()",
    ]
    assert (
        write_evidence(Evidence(file="plan.py", line=47, expression="line.partition('.')"))
        == "plan.py:47  line.partition('.')"
    )
    assert read_evidence("a/b.py:3").expression == ""


@pytest.mark.parametrize(
    ("read", "written", "why"),
    [
        (read_shape, ["qty: whole"], "'whole' in 'qty: whole' is not a type"),
        (read_shape, ["qty"], "'qty' is not a key and its type"),
        (read_shape, ["a: any", "a: string"], "stands twice"),
        (read_shape, ["a?.b: any", "a.c: any"], "optional in one line and not in another"),
        (read_shape, ["a: string in (print(),)"], "not a constant"),
        (read_elements, ["slott"], "'slott' is not an element"),
        (read_elements, ["bullet"], "does not begin with words, number"),
        (read_elements, ["slot, caught"], "'caught' in 'slot, caught' is not captured"),
        (read_elements, ["words 'a"], "does not end its string"),
        (read_elements, [["choice"]], "does not begin a choice"),
        (read_steps, [".strip"], "is not a step"),
        (read_steps, [".split(x)"], "is not a step"),
        (read_steps, [3], "3 is not a text"),
        (read_steps, "x", "'x' is not a list"),
        (read_evidence, "plan.py", "is not 'FILE:LINE"),
        (read_evidence, {"file": "x"}, "the one key 'python'"),
    ],
)
def test_what_cannot_be_read_says_why(read, written, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        read(written)

"""Objects that a framework has parsed: what is declared of them, and where they are read."""

import pytest
from use_trees import described, read

from knitbone.adaptation.testing import Field, Shape

NOTE = Shape(
    type="object",
    name="Note",
    fields=(
        Field(name="text", shape=Shape(type="string")),
        Field(name="tags", shape=Shape(type="array"), required=False),
    ),
)
PLAN = Shape(
    type="object",
    name="Plan",
    fields=(
        Field(name="text", shape=Shape(type="string"), required=False),
        Field(name="steps", shape=Shape(type="array")),
    ),
)

OBJECTS = {
    "nothing read": ([("truth",)], []),
    "handed on as it is": ([("truth",), (".items", [("iterate",)])], []),
    "keys": ([("getitem", "a"), (".get", "b")], ["JSON: object {a, b?}"]),
    "declared": ([("annotate", NOTE)], ["JSON: Note {text: string, tags?: array}"]),
    "declared, an attribute read": (
        [("annotate", NOTE, [("getattr", "tags", [("truth",)])])],
        ["JSON: Note {text: string, tags?: array}"],
    ),
    "one of several classes, read by nobody": (
        [("annotate", NOTE), ("annotate", PLAN)],
        ["JSON: object {text?: string}"],
    ),
    "a class for each of two readers": (
        [
            ("annotate", NOTE, [("getattr", "text")]),
            ("annotate", PLAN, [("getattr", "steps")]),
        ],
        ["JSON: Note {text: string, tags?: array}", "JSON: Plan {text?: string, steps: array}"],
    ),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_demands_what_is_declared_or_read(name):
    uses, expected = OBJECTS[name]
    assert described(uses, form="object") == expected


def line(uses):
    (found,) = read(uses, form="object")
    return found.evidence.line


def test_the_evidence_is_the_first_reading():
    below = [("truth", {"line": 5}), ("getattr", "text", {"line": 6})]
    assert line([("annotate", NOTE, {"line": 4}, below)]) == 6


def test_the_evidence_is_the_declaration_of_the_code_that_reads():
    below = [("getattr", "text", {"line": 6})]
    declared = ("annotate", NOTE, {"line": 5}, below)
    assert line([("annotate", NOTE, {"line": 4}, [declared])]) == 5


def test_which_of_several_classes_it_is_nobody_is_sure():
    (found,) = read([("annotate", NOTE), ("annotate", PLAN)], form="object")
    assert found.confidence == "medium"

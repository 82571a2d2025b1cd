"""What the flow tells of targets, keys and loops over constants."""

import textwrap

import pytest

from knitbone.adaptation.testing import uses_of

HEADER = """
from openai import OpenAI
client = OpenAI()

def ask(prompt):
    reply = client.chat.completions.create(model="m", messages=[])
    return reply.choices[0].message.content

"""


@pytest.fixture
def operations(tmp_path):
    def run(source):
        path = tmp_path / "app.py"
        path.write_text(HEADER + textwrap.dedent(source))
        return [
            (use.operation.name, *use.operation.arguments)
            for _, trees in uses_of([path])
            for tree in trees
            for use in tree.walk()
        ]

    return run


def test_a_starred_target_takes_any_number(operations):
    found = operations("def headline():\n    first, *rest = ask('x').split('|')\n")
    assert ("unpack", 0, None) in found
    assert ("unpack", 1, None) in found
    found = operations("def headline():\n    first, second = ask('x').split('|')\n")
    assert ("unpack", 0, 2) in found


def test_a_name_says_that_a_value_is_a_number(operations):
    source = "def plan():\n    parts = ask('x').split('.', 1)\n    {} = parts[0].strip()\n"
    assert ("named", "task_id") in operations(source.format("task_id"))
    assert not [op for op in operations(source.format("solid")) if op[0] == "named"]


def test_a_dictionary_that_is_written_out_tells_its_keys(operations):
    source = """
        def plan(table):
            return {"publish": 1, "wait": 2}[ask('x').strip()], table[ask('y')]
    """
    found = [op for op in operations(source) if op[0] == "index"]
    assert ("index", ("publish", "wait")) in found
    assert ("index",) in found


def test_a_place_in_a_written_list_is_one_of_its_items(operations):
    found = operations("def rank():\n    return ['low', 'high'].index(ask('x').strip())\n")
    assert ("in", ("low", "high")) in found


def test_parameters_are_keys_of_an_object_that_is_spread_over_them(operations):
    found = operations("""
        import json

        def book(day, /, room, seats=2, *, name, note=None, **more):
            return int(seats)

        def plan():
            return book("monday", **json.loads(ask('x')))
    """)
    read = {op for op in found if op[0] in ("getitem", ".get")}
    assert read == {(".get", name) for name in ("room", "seats", "name", "note")}
    assert ("int",) in found


LOOPS = {
    "contains": ("any(k in ask('x') for k in KEYS)", ("contains", ("keep", "drop"))),
    "compared with a truth value": ("ask('x') is True", ("is", True)),
    "compared": ("any(ask('x') == k for k in KEYS)", ("in", ("keep", "drop"))),
    "starts": ("[k for k in KEYS if ask('x').startswith(k)]", (".startswith", ("keep", "drop"))),
    "in brackets": ("any(f'[{k}]' in ask('x') for k in KEYS)", ("contains", ("[keep]", "[drop]"))),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_over_constants_asks_for_one_of_them(operations, name):
    expression, expected = LOOPS[name]
    found = operations(f'KEYS = ["keep", "drop"]\ndef decide():\n    return {expression}\n')
    assert expected in found


def test_what_stands_in_a_list_is_not_compared_itself(operations):
    found = operations("def decide(word):\n    return 'a' in [ask('x'), 'b']\n")
    assert not [op for op in found if op[0] == "contains"]

"""What speaks against a repair: each objection, and a like answer that is delivered; growth."""

import importlib
import itertools
import sys
import textwrap

import pytest

import knitbone
from knitbone.adaptation.consumers.rehearsal import Ending
from knitbone.adaptation.repair.objections import find_objection

HEADER = """
import csv, dataclasses, io, json, re
from pydantic import BaseModel
import knitbone
ANSWER = ""
@knitbone.source
def ask(prompt):
    return ANSWER
"""
DEFAULTS = """
def handle():
    found = json.loads(ask('JSON: {"score": 3, "note": "..."}'))
    return found.get("score"), found.get("note", "")
"""
MODEL = """
class Note(BaseModel):
    score: int = 0
    note: str = ""
def handle():
    found = Note.model_validate_json(ask("JSON with score and note"))
    return found.score, found.note
"""
RECORD = """
@dataclasses.dataclass
class Person:
    name: str
    age: int
def handle():
    person = Person(**json.loads(ask("JSON with name and age")))
    return person.name, person.age
"""
TWICE = """
def handle():
    return json.loads(ask('JSON: {"count": 3}'))["count"] * 2
"""
SWITCH = """
def handle():
    return bool(json.loads(ask('JSON: {"on": true}'))["on"])
"""
LISTED = """
def handle():
    return json.loads(ask('JSON: {"items": ["..."]}')).get("items", [])
"""
TABLE = """
def handle():
    rows = csv.DictReader(io.StringIO(ask("CSV with the columns name,age")))
    return [(row["name"], int(row["age"])) for row in rows]
"""
SCORES = """
def handle():
    found = re.findall(r"^Essay (\\\\d): (\\\\d+)/20$", ask("Lines 'Essay <n>: <score>/20'"), re.M)
    if not found:
        raise ValueError("no score")
    return found
"""
WINNER = """
def handle():
    found = re.fullmatch(r"City: (\\\\w+)", ask("Answer 'City: <name>'"))
    if found is None:
        raise ValueError("no city")
    return found[1]
"""
TOOL = """
def handle():
    text = ask("Action: the tool\\nAction Input: JSON")
    found = re.search(r"Action\\\\s*:\\\\s*(.*?)\\\\s*Action Input\\\\s*:\\\\s*(.*)", text, re.S)
    if found is None:
        raise ValueError("no action")
    return found[1], json.loads(found[2])
"""
MARKED = """
def handle():
    return [line[2:] for line in ask("'- path' to delete").splitlines() if line.startswith("- ")]
"""
ALLOWED = """
def handle():
    found = json.loads(ask('JSON: {"allow": [...], "deny": [...]}'))
    return found["allow"], found.get("deny", [])
"""

OBJECTIONS = {
    "a list that is cut": (LISTED, '{"items": ["a", "b"', None),
    "a number that is cut": (DEFAULTS, '{"score": 19.', None),
    "a default beside another key": (
        DEFAULTS,
        '```json\n{"rating": 3, "note": "x"}\n```',
        '```json\n{"score": 3, "note": "x"}\n```',
    ),
    "a default of a model": (
        MODEL,
        '```json\n{"rating": 3, "note": "x"}\n```',
        '```json\n{"score": 3}\n```',
    ),
    "a text in a field of numbers": (
        RECORD,
        '```json\n{"name": "Ann", "age": "old"}\n```',
        '```json\n{"name": "Ann", "age": 36}\n```',
    ),
    "a text that is multiplied": (
        TWICE,
        '```json\n{"count": "3"}\n```',
        '```json\n{"count": 3}\n```',
    ),
    "a list that is multiplied": (TWICE, '```json\n{"count": [3]}\n```', None),
    "a text that says no": (
        SWITCH,
        '```json\n{"on": "false"}\n```',
        '```json\n{"on": false}\n```',
    ),
    "a text in place of a list": (
        LISTED,
        '```json\n{"items": "a and b"}\n```',
        '```json\n{"items": ["a and b"]}\n```',
    ),
    "a header alone": (TABLE, "```\nname,age\n```", "```\nname,age\nAnn,36\n```"),
    "a record with a cell less": (
        TABLE,
        "```\nname,age\nAnn,36\nBo\n```",
        "```\nname,age\nAnn,36\nBo,7\n```",
    ),
    "a line that nothing reads": (
        SCORES,
        "- Essay 1: 10/20\n- Essay 2: absent",
        None,
    ),
    "a phrase that is cut": (WINNER, "City: New York", "**City:** Oslo"),
    "a mark of the next label": (
        TOOL,
        "3. Action: go\n4. Action Input: {'x': 1}",
        "Action: go\nAction Input: {'x': 1}",
    ),
    "marks by which the code chooses": (MARKED, "- a\n+ b", None),
    "a key named beside the document": (
        ALLOWED,
        '{"allow": ["a"]}\n\nDeny: b',
        '{"allow": ["a"]}\n\nI hope this helps!',
    ),
    "words that take a document back": (
        LISTED,
        'I would not send {"items": ["a"]} yet',
        'Here it is: {"items": ["a"]}',
    ),
    "contradicting documents": (
        DEFAULTS,
        '{"score": 1}\n{"score": 3, "note": "x",}',
        '{"score": 3, "note": "x",}',
    ),
}
"""Name -> code, an answer of which no value may come that the plain code does not give, and one
that is repaired."""


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    folder = tmp_path_factory.mktemp("objections")
    sys.path.insert(0, str(folder))
    numbers = itertools.count()

    def load(source):
        name = f"objecting_{next(numbers)}"
        code = HEADER + textwrap.dedent(source).replace("\\\\", "\\")
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        return importlib.import_module(name)

    yield load
    sys.path.remove(str(folder))


def outcome(module, answer):
    module.ANSWER = answer
    try:
        return module.handle()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("name", OBJECTIONS)
def test_what_is_objected_to_is_left_as_it_came_and_its_twin_is_repaired(load, name):
    source, refused, delivered = OBJECTIONS[name]
    plain, adapted = load(source), load(source)
    knitbone.adapt(adapted.handle)  # in place
    assert outcome(adapted, refused) == outcome(plain, refused)
    if delivered is not None:
        before, made = outcome(plain, delivered), outcome(adapted, delivered)
        assert isinstance(before, type), "the plain code must fail on what is repaired"
        assert not isinstance(made, type)


HOSTILE = {
    "marks": "* ab cd ",
    "one mark": "*",
    "lines of marks": "x\n* ",
    "words": "word word ",
    "separators": "a | b ; ",
    "brackets": "a (b) ",
    "labels": "Name: x\n",
    "quotes": "'\"",
    "blanks": "a, \t ",
}


def looked_at(text, repaired, leaves):
    """Return how often the time is asked for, and the Python steps of one look."""
    asked, steps = itertools.count(), itertools.count()
    ending = Ending("returned", list(leaves))

    def trace(frame, event, argument):
        next(steps)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        find_objection(
            text, None, repaired, lambda _: ending, kind="template", check=lambda: next(asked)
        )
    finally:
        sys.settrace(before)
    return next(asked), next(steps)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_look_grows_with_the_answer_and_not_with_its_square(name):
    """A comparison of two texts by ``difflib`` took 24 s for 19 KB of one mark."""
    piece = HOSTILE[name]

    def look(size):
        body = piece * (size // len(piece))
        text = f"**Action:** go\n{body}"
        return looked_at(text, f"Action: go\n{body}", [body, *body.split()[:50]])

    short, long = look(4_000)[1], look(16_000)[1]
    assert long < 8 * short + 2_000


def test_each_value_is_looked_at_only_while_there_is_time():
    values = [f"value {number}" for number in range(100)]
    text = "\n".join(values)
    asked, _ = looked_at(f"- {text}", text, values)
    assert asked >= len(values)

    def spent():
        raise TimeoutError

    ending = Ending("returned", values)
    with pytest.raises(TimeoutError):
        find_objection(text, None, text, lambda _: ending, kind="template", check=spent)

"""Faults behind several conditions are found within 200 calls, and their reproducers replay."""

import json

import pytest

from knitbone.fuzzing.engine import fuzz, replay
from knitbone.fuzzing.generate.directed_generator import DirectedGenerator
from knitbone.fuzzing.records import CallOutcome, CampaignFinished, ToolUnderTest

TOOLS = """
import csv, io, re
from pydantic import BaseModel


def ratio(route: str) -> str:
    parts = route.split("->")
    if len(parts) != 2:
        return "a plain route"
    left, right = parts
    if not (left.strip().isdigit() and right.strip().isdigit()):
        return "a named route"
    return str(int(left) % int(right))


def third_column(table: str) -> str:
    rows = list(csv.reader(io.StringIO(table)))
    if len(rows) < 2:
        return "no data"
    return "third: " + rows[1][2]


REFERENCE = re.compile(r"(INV|CRN)-(\\d{4})-([A-Z]{2})")


def entry(reference: str) -> str:
    found = REFERENCE.fullmatch(reference)
    if found is None:
        return "unknown reference"
    number = int(found.group(2))
    if number % 89 == 17:
        raise RuntimeError("the shard is offline")
    return f"entry {number}"


def reading(value: float, unit: str) -> str:
    if unit.lower() == "rankine" and value < 0:
        raise ArithmeticError("below zero")
    return "stored"


class Line(BaseModel):
    name: str
    quantity: int = 1


class Order(BaseModel):
    count: int
    lines: list[Line]


async def place(order: Order) -> str:
    if order.count < 1:
        return "nothing"
    if order.lines and order.lines[0].name.startswith("gift:"):
        return f"placed {sum(order.lines[i].quantity for i in range(order.count))}"
    return "no gift"
"""

FAULTS = {
    "ratio": "ZeroDivisionError",
    "third_column": "IndexError",
    "entry": "RuntimeError",
    "reading": "ArithmeticError",
    "place": "IndexError",
}


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "deep_tools.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    return "deep_tools.py"


def campaign_of(target, *, seed):
    events = list(fuzz(target, calls=200, seed=seed))
    (campaign,) = [e.campaign for e in events if isinstance(e, CampaignFinished)]
    return campaign


@pytest.mark.parametrize("name", FAULTS)
def test_it_is_found_and_replays(module, name):
    campaign = campaign_of(f"{module}:{name}", seed=0)
    (found,) = [f for f in campaign.findings if f.exception == FAULTS[name]]
    assert found.call <= 200
    again = replay(f"{module}:{name}", found.arguments)
    assert again.verdict is not None
    assert again.verdict.id == found.id


def test_what_was_learned_is_told(module):
    told = campaign_of(f"{module}:ratio", seed=1).behaviours
    assert 'route: split on "->" into 2' in told


SPEC = ToolUnderTest(
    name="pair",
    target="x:pair",
    documentation="",
    schema={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
)


def proposals(seed, outcomes):
    generator = DirectedGenerator(SPEC, seed=seed)
    made = []
    for number, trace in enumerate(outcomes, 1):
        arguments = generator.propose(number).arguments
        made.append(arguments)
        generator.observe(arguments, CallOutcome(status="ok", trace=trace), None)
    return made


def trace_of(seed):
    """What a tool tells that compares its argument with a word."""
    node = ["operator.eq", [["t", 0], ["c", f"word{seed}"]]]
    return {
        "nodes": [["input", [["tuple", [["c", "a"]]]]], node],
        "events": [[0, "branch", 1, False]],
        "covered": [[0, False]],
        "places": {"0": ["x.py", 1, "a == word"]},
    }


def test_same_outcomes_same_proposals():
    outcomes = [trace_of(0)] * 30
    assert proposals(0, outcomes) == proposals(0, outcomes)
    assert {"a": "word0"} in proposals(0, outcomes)
    assert proposals(0, outcomes) != proposals(1, outcomes)


@pytest.mark.parametrize(
    "trace",
    [
        {},
        {"nodes": "x"},
        {"nodes": [["input", [["tuple", []]]]], "events": [[0, "branch", 7, True]]},
        {"nodes": [["input", [["re", "(", 0]]]], "events": [], "covered": [], "places": {}},
        {"nodes": [["os.system", [["c", "echo"]]]], "events": [[0, "branch", 0, True]],
         "covered": [], "places": {}},
        {"nodes": [["input", [["s", "date", "no date"]]]], "events": [], "covered": [],
         "places": {}},
    ],
)  # fmt: skip
def test_a_trace_that_makes_no_sense_is_passed_over(trace):
    assert len(proposals(0, [trace] * 12)) == 12


def test_only_every_tenth_call_is_one_that_was_made_before():
    made = [json.dumps(p) for p in proposals(3, [trace_of(0)] * 150)]
    new = [p for number, p in enumerate(made, 1) if number % 10]
    assert len(set(new)) == len(new)
    assert all(p in made[:number] for number, p in enumerate(made) if (number + 1) % 10 == 0)

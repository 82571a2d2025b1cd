"""Minimising keeps the failure and its budget, and ends at the same arguments wherever it began.

Each family is one way in which tools depend on their arguments. The arguments to begin with are
drawn at large, as a fuzzer finds them; what is left is the simplest that fails, within the default
budget.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.fuzzing.confirmation import minimise, simplicity

Arguments = dict[str, Any]
STARTS = 25


class Family(NamedTuple):
    """Arguments that fail, how it is seen that they do, and the simplest ones."""

    name: str
    start: Callable[[random.Random], Arguments]
    fails: Callable[[Any], bool]
    simplest: Arguments


def words(rng: random.Random, most: int = 60) -> str:
    """Any text, with spaces, signs and letters that ASCII does not have."""
    letters = string.ascii_letters + string.digits + "  .,-;:/\n" + "éß東🎲"
    return "".join(rng.choices(letters, k=rng.randrange(most)))


def wrapped(part: str) -> Callable[[random.Random], Arguments]:
    """A text somewhere in another one, beside arguments that do not matter."""
    return lambda rng: {
        "x": words(rng) + part + words(rng), "y": rng.randrange(99), "z": words(rng),
    }  # fmt: skip


def document(rng: random.Random) -> Any:
    """Some JSON."""
    return {
        "id": rng.randrange(10**6),
        "name": words(rng, 20),
        "items": [{"sku": words(rng, 8), "pieces": rng.randrange(9)} for _ in range(3)],
        "tags": [words(rng, 6) for _ in range(rng.randrange(4))],
    }


def nested(rng: random.Random) -> Arguments:
    made = {**document(rng), "lines": [{"price": None, "name": words(rng, 9)}]}
    return {"x": json.dumps(made, indent=rng.choice([None, 2]))}


def packed(rng: random.Random) -> Arguments:
    made = nested(rng)["x"].encode("utf-8")
    return {"x": base64.b64encode(made).decode("ascii"), "y": words(rng)}


def listed(rng: random.Random) -> Arguments:
    number = rng.randrange(20, 10**6)
    return {"x": number, "y": [4, number, 9]}


def no_day(year: str, month: str, day: str) -> bool:
    return int(month) == 2 and int(day) > 28 and year.isdigit()


def opened(text: str) -> Any:
    return json.loads(base64.b64decode(text))


FAMILIES = (
    Family("any text", wrapped(""), lambda a: isinstance(a["x"], str), {"x": ""}),
    Family("a part", wrapped("<b>"), lambda a: "<b>" in a["x"], {"x": "<b>"}),
    Family("a line break", wrapped("\n"), lambda a: "\n" in a["x"], {"x": "\n"}),
    Family(
        "two parts in order", wrapped("(1)"), lambda a: 0 <= a["x"].find("(") < a["x"].rfind(")"),
        {"x": "()"},
    ),
    Family("a digit", wrapped("7"), lambda a: any(map(str.isdigit, a["x"])), {"x": "0"}),
    Family("a capital", wrapped("Q"), lambda a: any(map(str.isupper, a["x"])), {"x": "A"}),
    Family("not ASCII", wrapped("東"), lambda a: not a["x"].isascii(), {"x": "\x80"}),
    Family(
        "a long text", lambda rng: {"x": words(rng) + "b" * rng.randrange(300, 5_000)},
        lambda a: len(a["x"]) > 255, {"x": "a" * 256},
    ),
    Family(
        "words", wrapped(" a b c"), lambda a: len(a["x"].split()) >= 3, {"x": "a a a"}
    ),
    Family(
        "no number after a colon", wrapped(":z"), lambda a: not a["x"].split(":")[1].isdigit(),
        {"x": ":"},
    ),
    Family(
        "large number", lambda rng: {"x": rng.randrange(1_001, 10**9), "y": words(rng)},
        lambda a: a["x"] > 1_000, {"x": 1_001},
    ),
    Family(
        "small number", lambda rng: {"x": -rng.randrange(51, 10**7)},
        lambda a: a["x"] < -50, {"x": -51},
    ),
    Family(
        "any negative", lambda rng: {"x": -rng.randrange(1, 10**7)}, lambda a: a["x"] < 0, {"x": -1}
    ),
    Family(
        "large float", lambda rng: {"x": rng.uniform(3, 1e9)}, lambda a: a["x"] > 2.5, {"x": 3.0}
    ),
    Family(
        "order of two", lambda rng: {"low": rng.randrange(500, 10**6), "high": rng.randrange(500)},
        lambda a: a["low"] > a["high"] >= 0, {"low": 1, "high": 0},
    ),
    Family(
        "two alike", lambda rng: dict.fromkeys("xy", "k" + words(rng)),
        lambda a: a["x"] == a["y"] != "", {"x": "a", "y": "a"},
    ),
    Family(
        "listed", listed,
        lambda a: a["x"] in a["y"] and a["x"] > 2, {"x": 3, "y": [3]},
    ),
    Family(
        "an item", lambda rng: {"x": [words(rng, 9) for _ in range(9)] + ["", words(rng, 9)]},
        lambda a: "" in a["x"], {"x": [""]},
    ),
    Family(
        "several items", lambda rng: {"x": rng.choices(range(99), k=rng.randrange(3, 30))},
        lambda a: len(a["x"]) > 2, {"x": [0, 0, 0]},
    ),
    Family(
        "the same twice", lambda rng: {"x": [*(words(rng, 6) for _ in range(6)), "ab", "ab"]},
        lambda a: len(set(a["x"])) < len(a["x"]), {"x": ["", ""]},
    ),
    Family(
        "a missing field", lambda rng: {"x": [{"a": 1, "b": words(rng, 9)}, {"b": rng.random()}]},
        lambda a: any("a" not in item for item in a["x"]), {"x": [{}]},
    ),
    Family(
        "a document", nested, lambda a: json.loads(a["x"])["lines"][0]["price"] is None,
        {"x": '{"lines":[{"price":null}]}'},
    ),
    Family(
        "a packed document", packed, lambda a: opened(a["x"])["lines"][0]["price"] is None,
        {"x": base64.b64encode(b'{"lines":[{"price":null}]}').decode("ascii")},
    ),
    Family(
        "a row too short", wrapped("\na,b\nc\nd,e"),
        lambda a: bool(a["x"]) and any(line.count(",") < 1 for line in a["x"].split("\n")),
        {"x": "a"},
    ),
    Family(
        "a day too late", lambda rng: {"x": f"20{rng.randrange(10, 99)}-02-3{rng.randrange(2)}"},
        lambda a: no_day(*a["x"].split("-")) and len(a["x"]) == 10,
        {"x": "0000-02-30"},
    ),
)  # fmt: skip


def outcomes(family: Family, shrink: Callable[..., Arguments] = minimise) -> list[Arguments]:
    """What minimising makes of as many failing arguments as are drawn."""

    def fails(arguments: Arguments) -> bool:
        try:
            return family.fails(arguments)
        except (LookupError, TypeError, ValueError):
            return False

    rng = random.Random(family.name)
    starts = [start for start in (family.start(rng) for _ in range(STARTS * 3)) if fails(start)]
    assert len(starts) >= STARTS
    budget = FuzzConfig().minimise_calls
    return [shrink(start, fails=fails, budget=budget) for start in starts[:STARTS]]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_minimising_ends_at_the_simplest_from_wherever_it_began(family):
    assert all(made == family.simplest for made in outcomes(family))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=3)


@given(arguments=ARGUMENTS, letter=st.sampled_from(["1", "e", "[", "'"]))
def test_the_result_still_fails_is_no_less_simple_and_within_budget(
    arguments: dict[str, Any], letter: str
) -> None:
    calls = 0

    def fails(candidate: dict[str, Any]) -> bool:
        nonlocal calls
        calls += 1
        return letter in repr(candidate)

    if letter not in repr(arguments):
        return
    smallest = minimise(arguments, fails=fails, budget=40)
    assert letter in repr(smallest)
    assert simplicity(smallest) <= simplicity(arguments)
    assert calls <= 40

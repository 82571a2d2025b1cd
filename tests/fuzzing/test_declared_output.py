"""Results that contradict the declared output, and those that do not."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest
from pydantic import BaseModel

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.sandbox.return_types import violation


class Number(float):
    pass


class Colour(str, enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int


class Row(TypedDict):
    name: str


class Model(BaseModel):
    x: int


class Plain:
    pass


@pytest.mark.parametrize(
    ("value", "declared"),
    [
        ("a", str),
        (True, int),
        (1, float),
        (Number(1), float),
        ([Number(1), True], list[float]),
        (Colour.RED, str),
        (None, str | None),
        (Point(1), Point),
        (Point(1), int | Point),
        ({"name": "Ann"}, Row),
        (Model(x=1), Model),
        ({"a": [1]}, dict[str, list[int]]),
        ((1, 2), list[int]),
        (dt.datetime(2024, 5, 1, tzinfo=dt.UTC), dt.date),
        (Plain(), object),
        (1, Any),
        (iter([1]), Iterator[int]),
        ("a", "NoSuchName"),
        ("a", Literal["a"]),
    ],
)
def test_what_python_lets_pass_is_no_contradiction(value: Any, declared: Any) -> None:
    assert violation(value, declared) is None


@pytest.mark.parametrize(
    ("value", "declared", "words"),
    [
        (None, str, "declares str: Expected `str`, got `null`"),
        (1, str, "declares str: Expected `str`, got `int`"),
        ("a", dict, "got `str`"),
        ([1, "a"], list[int], "at `$[1]`"),
        ({"name": 1}, Row, "at `$.name`"),
        ({}, Row, "missing required field `name`"),
        ({"x": 1}, Model, "Expected `Model`, got `dict`"),
        ("b", Literal["a"], "Invalid enum value"),
        (None, int | Point, "got `null`"),
        (1.5, int, "got `float`"),
    ],
)
def test_contradictions_say_what_was_declared(value: Any, declared: Any, words: str) -> None:
    found = violation(value, declared)
    assert found is not None
    assert words in found


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("def tool(n: int) -> str:\n    return 'a' if n > 3 else None\n", ["output_type"]),
        ("async def tool(n: int) -> str:\n    return 'a' if n > 3 else n\n", ["output_type"]),
        ("def tool(n: int) -> dict:\n    return {'n': n} if n > 3 else [n]\n", ["output_type"]),
        ("def tool(n: int) -> str:\n    return 'a'\n", []),
        ("from typing import Iterator\ndef tool(n: int) -> Iterator[int]:\n    yield n\n", []),
        ("def tool(n: int):\n    return 'a' if n > 3 else None\n", []),
        (
            "from langchain_core.tools import tool as make\n@make\ndef tool(n: int) -> str:\n"
            "    '''Count.'''\n    return 'a' if n > 3 else None\n",
            ["output_type"],
        ),
    ],
)
def test_a_campaign_finds_results_of_another_type(
    private: Path, tmp_path: Path, body: str, kinds: list[str]
) -> None:
    path = tmp_path / "typed_tool.py"
    path.write_text(body)
    campaign = fuzz(f"{path}:tool", calls=30, seed=1, config=FuzzConfig(memory_mb=256))
    assert [(f.kind, f.replays) for f in campaign.findings] == [(kind, True) for kind in kinds]

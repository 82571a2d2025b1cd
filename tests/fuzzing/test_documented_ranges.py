"""A range in the documentation beside the bounds that the tool has: both are drawn.

A tool that refuses a part of what is documented misleads an agent, however politely it refuses;
what is written then has its numbers, and never two that contradict each other.
"""

from __future__ import annotations

import random
import textwrap
from pathlib import Path

import msgspec
import pytest

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.fixing import DocumentationFix, DocumentationFixed, FixSetting, fix
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.report.fuzz import news

CONFIG = FuzzConfig(minimise_calls=40)

STYLES = (
    '"""{does}\n\n    Args:\n        size: {said}.\n    """',
    '"""{does}\n\n    Parameters\n    ----------\n    size : int\n        {said}.\n    """',
    '"""{does}\n\n    :param size: {said}.\n    """',
)
RANGES = ("How many at most, from {low} to {high}", "The number of rows ({low}-{high})",
          "Between {low} and {high}, both included")  # fmt: skip
MESSAGES = (
    "size must be {word} {bound}",
    "{size}: only {word} {bound} rows",
    "size is not {word} {bound}",
)


def tool(rng: random.Random, documented: tuple[int, int], own: tuple[int, int]) -> str:
    """A tool that documents a range and has bounds of its own."""
    said = rng.choice(RANGES).format(low=documented[0], high=documented[1])
    text = rng.choice(STYLES).format(does="List rows of a table.", said=said)
    message = rng.choice(MESSAGES).replace("{size}", "{size!r}")
    low = message.replace("{word}", "at least").replace("{bound}", str(own[0]))
    high = message.replace("{word}", "at most").replace("{bound}", str(own[1]))
    ends = rng.choice(('raise ValueError(f"{}")', 'return f"Error: {}"'))
    return (
        f"def tool(size: int, table: str = 'a') -> str:\n    {text}\n"
        f"    if size < {own[0]}:\n        {ends.format(low)}\n"
        f"    if size > {own[1]}:\n        {ends.format(high)}\n"
        "    return ', '.join(f'{table}{n}' for n in range(size))\n"
    )


def written_to(path: Path, source: str) -> str:
    path.write_text(source)
    return f"{path}:tool"


def fixed(target: str) -> DocumentationFix:
    events = fix(target, FixSetting(calls=80, seed=1))
    return next(event.fix for event in events if isinstance(event, DocumentationFixed))


def bounds_told(made: DocumentationFix) -> set[tuple[str, int]]:
    """The bounds that the fixed documentation states."""
    fields = made.tool.schema["properties"]
    told = {name: {**fields[name], "description": text} for name, text in made.parameters.items()}
    schema = {"type": "object", "properties": {**fields, **told}}
    seen = msgspec.structs.replace(made.tool, documentation=made.description, schema=schema)
    stated = [each for each in read_constraints(seen) if each.of.argument == "size"]
    return {(each.kind, each.value) for each in stated if each.kind in ("minimum", "maximum")}


@pytest.mark.parametrize("seed", range(5))
def test_a_refused_part_of_the_range_is_a_failure_and_its_numbers_are_put_right(
    seed: int, private: Path, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    low, high = rng.randint(1, 9), rng.randint(60, 99)
    own = (low + rng.choice((0, 4)), high - rng.choice((10, 35)))
    target = written_to(tmp_path / "tools.py", tool(rng, (low, high), own))
    found = news(fuzz(target, calls=80, seed=1, config=CONFIG))
    assert {each.because for each in found} == {"it refuses a part of the range that is documented"}
    # The fix states the tool's own bounds, and no others.
    assert bounds_told(fixed(target)) == {("minimum", own[0]), ("maximum", own[1])}


@pytest.mark.parametrize("seed", range(3))
def test_a_tool_that_keeps_its_range_has_no_failure(
    seed: int, private: Path, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    low, high = rng.randint(1, 9), rng.randint(60, 99)
    own = (low - rng.choice((0, 1)), high + rng.choice((0, 10)))
    target = written_to(tmp_path / "tools.py", tool(rng, (low, high), own))
    assert news(fuzz(target, calls=80, seed=1, config=CONFIG)) == []


SOUND = {
    "a day that the month has not": '''
        def tool(month: int, day: int) -> str:
            """Name a day of 2023.

            Args:
                month: from 1 to 12.
                day: from 1 to 31.
            """
            import datetime
            return str(datetime.date(2023, month, day))
        ''',
    "a range of another argument": '''
        def tool(first: int, count: int) -> str:
            """List rows.

            Args:
                first: the number of the first row, from 1 to 90.
                count: how many rows, from 1 to 10.
            """
            if not 1 <= first <= 90:
                raise ValueError("first must be from 1 to 90")
            if not 1 <= count <= 10:
                raise ValueError(f"count must be from 1 to 10, not {count}")
            return ",".join(str(first + n) for n in range(count))
        ''',
}


@pytest.mark.parametrize("name", SOUND)
def test_a_refusal_for_another_reason_is_no_failure(
    name: str, private: Path, tmp_path: Path
) -> None:
    target = written_to(tmp_path / "tools.py", textwrap.dedent(SOUND[name]))
    found = news(fuzz(target, calls=120, seed=1, config=CONFIG))
    assert [each.message for each in found if "range" in each.because] == []

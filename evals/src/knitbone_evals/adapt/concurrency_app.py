"""An application of six small functions, each with an answer that drifts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import knitbone
from benchmarks.adapt_latency_cases import essay
from benchmarks.structured import document

__all__ = ["JOBS", "LONG"]

_TEXT = "The committee approved the revised budget. Nobody from the district objected to it. " * 12
_LONG = document(100_000, 1_000, seed=1)[0]
_ROWS = [{"name": f"item {n}", "count": n} for n in range(20)]


@knitbone.source
def ask(prompt: str) -> str:
    """The model says what the prompt holds."""
    return prompt


@knitbone.adapt
def steps() -> list[str]:
    text = ask("1) Draw a map\n2) Book the train\n3) Pack the bag")
    return re.findall(r"^\d+\. (.+)$", text, re.MULTILINE)


@knitbone.adapt
def table() -> Any:
    text = ask(json.dumps(_ROWS).replace("},", "}").replace('"name":', "'name':"))
    return json.loads(text)


@knitbone.adapt
def long_table() -> int:
    text = ask(_LONG)
    return len(json.loads(text))


@knitbone.adapt
def day() -> datetime:
    text = ask("March 5, 2024")
    return datetime.strptime(text, "%Y-%m-%d")  # noqa: DTZ007


@knitbone.adapt
def code() -> Any:
    text = ask("def double(value)\n    return 2 * value\n\ntotal = double(4)\n")
    names: dict[str, Any] = {}
    exec(text, names)
    return names["total"]


@knitbone.adapt
def pieces() -> bool:
    cut = []
    for start in range(0, len(_TEXT), 100):
        cut.append(_TEXT[start : start + 100])
    return all(piece[-1:] in " ." for piece in cut)


@knitbone.adapt
def prose() -> str:
    return ask(essay(0, sentences=7, reworded=1))


JOBS: dict[str, tuple[Callable[[], Any], Any]] = {
    "steps": (steps, ["Draw a map", "Book the train", "Pack the bag"]),
    "table": (table, _ROWS),
    "day": (day, datetime(2024, 3, 5)),  # noqa: DTZ001
    "code": (code, 8),
    "pieces": (pieces, True),
    "prose": (prose, essay(0, sentences=6, reworded=0)),
}
"""What to call, and what it returns where its answer was mended; the last embeds sentences."""
LONG: dict[str, tuple[Callable[[], Any], Any]] = {"long_table": (long_table, _LONG.count("item "))}
"""100 KB of broken JSON."""

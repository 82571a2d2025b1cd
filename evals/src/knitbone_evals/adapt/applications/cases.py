"""The applications and their cases, as their authors wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["HALVES", "HERE", "Application", "Case", "applications", "same"]

HERE = Path(__file__).parent
HALVES = ("first", "second")


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One call of an application."""

    id: str
    kind: str
    """``conforming``, ``drifting``, ``without`` or ``request``."""
    text: str
    answers: list[Any] | None
    """In the order in which the model is asked; of a ``request`` the model's own."""
    expected: Any = None
    """The right result; none where the answer holds none."""


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """A folder with ``app.py`` and ``cases.json``."""

    name: str
    half: str
    folder: Path
    cases: tuple[Case, ...]


def applications(folder: Path = HERE, halves: tuple[str, ...] = HALVES) -> tuple[Application, ...]:
    """Those of the given halves, by name."""
    return tuple(
        application(path.parent)
        for half in halves
        for path in sorted((folder / half).glob("*/app.py"))
    )


def application(folder: Path) -> Application:
    """One application, read from its folder."""
    told = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    requests = {each["id"]: each for each in told["requests"]}
    cases = [
        Case(id=name, kind="request", text=each["text"], answers=None, expected=each["intended"])
        for name, each in requests.items()
    ]
    for kind in ("conforming", "drifting", "without"):
        cases += [
            Case(
                id=f"{kind}-{number}", kind=kind, text=requests[each["request"]]["text"],
                answers=each["answers"], expected=each.get("expected"),
            )
            for number, each in enumerate(told[kind], 1)
        ]  # fmt: skip
    return Application(name=folder.name, half=folder.parent.name, folder=folder, cases=tuple(cases))


def same(one: Any, other: Any) -> bool:
    """Equality of results: numbers by value, texts without the blanks around them."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other

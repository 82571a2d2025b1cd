"""What the wrong attempts of both benchmarks share."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["pick", "spoiled"]

Plan = TypeVar("Plan")


def pick(
    found: Sequence[tuple[str, Plan]], count: int, chance: random.Random
) -> list[tuple[str, Plan]]:
    """``count`` of the named candidates, with as many names among them as there are.

    Raises:
        ValueError: there are fewer.
    """
    if len(found) < count:
        raise ValueError(f"only {len(found)} of {count} wrong ways: {found}")
    shuffled = list(found)
    chance.shuffle(shuffled)
    picked: list[tuple[str, Plan]] = []
    while len(picked) < count:
        names = {name for name, _ in picked}
        rest = [one for one in shuffled if one not in picked]
        picked.append(next((one for one in rest if one[0] not in names), rest[0]))
    return picked


def spoiled(text: str) -> str:
    """The text with its last number one higher, or without its last word."""
    number = list(re.finditer(r"\d+", text))
    if number:
        start, end = number[-1].span()
        return f"{text[:start]}{int(text[start:end]) + 1}{text[end:]}"
    body = text.rstrip()
    shorter = body.rpartition(" ")[0] or body[:-1]
    return shorter + text[len(body) :]

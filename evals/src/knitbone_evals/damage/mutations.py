"""Blind damage to files: what disks, copies, editors and strangers do to them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

PAGE = 4_096

HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 0.5, 2**63, -(2**63) - 1, 2**64, 10**400, 1e308, float("nan"),
    float("inf"), float("-inf"), "", "\ud800", "\x00", "\u202e", "x" * 3_000, "NaN", "1e999",
    "9999-99-99T99:99:99Z", "0001-01-01T00:00:00+23:59", [], {}, [[]], [None], {"": None},
    {"role": "tool"}, {"kind": "later"}, [[[[[[1]]]]]],
)  # fmt: skip
"""Values that stand where another one belongs."""
RAW = {
    "@digits@": "9" * 5_000,
    "@exponent@": "1e999",
    "@deep@": "[" * 100_000 + "]" * 100_000,
    "@nested@": "[" * 150 + "]" * 150,
    "@long exponent@": "-1e-99999",
}
"""The same as they are spelled, since no value of Python's is written so."""


def damaged_bytes(data: bytes, rng: random.Random) -> tuple[bytes, str]:
    """The bytes with one piece of damage, and which."""
    how = rng.choice(("bits", "bits", "block", "zeros", "page", "truncated", "swapped", "stale"))
    size = PAGE if len(data) > 2 * PAGE else max(1, len(data) // 8)
    pages = max(1, len(data) // size)
    one, other = rng.randrange(pages) * size, rng.randrange(pages) * size
    made = bytearray(data)
    if how == "bits":
        for _ in range(rng.choice((1, 1, 2, 8))):
            made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    elif how == "block":
        start = rng.randrange(len(made))
        length = rng.choice((1, 4, 16, 512))
        made[start : start + length] = rng.randbytes(min(length, len(made) - start))
    elif how == "zeros":
        start = rng.randrange(len(made))
        length = min(rng.choice((1, 16, 512)), len(made) - start)
        made[start : start + length] = bytes(length)
    elif how == "page":
        made[one : one + size] = bytes(len(made[one : one + size]))
    elif how == "truncated":
        del made[rng.randrange(len(made)) :]
    elif how == "swapped":
        first, second = bytes(made[one : one + size]), bytes(made[other : other + size])
        if len(first) == len(second):
            made[one : one + size], made[other : other + size] = second, first
    else:
        made[one : one + size] = made[other : other + size][: len(made[one : one + size])]
    return bytes(made), how


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside one."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield (*path, key)
        yield from places_in(item, (*path, key))


def damaged_json(value: Any, rng: random.Random) -> tuple[Any, str]:
    """The value with a hostile one in place of one of its own; raw spellings are placeholders."""
    made = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(places_in(made))
        if not places:
            return rng.choice(HOSTILE), "replaced"
        *way, last = rng.choice(places)
        holder = made
        for key in way:
            holder = holder[key]
        choice = rng.random()
        if choice < 0.1:
            del holder[last]
        elif choice < 0.2:
            holder[last] = copy.deepcopy(rng.choice(list(_values(made))))
        elif choice < 0.35:
            holder[last] = rng.choice(list(RAW))
        else:
            holder[last] = copy.deepcopy(rng.choice(HOSTILE))
    return made, "values"


def _values(value: Any) -> Iterator[Any]:
    for way in places_in(value):
        found = value
        for key in way:
            found = found[key]
        yield found


def spelled(value: Any) -> bytes:
    """The value as JSON, what no value is written as included."""
    text = json.dumps(value)
    for mark, raw in RAW.items():
        text = text.replace(json.dumps(mark), raw)
    return text.encode("ascii")

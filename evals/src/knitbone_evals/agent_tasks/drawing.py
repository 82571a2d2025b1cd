"""Values of a data file, drawn by the seed, and texts with those values in their places.

A place is ``{name}``. Braces around what is no name of a value stay: contents may be code.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

__all__ = ["deal", "draw", "fill", "filled", "generator", "records"]

_PLACE = re.compile(r"\{(\w+)\}")


def generator(*key: object) -> random.Random:
    """A generator that depends on the key alone, not on what was drawn before."""
    return random.Random(":".join(map(str, key)))


def draw(lists: Mapping[str, Sequence[Any]], chance: random.Random) -> dict[str, str]:
    """One value of each list."""
    return {name: str(chance.choice(list(values))) for name, values in lists.items()}


def deal(values: Sequence[Any], count: int, chance: random.Random) -> list[str]:
    """``count`` values, in any order; each is dealt once before one is dealt again."""
    if len(values) > count:
        raise ValueError(f"{len(values)} values for {count} records: {list(values)}")
    dealt = [*values, *(chance.choice(list(values)) for _ in range(count - len(values)))]
    chance.shuffle(dealt)
    return [str(value) for value in dealt]


def fill(text: str, values: Mapping[str, str], *, strict: bool = False) -> str:
    """The text with values in their places.

    Raises:
        ValueError: ``strict``, and a place has no value.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] in values:
            return values[match[1]]
        if strict:
            raise ValueError(f"no value for {match[0]} in {text!r}; known: {sorted(values)}")
        return match[0]

    return _PLACE.sub(value, text)


def filled(data: Any, values: Mapping[str, str]) -> Any:
    """Data with values in the places of all its texts, its keys among them."""
    if isinstance(data, str):
        return fill(data, values)
    if isinstance(data, list):
        return [filled(one, values) for one in cast("list[Any]", data)]
    if isinstance(data, dict):
        items = cast("dict[str, Any]", data).items()
        return {fill(key, values): filled(one, values) for key, one in items}
    return data


def records(
    data: Mapping[str, Any], values: Mapping[str, str], chance: random.Random
) -> dict[str, str]:
    """Path -> text of a group of records: a file each, or with ``row`` one table of them all.

    ``each`` holds the keys, in order, and says with their number how many records there are;
    ``deal`` the values that are dealt to them.
    """
    (key, names), *_ = data["each"].items()
    columns = {
        name: deal(options, len(names), chance) for name, options in data.get("deal", {}).items()
    }
    rows = [
        {**values, key: fill(str(name), values)}
        | {c: fill(d[i], values) for c, d in columns.items()}
        for i, name in enumerate(names)
    ]
    if "row" in data:
        lines = [data["head"], *(fill(data["row"], row) for row in rows)]
        return {fill(data["path"], values): "".join(fill(li, values) + "\n" for li in lines)}
    return {fill(data["path"], row): fill(data["text"], row) for row in rows}

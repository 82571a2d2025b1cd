"""Parsed JSON values for a repair: what is encoded in them, and what stands in a wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from knitbone.common.structured.changes import Conformed, Path, ValueChange, clip, written_path
from knitbone.common.structured.shape import Shape
from knitbone.parsing.json_values import parse_json

__all__ = [
    "decoded_changes",
    "reason_misplaced",
    "reason_shown",
    "some_records_fit",
]


def decoded_changes(value: object, shape: Shape, path: Path = ()) -> Iterator[ValueChange]:
    """Yield changes for texts that hold the JSON of what should stand in their place."""
    wanted = dict if shape.type == "object" or shape.fields else None
    wanted = list if shape.type == "array" or shape.items is not None else wanted
    if isinstance(value, str):
        inner = (
            _parse_or_none(value)
            if wanted is not None and value.lstrip()[:1] in ("{", "[")
            else None
        )
        if wanted is not None and isinstance(inner, wanted):
            rule = f"{written_path(path)}: text -> {'array' if wanted is list else 'object'}"
            yield ValueChange(path=path, action="replace", value=inner, rule=rule)
    elif isinstance(value, dict) and wanted is dict:
        known = cast("dict[str, object]", value)
        for field in shape.fields:
            if field.name in known:
                yield from decoded_changes(known[field.name], field.shape, (*path, field.name))
    elif isinstance(value, list) and wanted is list and shape.items is not None:
        for index, item in enumerate(cast("list[object]", value)):
            yield from decoded_changes(item, shape.items, (*path, index))


def _parse_or_none(text: str) -> Any:
    """Return the value of a JSON text; ``None`` where it is none."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return None


def reason_misplaced(value: Any, shape: Shape) -> str:
    """Return the reason why brackets that were guessed stand in the wrong place; empty: nothing
    says so.

    A key that the code reads further out, and that nobody reads where it stands now, belongs
    further out: its value would be lost without a word.
    """
    pending: list[tuple[Any, Shape, frozenset[str]]] = [(value, shape, frozenset())]
    while pending:
        one, wanted, outer = pending.pop()
        if isinstance(one, list) and wanted.items is not None:
            pending.extend((item, wanted.items, outer) for item in cast("list[Any]", one))
        elif isinstance(one, dict) and wanted.fields:
            known = cast("dict[str, Any]", one)
            own = {field.name: field.shape for field in wanted.fields}
            lost = next((key for key in known if key in outer and key not in own), None)
            if lost is not None:
                return f'a bracket is missing, and the key "{clip(lost)}" may belong further out'
            below = outer | own.keys()
            pending.extend((known[name], own[name], below) for name in own if name in known)
    return ""


_SHOWN = re.compile(
    r"\"([^\"\n]{1,64})\"\s{0,8}:\s{0,8}"
    r"(?P<plain>[-\d]|(?:true|false|bool(?:ean)?|int(?:eger)?|float|number)\b)?"
)
"""A key in a document that a prompt shows, and whether its value is no text."""
_MAX_SHOWN = 20_000
"""Characters of a prompt that are looked through (ours)."""


def reason_shown(value: Any, shape: Shape, prompts: Iterable[str]) -> str:
    """Return the reason why a text stands where the prompt shows a number or a truth value, and
    the code takes what there is; empty: none does, or the prompt does not show it."""
    shown = [found for prompt in prompts for found in _SHOWN.finditer(prompt[:_MAX_SHOWN])]
    plain = {found[1] for found in shown if found["plain"]}
    plain -= {found[1] for found in shown if not found["plain"]}
    pending: list[tuple[Any, Shape]] = [(value, shape)] if plain else []
    while pending:
        one, wanted = pending.pop()
        if isinstance(one, list):
            items = wanted.items or Shape()
            pending.extend((item, items) for item in cast("list[Any]", one))
        elif isinstance(one, dict):
            own = {field.name: field.shape for field in wanted.fields}
            for key, inner in cast("dict[str, Any]", one).items():
                below = own.get(key, Shape())
                pending.append((inner, below))
                if key in plain and isinstance(inner, str) and below == Shape():
                    return f'"{clip(key)}" is a text, and the prompt shows none there'
    return ""


def some_records_fit(conformed: Conformed) -> bool:
    """Return whether only some records of an array do not fit, and others do."""
    failing: dict[tuple[str | int, ...], set[int]] = {}
    for misfit in conformed.misfits:
        index = next((i for i, step in enumerate(misfit.path) if isinstance(step, int)), None)
        if index is None:
            return False
        place = cast("int", misfit.path[index])
        failing.setdefault(misfit.path[:index], set()).add(place)
    return all(len(places) < _length(conformed.value, path) for path, places in failing.items())


def _length(value: Any, path: tuple[str | int, ...]) -> int:
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return 0  # the way has changed: nothing is known
        value = cast("dict[str | int, Any]", value)[step]
    return len(cast("list[Any]", value)) if isinstance(value, list) else 0

"""Smaller arguments that fail the same way. Deterministic: no lot is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from knitbone.core.events import Json

__all__ = ["minimise", "weight"]

_DEPTH = 6


def minimise(
    arguments: dict[str, Json], *, fails: Callable[[dict[str, Json]], bool], budget: int
) -> dict[str, Json]:
    """The smallest arguments found within ``budget`` calls of ``fails``.

    Each step tries simpler variants, the boldest first, and goes on from the first that still
    fails; a variant is only ever taken when it is simpler, so this ends.
    """
    best, left = arguments, budget
    tried: set[str] = {repr(arguments)}
    progress = True
    while progress and left > 0:
        progress = False
        for candidate in _simpler_objects(best, depth=0, drop=True):
            key = repr(candidate)
            if key in tried or weight(candidate) >= weight(best):
                continue
            tried.add(key)
            left -= 1
            if fails(candidate):
                best, progress = candidate, True
                break
            if left == 0:
                break
    return best


def weight(value: Any) -> tuple[int, int, int]:
    """How complex a value is: its parts, the length of its texts and numbers, and their oddity."""
    if isinstance(value, dict):
        return _sum(value.values(), len(cast("dict[str, Any]", value)))
    if isinstance(value, list):
        return _sum(value, len(cast("list[Any]", value)))
    if isinstance(value, str):
        return (0, len(value), sum(_oddity(character) for character in value))
    if isinstance(value, bool) or value is None:
        return (0, 0, int(value is True))
    if isinstance(value, float):
        return (0, len(repr(abs(value))), int(value < 0) + 1)
    return (0, len(str(abs(value))) if value else 0, min(abs(value), 10**6) * 2 + int(value < 0))


def _sum(parts: Any, own: int) -> tuple[int, int, int]:
    weights = [weight(part) for part in parts]
    return (
        own + sum(w[0] for w in weights),
        sum(w[1] for w in weights),
        sum(w[2] for w in weights),
    )


def _oddity(character: str) -> int:
    if character == "a":
        return 0
    if character == "0":
        return 1
    if character.isascii():
        return 2 if character.isalnum() else 3
    return 4


def _simpler(value: Any, *, depth: int) -> Iterator[Any]:
    if isinstance(value, str):
        yield from _simpler_texts(value)
    elif isinstance(value, bool):
        if value:
            yield False
    elif isinstance(value, (int, float)):
        yield from _simpler_numbers(value)
    elif depth < _DEPTH and isinstance(value, dict):
        yield from _simpler_objects(cast("dict[str, Any]", value), depth=depth, drop=True)
    elif depth < _DEPTH and isinstance(value, list):
        yield from _simpler_lists(cast("list[Any]", value), depth=depth)


def _simpler_objects(value: dict[str, Any], *, depth: int, drop: bool) -> Iterator[dict[str, Any]]:
    if drop:
        for key in value:
            yield {other: part for other, part in value.items() if other != key}
    for key, part in value.items():
        for simpler in _simpler(part, depth=depth + 1):
            yield {**value, key: simpler}


def _simpler_lists(value: list[Any], *, depth: int) -> Iterator[list[Any]]:
    if value:
        yield []
    if len(value) > 2:
        half = len(value) // 2
        yield value[:half]
        yield value[half:]
    for index in range(min(len(value), 20)):
        yield value[:index] + value[index + 1 :]
    for index, part in enumerate(value[:20]):
        for simpler in _simpler(part, depth=depth + 1):
            yield [*value[:index], simpler, *value[index + 1 :]]


def _simpler_texts(value: str) -> Iterator[str]:
    if not value:
        return
    yield ""
    plain = "a" * len(value)
    if value != plain:
        yield plain
    size = len(value) // 2
    while size:
        # Pieces of half the length, then quarters, ...; the end goes first.
        pieces = min(len(value) // size, 8)
        for number in range(pieces):
            end = len(value) - number * size
            yield value[: max(end - size, 0)] + value[end:]
        size //= 2
    for index, character in enumerate(value[:24]):
        for simple in ("a", "0"):
            if _oddity(simple) < _oddity(character):
                yield value[:index] + simple + value[index + 1 :]


def _simpler_numbers(value: float) -> Iterator[int | float]:
    kind = type(value)
    for small in (0, 1, -1, 2):
        if value != small:
            yield kind(small)
    if value < 0:
        yield -value
    if isinstance(value, float):
        if abs(value) < 2**53 and not value.is_integer():
            yield float(int(value))
        return
    half = abs(value) // 2
    sign = -1 if value < 0 else 1
    while half > 2:
        yield sign * (abs(value) - half) if half * 2 != abs(value) else sign * half
        half //= 2
    if abs(value) > 1:
        yield sign * (abs(value) - 1)

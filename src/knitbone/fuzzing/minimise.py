"""The simplest arguments that fail the same way. Deterministic: no lot is drawn.

Greedy descent by passes, as Hypothesis shrinks and delta debugging does: leave out, shorten, put
plainer characters and smaller numbers, each at one place or at all places that hold the same. What
a pass can search by halves it searches so, since every try is a call of the tool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from knitbone.fuzzing.places import Codec, Path, at, places, replaced
from knitbone.fuzzing.simplicity import PLAINEST, plainness, simplicity
from knitbone.record.events import Json

__all__ = ["minimise"]

_PIECES = 16
"""Pieces of one size that are left out on trial: a text that needs each of its characters would
take all of the budget (ours)."""
_CHARACTERS = 32
"""Characters of a text that are made plainer one by one."""
_EXACT = 2**53
"""Below, every whole number is a float."""
Arguments = dict[str, Json]


def minimise(arguments: Arguments, *, fails: Callable[[Arguments], bool], budget: int) -> Arguments:
    """The simplest arguments found within ``budget`` calls of ``fails``.

    The result fails, and is the same for whatever arguments it began with, where the budget lasts
    and leaving out parts one by one leads there.
    """
    descent = _Descent(arguments, fails, budget)
    before: Arguments | None = None
    while descent.left > 0 and descent.best is not before:
        before = descent.best
        _at_each_place(descent, _leave_out)
        _at_each_place(descent, _rewrite)
        for paths in _twins(descent.best):
            _simplify(descent, paths)
        _at_each_place(descent, _simplify)
    return descent.best


class _Descent:
    """The simplest that failed so far."""

    def __init__(self, arguments: Arguments, fails: Callable[[Arguments], bool], left: int) -> None:
        self.best: Arguments = arguments
        self.left = left
        self._fails = fails
        self._simplicity = simplicity(arguments)
        self._tried = {repr(arguments)}

    def here(self, paths: Sequence[Path]) -> Any:
        """What stands at the first of the places.

        Raises:
            LookupError, TypeError, ValueError: there is no such place any more.
        """
        return at(self.best, paths[0])

    def put(self, paths: Sequence[Path], value: Any) -> bool:
        """Go on with this value at the places if that is simpler and still fails."""
        made: Any = self.best
        try:
            for path in paths:
                made = replaced(made, path, value)
        except (LookupError, TypeError, ValueError):
            return False
        key = repr(made)
        if self.left <= 0 or key in self._tried or (found := simplicity(made)) >= self._simplicity:
            return False
        self._tried.add(key)
        self.left -= 1
        if not self._fails(made):
            return False
        self.best, self._simplicity = made, found
        return True


_Pass = Callable[[_Descent, Sequence[Path]], None]


def _at_each_place(descent: _Descent, do: _Pass) -> None:
    """Each place in turn, of what the places before it left; the arguments as a whole first."""
    index = 0
    paths: list[Path] = [()]
    while index < len(paths) and descent.left > 0:
        do(descent, paths[index : index + 1])
        index += 1
        paths = [(), *(path for path, _ in places(descent.best))]


def _twins(arguments: Arguments) -> list[list[Path]]:
    """Places that hold the same text or number: what compares them fails only while they do."""
    groups: dict[str, list[Path]] = {}
    for path, value in places(arguments):
        is_leaf = isinstance(value, str | int | float) and not isinstance(value, bool)
        if value and is_leaf and not any(isinstance(step, Codec) for step in path):
            groups.setdefault(repr(value), []).append(path)
    return [paths for paths in groups.values() if len(paths) > 1]


def _leave_out(descent: _Descent, paths: Sequence[Path]) -> None:
    """Fields of a mapping, items of a list."""
    value = descent.here(paths)
    if isinstance(value, dict):
        for key in list(cast("dict[str, Any]", value)):
            rest = cast("dict[str, Any]", descent.here(paths))
            descent.put(paths, {name: part for name, part in rest.items() if name != key})
    elif isinstance(value, list):
        _shorten(descent, paths)


def _rewrite(descent: _Descent, paths: Sequence[Path]) -> None:
    """A document in a text without what its writer need not write."""
    path = paths[0]
    if path and isinstance(path[-1], Codec):
        descent.put(paths, descent.here(paths))


def _simplify(descent: _Descent, paths: Sequence[Path]) -> None:
    """A text or a number."""
    value = descent.here(paths)
    if isinstance(value, bool):
        descent.put(paths, value=False)
    elif isinstance(value, str):
        if not descent.put(paths, ""):
            descent.put(paths, PLAINEST[0] * len(value))
            _shorten(descent, paths)
            _plainer(descent, paths)
    elif isinstance(value, int | float):
        _lower(descent, paths)


def _shorten(descent: _Descent, paths: Sequence[Path]) -> None:
    """Leave out the end, the beginning, then ever smaller pieces of a list or a text."""
    if not descent.here(paths) or descent.put(paths, descent.here(paths)[:0]):
        return
    _trim(descent, paths, lambda items, count: items[: len(items) - count])
    _trim(descent, paths, lambda items, count: items[count:])
    size = len(descent.here(paths)) // 2
    while size:
        end, tries = len(descent.here(paths)), 0
        while end > 0 and tries < _PIECES:
            items = descent.here(paths)
            tries += 1
            descent.put(paths, items[: max(end - size, 0)] + items[end:])
            end -= size
        size //= 2


def _trim(descent: _Descent, paths: Sequence[Path], without: Callable[[Any, int], Any]) -> None:
    """As much as can go at one end: twice as much while that goes well, then by halves."""
    items = descent.here(paths)
    gone, step = 0, 1
    while gone + step < len(items) and descent.put(paths, without(items, gone + step)):
        gone, step = gone + step, step * 2
    while step > 1:
        step //= 2
        if gone + step < len(items) and descent.put(paths, without(items, gone + step)):
            gone += step


def _plainer(descent: _Descent, paths: Sequence[Path]) -> None:
    """Plainer characters: everywhere in the text, then one by one."""
    text = cast("str", descent.here(paths))
    for character in dict.fromkeys(text):
        for plain in _plainer_than(character):
            now = cast("str", descent.here(paths))
            if now.count(character) > 1 and descent.put(paths, now.replace(character, plain)):
                break
    for index, character in enumerate(text[:_CHARACTERS]):
        for plain in _plainer_than(character):
            now = cast("str", descent.here(paths))
            if now[index] == character and descent.put(
                paths, now[:index] + plain + now[index + 1 :]
            ):
                break


def _plainer_than(character: str) -> list[str]:
    """What may stand for a character, the plainest first."""
    below = "23456789"[: max(int(character) - 2, 0)] if character in "0123456789" else ""
    others = PLAINEST + below + ("" if character.isascii() else "\x80é")
    return [plain for plain in others if plainness(plain) < plainness(character)]


def _lower(descent: _Descent, paths: Sequence[Path]) -> None:
    """A number nearer to zero, a positive and a whole one where that will do."""
    kind = float if isinstance(descent.here(paths), float) else int
    for small in (0, 1, -1):
        if descent.put(paths, kind(small)):
            return
    value = descent.here(paths)
    if value < 0:
        descent.put(paths, -value)
    if kind is float and not _round(descent, paths):
        return
    value = descent.here(paths)
    sign = -1 if value < 0 else 1

    def put(number: int) -> bool:
        return descent.put(paths, kind(sign * number))

    # The length first: a large limit is found in hardly more calls than a small one.
    _least(1, _bits(value) - 1, lambda bits: put(2**bits))
    value = abs(int(descent.here(paths)))
    _least(2 ** (_bits(value - 1) - 1) + 1, value - 1, put)


def _bits(value: float) -> int:
    return max(int(abs(value)).bit_length(), 1)


def _least(low: int, high: int, holds: Callable[[int], bool]) -> None:
    """Ask for the least number from ``low`` to ``high`` that holds, if all above it do."""
    while low <= high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle - 1
        else:
            low = middle + 1


def _round(descent: _Descent, paths: Sequence[Path]) -> bool:
    """Whether a float is a whole number, or was made one that is not too large."""
    value = cast("float", descent.here(paths))
    if not math.isfinite(value):
        return False
    if not value.is_integer():
        for digits in range(3):
            if descent.put(paths, round(value, digits)):
                break
    value = cast("float", descent.here(paths))
    return value.is_integer() and abs(value) < _EXACT

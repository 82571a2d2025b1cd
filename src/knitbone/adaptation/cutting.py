"""A text that a loop of the application cuts: the loop is told where.

``instrument/loops.py`` passes the range with the text and the width, then each slice with its
start. The pieces are adapted once, before the first slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

__all__ = ["piece_at", "starts_of"]

_MAX_PIECES = 20_000
_pieces: ContextVar[dict[int, dict[int, str]]] = ContextVar("knitbone_pieces")
"""Site -> start -> piece, for the loops in progress."""


def starts_of(
    steps: Iterable[int],
    number: int,
    text: Any,
    width: Any,
    adapt: Callable[[list[str]], Sequence[str]],
) -> Iterable[int]:
    """Where the loop is to cut; ``steps`` itself where its own cuts are right.

    Args:
        adapt: gives the pieces to use instead, each a part of the text.
    """
    held = {key: value for key, value in _pieces.get({}).items() if key != number}
    _pieces.set(held)
    if type(text) is not str or type(width) is not int or type(steps) is not range:
        return steps
    if not 1 < len(steps) <= _MAX_PIECES or width <= 0 or steps.step <= 0 or steps.start < 0:
        return steps
    pieces = [text[start : start + width] for start in steps]
    wanted = adapt(pieces)
    if list(wanted) == pieces:
        return steps
    starts = _places(text, wanted, overlap=max(width - steps.step, 0))
    if starts is None:
        return steps
    _pieces.set({**held, number: dict(zip(starts, wanted, strict=True))})
    return starts


def piece_at(value: Any, number: int, start: Any) -> Any:
    """The piece that begins at ``start``; ``value``, the loop's own, where none was adapted."""
    return _pieces.get({}).get(number, {}).get(start, value)


def _places(text: str, pieces: Sequence[str], *, overlap: int) -> list[int] | None:
    """Where each piece begins in the text; ``None`` where one is not a part of it, or they do not
    follow one another."""
    starts: list[int] = []
    least = 0
    for piece in pieces:
        place = text.find(piece, least)
        if place < 0:
            return None
        starts.append(place)
        least = max(place + 1, place + len(piece) - overlap)
    return starts if _covers(text, starts, pieces) else None


def _covers(text: str, starts: Sequence[int], pieces: Sequence[str]) -> bool:
    """Whether nothing but blanks lies between the pieces."""
    end = 0
    for start, piece in zip(starts, pieces, strict=True):
        if text[end:start].strip():
            return False
        end = max(end, start + len(piece))
    return not text[end:].strip()

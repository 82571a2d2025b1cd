"""Loops of the application that cut a text into chunks, while they run: the loop is told where to
cut.

``instrument/chunk_loop_syntax.py`` finds such loops in the source. The chunks are adapted all at
once, before the loop gets the first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

__all__ = ["chunk_at", "next_chunk", "starts_of", "step_from"]

_MAX_PIECES = 20_000
Adapt: TypeAlias = Callable[[list[str]], Sequence[str]]


class _CutLoop(NamedTuple):
    """A loop in progress."""

    text: Any
    pieces: dict[int, str]
    """Start -> piece; empty where the loop's own cuts are right."""
    following: dict[int, int]
    """Start -> the next start; not of the last one."""


_cuts: ContextVar[dict[int, _CutLoop]] = ContextVar("knitbone_cuts")
"""The loops in progress, by site."""
_NONE = _CutLoop(None, {}, {})


def starts_of(value: Any, number: int, text: Any, width: Any, adapt: Adapt) -> Any:
    """Return the starts of a text's chunks; ``value``, the loop's own range, where its cuts are
    right.

    Args:
        adapt: gives the chunks to use instead, each a part of the text.
    """
    return list(_begin_loop(value, number, text, width, adapt).pieces) or value


def chunk_at(value: Any, number: int, start: Any) -> Any:
    """Return the chunk that begins at ``start``; ``value``, the loop's own, where that is right."""
    return _cuts.get({}).get(number, _NONE).pieces.get(start, value)


def next_chunk(
    value: Any, number: int, start: Any, text: Any, width: Any, step: Any, adapt: Adapt
) -> Any:
    """Return the chunk that begins at ``start`` in a loop without a range.

    The first chunk of another text begins the loop.
    """
    cut = _cuts.get({}).get(number, _NONE)
    if cut.text is not text:
        known = type(text) is str and type(step) is int and type(start) is int and step > 0
        steps = range(start, len(text), step) if known else None
        cut = _begin_loop(steps, number, text, width, adapt)
    return cut.pieces.get(start, value)


def step_from(value: Any, number: int, start: Any) -> Any:
    """Return the distance from the start of a chunk to that of the next."""
    cut = _cuts.get({}).get(number, _NONE)
    if start in cut.following:
        return cut.following[start] - start
    if start in cut.pieces:
        # The last piece: the loop ends, and the next one begins anew.
        _cuts.set({key: held for key, held in _cuts.get({}).items() if key != number})
        return max(value, len(cut.pieces[start]))
    return value


def _begin_loop(steps: Any, number: int, text: Any, width: Any, adapt: Adapt) -> _CutLoop:
    """Adapt the pieces of a text, before the loop asks for the first."""
    cut = _CutLoop(text, {}, {})
    starts = _adapted_pieces(steps, text, width, adapt)
    if starts:
        places = list(starts)
        cut = _CutLoop(text, starts, dict(itertools.pairwise(places)))
    _cuts.set({**_cuts.get({}), number: cut})
    return cut


def _adapted_pieces(steps: Any, text: Any, width: Any, adapt: Adapt) -> dict[int, str]:
    """Return the adapted pieces by their start; empty where the loop's own cuts are right or not
    understood."""
    if type(text) is not str or type(width) is not int or type(steps) is not range:
        return {}
    if not 1 < len(steps) <= _MAX_PIECES or width <= 0 or steps.step <= 0 or steps.start < 0:
        return {}
    pieces = [text[start : start + width] for start in steps]
    wanted = adapt(pieces)
    if list(wanted) == pieces:
        return {}
    starts = _starts_in_text(text, wanted, overlap=max(width - steps.step, 0))
    return {} if starts is None else dict(zip(starts, wanted, strict=True))


def _starts_in_text(text: str, pieces: Sequence[str], *, overlap: int) -> list[int] | None:
    """Return where each piece begins in the text; ``None`` where one is not a part of it, or they
    do not follow one another."""
    starts: list[int] = []
    least = 0
    for piece in pieces:
        position = text.find(piece, least)
        if position < 0:
            return None
        starts.append(position)
        least = max(position + 1, position + len(piece) - overlap)
    return starts if _covers(text, starts, pieces) else None


def _covers(text: str, starts: Sequence[int], pieces: Sequence[str]) -> bool:
    """Return whether nothing but blanks lies between the pieces."""
    end = 0
    for start, piece in zip(starts, pieces, strict=True):
        if text[end:start].strip():
            return False
        end = max(end, start + len(piece))
    return not text[end:].strip()

"""Texts that were cut into single characters, and chunks to replace them.

Source: Comfrey §3 (character-level segmentation), §4.3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.requirements.records import ChunkSpec
from knitbone.adaptation.scenario.segmentation.graphemes import is_spaceless
from knitbone.adaptation.scenario.segmentation.measure import Measure
from knitbone.adaptation.scenario.segmentation.positions import Positions
from knitbone.adaptation.scenario.segmentation.stretches import StretchPiece

__all__ = ["are_characters", "rejoin"]

_MIN_ENTRIES = 16
"""Fewer single characters may be meant: the letters of four answers."""
_MIN_SIZE = 8
"""Characters; who asks for less wants characters."""


def are_characters(texts: Sequence[str], spec: ChunkSpec) -> bool:
    """Return whether the chunks are single characters, and nothing asks for that."""
    if len(texts) < _MIN_ENTRIES or max(map(len, texts)) > 1:
        return False
    return spec.size is None or spec.size >= _MIN_SIZE


def rejoin(
    texts: Sequence[str],
    spec: ChunkSpec,
    length: Callable[[str], int] | None,
    deadline: Deadline,
) -> tuple[StretchPiece, ...] | None:
    """Return the chunks that the text should have been cut into; ``None`` where blanks between
    words are lost.

    They are as long as the size allows, or one for each sentence where there is no size.

    Raises:
        TimeoutError: the deadline has passed.
    """
    text = "".join(texts)
    spaceless = sum(map(is_spaceless, text)) > len(text) / 2
    if not spaceless and sum(map(str.isspace, text)) < len(text) / 20:
        return None
    if length is None and spec.length != "characters":
        return None
    measure = Measure(length or len, spec.size or 1, 0)
    positions = Positions(text, deadline)

    def fits(start: int, end: int) -> bool:
        deadline.check()
        return measure.length(text[start:end]) <= measure.size

    pieces: list[StretchPiece] = []
    start = 0
    while start < len(text):
        deadline.check()
        if spec.size is None:
            end = positions.next_position(start)
        else:
            end = len(text) if fits(start, len(text)) else positions.furthest(start, fits)
        pieces.append(StretchPiece(start, end))
        start = end
    return tuple(pieces)

"""Lengths of chunks and their bounds, in the application's unit (characters, tokens)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from knitbone.adaptation.requirements.records import ChunkSpec

__all__ = ["Length", "Measure", "make_measure"]

Length = Callable[[str], int]


class Measure(NamedTuple):
    """A length function, and the bounds of chunks."""

    length: Length
    size: int
    """The greatest length of a chunk."""
    overlap: int
    """The greatest length of the text that two neighbours share."""
    reason: str = ""
    """Why the bounds are not those that the code declares, where that is so."""


def make_measure(
    texts: Sequence[str], shared: Sequence[int], spec: ChunkSpec, length: Length | None
) -> Measure:
    """Return the bounds that the code declares; else those that the chunks keep already.

    Args:
        shared: characters of the overlaps that were found.
        length: the application's own function.
    """
    if length is None and spec.length == "characters":
        length = len
    if length is None:
        reason = f"the length in {spec.length} cannot be measured: kept to the longest chunk"
        return _as_found(texts, shared, reason)
    lengths = [length(text) for text in texts]
    longest = max(lengths)
    if spec.size is None:
        size, reason = longest, ""
    elif sum(found > spec.size for found in lengths) > len(lengths) / 2:
        # The declared number is not in this unit: words, or a target that is no bound.
        return _as_found(texts, shared, f"most chunks exceed {spec.size}: kept to the longest")
    else:
        size, reason = spec.size, ""
    if spec.overlap is not None:
        return Measure(length, size, spec.overlap, reason)
    found = max((length(text[:n]) for text, n in zip(texts[1:], shared, strict=True)), default=0)
    return Measure(length, size, found, reason)


def _as_found(texts: Sequence[str], shared: Sequence[int], reason: str) -> Measure:
    longest = max(len(text) for text in texts)
    return Measure(len, longest, max(shared, default=0), reason)

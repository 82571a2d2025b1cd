"""What the oracles of the natural answers share: comparing texts as a reader does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["distinct", "leaves", "plain", "singular"]


def plain(text: str) -> str:
    """Without case, outer punctuation and runs of white space."""
    return " ".join(text.casefold().split()).strip(" .,;:*_")


def singular(text: str) -> str:
    """``plain``, and a last plural: to ask whether an item was lost, not whether two are equal."""
    return plain(text).removesuffix("s")


def distinct(texts: Iterable[str]) -> bool:
    """No two say the same, word by word."""
    seen = [plain(text) for text in texts]
    return len(seen) == len(set(seen))


def leaves(value: Any) -> Iterator[str]:
    """Every text of a result."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)

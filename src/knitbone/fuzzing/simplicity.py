"""How simple a value is: what minimising goes down, so that it ends at one value and not another.

Fewer parts are simpler than shorter texts, and these than plainer characters; of texts of one
length the one whose characters come first is the simplest, as in shortlex order.
"""

from __future__ import annotations

from typing import Any, cast

__all__ = ["PLAINEST", "Simplicity", "plainness", "simplicity"]

PLAINEST = "a01 A"
"""Characters that stand for the others of their kind, the plainest first."""
_COMPARED = 10_000
"""Characters of a text by which it is told from another of its length."""
_ASCII = list(map(chr, range(128)))
_ORDER = str.maketrans(
    {
        character: chr(rank)
        for rank, character in enumerate(
            sorted(_ASCII, key=lambda c: (PLAINEST.find(c) % 128, not c.isalnum(), c))
        )
    }
)

Simplicity = tuple[int, int, list[str]]
"""Parts, length of texts and numbers, and what they are made of."""


def plainness(character: str) -> str:
    """What to compare characters by, the least being the plainest."""
    return character.translate(_ORDER)


def simplicity(value: Any) -> Simplicity:
    """What to compare values by, the least being the simplest."""
    leaves: list[str] = []
    parts, length = _measure(value, leaves)
    return parts, length, leaves


def _measure(value: Any, leaves: list[str]) -> tuple[int, int]:
    """Parts and length; what is no container is added to ``leaves``."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return _sum(fields.values(), leaves, len(fields), sum(map(len, fields)))
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return _sum(items, leaves, len(items), 0)
    if isinstance(value, str):
        leaves.append(value[:_COMPARED].translate(_ORDER))
        return 0, len(value)
    if isinstance(value, bool) or value is None:
        leaves.append("1" if value else "0")
        return 0, 0
    digits = repr(abs(value))
    leaves.append(("-" if value < 0 else "+") + f"{len(digits):06d}" + digits)
    return 0, len(digits) if value else 0


def _sum(values: Any, leaves: list[str], parts: int, length: int) -> tuple[int, int]:
    for value in values:
        more, longer = _measure(value, leaves)
        parts, length = parts + more, length + longer
    return parts, length

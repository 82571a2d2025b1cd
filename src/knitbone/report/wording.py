"""Words that every report uses."""

from __future__ import annotations

__all__ = ["count"]


def count(number: int, noun: str) -> str:
    """``1 site``, ``2 sites``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"

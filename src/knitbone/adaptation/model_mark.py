"""The mark by which a model that was wrapped inside a chain is told from its other steps."""

from __future__ import annotations

from typing import Final

__all__ = ["MODEL_MARK"]

MODEL_MARK: Final = "__knitbone__"
"""Entry of the wrapped copy's dictionary: the original, and the number of the site."""

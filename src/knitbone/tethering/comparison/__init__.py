"""Two runs side by side: which steps they share, where they part, and what came of it."""

from knitbone.tethering.comparison.engine import Comparison, compare

__all__ = ["Comparison", "compare"]

"""Where the evaluation's results lie, and the repository that they are of."""

from __future__ import annotations

from pathlib import Path

__all__ = ["REPOSITORY", "RESULTS"]

RESULTS = Path(__file__).parents[2] / "results"
"""One file a table; a task writes its own."""
REPOSITORY = Path(__file__).parents[3]
"""The checkout: the tests of the product, its documentation."""

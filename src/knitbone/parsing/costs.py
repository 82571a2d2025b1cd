"""What one edit of the least-cost reader costs.

The unit is one structural character that was left out, doubled or exchanged. What belongs to a
dialect that models write (a comment, an apostrophe for a quotation mark) costs a fraction of it:
such marks are seldom a slip of anything else. The costs were set by hand while the development half
of ``documents.blind`` (in the evaluation) was read; they are not fitted.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COSTS", "Costs"]


class Costs(NamedTuple):
    """The cost of each kind of edit."""

    slip: float = 1.0
    """A structural character or quote inserted, removed or exchanged."""
    swap: float = 1.2
    """A quote and the mark beside it that changed places."""
    inner_quotes: float = 0.95
    """Two quotation marks within a text that are not escaped: words in quotes."""
    inner_quote: float = 1.0
    """A single one."""
    bare_text: float = 0.6
    """A text without quotation marks."""
    dialect: float = 0.1
    """A token that another notation of the same data has."""
    unlikely: float = 0.4
    """Evidence against a reading that breaks no rule: a key that the target does not know, a text
    that ends in a comma."""
    margin: float = 0.3
    """By how much the delivered reading must be ahead of every reading with another value."""


COSTS = Costs()

"""A site: the place in an application where a model's answer becomes available to its consumers."""

from __future__ import annotations

import msgspec

from knitbone.adaptation.requirements import Requirement
from knitbone.adaptation.requirements.records import Confidence

__all__ = ["Site"]


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """Where a value is produced, and what the code behind it expects."""

    file: str
    line: int
    """1-based, as all positions here."""
    column: int
    end_line: int
    end_column: int
    function: str
    """Qualified name of the function that holds the expression; ``<module>`` at top level."""
    expression: str
    """Source text of the expression, on one line."""
    origin: str
    """What produced the value, such as ``client.chat.completions.create``."""
    confidence: Confidence
    """That this is a model's answer at all."""
    requirements: tuple[Requirement, ...] = ()

    @property
    def location(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return self.location

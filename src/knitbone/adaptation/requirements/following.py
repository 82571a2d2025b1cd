"""Which requirement goes on from what another one's expression takes out of the text."""

from __future__ import annotations

import re
from typing import Any

from knitbone.adaptation.requirements.records import PositionalTemplate, Requirement

__all__ = ["follows"]

_MATCHES = frozenset({"re.search", "re.match", "re.fullmatch", "re.findall", "re.finditer"})
_WORD = re.compile(r"[^\W\d_]+")


def follows(one: Requirement, other: Requirement) -> bool:
    """Whether ``one`` reads what the expression of ``other`` takes out of the text:
    ``TOOLS[match[1]]`` is no alternative to the match."""
    reader: Any = getattr(other, "reader", None)
    for step in getattr(one, "steps", ()):
        if step.name not in _MATCHES or not step.arguments:
            continue
        pattern = step.arguments[0]
        if reader is not None and reader.kind == "regex":
            if (step.name, pattern) == (f"re.{reader.method}", reader.pattern):
                return True
        elif isinstance(other, PositionalTemplate) and not other.steps:
            words = [word for e in other.elements for word in _WORD.findall(e.text)]
            # The template was made of the expression, whose words it has in their order.
            if words and isinstance(pattern, str) and words == _words_of(pattern):
                return True
    return False


def _words_of(pattern: str) -> list[str]:
    return _WORD.findall(re.sub(r"\\.|\?P<\w+>", " ", pattern))

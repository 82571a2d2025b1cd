"""Values that a documentation shows in quotes, or behind "for example"."""

from __future__ import annotations

import re

__all__ = ["quoted_examples"]

_QUOTED = re.compile(r"[\"'`\u201c]([^\"'`\u201c\u201d\n]{1,80})[\"'`\u201d]")
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|such as|example:|like)\s+([^\s,;.()][^\n()]{0,60})", re.IGNORECASE
)


def quoted_examples(documentation: str) -> list[str]:
    """Values that a documentation shows: quoted texts, and what follows "for example"."""
    text = documentation[:20_000]
    found = [match.group(1) for match in _QUOTED.finditer(text)]
    found += [match.group(1).strip(" .'\"`") for match in _EXAMPLE.finditer(text)]
    return [value for value in dict.fromkeys(found) if value][:40]

"""Texts that are no request: repeated characters and words, programs, placeholders.

Models that are asked for what should break a tool fall into them (ToolFuzz, App. J.4, Figure 21);
they are counted, never tried.
"""

from __future__ import annotations

import re

__all__ = ["is_degenerate"]

_RUN = re.compile(r"(\S)\1{9,}")
"""Ours: ten times the same character; numbers and words of people have fewer."""
_LETTER = re.compile(r"[^\W\d_]")
_PROGRAM = re.compile(
    r"""["'][^"']*["']\s*(?:[*+]\s*["'\d]|\.(?:repeat|join|format)\()|\$\{|<\w+>"""
)
"""``"a" * 1000``, ``"a" + "b"``, ``"x".repeat(9)``, ``${name}``, ``<name>``."""
_LONG = 10
"""Words from which their repetition is looked at."""
_DISTINCT = 0.4
"""Ours: share of different words below which a text repeats itself."""
_LONGEST = 2_000


def is_degenerate(text: str) -> bool:
    """Whether nobody would ask this."""
    if len(_LETTER.findall(text[:_LONGEST])) < 2 or len(text) > _LONGEST:
        return True
    if _RUN.search(text) or _PROGRAM.search(text):
        return True
    words = text.casefold().split()
    return len(words) >= _LONG and len(set(words)) < _DISTINCT * len(words)

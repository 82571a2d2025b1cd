"""Untrusted text on one line, for messages and terminals.

Whatever a model, a tool or a file said goes through ``printable`` before a person reads it. It
lives here because errors are worded below the reports.
"""

from __future__ import annotations

import re

__all__ = ["printable"]

_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str, *, limit: int = 200) -> str:
    """One line of text that cannot move the cursor, change colours or reorder what is read.

    Control characters, escape sequences, bidirectional overrides and lone surrogates are shown as
    escapes; at most ``limit`` characters are kept, the cut is shown.
    """
    cut = text[: limit + 1]
    shown = _UNPRINTABLE.sub(_escape, cut)
    if len(shown) > limit:
        return shown[: max(limit - 1, 0)] + "…"
    return shown


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _NAMED.get(character) or (
        f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
    )

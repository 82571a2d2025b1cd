"""Whether a repaired program still says what the answer said.

Independent of the edits: names and numbers are the same and in the same order, and no string has
characters that the answer did not have there.
"""

from __future__ import annotations

import html
import re

from knitbone.adaptation.defects.syntax.lexis import Lexicon, scan

__all__ = ["differs"]

_WORD = re.compile(r"\w+")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
_GRAMMAR = frozenset({"not", "and", "or", "as", "elif", "else", "if", "elseif", "elsif"})
"""Words that stand for operators, and may be written otherwise."""
_ONE_MORE = re.compile(r"\+\+|--")
_QUOTES = re.compile("[\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\\\\]+")


def differs(before: str, after: str, lexicon: Lexicon) -> str:
    """What a repair changed that it must not; empty where it did not.

    Args:
        before: the code as the model wrote it, without what stood around it.
        after: the repaired code.
    """
    if _words(before) != _words(after):
        return "the repair would change a name or a number"
    plain = _QUOTES.sub('"', before)
    for token in scan(after, lexicon):
        if token.kind == "string" and _QUOTES.sub('"', token.text).strip('"') not in plain:
            unescaped = _QUOTES.sub('"', _ENTITY.sub(_character, before))
            if _QUOTES.sub('"', token.text).strip('"') not in unescaped:
                return "the repair would change the content of a string"
    return ""


def _words(text: str) -> list[str]:
    plain = _ONE_MORE.sub(" 1 ", _ENTITY.sub(" ", text))
    return [word for word in _WORD.findall(plain) if word not in _GRAMMAR]


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity.group())

"""Entries that refer to another entry, because they do not say alone what they are about.

"It pays off after ten years", "Then turn the heap", "The second treatment is free": their subject
stands in the entry before. So a low similarity says less about them (``relevance.LEANING``).
"""

from __future__ import annotations

import re

__all__ = ["leans"]

_OPENING_WORDS = 6
"""Words at the beginning of an entry in which a pronoun has nothing to stand for (ours)."""
_OPENING_WORDS_OF_SEVERAL = 12
"""Words in which one of several things is looked for that another entry names (ours)."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_PRONOUNS = frozenset(
    {"he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs"}
    | {"this", "these", "those", "such", "both", "neither", "ones", "it's", "they're", "thereby"}
    | {"er", "sie", "es", "ihn", "ihm", "ihr", "ihnen", "dieser", "diese", "dieses", "diesem"}
    | {"il", "elle", "ils", "elles", "cela", "ello", "ellos", "ellas", "esto", "eso", "esta"}
)
_ONE_OF_SEVERAL = re.compile(
    r"\b(?:the|an?|each) "
    r"(?:first|second|third|fourth|last|next|previous|former|latter|other|same|remaining|rest|"
    r"following|above|below|old|new|latest|earlier|later)\b"
    r"|\b(?:another|others|already)\b",
    re.IGNORECASE,
)
"""One of several things that another entry names."""
_CONNECTIVES = re.compile(
    r"(?:and|but|or|so|then|also|however|therefore|thus|hence|otherwise|instead|moreover|"
    r"furthermore|additionally|besides|still|yet|nevertheless|nonetheless|finally|afterwards?|"
    r"later|meanwhile|similarly|likewise|consequently|accordingly|conversely|for example|"
    r"for instance|in addition|in that case|in this case|as a result|if so|if not|that is|"
    r"of these|of them|dann|aber|und|oder|danach|sonst|deshalb|außerdem)\b",
    re.IGNORECASE,
)


def leans(text: str) -> bool:
    """Return whether the beginning of an entry refers to something that is not in it.

    Signs are pronouns in the first words, a definite one of several, a connective, or the middle
    of a sentence (a small letter, a closing sign) or of a table. Some entries that stand alone
    look like it ("It is forbidden to ..."); they rather stay, which costs less than a lost one.
    """
    start = text.lstrip(" \t\r\n#*>-•\"'\u201c\u2018([0123456789.:)]")[:400]
    if not start or start[0] in "|,;…":
        return True
    if start[0].islower():
        # A name that is written small, and code, begin with a small letter as well.
        return " " in start
    first = " ".join(start.split()[:_OPENING_WORDS_OF_SEVERAL])
    if _CONNECTIVES.match(start) or _ONE_OF_SEVERAL.search(first):
        return True
    words = _WORD.findall(start)[:_OPENING_WORDS]
    return any(word.lower() in _PRONOUNS for word in words)

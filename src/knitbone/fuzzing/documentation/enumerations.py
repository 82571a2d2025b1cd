"""Lists of values in a sentence about an argument, whatever stands before and behind them.

``voice: "soprano", "alto" or "bass", in lower case``, ``unit: "C" (Celsius) or "F"``, ``Only these
are known: FR, JP, KE``. Examples, parts of a text, and values that are said not to do are no list
of what does; nor are words without marks that begin small, which are prose more often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["enumerations"]

_READ = 2_000
_BEFORE, _BEHIND = 40, 40
"""Characters around a list in which it may be called examples, or be ruled out."""
_QUOTED = (
    r"(?:\"[^\"\n]{1,80}\"|\u201c[^\u201d\n]{1,80}\u201d|`{1,2}[^`\n]{1,80}`{1,2}"
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w))"
)
_GLOSS = r"(?:\s*\([^()\n]{1,60}\))?"
_JOINT = r"\s*(?:,\s*(?:or|and)\b|[,;|/]|\bor\b|\band\b)\s*"
_IN_MARKS = re.compile(rf"{_QUOTED}{_GLOSS}(?:{_JOINT}{_QUOTED}{_GLOSS})+")
_MARKED = re.compile(_QUOTED)
_WORDS = r"[A-Z\d][\w+-]*(?: [A-Z][\w-]*){0,2}"
_BARE = re.compile(rf":\s*({_WORDS}{_GLOSS}(?:{_JOINT}{_WORDS}{_GLOSS})+)(?=\s*(?:[.;,]|\n\n|\Z))")
_BETWEEN = re.compile(_JOINT)
_GLOSSES = re.compile(r"\s*\([^()\n]{1,60}\)")
_NO_LIST = re.compile(
    r"(?:\be\.g\.|\b(?:not|never|no|except|without|than|instead|unlike|examples?|instance|such as"
    r"|like|default|returns?|result|output|separat\w+|split|start\w*|begin\w*|ends?|ending|prefix\w*"
    r"|suffix\w*|contain\w*|includ\w+|follow\w*|between)\b)[^.;]*\Z",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\A[^.;]*\b(?:not|never|refused|rejected|ignored|forbidden|for example|e\.g)\b", re.IGNORECASE
)


def enumerations(sentence: str) -> Iterator[frozenset[str]]:
    """The values of each list of at least two."""
    text = sentence[:_READ]
    for found in _IN_MARKS.finditer(text):
        if _lists(text, found.start(), found.end()):
            yield frozenset(_unmarked(mark) for mark in _MARKED.findall(found[0]))
    for found in _BARE.finditer(text):
        if _lists(text, found.start(), found.end()):
            listed = _BETWEEN.split(_GLOSSES.sub("", found[1]))
            yield frozenset(value.strip() for value in listed if value.strip())


def _lists(text: str, start: int, end: int) -> bool:
    before = text[max(start - _BEFORE, 0) : start]
    return not _NO_LIST.search(before) and not _REFUSED.search(text[end : end + _BEHIND])


def _unmarked(quoted: str) -> str:
    return quoted.strip("`") if quoted[0] == "`" else quoted[1:-1]

"""Words in a foreign script amid the sentences of an answer: ``it is 非常 good``.

Models that were trained on several languages slip into another one for a word or two. That is too
short for the detection of languages, but plain by its script. A name or a quoted word is set off:
by parentheses, quotation marks, a colon, a capital, or by what introduces it.

Source: Comfrey §4.4.2 (language usage: Unicode script detection).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.spans import Spans

__all__ = ["script_runs"]

MIN_LETTERS = 2
"""Letters of a run (ours): a single one is a symbol or a variable."""
MAX_RUNS = 1_000
"""Runs of an answer that are looked at."""
MAX_GAP = 64
"""Blanks around a run that are skipped."""

_SCRIPTS = {
    "han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "kana": "\u3041-\u3096\u30a1-\u30fa\u30fc",
    "hangul": "\uac00-\ud7af\u1100-\u11ff",
    "cyrillic": "\u0400-\u04ff",
    "arabic": "\u0620-\u064a\u066e-\u06d3",
    "hebrew": "\u05d0-\u05ea",
    "thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "devanagari": "\u0904-\u0939\u093e-\u094d\u0958-\u0961",
}
_LANGUAGES = {
    "han": "zh wuu yue ja ko",
    "kana": "ja",
    "hangul": "ko",
    "cyrillic": "ru uk bg sr mk be kk ky mn tg",
    "arabic": "ar arz azb fa ur ckb ps",
    "hebrew": "he yi",
    "thai": "th",
    "devanagari": "hi mr ne sa bh mai",
}
"""The languages that a script is of."""
_RUNS = {
    name: re.compile(rf"[{signs}]+(?:[ \u3001,]{{1,2}}[{signs}]+)*")
    for name, signs in _SCRIPTS.items()
}
_ANY = re.compile(f"[{''.join(_SCRIPTS.values())}]")
_SENTENCE_CHARACTER = re.compile(r"[\w,.;!?\u3001\u3002\uff0c\uff01\uff1f]")
"""A character beside a word of the sentence; any other sets the word off."""
_INTRODUCTION = re.compile(
    r"\b(?:words?|terms?|names?|named|called|characters?|kanji|signs?|reads?|says?|means?|symbols?"
    r"|letters?|said|written|phrases?|spelled|spelt|titled?|type|enter|search|tap|click|press"
    r"|wort|begriff|hei\u00dft|namens|genannt|palabra|llamad[oa]|dice|mot|appel\u00e9e?|dit"
    r"|parola|chiamat[oa]|palavra|chamad[oa])\W*$",
    re.IGNORECASE,
)


def script_runs(
    text: str, language: str, told: Iterable[str], protected: Spans, deadline: Deadline
) -> list[tuple[int, int]]:
    """Find the runs of words in a script that is not the language's and stands nowhere in the
    ``told`` texts.

    Raises:
        TimeoutError: the deadline has passed.
    """
    if text.isascii() or _ANY.search(text) is None:
        return []
    known = "\n".join(told)
    found: list[tuple[int, int]] = []
    for name, pattern in _RUNS.items():
        if language in _LANGUAGES[name].split() or pattern.search(known) is not None:
            continue
        for match in pattern.finditer(text):
            deadline.check()
            start, end = match.span()
            if len(found) >= MAX_RUNS:
                break
            if not protected.touches(start, end) and _is_amid(text, start, end):
                found.append((start, end))
    return sorted(found)


def _is_amid(text: str, start: int, end: int) -> bool:
    """Return whether a run stands in a sentence like any of its words."""
    if sum(map(str.isalpha, text[start:end])) < MIN_LETTERS or text[start].isupper():
        return False
    before = text[max(0, start - MAX_GAP) : start].rstrip(" ")
    after = text[end : end + MAX_GAP].lstrip(" ")
    if not before or before.endswith("\n") or _SENTENCE_CHARACTER.match(before[-1]) is None:
        return False
    if after and not after[0].isspace() and _SENTENCE_CHARACTER.match(after) is None:
        return False
    return _INTRODUCTION.search(before) is None

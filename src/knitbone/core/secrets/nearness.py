"""Secrets that stand near a name which announces them, whatever stands between.

One decision: how strongly the name announces, and how much the value looks like a secret by itself,
less what stands between the two. The further from its name, the more a value has to look like one;
a value under a name of its own belongs to that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from knitbone.core.secrets.looks import Look, are_groups, look_of
from knitbone.core.secrets.names import Strength, strength_of, word_set, words_of
from knitbone.core.secrets.values import is_chosen, is_placeholder

__all__ = ["Announcement", "secrets_near"]


class Announcement(NamedTuple):
    """A name or a word that announces a secret, and where it stands."""

    start: int
    end: int
    strength: Strength
    occasion: bool = False
    """No name of a secret but of where one is used: ``login``, ``getConnection``."""


_WINDOW = 400
"""Characters after a name in which its value is looked for (ours)."""
_BEFORE = 60
"""Characters before it: ``hunter2 (password)``."""
_ENOUGH = 4.8
"""The score from which a value is a secret: a name that is sure and a value that is likely."""
_WEIGHTS = {
    Strength.PASSWORD: 3.0, Strength.CERTAIN: 2.5, Strength.POSSIBLE: 1.5, Strength.FAINT: 0.0,
}  # fmt: skip
"""How strongly a name announces."""
_LINES = (0.0, 0.5, 0.8, 1.0, 1.2)
_MORE_LINES = 1.4
"""What lines between name and value take away, by their number."""
_WORD = 0.05
_FEW_WORDS = 2
"""What each word between them but the first two takes away."""
_SENTENCE = 0.3
_BLANK = 0.3
"""What each end of a sentence and each blank line takes away."""
_OWNED = 4.0
"""What another name of the value's own takes away."""
_ALONE = 0.7
"""What a value alone in a line, or in a place for values, has more."""
_BACKWARDS = 1.5
"""What the wrong order takes away. All of these figures are set by hand on three sets of shapes and
of harmless texts (``benchmarks/redaction``)."""
_LIKENESS = 12
"""Characters between the values of a list."""
_ROWS = 50
"""Rows below the head of a table that are read."""
_LONGEST_ROW = 1_000

_NOT_IN_VALUE = r"\s\"'`<>\\,;)\]}«»“”\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
_TOKEN = re.compile(
    rf"""\\+(?:r\\+)?[nrt]
    | (?P<groups> (?<![\w-])(?:[A-Za-z0-9]{{4,6}}[ -]){{3,15}}[A-Za-z0-9]{{4,6}}(?![\w-]))
    | (?P<value> [^({{\[|„:={_NOT_IN_VALUE}]{{8,128}})""",
    re.VERBOSE,
)
_PHRASE = re.compile(
    r"(?<![\w-])(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8}(?![\w-])"
    r"|(?<=[\"'])(?:[a-z]{3,10}[ ]){3,10}[a-z]{3,10}(?=\\*[\"'])"
)
_OF_WORDS = ("phrase", "mnemonic", "seed", "wallet")
"""What announces several words in a row."""
_DIGIT = re.compile(r"[0-9]")
_REST = re.compile(rf"[^{_NOT_IN_VALUE}]*")
_BREAK = re.compile(r"\r?\n|\\+r\\+n|\\+n|\r")
_BLANK_LINE = re.compile(r"(?:\n|\\n)[ \t]*(?:\r?\n|(?:\\+r)?\\+n)")
_LINE_BEGIN = re.compile(r"[ \t+*\"']{0,12}(?:\d{1,4}[ \t]+)?(?:\Z|\n|n\\)")
_LINE_END = re.compile(r"[\"'\\]{0,8}(?:\Z|[\r\n]|\\+[nr])")
_SENTENCE_END = re.compile(r"[.!?…](?:\s|\\+n)+(?=[A-Z¿¡])")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_OWNER = re.compile(
    r"[ \t\"'\\<]{0,12}[:=]>?[ \t]{0,8}(?:\\*[\"'])?[ \t]{0,8}(?P<key>[\w.-]{1,64})"
)
_PROSE = re.compile(r"[\w.-]{1,64}(?: [a-z]{2,20}){3}")
"""A word of a sentence before a colon, backwards: ``the token you asked for:``."""
_TAG = re.compile(r">[^<>]{0,40}<|>(?:[^<>=]{0,80}=[^<>]{0,80}\s)?(?P<key>[\w:]{1,40})<")
"""The name under which a value stands, both read backwards."""
_SLOT = word_set("""
    value val values default text result results content contents data list fill string plain out
    output input answer body message to args arguments keys p x it line stdout stderr note detail
    payload event said
""")
"""Names that say no more than that this is the value."""
_SMALL_WORDS = word_set("""
    the and for are with you that this not was from have has but all can its one use when which
    will your our their there been were they would should must than then into only also what who
    how where why does did may might could each per via
""")
"""Words that no phrase of a key is without when it is a sentence."""
_RULE = re.compile(r"[\s|:+-]*\Z")
_CELLS = re.compile(r"[\w \"/-]{1,40}(?:(?P<sign>[,;\t|])[\w \"/-]{1,40})+\Z")


def secrets_near(text: str, announced: list[Announcement]) -> Iterator[tuple[int, int]]:
    """Places of secrets that belong to an announcement but do not stand beside it.

    Args:
        announced: where a secret is announced, in order.
    """
    for one in announced:
        if one.strength >= Strength.CERTAIN and not one.occasion:
            yield from _below_head(text, one.start, one.end)
    latest: dict[tuple[Strength, bool], Announcement] = {}
    index, last, shape = 0, -1, ""
    found = _candidates(text, announced)
    for number, (start, end, alone) in enumerate(found):
        many = alone >= Look.LIKELY and _is_list(text, found[number : number + 3])
        look = max(alone, Look.STRONG) if many else alone
        while index < len(announced) and announced[index].end <= start:
            one = announced[index]
            latest[one.strength, one.occasion] = one
            index += 1
        value = text[start:end]
        listed = 0 <= start - last <= _LIKENESS and _shape(value) == shape
        if listed and not _WORDS.search(_BREAK.sub(" ", text[last:start])):
            last = end
            yield start, end
            continue
        owned = _owned(text, start, end)
        following = announced[index : index + 1]
        around = [one for one in latest.values() if start - one.end <= _WINDOW]
        scores = [_score(text, one, start, end, look) for one in (*around, *following)]
        if scores and _together(scores) - owned >= _ENOUGH:
            last, shape = end, _shape(value)
            yield start, end


def _together(scores: list[float]) -> float:
    """The score of a value that several names announce: what two occasions say adds up a little."""
    scores.sort(reverse=True)
    return scores[0] + (0.5 if len(scores) > 1 and scores[1] >= _ENOUGH - 1.5 else 0.0)


def _candidates(text: str, announced: list[Announcement]) -> list[tuple[int, int, Look]]:
    """Values near an announcement that look like a secret in the least, in order."""
    found: list[tuple[int, int, Look]] = []
    done = phrases = 0
    for one in announced:
        stop = min(len(text), one.end + _WINDOW)
        if text[one.start : one.end].lower().endswith(_OF_WORDS):
            found += _phrases(text, max(phrases, one.end), stop)
            phrases = stop
        begin = max(done, one.start - _BEFORE)
        if begin >= stop or not _DIGIT.search(text, begin, stop):
            continue  # nothing looks like a secret without a digit
        for match in _TOKEN.finditer(text, begin, stop):
            done = match.end()
            if match.lastgroup == "groups" and are_groups(match.group()):
                found.append((*match.span(), Look.KEY))
            elif match.lastgroup == "groups":
                for part in re.finditer(r"[^\s-]{8,}", match.group()):
                    start = match.start() + part.start()
                    found += _judged(text, start, start + len(part.group()))
            elif match.lastgroup == "value":
                end = done
                if end == stop and end < len(text):
                    rest = _REST.match(text, end)
                    end = rest.end() if rest else end
                found += _judged(text, match.start(), end)
        done = max(done, stop)
    found.sort()
    return found


def _phrases(text: str, start: int, stop: int) -> Iterator[tuple[int, int, Look]]:
    """Words in a row that are no sentence."""
    for match in _PHRASE.finditer(text, start, stop):
        words = match.group().split()
        if not _SMALL_WORDS.intersection(words):
            yield *match.span(), Look.KEY if len(words) > 11 else Look.LIKELY


def _judged(text: str, start: int, end: int) -> Iterator[tuple[int, int, Look]]:
    while end > start and text[end - 1] in ".,":
        end -= 1
    value = text[start:end]
    look = look_of(value)
    if look and not is_placeholder(value):
        if look is not Look.FAINT:
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
            while end > start and text[end - 1] in ".,:":
                end -= 1
        yield start, end, look


def _score(text: str, one: Announcement, start: int, end: int, look: Look) -> float:
    """How sure a value is a secret that this announcement announces."""
    gap = text[one.end : start] if one.end <= start else text[end : one.start]
    taken = 0.0
    lines = len(_BREAK.findall(gap))
    if one.end > start:
        if one.start < end or len(gap) > _BEFORE or lines:
            return 0.0
        taken += _BACKWARDS
    taken += _LINES[lines] if lines < len(_LINES) else _MORE_LINES
    taken += _WORD * max(0, len(gap.split()) - _FEW_WORDS)
    taken += _SENTENCE * len(_SENTENCE_END.findall(gap))
    taken += _BLANK * len(_BLANK_LINE.findall(gap))
    return _WEIGHTS.get(one.strength, 0.0) + look - taken


def _owned(text: str, start: int, end: int) -> float:
    """What it takes away that the value stands under a name of its own, or adds that it stands
    alone in a line or where a value is put."""
    before = text[max(0, start - 90) : start][::-1]
    found = _OWNER.match(before) or _TAG.match(before)
    key = found["key"] if found else None
    if found is None or not key:
        return -_ALONE if _LINE_BEGIN.match(before) and _LINE_END.match(text, end) else 0.0
    if _PROSE.match(before, found.start("key")):
        return 0.0
    words = words_of(key[::-1])
    if words and words[-1] in _SLOT:
        return -_ALONE
    return 0.0 if not words or strength_of(key[::-1]) else _OWNED


def _is_list(text: str, found: list[tuple[int, int, Look]]) -> bool:
    """Whether at least three values of one shape follow each other."""
    if len(found) < 3 or len({_shape(text[start:end]) for start, end, _ in found}) > 1:
        return False
    between = [text[one[1] : two[0]] for one, two in pairwise(found)]
    return all(len(gap) <= _LIKENESS and not _WORDS.search(_BREAK.sub(" ", gap)) for gap in between)


def _shape(value: str) -> str:
    """The length of a value and where its signs stand."""
    return "".join("a" if character.isalnum() else character for character in value)


def _below_head(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Secrets in the column of a table that has the name for its head."""
    head = max(
        text.rfind("\n", max(0, start - _LONGEST_ROW), start) + 1,
        text.rfind("\\n", max(0, start - _LONGEST_ROW), start) + 2
        if "\\n" in text[max(0, start - _LONGEST_ROW) : start]
        else 0,
    )
    stop = end + _LONGEST_ROW
    # Most texts have none, which an expression takes long to say.
    if all(text.find(sign, end, stop) < 0 for sign in "\n\r\\"):
        return
    found = _BREAK.search(text, end, stop)
    if found is None:
        return
    sign = _separator(text[head : found.start()])
    if not sign:
        return
    column = text.count(sign, head, start)
    for _ in range(_ROWS):
        if found is None:
            return
        row = found.end()
        found = _BREAK.search(text, row, row + _LONGEST_ROW)
        line = text[row : found.start() if found else row + _LONGEST_ROW]
        cells = line.split(sign)
        if len(cells) <= max(column, 1):
            return
        value = cells[column].strip(" \t\"'\\")
        if not _RULE.match(line) and is_chosen(value, plain=True):
            place = row + sum(len(cell) + 1 for cell in cells[:column])
            place += cells[column].index(value)
            yield place, place + len(value)


def _separator(line: str) -> str:
    """The sign between the heads of the columns of a table, or none."""
    if "|" in line:
        return "|"
    found = _CELLS.match(line.strip())
    return found["sign"] if found and line.count(found["sign"]) > 1 else ""

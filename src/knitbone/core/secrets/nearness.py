"""Secrets that stand near words which announce them, whatever stands between.

One decision for every value: how much it looks like a secret (``shape.py``), which words announce
one and how far they are, and between what it stands (``context.py``). Each of these counts for so
much as it told secrets from other values (``weights.py``, fitted by
``python -m benchmarks.redaction.fit``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from knitbone.core.secrets.context import NEVER, distance, is_public, place_of
from knitbone.core.secrets.cues import Cue
from knitbone.core.secrets.looks import are_groups
from knitbone.core.secrets.names import strength_of, word_set
from knitbone.core.secrets.shape import shape_of
from knitbone.core.secrets.spelling import bits_of
from knitbone.core.secrets.tables import secrets_below_heads
from knitbone.core.secrets.values import is_placeholder
from knitbone.core.secrets.weights import THRESHOLD, WEIGHTS

__all__ = ["Announcement", "Value", "secrets_near", "values_near"]


class Announcement(NamedTuple):
    """A word that announces a secret, and where it stands."""

    start: int
    end: int
    cue: Cue


class Value(NamedTuple):
    """What may be a secret: where it stands, and what is known of it."""

    start: int
    end: int
    features: tuple[str, ...]


_WINDOW = 400
"""Characters after a word in which its value is looked for (ours)."""
_BEFORE = 60
"""Characters before it: ``hunter2 (password)``."""
_LIKENESS = 12
"""Characters between the values of a list."""
_DRAWN = 4.6
"""Bits of a character from which letters alone are drawn (ours: names of programs have 3 to 4.5)."""
_SPELLED = 3.5
_BESIDE = 12
"""Characters between a name and a value that has no digit."""
_SHORTEST, _LONGEST = 6, 8_192
_SIGNS = r"\s\"'`<>,;|(){}\[\]=:\\«»“”„\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
_TOKEN = re.compile(
    rf"""(?P<groups> (?<![\w-])(?:[A-Za-z0-9]{{4,6}}[ -]){{3,15}}[A-Za-z0-9]{{4,6}}(?![\w-])
           |(?<![\w-])\d{{4}}[ ]\d{{4}}(?![\w-]))
    | (?P<bytes> (?<![\w:])(?:[0-9a-fA-F]{{2}}:\s{{0,8}}){{15,600}}[0-9a-fA-F]{{2}}(?![\w:]))
    | (?<=[\"'`])(?P<quoted> [^\s\"'`\\<>,:;)\]}}][^\s\"'`\\<>]{{7,{_LONGEST - 1}}})(?=\\*[\"'`])
    | (?P<bare> [^{_SIGNS}]{{6,{_LONGEST}}}={{0,2}})""",
    re.VERBOSE,
)
_REST = re.compile(rf"[^{_SIGNS}]*=*")
_PHRASE = re.compile(
    r"(?<![\w-])(?:[a-z]{3,8}[ \n]{1,2}){11,23}[a-z]{3,8}(?![\w-])"
    r"|(?:\d{1,2}[.):]?[ \t]{0,4}[a-z]{3,8}\s{1,16}){11,23}\d{1,2}[.):]?[ \t]{0,4}[a-z]{3,8}\b"
    r"|(?<=[\"'])(?:[a-z]{3,10}[ ]){3,10}[a-z]{3,10}(?=\\*[\"'])"
)
_OF_WORDS = ("phrase", "mnemonic", "seed", "wallet")
"""What announces several words in a row."""
_NUMBERS = re.compile(r"\[\s{0,4}(?:\d{1,3}\s{0,4},\s{0,4}){31,63}\d{1,3}\s{0,4}\]")
"""32 or 64 bytes, as programs print a key."""
_BREAK = re.compile(r"\r?\n|\\+r\\+n|\\+n|\r")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_DIGIT = re.compile(r"[0-9]")
_SMALL_WORDS = word_set("""
    the and for are with you that this not was from have has but all can its one use when which
    will your our their there been were they would should must than then into only also what who
    how where why does did may might could each per via
""")
"""Words that no phrase of a key is without when it is a sentence."""


def secrets_near(text: str, announced: Sequence[Announcement]) -> Iterator[tuple[int, int]]:
    """Places of secrets that belong to an announcement but do not stand beside it.

    Args:
        announced: where a secret is announced, in order.
    """
    named = [one for one in announced if one.cue in (Cue.NAME, Cue.SECRET)]
    yield from secrets_below_heads(text, named)
    yield from _phrases(text, announced)
    last, shape = -1, ""
    for value in values_near(text, announced):
        start, end = value.start, value.end
        listed = 0 <= start - last <= _LIKENESS and _shape(text[start:end]) == shape
        if listed and not _WORDS.search(_BREAK.sub(" ", text[last:start])):
            last = end
            yield start, end
        elif score_of(value.features) >= THRESHOLD:
            last, shape = end, _shape(text[start:end])
            yield start, end


def score_of(features: Sequence[str]) -> float:
    """How sure a value is a secret, in natural logarithms of the odds, up to a constant."""
    get = WEIGHTS.get
    return sum([get(feature, 0.0) for feature in features])


def values_near(text: str, announced: Sequence[Announcement]) -> Iterator[Value]:
    """What may be a secret near an announcement, in order."""
    latest: dict[Cue, int] = {}
    index, count = 0, len(announced)
    found = _candidates(text, announced)
    shapes = [_shape(text[start:end]) for start, end, _ in found]
    for number, (start, end, kind) in enumerate(found):
        while index < count and announced[index].end <= start:
            latest[announced[index].cue] = announced[index].end
            index += 1
        value = text[start:end]
        if not (kind or _DIGIT.search(value) or _beside_name(value, start, latest)):
            continue
        place = place_of(text, start, end)
        if place is None or is_placeholder(value) or is_public(text, start, end):
            continue
        following = announced[index] if index < count else None
        shape = kind or shape_of(value)
        far = _distances(text, start, end, latest, following)
        features = [*shape, *far, *place, *_together(shape, far, place)]
        before = number and shapes[number - 1] == shapes[number]
        after = number + 1 < len(found) and shapes[number + 1] == shapes[number]
        if (before and start - found[number - 1][1] <= _LIKENESS) or (
            after and found[number + 1][0] - end <= _LIKENESS
        ):
            features.append("listed")
        yield Value(start, end, tuple(features))


_STRONG = tuple(
    (f"{cue.name} {far}", far) for far in range(NEVER) for cue in (Cue.NAME, Cue.SECRET)
)


def _together(shape: Sequence[str], far: Sequence[str], place: Sequence[str]) -> Iterator[str]:
    """What a look counts for at this distance from a name, and digits right beside one."""
    nearest = next((step for name, step in _STRONG if name in far), NEVER)
    yield f"{shape[0]} at {nearest}"
    for said in place:
        if said.startswith(("owner strength", "word strength")):
            digits = next((one[-1] for one in shape if one.startswith("case")), "-")
            yield f"{said} digits {digits}"


def _candidates(
    text: str, announced: Sequence[Announcement]
) -> list[tuple[int, int, tuple[str, ...]]]:
    return [
        part
        for begin, stop in _windows(text, announced)
        for match in _TOKEN.finditer(text, begin, stop)
        for part in _parts(text, match, stop)
    ]


def _windows(text: str, announced: Sequence[Announcement]) -> Iterator[tuple[int, int]]:
    """The parts of a text that are near an announcement, in order and apart."""
    begin = stop = -1
    for one in announced:
        if one.start - _BEFORE > stop:
            if stop > begin:
                yield begin, stop
            begin = _word_start(text, max(0, one.start - _BEFORE, stop))
        stop = max(stop, min(len(text), one.end + _WINDOW))
    if stop > begin:
        yield begin, stop


def _word_start(text: str, place: int) -> int:
    """The beginning of the word that goes over this place."""
    begin = max(
        text.rfind(" ", max(0, place - _BEFORE), place),
        text.rfind("\n", max(0, place - _BEFORE), place),
    )
    return begin + 1 if begin >= 0 else place


def _parts(
    text: str, match: re.Match[str], stop: int
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """What may be a value in a token, and its kind where that says more than its characters."""
    start, end = match.span()
    kind = match.lastgroup
    if kind == "bytes":
        yield start, end, ("bytes",)
    elif kind == "groups":
        group = match.group()
        digits = group.replace(" ", "").replace("-", "").isdigit()
        if digits or are_groups(group):
            yield (
                start,
                end,
                (
                    "digit groups" if digits else "groups",
                    f"groups {min(6, group.count(' ') + group.count('-'))}",
                ),
            )
            return
        for part in re.finditer(r"[^\s]{6,}", group):
            yield start + part.start(), start + part.end(), ()
    else:
        if end == stop:
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
        while end > start and text[end - 1] in ".,:":
            end -= 1
        if end - start >= _SHORTEST:
            yield start, end, ()


def _beside_name(value: str, start: int, latest: dict[Cue, int]) -> bool:
    """Whether a word without a digit stands right beside the name of a secret."""
    if len(value) < 8 or bits_of(value) < (_DRAWN if value.isalnum() else _SPELLED):
        return False
    if strength_of(value):
        return False
    near = (latest.get(Cue.NAME, -99), latest.get(Cue.SECRET, -99))
    return start - max(near) <= _BESIDE


def _distances(
    text: str,
    start: int,
    end: int,
    latest: dict[Cue, int],
    following: Announcement | None,
) -> list[str]:
    """How far the announcements are."""
    said: list[str] = []
    for cue, place in latest.items():
        if start - place <= 2 * _WINDOW:
            far = distance(text, place, start)
            if far < NEVER:
                said.append(f"{cue.name} {far}")
                if cue in (Cue.NAME, Cue.SECRET) and ". " in text[place:start]:
                    said.append("sentence ends")
    if following is not None and 0 <= following.start - end <= _BEFORE:
        said.append(f"{following.cue.name} follows {min(2, distance(text, end, following.start))}")
    return said


def _phrases(text: str, announced: Sequence[Announcement]) -> Iterator[tuple[int, int]]:
    """Words in a row that are no sentence, and numbers in a row, where keys are announced."""
    done = 0
    for one in announced:
        stop = min(len(text), one.end + _WINDOW)
        if one.cue in (Cue.CRYPTO, Cue.KEY, Cue.SECRET) and "," in text[one.end : stop]:
            for match in _NUMBERS.finditer(text, max(done, one.end), stop + _WINDOW):
                yield match.start() + 1, match.end() - 1
        if text[one.start : one.end].lower().endswith(_OF_WORDS):
            for match in _PHRASE.finditer(text, max(done, one.end), stop):
                if not _SMALL_WORDS.intersection(match.group().split()):
                    yield match.span()
            done = stop


def _shape(value: str) -> str:
    """The length of a value and where its signs stand."""
    return "".join("a" if character.isalnum() else character for character in value)

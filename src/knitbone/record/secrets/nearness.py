"""Secrets that stand near words which announce them, whatever stands between.

One decision for every value: how much it looks like a secret (``shape.py``), which words announce
one and how far they are, and between what it stands (``context.py``). Each of these counts for so
much as it told secrets from other values (``weights.py``, fitted by
``python -m knitbone_evals.redact.fit``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from knitbone.record.secrets.candidates import SecretCandidate, candidates, score_of
from knitbone.record.secrets.context import NEVER, distance, is_public, place_of
from knitbone.record.secrets.cues import Announcement, Cue
from knitbone.record.secrets.marks import Marks, announcements
from knitbone.record.secrets.sequences import secrets_in_sequence
from knitbone.record.secrets.tables import secrets_below_heads
from knitbone.record.secrets.weights import THRESHOLD

__all__ = ["SuspectedValue", "secrets_near", "values_near"]


class SuspectedValue(NamedTuple):
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


def secrets_near(
    text: str,
    named: Sequence[Announcement],
    marks: Marks,
) -> Iterator[tuple[int, int]]:
    """Places of secrets that belong to an announcement but do not stand beside it.

    Args:
        named: names of secrets, in order.
        marks: what the text bears.
    """
    yield from secrets_below_heads(
        text, [one for one in named if one.cue in (Cue.NAME, Cue.SECRET)]
    )
    found = candidates(text, named, marks.kinds | {one.cue for one in named})
    sequences = list(secrets_in_sequence(text, has_phrase=marks.has_phrase))
    if not found and not sequences:
        return
    words = announcements(text, marks, named)
    for start, end, cue in sequences:
        if any(one.cue in cue and 0 <= start - one.end <= _WINDOW for one in words):
            yield start, end
    last, shape = -1, ""
    for value in values_near(text, found, words):
        start, end = value.start, value.end
        listed = 0 <= start - last <= _LIKENESS and _outline(text[start:end]) == shape
        if listed or score_of(value.features) >= THRESHOLD or _is_one_of_codes(value.features):
            last, shape = end, _outline(text[start:end])
            yield start, end


def values_near(
    text: str, found: Sequence[SecretCandidate], announced: Sequence[Announcement]
) -> Iterator[SuspectedValue]:
    """The candidates that are near an announcement, with all that is known of them."""
    latest: dict[Cue, int] = {}
    index, count, newest = 0, len(announced), -_WINDOW - 1
    for number, (start, end, shape) in enumerate(found):
        while index < count and _is_before(announced[index], start):
            newest = announced[index].end
            latest[announced[index].cue] = newest
            index += 1
        following = announced[index] if index < count else None
        if following is not None and not 0 <= following.start - end <= _BEFORE:
            following = None
        if (start - newest > _WINDOW and following is None) or is_public(text, start, end):
            continue
        place = place_of(text, start, end)
        if place is None:
            continue
        far = _distances(text, start, latest)
        if following is not None:
            step = min(2, distance(text, end, following.start))
            far.append(f"{following.cue.name} follows {step}")
        if "digits" in shape and (
            not _is_code(far, place) or _OTHER_CODES.search(text, max(0, start - _WINDOW), start)
        ):
            continue
        if shape[0] == "uuid" and _BESIDE.isdisjoint(far):
            continue
        if "digest near" in place and _is_digest(shape, far):
            continue
        features = [*shape, *far, *place, *_together(shape, far, place)]
        if _is_listed(text, found, number):
            features.append("listed")
            features += [f"listed {one}" for one in far if one.startswith(("CODE", "CRYPTO"))]
        yield SuspectedValue(start, end, tuple(features))


_OF_CODES = frozenset(
    {f"CODE {far}" for far in range(3)}
    | {f"CODE follows {far}" for far in range(3)}
    | {"NAME 0", "NAME 1"}
)
"""How near digits alone are a code."""
_LISTED = frozenset({"digit groups", "groups", "look 2", "look 3", "look 4", "look 5"})
_OTHER_CODES = re.compile(
    r"(?i:(?:exit|status|error|return|source|zip|postal|country|area|http|python|airport) ?code"
    r"|code output)[^\n]{0,80}\Z"
)
"""Codes that are no secrets."""
_OTHERS = frozenset({"owner other", "owner none", "after ,"})


def _is_code(far: Sequence[str], place: Sequence[str]) -> bool:
    """Whether digits alone are announced as a code, and are not the number of something else."""
    return not _OF_CODES.isdisjoint(far) and _OTHERS.isdisjoint(place)


_BESIDE = frozenset({"NAME 0", "SECRET 0"})
"""How near a uuid is a secret: all others are what diagnosis knows runs and calls by."""
_OF_DIGESTS = tuple(f"hexadecimal {digits}" for digits in (32, 40, 64, 128))
_OF_KEYS = frozenset(f"{cue.name} {far}" for cue in (Cue.NAME, Cue.SECRET) for far in range(2))


def _is_digest(shape: Sequence[str], far: Sequence[str]) -> bool:
    """Whether a value is as long as a digest, and no name of a secret is beside it."""
    return shape[0] in _OF_DIGESTS and _OF_KEYS.isdisjoint(far)


def _is_one_of_codes(features: Sequence[str]) -> bool:
    """Whether it stands in a list below ``recovery codes``; too few sets have such for the fit."""
    if "listed" not in features or not any(f"NAME {far}" in features for far in range(NEVER)):
        return False
    return features[0] in _LISTED


def _is_before(one: Announcement, start: int) -> bool:
    """Whether it stands before a value, or is an option with its value: ``-pVALUE``."""
    return one.end <= start or (one.cue is Cue.OPTION and one.start < start)


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


def _distances(text: str, start: int, latest: dict[Cue, int]) -> list[str]:
    """How far the announcements before a value are."""
    said: list[str] = []
    for cue, place in latest.items():
        if start - place <= 2 * _WINDOW:
            far = distance(text, place, start)
            if far < NEVER:
                said.append(f"{cue.name} {far}")
                if cue in (Cue.NAME, Cue.SECRET) and text.find(". ", place, start) >= 0:
                    said.append("sentence ends")
    return said


def _is_listed(text: str, found: Sequence[SecretCandidate], number: int) -> bool:
    """Whether the value before or behind this one has its outline."""
    start, end, _ = found[number]
    for beside in (number - 1, number + 1):
        if 0 <= beside < len(found):
            first, last, _ = found[beside]
            gap = start - last if beside < number else first - end
            if 0 <= gap <= _LIKENESS and last - first == end - start:
                return _outline(text[first:last]) == _outline(text[start:end])
    return False


def _outline(value: str) -> str:
    """The length of a value and where its signs stand."""
    return "".join("a" if character.isalnum() else character for character in value)

"""The identifiers of a template in an answer, also those that are written differently.

A spelling belongs to an identifier of the template where it is equal to it apart from case,
emphasis, marks and blanks, or else is near it by string-edit distance and nearer than to any
other. Where an identifier stands as it should, nothing else is taken for it.

Source: Comfrey §4.3.1 (clustering of identifiers by string-edit distance).
"""

# ruff: noqa: RUF001 - the full-width characters and dashes that models write
from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from knitbone.adaptation.repair.positional.label_plan import (
    DELIMITED,
    Identifier,
    LabelPlan,
    key_of,
)
from knitbone.common.edit_distance import distance_within, tolerance

__all__ = ["EMPTY_FIRST", "Occurrence", "find_identifiers"]

MAX_OCCURRENCES = 2_000
"""Identifiers of one answer; more are no answer of this kind (ours)."""

_BLANK = r"[^\S\n]"
_MARK = r"\*\*\*|\*\*|__|[*_`]"
_LINE = re.compile(
    rf"""
    ^(?P<lead>{_BLANK}{{0,16}}(?:>{_BLANK}?){{0,3}}(?P<heading>\#{{1,6}}{_BLANK}{{1,4}})?
       (?P<bullet>(?:[-*+•]|\d{{1,2}}[.)]){_BLANK}{{1,4}})?)
    (?P<open>{_MARK})?
    (?P<name>[^\W\d_][^\n:：*`"=<>{{}}()\[\]|,;!?]{{0,40}}?)
    (?P<close>{_MARK})?
    (?:{_BLANK}{{0,4}}(?P<delimiter>[:：]|=>|->|→|=(?!=))(?P<close2>(?(open)(?P=open)|(?!)))?
      |{_BLANK}{{1,4}}(?P<dash>[-–—])(?={_BLANK})
      |{_BLANK}{{1,4}}(?P<digit>(?=\d{{1,9}}(?!\d))(?!\d{{1,3}}[:：]))
      |{_BLANK}{{0,4}}(?P<bare>(?=\n)|\Z))
    """,
    re.VERBOSE | re.MULTILINE,
)


_LOOSE = (
    r"(?<![^\s.!?;,|>*_])(?P<open>\*\*|__|[*_`])?{name}(?P<close>(?(open)(?P=open)|(?!)))?"
    r"[ ]?[:：](?(open)(?(close)|(?P=open)))"
)


EMPTY_FIRST = frozenset({"full", "final", "overall", "complete", "the", "your", "my"})
_EMPTY_LAST = frozenset({"number", "address", "level", "value", "text"})
"""Words around a name that leave it the same name (ours)."""
_HEAD = 80
"""Characters of a line in which a name and its delimiter stand."""
_MAX_NAME = 3
"""Words of a longer name (ours)."""
_DELIMITED = re.compile(DELIMITED)


class Occurrence(NamedTuple):
    """An identifier of the template at a place of the answer."""

    identifier: Identifier
    start: int
    """Start of the decoration in front of it."""
    end: int
    """Behind its delimiter and emphasis, before the blank of its slot."""
    drift: tuple[str, ...] = ()
    """The differences from the template."""
    opened: str = ""
    """Emphasis that opens before the identifier and closes inside its slot."""
    edits: int = 0
    """Letters by which the name differs."""


class _NameLine(NamedTuple):
    """A line that begins with a name."""

    key: str
    match: re.Match[str]


def find_identifiers(
    text: str, plan: LabelPlan, *, check: Callable[[], None] = lambda: None, fuzzy: bool = True
) -> list[Occurrence]:
    """Find the identifiers in the order of the text; none where there are too many.

    Args:
        check: raises where the time is spent.
        fuzzy: whether misspelt ones are looked for as well.

    Raises:
        TimeoutError: ``check`` said so.
    """
    labels = plan.labels
    named: list[_NameLine] = []
    for start in _line_starts(text, counted=bool(plan.counted)):
        check()
        if (match := _LINE.match(text, start)) is not None:
            named.append(_NameLine(key_of(match["name"]), match))
    found = list(_from_lines(named, plan, fuzzy=fuzzy))
    found.extend(_without_overlaps(_exact_occurrences(text, labels), found))
    if not plan.repeated:
        found = _best_written(found)
    missing = [i for i in labels if not any(o.identifier is i for o in found)]
    found.extend(_without_overlaps(_loose_occurrences(text, missing), found))
    missing = [i for i in labels if not any(o.identifier is i for o in found)]
    if fuzzy and len(missing) == 1 and len(labels) > 1:
        found.extend(_without_overlaps(_partial_occurrences(named, missing[0], labels), found))
    return sorted(found, key=lambda o: o.start) if len(found) <= MAX_OCCURRENCES else []


def _line_starts(text: str, *, counted: bool) -> Iterator[int]:
    """Yield where lines begin that could begin with a name: a cheap look before the expression.

    Args:
        counted: whether a number may follow a name without a delimiter.
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        head = text[start : min(end, start + _HEAD)]
        if _DELIMITED.search(head) is not None or counted:
            yield start
        start = end + 1


def _from_lines(
    named: Sequence[_NameLine], plan: LabelPlan, *, fuzzy: bool
) -> Iterator[Occurrence]:
    """Yield the identifiers among the names at the start of lines."""
    labels = tuple(label for label in plan.labels if not label.is_tag)
    counted = plan.counted
    for key, match in named:
        if match["digit"] is not None and key not in counted:
            continue
        nearest = _nearest(key, tuple(label.key for label in labels), fuzzy)
        if nearest is None:
            continue
        place, distance = nearest
        if distance and match["delimiter"] not in (":", "："):
            continue
        if match["bare"] is not None and not (match["heading"] or match["open"]):
            continue
        yield _occurrence(labels[place], match, distance)


@lru_cache(maxsize=4096)
def _nearest(key: str, known: tuple[str, ...], fuzzy: bool) -> tuple[int, int] | None:
    """Return the index of the identifier that a name is, and its distance; ``None`` for none or
    several."""
    if key in known:
        return known.index(key), 0
    if not fuzzy or not key:
        return None
    near = [
        (distance, index)
        for index, other in enumerate(known)
        if (distance := distance_within(key, other, tolerance(other))) is not None
        and not _extends(key, other)
    ]
    near.sort()
    if not near or (len(near) > 1 and near[1][0] == near[0][0]):
        return None
    return near[0][1], near[0][0]


def _extends(name: str, key: str) -> bool:
    """Return whether a name is another one with something before or behind it, which is no
    misspelling.

    ``Scores: 3 to 5`` is no ``Score``, and ``Subtitle`` no ``Title``.
    """
    longer, shorter = (name, key) if len(name) > len(key) else (key, name)
    return longer.startswith(shorter) or longer.endswith(shorter)


def _occurrence(identifier: Identifier, match: re.Match[str], distance: int) -> Occurrence:
    """Return an identifier at a match, with a list of what is not as the template has it."""
    name, opened = match["name"], match["open"] or ""
    closed = bool(match["close"] or match["close2"])
    drift = [
        reason
        for reason, holds in (
            ("heading", match["heading"]),
            ("list mark", match["bullet"] or ">" in match["lead"]),
            ("emphasis", opened or closed),
            ("spelling", distance),
        )
        if holds
    ]
    written = name + (match["delimiter"] or match["dash"] or "")
    if (
        not distance
        and identifier.pattern.match("\n" * identifier.own_line + written + " ") is None
    ):
        drift.append("case or delimiter")
    end = match.end()
    if closed and not opened:  # ``Action**: x`` closes nothing
        drift.append("emphasis")
    return Occurrence(
        identifier, match.start(), end, tuple(drift), "" if closed else opened, distance
    )


def _exact_occurrences(text: str, labels: Sequence[Identifier]) -> Iterator[Occurrence]:
    """Yield the identifiers as the code finds them, wherever they stand."""
    for identifier in labels:
        for count, match in enumerate(identifier.pattern.finditer(text)):
            if count > MAX_OCCURRENCES:
                return
            start = match.start() + identifier.own_line
            if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
                continue
            end = match.end()
            while end > start and text[end - 1].isspace():
                end -= 1
            yield Occurrence(identifier, start, end)


def _loose_occurrences(text: str, labels: Sequence[Identifier]) -> Iterator[Occurrence]:
    """Yield identifiers inside a line, in another case or without their line break."""
    for identifier in labels:
        found = _loose_pattern(identifier.key).finditer(text)
        matches = [match for match in found if not _ends_longer_name(text, match.start())]
        if len(matches) == 1:
            (match,) = matches
            yield Occurrence(identifier, match.start(), match.end(), ("case or delimiter",))


def _ends_longer_name(text: str, start: int) -> bool:
    """Return whether a name is the end of a longer one at the start of its line: ``No title:
    x``."""
    before = text[max(text.rfind("\n", 0, start) + 1, start - _HEAD) : start].strip()
    words = before.split()
    return 0 < len(words) <= _MAX_NAME and all(word.isalpha() for word in words)


@lru_cache(maxsize=256)
def _loose_pattern(key: str) -> re.Pattern[str]:
    if key.startswith("<"):
        name = re.escape(key.strip("</>"))
        closing = r"/\s?" if key.startswith("</") else ""
        return re.compile(rf"(?:<|&lt;)\s?{closing}{name}\s?(?:>|&gt;)", re.IGNORECASE)
    name = r"[ _-]?".join(map(re.escape, key.split(" ")))
    return re.compile(_LOOSE.format(name=name), re.IGNORECASE)


def _partial_occurrences(
    named: Sequence[_NameLine], missing: Identifier, labels: Sequence[Identifier]
) -> Iterator[Occurrence]:
    """Yield the one name that is a part of the one missing identifier, or adds nothing to it.

    ``Input:`` or ``Answer:``; ``Full Name:`` or ``Priority Level:``.
    """
    if missing.is_tag:
        return
    others = {label.key for label in labels}
    parts = [
        each
        for each in named
        if each.key and each.key not in others and each.match["delimiter"] in (":", "：")
        and (
            missing.key.endswith(f" {each.key}")
            or missing.key.startswith(f"{each.key} ")
            or _adds_nothing(each.key, missing.key)
        )
    ]  # fmt: skip
    if len(parts) == 1:
        yield _occurrence(missing, parts[0].match, abs(len(missing.key) - len(parts[0].key)))


def _adds_nothing(name: str, key: str) -> bool:
    """Return whether a name is a known one with a word that says nothing new."""
    first, _, rest = name.partition(" ")
    before, _, last = name.rpartition(" ")
    return (rest == key and first in EMPTY_FIRST) or (before == key and last in _EMPTY_LAST)


def _without_overlaps(more: Iterator[Occurrence], found: Sequence[Occurrence]) -> list[Occurrence]:
    """Return those that do not overlap what is found already, the longer first."""
    kept: list[Occurrence] = []
    spans = sorted((o.start, o.end) for o in found)
    starts = [start for start, _ in spans]
    for one in sorted(more, key=lambda o: (o.start, -o.end)):
        place = bisect_right(starts, one.end - 1)
        before = spans[place - 1] if place else (0, 0)
        if before[1] <= one.start and (not kept or kept[-1].end <= one.start):
            kept.append(one)
    return kept


def _best_written(found: Sequence[Occurrence]) -> list[Occurrence]:
    """Return for each identifier only the occurrences that are best written."""

    def rank(occurrence: Occurrence) -> int:
        return occurrence.edits + bool(occurrence.drift)

    best: dict[str, int] = {}
    for one in found:
        key = one.identifier.key
        best[key] = min(rank(one), best.get(key, rank(one)))
    return [one for one in found if rank(one) == best[one.identifier.key]]

"""Text structure: bullets, numbering, indentation and headings, each uniform within its list.

Only what stands out from its own siblings is aligned, and only where the difference cannot be
meant: two lists one below the other, a marker for each level, signs (``+``/``-``), footnotes, and
numbers that something refers to are left as they are. Contents are never touched; only markers,
and the blanks before them.

Source: Comfrey §4.4.2 (text structure).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from knitbone.adaptation.checks import Deadline
from knitbone.adaptation.defects.lexical.edits import Edit
from knitbone.adaptation.defects.lexical.lists import Item, bullets, find_lists, runs
from knitbone.adaptation.defects.lexical.protect import Spans

__all__ = ["align_bullets", "align_headings", "align_indents", "align_numbers", "may_be_uneven"]

MIN_ITEMS = 3
"""Siblings from which a marker can stand out (ours)."""
MIN_ITEM_WORDS = 3
"""Words of an item from which its number is a place in the list, not what the item is about."""
_FAMILY = frozenset("-*\u2022")
"""Bullets that mean nothing but "item": ``+`` may be a sign, a dash may open direct speech."""
_MARKER = re.compile(r"^( *)([-*\u2022]|[0-9]{1,3}[.)]) +\S", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6}) +(\S[^\n]*)$", re.MULTILINE)
_SERIES = re.compile(
    r"^(?:(#{1,6}) +|\*\*)((?:Step|Part|Chapter|Section|Phase|Day|Week|Lesson|Module|Stage|Option)"
    r" [0-9]{1,3})\b([^\n]{0,200})$",
    re.MULTILINE,
)
_REFERENCE = re.compile(
    r"\b(?:steps?|items?|points?|numbers?|no\.|questions?|options?|rules?|parts?|sections?|tips?"
    r"|reasons?|see) +#?[0-9]|\([0-9]{1,3}\)|#[0-9]",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\w.\"'-]{1,80}:(?:\s|$)")
_LISTED = re.compile(r"^\s*\(?[0-9]{1,3}[.)]\s", re.MULTILINE)


def may_be_uneven(text: str) -> bool:
    """Whether some list or heading may not be uniform: a cheap test with no false ``no``."""
    if "#" in text and _HEADING.search(text) is not None and _SERIES.search(text) is not None:
        return True
    seen: set[str] = set()
    indents: set[int] = set()
    expected = 1
    for indent, marker in _MARKER.findall(text):
        indents.add(len(indent))
        if len(marker) == 1:
            seen.add(marker)
        else:
            seen.add(marker[-1])
            number = int(marker[:-1])
            if number not in (expected, 1):
                return True
            if number == 1 and expected > 2:
                return True
            expected = number + 1
    if len(seen - {".", ")"}) > 1 or {".", ")"} <= seen:
        return True
    return len(indents) > 1


def align_bullets(
    text: str, protected: Spans, deadline: Deadline, standard: str | None
) -> list[Edit]:
    """One bullet for the siblings of a list; with a session's standard, for all of a flat list."""
    edits: list[Edit] = []
    for items in find_lists(text, protected, deadline):
        used = bullets(items)
        if not set(used) <= _FAMILY:
            continue
        flat = len({item.level for item in items}) == 1
        for siblings in runs(items):
            if siblings[0].kind != "bullet":
                continue
            chosen = _bullet(siblings)
            if chosen is not None and flat and standard in _FAMILY and _is_prose(siblings):
                chosen = standard
            if chosen is not None:
                edits.extend(_marked(siblings, chosen, "bullet"))
    return edits


def align_numbers(text: str, protected: Spans, deadline: Deadline, query: str) -> list[Edit]:
    """One delimiter behind the numbers of a list, and numbers that count on."""
    # Numbers mean more than the order where something refers to them, or the question had some.
    referred = _REFERENCE.search(text) is not None or _LISTED.search(query) is not None
    edits: list[Edit] = []
    for items in find_lists(text, protected, deadline):
        for siblings in runs(items):
            if siblings[0].kind != "number" or len(siblings) < MIN_ITEMS:
                continue
            numbers = [item.number or 0 for item in siblings]
            wanted = numbers
            if _slipped(siblings, numbers) and not referred:
                wanted = list(range(1, len(siblings) + 1))
            if wanted != list(range(numbers[0], numbers[0] + len(numbers))):
                continue
            delimiter = _delimiter(siblings)
            for item, number in zip(siblings, wanted, strict=True):
                new = f"{number}{delimiter or item.marker[-1]}"
                if new != item.marker:
                    edits.append(_marker_edit(item, new, "number"))
    return edits


def align_indents(text: str, protected: Spans, deadline: Deadline) -> list[Edit]:
    """Nested siblings whose indentation differs by one blank begin in the same column.

    At the outermost level one blank more may be meant as nesting.
    """
    edits: list[Edit] = []
    for items in find_lists(text, protected, deadline):
        for siblings in runs(items):
            common = siblings[0].indent
            uneven = [item for item in siblings if item.indent != common]
            if (
                siblings[0].level > 0
                and len(uneven) * 2 < len(siblings)
                and all(abs(item.indent - common) == 1 for item in uneven)
            ):
                edits.extend(
                    Edit(
                        start=item.start - item.indent,
                        end=item.start,
                        new=" " * common,
                        rule=f"indentation {item.indent} -> {common}",
                    )
                    for item in uneven
                )
    return edits


def align_headings(text: str, protected: Spans, deadline: Deadline) -> list[Edit]:
    """One level for the headings of a numbered series (``## Step 1``, ``## Step 2``)."""
    series: dict[str, list[re.Match[str]]] = {}
    for match in _SERIES.finditer(text):
        deadline.check()
        # A bold line is a heading where nothing but the bold text stands in it.
        whole = match.group(1) is not None or match.group(3).rstrip().endswith("**")
        if whole and not protected.covers(match.start()):
            series.setdefault(match.group(2).split()[0], []).append(match)
    edits: list[Edit] = []
    for name, matches in series.items():
        numbers = [int(match.group(2).split()[1]) for match in matches]
        levels = Counter(match.group(1) or "**" for match in matches)
        level, times = levels.most_common(1)[0]
        counted = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        if len(matches) < MIN_ITEMS or not counted or times * 2 <= len(matches) or level == "**":
            continue
        edits.extend(
            Edit(
                start=match.start(),
                end=match.end(),
                new=f"{level} {match.group(2)}{_title(match)}",
                rule=f'heading "{name}" at level {len(level)}',
            )
            for match in matches
            if match.group(1) != level
        )
    return edits


def _title(match: re.Match[str]) -> str:
    rest: str = match.group(3)
    return rest if match.group(1) is not None else rest.rstrip().removesuffix("**")


def _bullet(siblings: list[Item]) -> str | None:
    """The bullet for these siblings: their own, that of the most, or the first one's; ``None``
    where the difference may be meant."""
    markers = [item.marker for item in siblings]
    counts = Counter(markers)
    if len(counts) == 1:
        return markers[0]
    changes = sum(1 for a, b in itertools.pairwise(markers) if a != b)
    two_lists = changes == 1 and min(counts.values()) > 1
    # A heading item with its own marker; or another list below an empty line, which the first
    # marker coming back would rule out.
    led = any(
        a.marker != b.marker and (a.text.rstrip().endswith(":") or (changes == 1 and not b.tight))
        for a, b in itertools.pairwise(siblings)
    )
    signs = any(not any(map(str.isalpha, item.text)) for item in siblings)
    footnote = any(
        siblings[-1].marker == "*" != item.marker and "*" in item.text for item in siblings[:-1]
    ) or re.match(r"\W*(?:note|nb|n\.b\.|source)\b", siblings[-1].text, re.IGNORECASE)
    if len(siblings) < MIN_ITEMS or len(counts) > 2 or two_lists or led or signs or footnote:
        return None
    (first, most), (_, fewer) = counts.most_common(2)
    if most == fewer:
        return markers[0]
    return first if most >= 2 * fewer else None


def _is_prose(siblings: list[Item]) -> bool:
    """Whether the items are sentences or phrases, not data (``- name: x`` is YAML)."""
    return all(len(item.text.split()) > 1 and _KEY.match(item.text) is None for item in siblings)


def _delimiter(siblings: list[Item]) -> str | None:
    counts = Counter(item.marker[-1] for item in siblings)
    (delimiter, most), *others = counts.most_common(2)
    if not others or most == others[0][1]:
        return siblings[0].marker[-1]
    return delimiter


def _slipped(siblings: list[Item], numbers: list[int]) -> bool:
    """Whether the numbers count from 1 but for one slip: one skipped, repeated, or begun anew."""
    if numbers[0] != 1 or any(len(item.text.split()) < MIN_ITEM_WORDS for item in siblings):
        return False
    if not all(item.tight for item in siblings[1:]):
        return False
    slips = [(a, b) for a, b in itertools.pairwise(numbers) if b != a + 1]
    return len(slips) == 1 and slips[0][1] in (slips[0][0] + 2, slips[0][0], 1)


def _marked(siblings: list[Item], marker: str, what: str) -> Iterator[Edit]:
    for item in siblings:
        if item.marker != marker:
            yield _marker_edit(item, marker, what)


def _marker_edit(item: Item, new: str, what: str) -> Edit:
    return Edit(
        start=item.start,
        end=item.start + len(item.marker),
        new=new,
        rule=f'{what} "{item.marker}" -> "{new}"',
    )

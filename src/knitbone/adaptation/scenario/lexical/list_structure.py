"""The structure of lists: bullets, numbering and indentation, made uniform within their list.

Only what stands out from its own siblings is aligned, and only where the difference cannot be
meant: two lists one below the other, a marker for each level, signs (``+``/``-``), footnotes, and
numbers that something refers to are left as they are. Contents are never touched; only markers, and
the blanks before them.

Source: Comfrey §4.4.2 (text structure).

Lists are read with their items, levels and markers. Beside the markers of Markdown it reads those
that models write instead: other dots and dashes, and numbers in bold type or parentheses. A list is
a run of items without a line of other text at the margin in between. Levels are those of CommonMark
(§5.2, §5.3): an item that begins at or behind the content of the one before is nested in it.

The layout of a session is how its answers write lists and headings. The first answer that has lists
of one kind, or headings of one form, settles how the later ones write them (Comfrey §4.4.2, text
structure), until the user speaks of the layout himself.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.headings import (
    find_headings,
    forms_used,
    has_headings,
    may_differ,
    uniform_form,
)
from knitbone.adaptation.scenario.lexical.spans import Replacement, Spans

__all__ = [
    "SettledLayout",
    "about_layout",
    "align_bullets",
    "align_indents",
    "align_numbers",
    "find_lists",
    "follows",
    "has_items",
    "has_layout",
    "layout_of",
    "may_be_uneven",
]

MAX_ITEMS = 5_000
"""Items of one list that are looked at."""
BULLETS = "-*+\u2022\u25cf\u25e6\u25cb\u25aa\u25a0\u2023\u00b7\u2013\u2014"
"""Signs that open an item."""
NUMBER = r"[0-9]{1,3}[.)]|\*\*[0-9]{1,3}[.)]\*\*|\([0-9]{1,3}\)"
"""Numbers that open one, with what stands around them."""
_ANY = re.compile(rf"^ {{0,24}}(?:[{BULLETS}]|{NUMBER}) {{1,4}}\S", re.MULTILINE)
"""The beginning of a line that may be an item."""
MIN_CODE_INDENT = 4
"""Blanks with which a line outside of a list is code."""
_BREAK = re.compile(r" {0,24}(?:(?:- *){3,}|(?:\* *){3,})")
"""A rule made of signs that also open items: ``- - -``."""
_ITEM = re.compile(rf"( {{0,24}})([{BULLETS}]|{NUMBER})( {{1,4}})(?=\S)(.*)")
"""The line of an item: blanks, marker, blanks, text."""
_DIGITS = re.compile(r"[0-9]+")


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One list item."""

    start: int
    """Start of the marker in the text."""
    indent: int
    """Blanks before the marker."""
    marker: str
    gap: int
    """Blanks behind the marker."""
    text: str
    """The rest of its first line."""
    level: int
    tight: bool
    """Whether the line before belongs to the same list, without an empty line."""

    @property
    def number(self) -> int | None:
        """The number of a numbered item."""
        digits = _DIGITS.search(self.marker)
        return int(digits.group()) if digits else None

    @property
    def style(self) -> str:
        """The marker with ``1`` for whatever number it has."""
        return _DIGITS.sub("1", self.marker)

    @property
    def kind(self) -> str:
        """``bullet`` or ``number``."""
        return "bullet" if self.number is None else "number"


def has_items(text: str) -> bool:
    """Return whether there may be a list: the cheap test."""
    return _ANY.search(text) is not None


def _match_item(line: str, *, in_list: bool) -> re.Match[str] | None:
    """Match the line of an item; ``None`` for a rule, and for code outside of a list."""
    match = _ITEM.fullmatch(line.rstrip("\r"))
    if match is None or _BREAK.fullmatch(line.rstrip()):
        return None
    return match if in_list or len(match.group(1)) < MIN_CODE_INDENT else None


def find_lists(text: str, protected: Spans, deadline: Deadline) -> list[list[Item]]:
    """Find the lists of a text, in order, each with all of its levels.

    Raises:
        TimeoutError: the deadline has passed.
    """
    lists: list[list[Item]] = []
    items: list[Item] = []
    offsets: list[int] = []
    position, blank = 0, False
    for line in text.split("\n"):
        deadline.check()
        start, position = position, position + len(line) + 1
        match = None if protected.covers(start) else _match_item(line, in_list=bool(items))
        if match is not None and len(items) < MAX_ITEMS:
            indent, gap = len(match.group(1)), len(match.group(3))
            while offsets and indent < offsets[-1]:
                offsets.pop()
            items.append(
                Item(
                    start=start + indent,
                    indent=indent,
                    marker=match.group(2),
                    gap=gap,
                    text=match.group(4),
                    level=len(offsets),
                    tight=bool(items) and not blank,
                )
            )
            offsets.append(indent + len(match.group(2)) + gap)
            blank = False
        elif not line.strip():
            blank = True
        elif items and not line.startswith("  "):
            lists.append(items)
            items, offsets, blank = [], [], False
    if items:
        lists.append(items)
    return lists


def sibling_runs(items: list[Item]) -> Iterator[list[Item]]:
    """Yield the items that are siblings of one kind: same parent, all bullets or all numbers."""
    open_runs: dict[int, list[Item]] = {}
    for item in items:
        for level in [level for level in open_runs if level > item.level]:
            yield open_runs.pop(level)
        siblings = open_runs.get(item.level)
        if siblings is not None and siblings[-1].kind == item.kind:
            siblings.append(item)
        else:
            if siblings is not None:
                yield siblings
            open_runs[item.level] = [item]
    yield from open_runs.values()


_ABOUT = re.compile(
    r"\b(?:bullets?|bulleted|list(?:s|ed)?|number(?:s|ed|ing)?|markdown|headings?|headlines?"
    r"|headers?|format(?:s|ted|ting)?|asterisks?|stars?|dash(?:es)?|hyphens?|indent\w*|outline"
    r"|table|plain text|sections?|sub-?headings?|layout)\b|(?:^|\s)[*#+\u2022-](?:\s|$)",
    re.IGNORECASE,
)


class SettledLayout(msgspec.Struct, frozen=True, kw_only=True):
    """The markers of a session's lists and headings; ``None`` where nothing is settled."""

    bullet: str | None = None
    number: str | None = None
    """The marker of a first item: ``1.``."""
    heading: str | None = None
    """The mark that opens a heading: ``##``, or ``**``."""

    @property
    def known(self) -> bool:
        """True where a marker is settled."""
        return not (self.bullet is None and self.number is None and self.heading is None)

    @property
    def complete(self) -> bool:
        """True where all markers are settled."""
        return None not in (self.bullet, self.number, self.heading)

    def completed(self, later: SettledLayout) -> SettledLayout:
        """Return the layout with what is not settled yet taken from another answer."""
        return SettledLayout(
            bullet=self.bullet or later.bullet,
            number=self.number or later.number,
            heading=self.heading or later.heading,
        )


def about_layout(text: str) -> bool:
    """Return whether a question speaks of lists, headings or their signs: the answer may follow
    it."""
    return _ABOUT.search(text) is not None


def has_layout(text: str) -> bool:
    """Return whether a text may have lists or headings: the cheap test."""
    return has_items(text) or has_headings(text)


def layout_of(text: str, protected: Spans, deadline: Deadline) -> SettledLayout:
    """Return the layout that one answer settles: where it is uniform itself."""
    markers: set[str] = set()
    numbers: set[str] = set()
    for items in find_lists(text, protected, deadline):
        for siblings in sibling_runs(items):
            if siblings[0].level == 0:
                found = markers if siblings[0].kind == "bullet" else numbers
                found.update(item.style for item in siblings)
    headings = find_headings(text, protected, deadline)
    return SettledLayout(
        bullet=_only_one(markers), number=_only_one(numbers), heading=uniform_form(headings)
    )


def _only_one(used: Iterable[str]) -> str | None:
    different = list(used)
    return different[0] if len(different) == 1 else None


MIN_ITEMS = 3
"""Siblings from which a marker can stand out (ours)."""
MIN_ITEM_WORDS = 3
"""Words of an item from which its number is a place in the list, not what the item is about."""
MIN_LISTS = 2
"""Lists with one marker from which a list with another one stands out (ours)."""
_DOTS = "\u2022\u25cf\u25aa\u2023\u00b7"
_STAND_FOR = {
    "-": f"*{_DOTS}\u2013\u2014",
    "*": f"-+{_DOTS}\u2013\u2014",
    "\u2022": "-*\u25cf\u2023\u00b7",
}
"""The signs that mean the same as a bullet. Not ``+`` beside ``-``, which may be a sign, and not
what usually opens an item below: ``\u25e6`` and dashes beside dots."""
_ALONE = frozenset(f"-*{_DOTS}")
"""Bullets that mean nothing but "item" where they are the only ones: a dash may open direct
speech."""
_STYLES = frozenset({"1.", "1)"})
"""Numbers that are written in either way."""
_MARKER = re.compile(rf"^( *)([{BULLETS}]|{NUMBER}) +\S", re.MULTILINE)
_REFERENCE = re.compile(
    r"\b(?:steps?|items?|points?|numbers?|no\.|questions?|options?|rules?|parts?|sections?|tips?"
    r"|reasons?|see) +#?[0-9]|\([0-9]{1,3}\)|#[0-9]",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\w.\"'-]{1,80}:(?:\s|$)")
_LISTED = re.compile(r"^\s*\(?[0-9]{1,3}[.)]\s", re.MULTILINE)


def may_be_uneven(text: str) -> bool:
    """Return whether some list or heading may not be uniform: a cheap test with no false ``no``."""
    if may_differ(text):
        return True
    styles: set[str] = set()
    indents: set[int] = set()
    expected = 1
    for indent, marker in _MARKER.findall(text):
        indents.add(len(indent))
        digits = _DIGITS.search(marker)
        if digits is None:
            styles.add(marker)
            continue
        styles.add(_DIGITS.sub("1", marker))
        number = int(digits.group())
        if number not in (expected, 1) or (number == 1 and expected > 2):
            return True
        expected = number + 1
    numbered = {style for style in styles if "1" in style}
    return len(numbered) > 1 or len(styles - numbered) > 1 or len(indents) > 1


def follows(text: str, layout: SettledLayout) -> bool:
    """Return whether all markers of a text are the session's, or of a kind that it has not settled.

    A cheap test with no false ``yes``.
    """
    if layout.heading is not None and forms_used(text) - {layout.heading}:
        return False
    styles = {_DIGITS.sub("1", marker) for _, marker in _MARKER.findall(text)}
    return all(
        (layout.number if "1" in style else layout.bullet) in (None, style) for style in styles
    )


def align_bullets(
    text: str, protected: Spans, deadline: Deadline, layout: SettledLayout
) -> list[Replacement]:
    """Give the siblings of a list one bullet; flat lists get the session's, or else that of the
    other lists."""
    edits: list[Replacement] = []
    lists = [list(sibling_runs(items)) for items in find_lists(text, protected, deadline)]
    standard = layout.bullet or _usual_marker(lists, "bullet")
    for groups in lists:
        flat = all(siblings[0].level == 0 for siblings in groups)
        for siblings in groups:
            if siblings[0].kind != "bullet":
                continue
            chosen = _common_bullet(siblings)
            if chosen in _ALONE and flat and standard in _STAND_FOR and _is_prose(siblings):
                chosen = standard
            if chosen is not None:
                edits.extend(_marker_edits(siblings, chosen, "bullet"))
    return edits


def align_numbers(
    text: str, protected: Spans, deadline: Deadline, layout: SettledLayout, query: str
) -> list[Replacement]:
    """Give the numbers of a list one style and let them count on.

    Flat lists get the session's style, or else that of the other lists.
    """
    # Numbers mean more than the order where something refers to them, or the question had some.
    referred = _REFERENCE.search(text) is not None or _LISTED.search(query) is not None
    edits: list[Replacement] = []
    lists = [list(sibling_runs(items)) for items in find_lists(text, protected, deadline)]
    standard = layout.number or _usual_marker(lists, "number")
    for groups in lists:
        for siblings in groups:
            if siblings[0].kind != "number":
                continue
            numbers = _corrected_numbers(siblings, referred=referred)
            if not numbers:
                continue
            style = _common_style(siblings)
            if style in _STYLES and standard in _STYLES and len(groups) == 1 and numbers[0] == 1:
                style = standard if _is_prose(siblings) else style
            for item, number in zip(siblings, numbers, strict=True):
                new = (style or item.style).replace("1", str(number))
                if new != item.marker:
                    edits.append(_marker_edit(item, new, "number"))
    return edits


def _corrected_numbers(siblings: list[Item], *, referred: bool) -> list[int]:
    """Return the numbers of siblings, corrected after a slip; empty where they do not count.

    Args:
        referred: whether something refers to the numbers, which then stay.
    """
    numbers = [item.number or 0 for item in siblings]
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return numbers
    slipped = len(siblings) >= MIN_ITEMS and _has_one_slip(siblings, numbers)
    return list(range(1, len(numbers) + 1)) if slipped and not referred else []


def _usual_marker(lists: list[list[list[Item]]], kind: str) -> str | None:
    """Return the marker that nearly all flat lists have; ``None`` where there is none."""
    used: Counter[str] = Counter()
    for groups in lists:
        styles = {item.style for siblings in groups for item in siblings}
        if len(groups) == 1 and groups[0][0].kind == kind and len(styles) == 1:
            used.update(styles)
    if not used:
        return None
    style, times = used.most_common(1)[0]
    others = used.total() - times
    return style if others and times >= max(MIN_LISTS, 2 * others) else None


def align_indents(text: str, protected: Spans, deadline: Deadline) -> list[Replacement]:
    """Let nested siblings begin in one column whose indentation differs by one blank.

    A list is not indented where the others are not. At the outermost level one blank more may be
    meant as nesting.
    """
    lists = [list(sibling_runs(items)) for items in find_lists(text, protected, deadline)]
    edits = [
        _indent_edit(item, siblings[0].indent)
        for groups in lists
        for siblings in groups
        for item in _unevenly_indented(siblings)
    ]
    flat = [groups[0] for groups in lists if len(groups) == 1 and groups[0][0].level == 0]
    inset = [siblings for siblings in flat if siblings[0].indent > 0]
    if len(inset) == 1 and len(flat) > MIN_LISTS and _is_whole(text, inset[0]):
        edits.extend(_indent_edit(item, 0) for item in inset[0])
    return edits


def _unevenly_indented(siblings: list[Item]) -> list[Item]:
    """Return the smaller group of nested siblings, which begin a blank beside the others."""
    common = siblings[0].indent
    uneven = [item for item in siblings if item.indent != common]
    few = siblings[0].level > 0 and len(uneven) * 2 < len(siblings)
    return uneven if few and all(abs(item.indent - common) == 1 for item in uneven) else []


def _indent_edit(item: Item, column: int) -> Replacement:
    return Replacement(
        start=item.start - item.indent,
        end=item.start,
        new=" " * column,
        rule=f"indentation {item.indent} -> {column}",
    )


def _is_whole(text: str, siblings: list[Item]) -> bool:
    """Return whether nothing but these lines belongs to the list, all of them in one column."""
    first, last = siblings[0], siblings[-1]
    lines = text[first.start - first.indent : last.start].count("\n") + 1
    end = text.find("\n", last.start)
    following = text[end + 1 :].lstrip("\n")[:1] if end >= 0 else ""
    return (
        lines == len(siblings)
        and not following.isspace()
        and all(item.indent == first.indent for item in siblings)
    )


def _common_bullet(siblings: list[Item]) -> str | None:
    """Return the bullet for siblings: their own, that of the most, or the first one's; ``None``
    where the difference may be meant."""
    markers = [item.marker for item in siblings]
    counts = Counter(markers)
    if len(counts) == 1:
        return markers[0]
    if len(siblings) < MIN_ITEMS or len(counts) > 2 or _may_be_meant(siblings, counts):
        return None
    (first, most), (second, fewer) = counts.most_common(2)
    if most == fewer and second == markers[0]:
        first, second = second, first
    same = second in _STAND_FOR.get(first, "")
    return first if same and (most == fewer or most >= 2 * fewer) else None


def _may_be_meant(siblings: list[Item], counts: Counter[str]) -> bool:
    """Return whether the markers of siblings may differ on purpose."""
    changes = sum(1 for a, b in itertools.pairwise(siblings) if a.marker != b.marker)
    two_lists = changes == 1 and min(counts.values()) > 1
    # A heading item with its own marker; or another list below an empty line, which the first
    # marker coming back would rule out.
    led = any(
        a.marker != b.marker and (a.text.rstrip().endswith(":") or (changes == 1 and not b.tight))
        for a, b in itertools.pairwise(siblings)
    )
    signs = any(not any(map(str.isalpha, item.text)) for item in siblings)
    return two_lists or led or signs or _ends_in_footnote(siblings)


def _ends_in_footnote(siblings: list[Item]) -> bool:
    *others, last = siblings
    if last.marker == "*" and any(item.marker != "*" and "*" in item.text for item in others):
        return True
    return re.match(r"\W*(?:note|nb|n\.b\.|source)\b", last.text, re.IGNORECASE) is not None


def _is_prose(siblings: list[Item]) -> bool:
    """Return whether the items are sentences or phrases, not data (``- name: x`` is YAML)."""
    return all(len(item.text.split()) > 1 and _KEY.match(item.text) is None for item in siblings)


def _common_style(siblings: list[Item]) -> str | None:
    """Return the style of the numbers of siblings: that of the most, or the first one's; ``None``
    where they may be two lists."""
    (style, most), *others = Counter(item.style for item in siblings).most_common(2)
    if others and len(siblings) < MIN_ITEMS and not all(item.tight for item in siblings[1:]):
        return None
    return siblings[0].style if others and most == others[0][1] else style


def _has_one_slip(siblings: list[Item], numbers: list[int]) -> bool:
    """Return whether the numbers count from 1 with one slip: a number skipped, repeated, or begun
    anew."""
    if numbers[0] != 1 or any(len(item.text.split()) < MIN_ITEM_WORDS for item in siblings):
        return False
    if not all(item.tight for item in siblings[1:]):
        return False
    slips = [(a, b) for a, b in itertools.pairwise(numbers) if b != a + 1]
    return len(slips) == 1 and slips[0][1] in (slips[0][0] + 2, slips[0][0], 1)


def _marker_edits(siblings: list[Item], marker: str, what: str) -> Iterator[Replacement]:
    for item in siblings:
        if item.marker != marker:
            yield _marker_edit(item, marker, what)


def _marker_edit(item: Item, new: str, what: str) -> Replacement:
    return Replacement(
        start=item.start,
        end=item.start + len(item.marker),
        new=new,
        rule=f'{what} "{item.marker}" -> "{new}"',
    )

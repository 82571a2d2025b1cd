"""The layout of a session: how its answers write lists and headings.

The first answer that has lists of one kind, or headings of one form, settles how the later ones
write them (Comfrey §4.4.2, text structure), until the user speaks of the layout himself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.headings import find_headings, has_headings, uniform_form
from knitbone.adaptation.scenario.lexical.lists import find_lists, has_items, sibling_runs
from knitbone.adaptation.scenario.lexical.spans import Spans

__all__ = ["SettledLayout", "about_layout", "has_layout", "layout_of"]

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

"""Names that stood before values and are left out with the words around them.

A record that the code reads by place is read the wrong way round where a model wrote its values in
another order and said so (``lon: 7.1, lat: 46.2``). Names are left out only where the prompt gives
them in the same order; a single one has to announce the whole answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.adaptation.repair.checks import Invocation

__all__ = ["are_in_order", "name_beside"]

_NAMES = re.compile(r"[^\W\d_]{2,}(?:[ _-][^\W\d_]+)*")
_ANNOUNCES = re.compile(r"\b(?:is|are|was|were|be)\b[\s:]*\Z", re.IGNORECASE)
"""The end of words that announce a value."""


def name_beside(text: str) -> str:
    """Return the words before a number, or those in brackets behind it; a unit is none."""
    first = re.search(r"\d", text)
    if first is None:
        return ""
    before = text[: first.start()]
    if _ANNOUNCES.search(before):
        return before.strip()
    name = _NAMES.search(before)
    if name is None and "(" in text[first.end() :]:
        name = _NAMES.search(text, text.index("(", first.end()))
    return name.group() if name else ""


def are_in_order(text: str, names: Sequence[str], invocation: Invocation) -> bool:
    """Return whether names that are left out of an answer are those of the prompt, in its order."""
    if not names:
        return True
    if len(names) == 1:
        return _ANNOUNCES.search(names[0]) is not None and text.lstrip().startswith(names[0])
    asked = " ".join(message.text for message in invocation.messages).casefold()
    places = [
        found.start() if (found := re.search(rf"\b{re.escape(name.casefold())}", asked)) else -1
        for name in names
    ]
    return places[0] >= 0 and places == sorted(set(places))

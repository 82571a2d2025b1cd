"""Varieties of English: which spelling belongs to which, and what one spelling tells about the
rest.

The pairs come from ``breame``. Only pairs that follow a rule (``-our``/``-or``) or are listed
(``spelling_exceptions.py``) are used, and of those none whose members differ in meaning or are both
current in one variety: replacing such a word would be a guess. Words that the table lacks are known
where their ending is productive and has no exceptions (``tokenisation``).

The paper asks a grammar checker for its first suggestion. harper, which would be at hand, is not
asked: its dictionaries do not tell the varieties apart (``vigor`` passes as British), it takes a
second to load, and up to three for the suggestions of one made-up word, which nothing can
interrupt.

A variety is not one switch. ``organize`` is American, Canadian, and Oxford British; ``colour`` is
British and Canadian. So a spelling takes a side on its own *axis*, and on another axis only where
every variety that has the one has the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from knitbone.adaptation.scenario.lexical.spelling_exceptions import (
    AMERICAN_ONLY,
    BRITISH_ONLY,
    LISTED,
    UNSAFE,
)
from knitbone.errors import import_extra

__all__ = [
    "AXES",
    "Axis",
    "Side",
    "Spelling",
    "Standard",
    "built_by_rule",
    "implied",
    "named_variety",
    "pair_by_rule",
    "spellings",
]

Axis: TypeAlias = Literal["core", "ize", "yze", "rest"]
"""``core``: -our, -re, -lled, -ence, alike in all of the Commonwealth; ``ize``; ``yze``; ``rest``:
the others, in which Canada differs from Britain."""
Side: TypeAlias = Literal["US", "UK"]
AXES: tuple[Axis, ...] = ("core", "ize", "yze", "rest")

_IMPLIED: dict[tuple[Axis, Side], tuple[Axis, ...]] = {
    ("core", "US"): AXES,
    ("core", "UK"): ("core",),  # Canadian and Oxford spelling have -ize
    ("ize", "US"): ("ize",),
    ("ize", "UK"): AXES,
    ("yze", "US"): ("yze", "ize"),
    ("yze", "UK"): ("yze", "core", "rest"),
    ("rest", "US"): ("rest",),
    ("rest", "UK"): ("rest", "core", "yze"),
}

Standard: TypeAlias = Mapping[Axis, Side]
_ALL_US: Standard = dict.fromkeys(AXES, "US")
_ALL_UK: Standard = dict.fromkeys(AXES, "UK")
_BRITISH: Standard = {"core": "UK", "yze": "UK", "rest": "UK"}
_OXFORD: Standard = {"core": "UK", "ize": "US", "yze": "UK", "rest": "UK"}
_CANADIAN: Standard = {"core": "UK", "ize": "US", "yze": "US"}
_NAMED: tuple[tuple[re.Pattern[str], Standard], ...] = tuple(
    (re.compile(pattern), standard)
    for pattern, standard in (
        (r"\b(?:American|US|U\.S\.|USA)[ -](?:English|spellings?)\b|\ben[-_]US\b", _ALL_US),
        (r"\b(?:British|UK|U\.K\.|GB)[ -](?:English|spellings?)\b|\ben[-_](?:GB|UK)\b", _BRITISH),
        (r"\bOxford[ -]spellings?\b", _OXFORD),
        (
            r"\b(?:Australian|Indian|New Zealand|Irish|South African)[ -](?:English|spellings?)\b"
            r"|\ben[-_](?:AU|IN|NZ|IE|ZA)\b",
            _ALL_UK,
        ),
        (r"\bCanadian[ -](?:English|spellings?)\b|\ben[-_]CA\b", _CANADIAN),
    )
)

_RULES: tuple[tuple[Axis, tuple[tuple[re.Pattern[str], str], ...]], ...] = (
    (
        "core",
        (
            (re.compile(r"or"), "our"),
            (re.compile(r"(?<=[^aeiou])er"), "re"),
            (re.compile(r"(?<=[a-z][aeiou])l(?=e|i|o|y)"), "ll"),
            (re.compile(r"ense"), "ence"),
        ),
    ),
    ("rest", ((re.compile(r"e"), "ae"), (re.compile(r"e"), "oe"))),
)


_PRODUCTIVE = re.compile(
    r"([a-z]{2,24}i)([sz])(ations?)"
    r"|([a-z]{2,24}(?:al|an|ar|at|en|er|et|il|im|on|or)i)([sz])(e[drs]?|ers|ing)"
)
"""``-isation``, and the forms of ``-ise`` behind what verbs are made from (``vectorise``)."""
_NOT_BUILT = "improvis"
_ANY_NAME = re.compile(r"nglish|pelling|\ben[-_][A-Z]")
"""A sign that a text may name a variety: the cheap test."""


class Spelling(msgspec.Struct, frozen=True, kw_only=True):
    """One word that takes a side."""

    axis: Axis
    side: Side
    other: str
    """The word as the other side spells it, in lower case."""
    tells: bool = True
    """Whether the word tells which side its author is on."""


def implied(axis: Axis, side: Side) -> tuple[Axis, ...]:
    """Return the axes on which a spelling takes the same side."""
    return _IMPLIED[axis, side]


def built_by_rule(word: str) -> Spelling | None:
    """Return the side of a word with a productive ending, in lower case, also of one that no
    dictionary has."""
    match = _PRODUCTIVE.fullmatch(word)
    if match is None or word.startswith(_NOT_BUILT):
        return None
    stem, letter, ending = (part for part in match.groups() if part is not None)
    side: Side = "US" if letter == "z" else "UK"
    other = f"{stem}{'s' if side == 'US' else 'z'}{ending}"
    return Spelling(axis="ize", side=side, other=other)


def named_variety(text: str) -> Standard | None:
    """Return the variety that a text names (``use British English``, ``en-GB``).

    Returns:
        The sides it takes; ``None`` where it names none, or several, which is talk about them.
    """
    if _ANY_NAME.search(text) is None:
        return None
    found = [standard for pattern, standard in _NAMED if pattern.search(text)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1)
def spellings() -> Mapping[str, Spelling]:
    """Return every word that takes a side, in lower case.

    Raises:
        MissingExtraError: ``breame`` is not installed.
    """
    breame = import_extra(
        "breame.data.spelling_constants", extra="language", purpose="Checking the spelling variety"
    )
    pairs: Mapping[str, str] = breame.AMERICAN_ENGLISH_SPELLINGS
    table: dict[str, Spelling] = {}
    for american, british in pairs.items():
        axis = _axis(american, british)
        if axis is not None and american not in UNSAFE:
            table[american] = Spelling(axis=axis, side="US", other=british)
            table[british] = Spelling(axis=axis, side="UK", other=american)
    for british, american in BRITISH_ONLY.items():
        table[british] = Spelling(axis="core", side="UK", other=american)
    for american, british in AMERICAN_ONLY.items():
        table[american] = Spelling(axis="core", side="US", other=british, tells=False)
    return MappingProxyType(table)


def pair_by_rule(american: str, british: str) -> Axis | None:
    """Return the axis on which two words differ by a rule of spelling; ``None`` if they do not."""
    if american.replace("iz", "is") == british:
        return "ize"
    if american.replace("yz", "ys") == british:
        return "yze"
    for axis, rules in _RULES:
        for pattern, new in rules:
            for match in pattern.finditer(american):
                if american[: match.start()] + new + american[match.end() :] == british:
                    return axis
    return None


def _axis(american: str, british: str) -> Axis | None:
    if american in LISTED:
        return "rest"
    # centered/centred loses an e besides
    if american.startswith("center") and british.startswith("centr"):
        return "core"
    return pair_by_rule(american, british)

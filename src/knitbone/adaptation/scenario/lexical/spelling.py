"""The variety of English that words are spelt in, and respelling of those that are in the wrong
one.

Only words in running prose count: a name, a title, a label, an identifier, a part of a compound,
and everything protected is neither evidence nor repaired.

Source: Comfrey §4.4.2 (language standard).

The exceptions say which entries of the dictionary of British and American spellings are used. The
entries come from ``breame``; each list here says why its words are left out, or used although they
follow no rule. Words are American spellings in lower case; the other member of the pair is the
dictionary's.

The varieties say which spelling belongs to which, and what one spelling tells about the rest. The
pairs come from ``breame``. Only pairs that follow a rule (``-our``/``-or``) or are listed in the
exceptions are used, and of those none whose members differ in meaning or are both current in one
variety: replacing such a word would be a guess. Words that the table lacks are known where their
ending is productive and has no exceptions (``tokenisation``).

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
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.spans import Replacement, Spans
from knitbone.errors import import_extra

__all__ = [
    "AMERICAN_ONLY",
    "AXES",
    "BRITISH_ONLY",
    "MAJORITY",
    "Standard",
    "about_spelling",
    "built_by_rule",
    "clear_sides",
    "consistent",
    "count_votes",
    "expected_ize",
    "find_words",
    "mixed_axes",
    "named_variety",
    "pair_by_rule",
    "respell",
    "sides_taken",
    "spellings",
    "words_on_wrong_side",
]

_MEANING = """
check checkbook checkbooks checkered curb disk disks draft drafts drafty draftier draftiest
draftboard draftboards draftsman draftsmen draftsmanship draftswoman draftswomen filet filets
fileted fileting filter filters gage gages gaged gaging groin groins license licensed licenses
licensing meter meters micrometer micrometers practice practiced practices practicing program
programs story ton tons tire tires analyzes paralyzes catalyzes rigor rigors raveled raveling
molder moldered moldering molders chili coloreds initialed initialing trialed trialing savior
saviors savory savories
"""
"""The members differ in meaning (``a storey of a house``), or one is another word besides
(``analyses`` is a plural too)."""

_AMERICAN_TOO = """
esthete esthetes esthetic esthetically esthetics archeological archeologically archeologist
archeologists archeology analog analogs ax battleax busses bussing cancelation cancelations catalog
catalogs cataloged cataloging coziest dialog dialogs epilog epilogs exorcize exorcized exorcizes
exorcizing gasses glamor groveled groveling minibusses monolog monologs pharmacopeia pharmacopeias
prolog prologs sheik theatergoer theatergoers travelog travelogs woolies wooly worshiped worshiper
worshiping
"""
"""The spelling that is listed as British is current, or the only one, in American English too."""

_BRITISH_TOO = """
banister banisters biased biasing bougainvillea bougainvilleas caliper calipers calisthenics chimera
chimeras connection connections encyclopedia encyclopedias encyclopedic eon eons fetal fetid fetus
fetuses homeopath homeopathic homeopaths homeopathy medieval presidium presidiums primeval
technicolor tricolor tricolors
"""
"""The spelling that is listed as American is current, or the usual one, in Britain too."""

_MISTAKES = """
bevies bevy colorize colorized colorizes colorizing edema overemphasize overemphasized
overemphasizes overemphasizing pummel pummeled snowplow tranquility tranquilize tranquilized
tranquilizer tranquilizers tranquilizes tranquilizing
"""
"""The entry is wrong or doubtful."""

UNSAFE = frozenset(f"{_MEANING} {_AMERICAN_TOO} {_BRITISH_TOO} {_MISTAKES}".split())
"""Words that follow a rule and still take no side."""

_IRREGULAR = """
aging aluminum cozier cozily coziness cozy distill distills enroll enrolls enthrall enthralls
fulfill fulfillment fulfills gray grayed graying grayish grays installment installments instill
instills jewelry maneuver maneuverability maneuverable maneuvered maneuvering maneuvers mold molded
molding molds moldy molt molted molting molts mustache mustached mustaches pajama pajamas plow
plowed plowing plows skeptic skeptical skeptically skepticism skeptics smolder smoldered smoldering
smolders
"""

LISTED = frozenset(_IRREGULAR.split())
"""Words that follow no rule and take a side nevertheless."""

_BRITISH_ONLY = """
programme/program programmes/programs cheque/check cheques/checks chequebook/checkbook
chequebooks/checkbooks chequered/checkered kerb/curb kerbs/curbs kerbside/curbside licence/license
licences/licenses metre/meter metres/meters practise/practice practised/practiced
practises/practices practising/practicing storey/story storeys/stories tyre/tire tyres/tires
"""
_AMERICAN_ONLY = """
catalog/catalogue catalogs/catalogues cataloged/catalogued cataloging/cataloguing
"""


def _pairs(listed: str) -> dict[str, str]:
    return dict(pair.split("/") for pair in listed.split())


BRITISH_ONLY = _pairs(_BRITISH_ONLY)
"""British words that no American text has; the American word has another meaning in Britain too,
so it is on no side."""
AMERICAN_ONLY = _pairs(_AMERICAN_ONLY)
"""American words that no British text has, beside a British one that Americans have as well."""


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
_NAMED_STANDARDS: tuple[tuple[re.Pattern[str], Standard], ...] = tuple(
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
    found = [standard for pattern, standard in _NAMED_STANDARDS if pattern.search(text)]
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


MAJORITY = 3
"""A side is clear with this many words, and this many times those of the other side (ours)."""
NEAR = 24
"""Characters within which the other spelling of a word is looked for."""
MAX_LINE = 4_000
"""Characters around a word that are looked at to tell prose from data."""

_TOKEN = re.compile(r"[A-Za-z]{4,}")
_ABOUT = re.compile(
    r"\b(?i:spell(?:ed|ing|ings|s)?|spelt|orthograph\w+)\b"
    r"|\b(?:American|British|US|UK|Canadian|Australian|Commonwealth) (?:English|usage)\b"
)
"""Words that say that spelling itself is the topic."""
_BEFORE = frozenset(" \t\n\r(*\u2014\u2013")
_AFTER = frozenset(" \t\n\r)*\u2014\u2013")
_STOPS = frozenset(".,;!?:")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+|[ \t]*#{1,6}[ \t]+")
"""The mark of a list item or heading before its first word."""
_NEXT = re.compile(r"[ \t]+(?:[*_]{0,2})([^\W\d_]+)")
"""The word behind a word."""
_JOINED = re.compile(r"[ \t]+(?:of|for|and|de)[ \t]+(?:the[ \t]+)?[^\W\d_a-z]")
"""Words between a capitalised word and a name behind it (``Organization of American States``)."""
_NAMED = re.compile(
    r"[ \t]+(?:package|module|library|function|method|parameter|variable|attribute|keyword)\b"
)
"""Nouns behind a word that is the name of something in a program."""
_ARTICLES = ("the ", "The ", " this ", " your ")
"""Words before a noun; a word between them is the name of something in a program."""
_PARTIES = frozenset({"Labor", "Labour"})
"""Capitalised, more often a party than work."""
_DATA = re.compile(r"[{}=<>|\\$]|;\s*$|^(?: {4,}|\t+)(?![ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t])")
"""Signs in a line that is code or data, and no prose."""
_LABEL = re.compile(
    r"[ \t]*(?:(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+)?(?:[\w'\u2019&/*-]+(?:[ \t]+|(?=:))){1,5}:"
)
"""A label at the start of a line: ``Colour scheme:``."""

Votes: TypeAlias = Counter[tuple[Axis, Side]]
"""How often each side of each axis is taken."""


class SidedWord(msgspec.Struct, frozen=True, kw_only=True):
    """A word that takes a side, where it stands."""

    start: int
    end: int
    text: str
    spelling: Spelling


def about_spelling(text: str) -> bool:
    """Return whether a text talks about spelling, where both sides are quoted on purpose."""
    return _ABOUT.search(text) is not None


def sides_taken(words: Iterable[str]) -> list[Spelling]:
    """Return the sides that words of a text may take, names and quoted words included: the cheap
    test."""
    forms = _forms()
    return [forms[word] for word in forms.keys() & words]


def consistent(taken: Iterable[Spelling], standard: Standard) -> bool:
    """Return whether every word is on the standard's side, and no two words are on different
    sides."""
    counts = {
        (axis, spelling.side)
        for spelling in taken
        for axis in implied(spelling.axis, spelling.side)
    }
    return not any((axis, "US") in counts and (axis, "UK") in counts for axis in AXES) and all(
        standard.get(spelling.axis, spelling.side) == spelling.side for spelling in taken
    )


@lru_cache(maxsize=1)
def _forms() -> dict[str, Spelling]:
    return {
        form: spelling
        for word, spelling in spellings().items()
        for form in (word, word.capitalize())
    }


def find_words(text: str, protected: Spans, deadline: Deadline) -> list[SidedWord]:
    """Find the words in running prose that take a side.

    Raises:
        TimeoutError: the deadline has passed.
    """
    forms = _forms()
    found: list[SidedWord] = []
    line = _LineJudge(text)
    for match in _TOKEN.finditer(text):
        token = match.group()
        spelling = forms.get(token) or built_by_rule(token)
        if spelling is None:
            continue
        deadline.check()
        if (
            not protected.covers(match.start())
            and _stands_alone(text, match.start(), match.end())
            and line.is_prose(match.start())
            and (token[0].islower() or _starts_sentence(text, match.start(), match.end()))
        ):
            word = SidedWord(start=match.start(), end=match.end(), text=token, spelling=spelling)
            found.append(word)
    return found


def count_votes(words: Iterable[SidedWord]) -> Votes:
    """Count the sides that words take, on their own axis and on those that follow from it."""
    counts: Votes = Counter()
    for word in words:
        side = word.spelling.side
        if word.spelling.tells:
            counts.update((axis, side) for axis in implied(word.spelling.axis, side))
    return counts


def clear_sides(counts: Mapping[tuple[Axis, Side], int], *, at_least: int = 1) -> Standard:
    """Return the side of each axis that is clear: ``MAJORITY`` to one, and enough words."""
    standard: dict[Axis, Side] = {}
    for axis in AXES:
        american, british = counts.get((axis, "US"), 0), counts.get((axis, "UK"), 0)
        if american >= max(at_least, MAJORITY * british, 1):
            standard[axis] = "US"
        elif british >= max(at_least, MAJORITY * american, 1):
            standard[axis] = "UK"
    return standard


def expected_ize(words: Iterable[SidedWord], standard: Standard) -> Standard:
    """Return the side of ``-ise`` where a British standard leaves it open, for British English has
    both.

    Empty where an answer may keep its spelling: one that has ``-ize`` alone may be in Oxford
    spelling. One that has ``-ise`` as often, or that is American in its other words, is not.
    """
    if "ize" in standard or standard.get("core") != "UK" or standard.get("yze") == "US":
        return {}
    counts = Counter((word.spelling.axis, word.spelling.side) for word in words)
    both = 0 < counts["ize", "US"] <= counts["ize", "UK"]
    american = counts["core", "US"] > 0 and counts["core", "UK"] == 0
    known = standard.get("yze") == "UK" == standard.get("rest")  # neither is Canadian
    return {"ize": "UK"} if both or (american and known) else {}


def mixed_axes(counts: Votes) -> set[Axis]:
    """Return the axes on which both sides are taken."""
    return {axis for axis in AXES if counts[axis, "US"] and counts[axis, "UK"]}


def words_on_wrong_side(words: Iterable[SidedWord], standard: Standard) -> list[SidedWord]:
    """Return the words on the other side than the standard's; where it has none, no word is
    wrong."""
    return [
        word
        for word in words
        if standard.get(word.spelling.axis, word.spelling.side) != word.spelling.side
    ]


def respell(text: str, words: Iterable[SidedWord]) -> list[Replacement]:
    """Return each word as the other side spells it, with its capitals.

    A word beside its own other spelling (``colour or color``) is talked about, and stays.
    """
    edits: list[Replacement] = []
    for word in words:
        other = word.spelling.other
        around = text[max(0, word.start - NEAR) : word.end + NEAR].lower()
        if other not in around:
            new = other.capitalize() if word.text[0].isupper() else other
            rule = f'"{word.text.lower()[:16]}" -> "{other[:16]}"'
            edits.append(Replacement(start=word.start, end=word.end, new=new, rule=rule))
    return edits


class _LineJudge:
    """Decides whether the line that a word stands in is prose; each line is judged once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start, self._end, self._label = 0, -1, 0
        self._prose = True

    def is_prose(self, start: int) -> bool:
        if start > self._end:
            self._read(start)
        # A label may be what downstream code looks for, and what follows it a datum.
        return self._prose and start >= self._label

    def _read(self, position: int) -> None:
        text = self._text
        earliest = max(0, position - MAX_LINE)
        self._start = max(text.rfind("\n", earliest, position) + 1, earliest)
        end = text.find("\n", position, position + MAX_LINE)
        self._end = min(len(text), position + MAX_LINE) if end < 0 else end
        line = text[self._start : self._end]
        label = _LABEL.match(line[:120])
        self._label = self._start + label.end() if label else 0
        short = label is not None and len(line[label.end() :].split()) <= 3
        self._prose = not short and _DATA.search(line) is None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word is a word of the sentence.

    It is not where it is part of an identifier, path, file name or compound, or is called,
    assigned or said to be a name.
    """
    if start and text[start - 1] not in _BEFORE:
        return False
    if start > 1 and text[start - 1] == "(" and not text[start - 2].isspace():
        return False
    if _NAMED.match(text, end, end + 32) and text[max(0, start - 6) : start].endswith(_ARTICLES):
        return False
    if text.startswith(("'s", "\u2019s"), end):
        end += 2
    if end >= len(text) or text[end] in _AFTER:
        return True
    following = text[end + 1 : end + 2]
    return text[end] in _STOPS and (
        not following or following in _AFTER or following in "\"'\u201d"
    )


def _starts_sentence(text: str, start: int, end: int) -> bool:
    """Return whether a capital is due to the start of a sentence and not to a name.

    Then a small word follows, no other capital, and nothing that joins names.
    """
    following = _NEXT.match(text, end, end + 64)
    if (
        following is None
        or not following.group(1).islower()
        or text[start:end] in _PARTIES
        or _JOINED.match(text, end, end + 64) is not None
    ):
        return False
    position = start - 1
    while position >= 0 and start - position < 16 and text[position] in "*_( \t":
        position -= 1
    if position < 0 or text[position] in "\n.!?":
        return True
    line = text.rfind("\n", max(0, start - 64), start) + 1
    item = _ITEM.match(text, line, start)
    return item is not None and not text[item.end() : start].strip("*_(")

"""The head of a line (``- **Step 1:**``), split into elements and compared with the template's.

Comfrey §4.3.1 counts the missing and extraneous *elements* of an answer against a finite
automaton. Here the automaton is a compiled expression over the start of one line (indentation,
quotation, heading, bullet, emphasis, word, number, delimiter), and the count is the minimum edit
distance between the line's elements and the template's, per record. Blanks are no elements. A pair
that encloses (``**1.**``, ``(1)``) is one element.
"""

# ruff: noqa: RUF001 - the full-width characters and dashes that models write
from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.records import plain_elements
from knitbone.adaptation.requirements.regex_templates import BULLETS

__all__ = [
    "IDENTIFIER_WORDS",
    "Head",
    "count_edits",
    "lex_head",
    "plain_head",
    "same_word",
    "with_emphasis",
]

IDENTIFIER_WORDS = ("task", "step", "item", "point", "number", "no", "nr", "subtask", "todo")
"""Words that number a record and are no content of it. Deliberately few: ``Day 1`` or
``Chapter 2`` may be content, and content is never dropped."""

_SIMILAR = 0.75
"""Least ``difflib`` ratio at which a misspelt identifier is still the template's."""

_BLANK = r"[^\S\r\n]"
_LEXER = re.compile(
    rf"""
    (?P<indent>{_BLANK}*)
    (?P<quote>(?:>{_BLANK}*){{1,3}})?
    (?P<heading>\#{{1,6}}{_BLANK}+)?
    (?P<bullet>[{re.escape(BULLETS)}]{_BLANK}+)?
    (?P<box>\[[ xX]\]{_BLANK}+)?
    (?P<emphasis>\*\*\*|\*\*|__|\*|_|`)?
    (?:
      (?P<word>[^\W\d_]{{1,20}}(?:[ -][^\W\d_]{{1,20}})?)?\.?{_BLANK}*
      (?P<open>[(\[（【]|\#{_BLANK}?)?
      (?P<number>[0-9０-９]{{1,4}})(?![0-9０-９])
      (?P<inner>\.(?=[)\]）】]))?
      (?P<close>[)\]）】])?
      (?P<end1>\*\*\*|\*\*|__|\*|_|`)?
      (?P<delimiter>
          {_BLANK}*(?:(?:[.:;)\]]{{2}}(?=\s)|(?<=\s)[.:;)\]](?=\s)|(?<!\s)[.:;)\]．：、）])
                  (?:{_BLANK}*[-–—](?=\s))?(?![0-9０-９])
                 |(?:[-–—=]>?|->|=>|→|\|)(?=\s))
        | ,(?=\s)
      )?
      (?P<end2>\*\*\*|\*\*|__|\*|_|`)?
    )?
    (?P<space>{_BLANK}*)
    """,
    re.VERBOSE,
)

_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}


class HeadToken(NamedTuple):
    """One element of a line's head."""

    kind: str
    text: str


class Head(NamedTuple):
    """Everything before the content of one line."""

    indent: int
    tokens: tuple[HeadToken, ...]
    number: int | None
    digits: str
    """The number as written, in ASCII digits."""
    word: str
    delimiter: str
    bullet: str
    enclosed: bool
    """Whether the number stands in brackets or behind ``#``."""
    space: str
    moved: str
    """Emphasis that opens before the head and closes inside the content: it belongs to the
    content (``**1. Title**``)."""
    end: int
    """Offset of the content in the line."""

    @property
    def strong(self) -> bool:
        """True where the number alone shows that it counts records."""
        return self.number is not None and bool(self.delimiter or self.enclosed or self.word)

    @property
    def style(self) -> tuple[str, str, bool]:
        """The elements that the records of one list have in common."""
        return (self.word.lower(), self.delimiter.strip(), self.enclosed)


def lex_head(line: str, template_words: tuple[str, ...] = ()) -> Head | None:
    """Return the head of a line; ``None`` where the line starts with no identifier."""
    match = _LEXER.match(line)
    if match is None:
        return None
    part = match.groupdict("")
    word = part["word"].strip()
    numbered = bool(part["number"]) and _known_word(word, template_words)
    if numbered and not word and _is_quantity(line, match):
        numbered = False
    if not numbered and not part["bullet"]:
        return None
    if not numbered:
        return _bullet_head(part, match)
    return _number_head(line, part, match, word)


def plain_head(indent: int) -> Head:
    """Return the head of a line that has no mark in front of its content."""
    return Head(
        indent=indent,
        tokens=(),
        number=None,
        digits="",
        word="",
        delimiter="",
        bullet="",
        enclosed=False,
        space=" ",
        moved="",
        end=indent,
    )


def _bullet_head(part: dict[str, str], match: re.Match[str]) -> Head:
    """Return the head of a line whose match has a bullet and no number."""
    tokens = _prefix_tokens(part)
    tokens.append(HeadToken("delimiter", part["bullet"].strip()))
    if part["box"]:
        tokens.append(HeadToken("box", part["box"].strip()))
    end = match.end("box") if part["box"] else match.end("bullet")
    return Head(
        indent=len(part["indent"]),
        tokens=tuple(tokens),
        number=None,
        digits="",
        word="",
        delimiter="",
        bullet=part["bullet"].strip(),
        enclosed=False,
        space=" ",
        moved="",
        end=end,
    )


def _number_head(line: str, part: dict[str, str], match: re.Match[str], word: str) -> Head:
    """Return the head of a line whose match has a number."""
    hash_sign = part["open"].startswith("#")
    paired = bool(part["open"]) and not hash_sign and bool(part["close"])
    enclosed = paired or hash_sign
    opened = part["emphasis"]
    digits = part["number"].translate(_FULL_WIDTH)
    delimiter = _delimiter(part, paired=paired)
    marks = (
        ("bullet", part["bullet"].strip()),
        ("box", part["box"].strip()),
        ("emphasis", opened),
        ("words", word),
        ("enclosure", part["open"].strip() + part["close"] if enclosed else ""),
        ("number", digits),
        ("delimiter", delimiter),
    )
    tokens = _prefix_tokens(part) + [HeadToken(*mark) for mark in marks if mark[1]]
    end = _content_start(part, match)
    rest = line[end:]
    space = rest[: len(rest) - len(rest.lstrip())] if rest.strip() else ""
    return Head(
        indent=len(part["indent"]),
        tokens=tuple(tokens),
        number=int(digits),
        digits=digits,
        word=word,
        delimiter=delimiter,
        bullet=part["bullet"].strip(),
        enclosed=enclosed,
        space=space or part["space"],
        moved="" if part["end1"] or part["end2"] else opened,
        end=end + len(space),
    )


def _delimiter(part: dict[str, str], *, paired: bool) -> str:
    """Return the marks behind the number, up to the content."""
    marks = part["inner"] + ("" if paired else part["close"])
    opens_content = part["end1"] and not part["emphasis"]
    return marks if opens_content or _is_loose(part) else marks + part["delimiter"].strip()


def _is_loose(part: dict[str, str]) -> bool:
    """Return whether the mark behind a blank is content: ``2) : text``."""
    return bool(part["close"]) and part["delimiter"][:1].isspace()


def _content_start(part: dict[str, str], match: re.Match[str]) -> int:
    if _is_loose(part):
        return match.start("delimiter")
    if part["emphasis"]:
        # ``**1**. **title``: the second run opens the content.
        return match.start("end2") if part["end1"] and part["end2"] else match.end()
    # Emphasis that only opens here belongs to the content: ``1.**Title**``.
    if part["end1"]:
        return match.start("end1")
    return match.start("end2") if part["end2"] else match.end()


def _prefix_tokens(part: dict[str, str]) -> list[HeadToken]:
    return [HeadToken(kind, part[kind].strip()) for kind in ("quote", "heading") if part[kind]]


def _known_word(word: str, template_words: tuple[str, ...]) -> bool:
    return not word or any(same_word(word, known) for known in IDENTIFIER_WORDS + template_words)


def _is_quantity(line: str, match: re.Match[str]) -> bool:
    """Return whether the number is the start of a word or quantity: ``3D``, ``10%``, ``2.5``."""
    if match.group("close") or match.group("delimiter"):
        return False
    following = line[match.end("number") : match.end("number") + 1]
    return not (following.isspace() or (following in "*_`" and bool(match.group("emphasis"))))


def same_word(written: str, known: str) -> bool:
    """Return whether a word is the identifier, perhaps misspelt or in another case."""
    written, known = written.lower(), known.lower()
    if written == known or written.rstrip("s.") == known.rstrip("s."):
        return True
    if min(len(written), len(known)) < 4 or written[0] != known[0]:
        return False
    return SequenceMatcher(None, written, known).ratio() >= _SIMILAR


def with_emphasis(opened: str, content: str) -> str:
    """Return the content of a line whose emphasis opened before its number.

    Emphasis that closes inside belongs to the content (``**1. Title**: text``) and opens there;
    around all of it (``**1. Title**``) it was put around the line, and both marks go.
    """
    bare = content.rstrip()
    inner = bare.removesuffix(opened)
    if opened and inner != bare and inner.strip() and opened not in inner:
        return inner + content[len(bare) :]
    return opened + content


def count_edits(head: Head, template: PositionalTemplate) -> int:
    """Return the least number of missing, extraneous and exchanged elements (Comfrey §4.3.1)."""
    wanted = [e for e in plain_elements(template.head) if e.kind != "space"]
    previous = [0]
    for element in wanted:
        previous.append(previous[-1] + (0 if element.optional else 1))
    for token in head.tokens:
        current = [previous[0] + 1]
        for index, element in enumerate(wanted):
            exchanged = previous[index] + (0 if _fits(token, element) else 1)
            missing = current[index] + (0 if element.optional else 1)
            current.append(min(exchanged, missing, previous[index + 1] + 1))
        previous = current
    return previous[-1]


def _fits(token: HeadToken, element: Element) -> bool:
    if token.kind != element.kind:
        return False
    if token.kind == "number":
        return True
    return token.text in element.options

"""A sentence that a model wrote, without values of the run.

A *value* is, in free text: whatever holds a digit; quoted words, addresses of pages, files and
mails, words with underscores, unless they are names of tools or arguments; a word with a capital
letter inside a sentence; numbers, months and days in words; and every text or number that some call
or answer of the run held as a whole, unless it consists of words of names or of those that stand in
our own sentences (``error_words.is_common``), which tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.units import TransitionUnit, asked, system_texts
from knitbone.tethering.guidance.disclosure import RunNames, leaves
from knitbone.tethering.guidance.error_words import is_common
from knitbone.wire.fields import object_of

__all__ = ["value_free"]

_LONGEST_VALUE, _MOST_VALUES = 200, 5_000
"""Characters and number of values that are looked for (ours)."""

_BRACKETS = re.compile(r"\s?\([^()]*\)")
_MARKS = "\"`'\u201c\u201d\u2018\u2019"
_QUOTED = re.compile(rf"(?<!\w)[{_MARKS}]([^{_MARKS}\n]{{1,200}})[{_MARKS}]")
_TOKEN = re.compile(r"[^\s,;:!?()\"\u201c\u201d`]+")
_SET = "\0"
"""Stands around a name that was set in place of a value, until the line was looked at."""
_OURS = re.compile(rf"the {_SET}[^{_SET}]*{_SET}")
_LETTERS = re.compile(r"[^\W_]+")
_IN_WORDS = frozenset([
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "dozen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million", "january", "february", "april", "june", "july", "august",
    "september", "october", "november", "december", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday",
])  # fmt: skip
_ACRONYMS = frozenset(["API", "CSV", "HTTP", "ID", "IDs", "I", "JSON", "SQL", "URL", "XML"])


def value_free(text: str, run: Run, units: Sequence[TransitionUnit], names: RunNames) -> str | None:
    """The sentence without values: brackets that hold one go, and the value of an argument is said
    by the argument's name; ``None`` where a value is left."""
    line = " ".join(text.replace(_SET, "").split())
    line = _BRACKETS.sub(lambda found: "" if _holds_form(found[0], names) else found[0], line)
    given = _given_values(units, names)
    for value in sorted(given, key=len, reverse=True):
        line = re.sub(_whole(value), f"the {_SET}{given[value]}{_SET}", line, flags=re.IGNORECASE)
    line = re.sub(rf"\b(?:the|an|a) the {_SET}", f"the {_SET}", line, flags=re.IGNORECASE)
    rest = _OURS.sub("it", line)
    if _holds_form(rest, names) or _holds_value(rest, run, units, names):
        return None
    line = line.replace(_SET, "`")
    return line[:1].upper() + line[1:] if line else None


def _whole(value: str) -> str:
    return rf"(?<![\w.])[\"'`]?{re.escape(value)}[\"'`]?(?!\w)"


def _words(text: str) -> str:
    return f" {' '.join(_LETTERS.findall(text.lower()))} "


def _given_values(units: Sequence[TransitionUnit], names: RunNames) -> dict[str, str]:
    """Values that calls were given, with the name of their argument, where that may be told."""
    found: dict[str, str] = {}
    for unit in units:
        for call in unit.calls:
            for name, value in object_of(call.arguments).items():
                if isinstance(value, (str, int, float)) and not isinstance(value, bool):
                    told, said = names.argument(name), str(value).strip()
                    plain = all(is_common(word, names) for word in said.lower().split())
                    if told and 2 < len(said) <= _LONGEST_VALUE and not plain:
                        found.setdefault(said, told)
    return dict(list(found.items())[:_MOST_VALUES])


def _holds_form(text: str, names: RunNames) -> bool:
    """Whether a text has a word whose form alone says that it is a value."""
    for found in _QUOTED.finditer(text):
        inner = found[1].strip()
        if not (names.is_known(inner) or all(is_common(w, names) for w in inner.lower().split())):
            return True
    begins = True
    for found in _TOKEN.finditer(text.replace("`", " ")):
        token = found[0].strip("'\u2019.")
        if not names.is_known(token) and _is_value_form(token, begins=begins):
            return True
        begins = found[0].endswith(".")
    return False


def _is_value_form(token: str, *, begins: bool) -> bool:
    if any(character.isdigit() for character in token) or "_" in token or "@" in token:
        return True
    if "/" in token or "\\" in token or "." in token:
        return True
    if token.lower() in _IN_WORDS:
        return True
    capital = token[:1].isupper() and token not in _ACRONYMS and not begins
    return capital or any(c.isupper() for c in token[1:] if token not in _ACRONYMS)


def _holds_value(text: str, run: Run, units: Sequence[TransitionUnit], names: RunNames) -> bool:
    """Whether some value of the run stands in a text as a whole."""
    said = _words(text)
    sources = [(call.arguments, call.result) for unit in units for call in unit.calls]
    for leaf in leaves(*(part for pair in sources for part in pair)):
        words = _words(leaf) if len(leaf) <= _LONGEST_VALUE else ""
        if words.strip() and words in said and not all(is_common(w, names) for w in words.split()):
            return True
    # What people said holds names of theirs at the beginning of a sentence, too.
    first = text.split(" ", 1)[0].strip(".,;:")
    told = " ".join([asked(run), *system_texts(run), *(unit.observation for unit in units)])
    return re.search(rf"(?<=[a-z,] ){re.escape(first)}\b", told) is not None and first[:1].isupper()

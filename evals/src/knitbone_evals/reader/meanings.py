"""Values of a call from what somebody else understood of a request.

The simulated reader understands requests by patterns. Where a language model's understanding was
recorded, a ``Meaning`` an argument takes their place: what the request means, without a form, and
which form the documentation states, in its own words. What is written is still decided here: the
stated form where there is one, else one drawn from the frozen habits.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from knitbone.models.chat import ToolSpec
from knitbone.record.events import Json
from knitbone_evals.reader.documentation import Argument, StatedForm, statement_of
from knitbone_evals.reader.filling import Habits, is_about, nearest_choice, number_in
from knitbone_evals.reader.forms import AS_SAID, FORMS, KINDS, truth_of, write
from knitbone_evals.reader.numbers import plain

__all__ = ["Comprehension", "Meaning", "StatedNotation", "fill_meanings", "problems_of"]

_OF_THE_WORDS = frozenset(
    [AS_SAID, "without article", "lower case", "title case", "upper case", "capitalised",
     "as its digits", "the word", "without title", "without title, lower case",
     "without title, title case"]
)  # fmt: skip
"""Forms that keep a request's own words; all others are made of what these mean."""
_NUMBERS = frozenset(["count", "quantity", "amount", "percent", "duration", "year", "ordinal"])
_DIRECTIVE = re.compile(r"%.?", re.DOTALL)
_DIRECTIVES: Mapping[str, tuple[str, ...]] = {
    "%Y": ("year",), "%y": ("year",), "%m": ("month",), "%B": ("month",), "%b": ("month",),
    "%d": ("day",), "%j": ("month", "day"), "%A": ("year", "month", "day"),
    "%a": ("year", "month", "day"), "%H": ("hour",), "%I": ("hour",), "%p": ("hour",),
    "%M": ("minute",), "%S": (), "%%": (),
}  # fmt: skip
"""What a pattern of days and times may hold, and the parts that each needs."""
_GAP = " ... "
_NAME_PARTS = re.compile(r"\{(given|family)\}")


class StatedNotation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a documentation states about the form of a value, and the value in it.

    One of the four ways besides ``quote`` is given.
    """

    quote: str
    """Words of the documentation, letter by letter."""
    listed: str | None = None
    """One of the values that the quoted words list."""
    pattern: str | None = None
    """Of a day or time in ``strftime``'s directives; of a name in ``{given}`` and ``{family}``."""
    times: float | None = None
    """What the number is multiplied with to be in the quoted unit."""
    written: str | float | None = None
    """The value in any other notation that the quoted words state."""


class Meaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a request says of one argument, without a form."""

    words: str
    """Of the request, letter by letter: where the value is taken from. Parts that stand apart
    have `` ... `` between them."""
    kind: str
    """A kind of the table of forms (``KINDS``)."""
    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    number: float | None = None
    unit: str = ""
    """As the request calls it."""
    given: str = ""
    family: str = ""
    items: tuple[str, ...] = ()
    yes: bool | None = None
    stated: StatedNotation | None = None


class Comprehension(Protocol):
    """Somebody who understands requests."""

    @property
    def name(self) -> str:
        """As the reader's own name tells it."""
        ...

    def meanings(self, tool: ToolSpec, request: str) -> Mapping[str, Meaning]:
        """By argument, what a request says of it.

        Raises:
            ModelError: nobody said so.
        """
        ...


def problems_of(
    meanings: Mapping[str, Meaning], tool_text: str, arguments: Sequence[str], request: str
) -> list[str]:
    """Why an understanding cannot be used; nothing where it can.

    Args:
        tool_text: everything that the documentation says, schema included.
        arguments: the tool's own, by name.
    """
    found: list[str] = []
    for name, meaning in meanings.items():
        if name not in arguments:
            found.append(f"{name}: the tool has no such argument")
        parts = _parts(meaning.words)
        if not parts or any(part not in _spaced(request) for part in parts):
            found.append(f"{name}: the request does not hold the words {meaning.words!r}")
        if meaning.kind not in KINDS:
            found.append(f"{name}: {meaning.kind!r} is none of the kinds")
        elif missing := _missing_part(meaning):
            found.append(f"{name}: {meaning.kind} needs {missing}")
        if meaning.stated is not None:
            found += [f"{name}: {each}" for each in _statement_problems(meaning, tool_text)]
    return found


def _missing_part(meaning: Meaning) -> str:
    if meaning.kind in _NUMBERS and meaning.number is None:
        return "a number"
    if meaning.kind == "truth" and meaning.yes is None:
        return "yes"
    if meaning.kind == "list" and not meaning.items:
        return "items"
    return ""


def _statement_problems(meaning: Meaning, tool_text: str) -> list[str]:
    stated = meaning.stated
    assert stated is not None
    found: list[str] = []
    ways = [stated.listed, stated.pattern, stated.times, stated.written]
    if len([way for way in ways if way is not None]) != 1:
        found.append("give one of listed, pattern, times and written")
    quote = _spaced(stated.quote)
    if not quote or quote not in _spaced(tool_text):
        found.append(f"the documentation does not hold the words {stated.quote!r}")
    if stated.listed is not None and (not stated.listed or _spaced(stated.listed) not in quote):
        found.append(f"the quoted words do not list {stated.listed!r}")
    if stated.times is not None and meaning.number is None:
        found.append("times needs a number")
    if stated.pattern is not None and _patterned(meaning, stated.pattern) is None:
        found.append(f"the pattern {stated.pattern!r} cannot be written of these parts")
    return found


def fill_meanings(
    arguments: Sequence[Argument],
    meanings: Mapping[str, Meaning],
    habits: Habits,
    rng_of: Callable[[str], random.Random],
    *,
    told: str = "",
) -> dict[str, Json]:
    """The arguments of one call.

    Args:
        rng_of: from an argument's name to where its draws come from.
        told: what a failed call said; it is read like documentation, by patterns.
    """
    made: dict[str, Json] = {}
    for argument in arguments:
        meaning = meanings.get(argument.name)
        if meaning is not None:
            heard = told if is_about(told, argument, arguments) else ""
            made[argument.name] = _value(argument, meaning, habits, rng_of(argument.name), heard)
    return made


def _value(
    argument: Argument, meaning: Meaning, habits: Habits, rng: random.Random, told: str
) -> Json:
    if argument.type == "boolean":
        return truth_of(meaning.words) if meaning.yes is None else meaning.yes
    if argument.type == "array":
        return list(meaning.items or (_said(meaning),))
    if (heard := _heard(argument, told)) is not None:
        text = _as_heard(meaning, heard, rng)
        if text is not None:
            return _typed(argument, text, None)
    text = None if meaning.stated is None else _in_stated_form(meaning, meaning.stated)
    if text is not None:
        return _typed(argument, text, None)
    form, text = _drawn(meaning, habits, rng)
    # Of a value that is a number to the schema, its own words decide no digit.
    return _typed(argument, text, meaning.number if form in _OF_THE_WORDS else None)


def _typed(argument: Argument, text: str, known: float | None) -> Json:
    """The text as the schema's type, where it can be.

    Args:
        known: the number that it means, where that is known.
    """
    if argument.type not in ("integer", "number"):
        return text
    number = number_in(text) if known is None else known
    if number is None:
        return text
    return int(number) if argument.type == "integer" or float(number).is_integer() else number


# In the form that is stated


def _in_stated_form(meaning: Meaning, stated: StatedNotation) -> str | None:
    if stated.listed is not None:
        return " ".join(stated.listed.split())
    if stated.times is not None:
        return None if meaning.number is None else plain(meaning.number * stated.times)
    if stated.pattern is not None:
        return _patterned(meaning, stated.pattern)
    given = stated.written
    return plain(given) if isinstance(given, int | float) else given


def _patterned(meaning: Meaning, pattern: str) -> str | None:
    """A day, a time or a name by a pattern; ``None`` where a part is not known."""
    parts = _NAME_PARTS.findall(pattern)
    if parts:
        names = {"given": meaning.given, "family": meaning.family}
        if not all(names[part] for part in parts):
            return None
        return _NAME_PARTS.sub(lambda found: names[found[1]], pattern)
    directives = _DIRECTIVE.findall(pattern)
    needed = {part for each in directives for part in _DIRECTIVES.get(each, ("nothing",))}
    if not directives or any(getattr(meaning, part, None) is None for part in needed):
        return None
    try:
        moment = datetime(  # noqa: DTZ001 - no zone is meant
            2000 if meaning.year is None else meaning.year,
            meaning.month or 1,
            meaning.day or 1,
            meaning.hour or 0,
            meaning.minute or 0,
        )
    except ValueError:
        return None
    return moment.strftime(pattern)


# In the form that a failed call told


def _heard(argument: Argument, told: str) -> StatedForm | None:
    """What an error states about an argument, as far as its name alone does not."""
    if not told:
        return None
    bare = argument._replace(words="", schema={})
    heard = statement_of(bare, told)
    return None if heard == statement_of(bare) else heard


def _as_heard(meaning: Meaning, heard: StatedForm, rng: random.Random) -> str | None:
    # A notation such as DD/MM/YYYY reads as a list of choices, too.
    if heard.form is not None:
        return _in_form(meaning, heard.form)
    if heard.choices:
        return nearest_choice(meaning.words, heard.choices) or rng.choice(heard.choices)
    return None


# In a form of the table


def _drawn(meaning: Meaning, habits: Habits, rng: random.Random) -> tuple[str, str]:
    """A form that this meaning can take, as often as the real model chose it, and its text."""
    counted = habits.get(meaning.kind, {})
    possible = {
        form: text
        for form in FORMS.get(meaning.kind, ())
        if form in counted and (text := _in_form(meaning, form)) is not None
    }
    if not possible:
        return AS_SAID, _said(meaning)
    weights = [counted[form] for form in possible]
    return rng.choices(list(possible.items()), weights=weights)[0]


def _in_form(meaning: Meaning, form: str) -> str | None:
    words = _said(meaning) if form in _OF_THE_WORDS else _plain_words(meaning)
    return write(meaning.kind, form, words)


def _plain_words(meaning: Meaning) -> str:
    """The meaning in words that every form of its kind can read."""
    kind = meaning.kind
    if kind in _NUMBERS and meaning.number is not None:
        number = plain(meaning.number)
        return f"{number}%" if kind == "percent" else f"{number} {meaning.unit}".strip()
    if kind in ("date", "moment", "time"):
        return _plain_moment(meaning) or _said(meaning)
    if kind == "person" and meaning.family:
        return f"{meaning.given} {meaning.family}".strip()
    if kind == "list" and meaning.items:
        return ", ".join(meaning.items)
    if kind == "truth" and meaning.yes is not None:
        return "yes" if meaning.yes else "no"
    return _said(meaning)


def _plain_moment(meaning: Meaning) -> str:
    """``12 March 2025 at 15:30``, as far as it is known."""
    pattern = " ".join(
        part
        for part, known in (
            ("%d", meaning.day), ("%B", meaning.month), ("%Y", meaning.year),
        )
        if known is not None
    )  # fmt: skip
    if meaning.hour is not None:
        whole = msgspec.structs.replace(meaning, minute=meaning.minute or 0)
        return _patterned(whole, f"{pattern} at %H:%M" if pattern else "%H:%M") or ""
    return (_patterned(meaning, pattern) or "") if pattern else ""


def _said(meaning: Meaning) -> str:
    """The words without a gap."""
    return " ".join(_parts(meaning.words))


def _parts(words: str) -> list[str]:
    return [part for part in map(_spaced, words.split(_GAP)) if part]


def _spaced(text: str) -> str:
    """A text whose lines are broken anywhere."""
    return " ".join(text.split())

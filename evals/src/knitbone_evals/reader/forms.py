"""The forms that a value of a kind is written in: each makes a text of the words of a request.

One table serves three: the reader writes by it, the table of habits is counted by it (which form
makes of these words what a real model wrote?), and an example in a documentation is understood by
it (which form leaves the example as it is?).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from knitbone_evals.reader.number_forms import (
    AMOUNTS,
    AS_SAID,
    DIGITS,
    ORDINALS,
    PERCENTS,
    QUANTITIES,
    Form,
    as_said,
    converted,
    with_digits,
)
from knitbone_evals.reader.time_forms import (
    CLOCKS,
    DAYS,
    DURATIONS,
    MOMENTS,
    without_article,
)
from knitbone_evals.reader.world import (
    country_of,
    currency_of,
    language_of,
    named,
    unit_of,
    world,
)

__all__ = ["AS_SAID", "FORMS", "KINDS", "Form", "converted", "singular", "truth_of", "write"]


_TITLES = re.compile(
    r"(?:(?:my|our)\s+(?:\w+\s+)?)?(?:(?:Mrs?|Ms|Dr|Prof|Sir|Miss|Dame|Lord|Lady)\.?\s+)?"
)
_SUFFIX = re.compile(r",?\s+(?:Jr|Sr|AG|Inc|Ltd|GmbH|Corp|LLC|plc|SE)\.?\Z")
_LEADS = re.compile(r"\A(?:the|a|an|by|on|in|at|with|for|every|each|per|any)\s+", re.IGNORECASE)
_HEADS = frozenset(
    [
        "season",
        "class",
        "room",
        "course",
        "mode",
        "size",
        "level",
        "fare",
        "grade",
        "year",
        "page",
        "line",
        "rate",
        "plan",
        "tier",
        "unit",
        "degrees",
        "format",
        "type",
        "priority",
        "style",
        "status",
        "category",
    ]
)
"""Nouns that say of what kind a choice is: *high* of *high season*."""
_BETWEEN_ITEMS = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*")
_NEGATIVE = re.compile(
    r"\b(?:not?|none|never|without|absent|missing|don'?t|doesn'?t|isn'?t|didn'?t|false|off|"
    r"unmarried|informal|casual|standard|slow|single|divorced|widowed|pick|takeaway|disabled)\b",
    re.IGNORECASE,
)


def write(kind: str, form: str, words: str) -> str | None:
    """Words in a form; ``None`` where the form has none for them."""
    function = FORMS.get(kind, {}).get(form)
    if function is None:
        return words if form == AS_SAID else None
    try:
        return function(words)
    except (ValueError, OverflowError):
        return None


def truth_of(words: str) -> bool:
    """Whether words say yes."""
    return _NEGATIVE.search(words) is None


def singular(words: str) -> str:
    """The last word of these in the singular, by English's regular endings."""
    for ending, instead in (
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
    ):
        if words.endswith(ending):
            return words[: -len(ending)] + instead
    return words[:-1] if words.endswith("s") and not words.endswith(("ss", "us", "is")) else words


# Any text


def _title(words: str) -> str:
    return re.sub(r"[^\W\d_]+(?:'[^\W\d_]+)?", lambda found: _capitalised(found[0]), words)


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _snake(words: str) -> str:
    return re.sub(r"[\s-]+", "_", words.casefold())


def _regularly(words: str) -> str | None:
    """The adverb of an interval: *weekly* for *every week*."""
    found = re.fullmatch(
        r"(?:every|each|per|once an?|by the)\s+(hour|day|week|month|year)", words, re.IGNORECASE
    )
    return None if found is None else found[1].casefold().replace("day", "dai") + "ly"


def _joined(words: str) -> str:
    return re.sub(r"[\s-]+", "", words)


def _core(words: str) -> str:
    """The words without those that only lead to them or name their kind."""
    bare = words
    while (shorter := _LEADS.sub("", bare)) != bare:
        bare = shorter
    kept = [word for word in bare.split() if singular(word.casefold()) not in _HEADS]
    return " ".join(kept) or bare


def _then(first: Form, second: Form) -> Form:
    def both(words: str) -> str | None:
        between = first(words)
        return None if between is None else second(between)

    return both


_CASES: dict[str, Form] = {
    AS_SAID: as_said,
    "lower case": str.lower,
    "title case": _title,
    "upper case": str.upper,
}
_CHOICES: dict[str, Form] = _CASES | {
    "core": _core,
    "core, lower case": _then(_core, str.lower),
    "core, title case": _then(_core, _title),
    "core, upper case": _then(_core, str.upper),
    "with underscores": _snake,
    "core, with underscores": _then(_core, _snake),
    "singular": singular,
    "core, singular": _then(_then(_core, str.lower), singular),
    "one word": _joined,
    "weekly": _regularly,
}

# Names


def _untitled(words: str) -> str:
    return _SUFFIX.sub("", words[(_TITLES.match(words) or [""]).end() :])  # type: ignore[union-attr]


def _parts(words: str) -> tuple[str, str] | None:
    """Given name and surname."""
    last, comma, first = _untitled(words).partition(",")
    if comma:
        return first.strip(), last.strip()
    names = _untitled(words).split()
    return (" ".join(names[:-1]), names[-1]) if len(names) > 1 else None


def _name(words: str, pattern: str) -> str | None:
    parts = _parts(words)
    if parts is None:
        return None
    return pattern.replace("FIRST", parts[0]).replace("LAST", parts[1])


def _code_of_country(words: str, place: int) -> str | None:
    country = country_of(words)
    return None if country is None else world()["countries"][country][place]


def _zone(words: str) -> str | None:
    return words if re.fullmatch(r"[A-Z]\w+/\w+", words) else named("zones", words)


def _first_part(words: str) -> str:
    return without_article(words.partition(",")[0])


def _unit_name(words: str) -> str | None:
    return unit_of(words)


def _unit_sign(words: str) -> str | None:
    unit = unit_of(words)
    return None if unit is None else world()["units"][unit][0]


def _unit_american(words: str) -> str | None:
    unit = unit_of(words)
    return None if unit is None else unit.replace("tre", "ter")


def _undegreed(words: str) -> str:
    return re.sub(r"\A(?:degrees?\s+|°\s?)", "", words, flags=re.IGNORECASE)


def _listed(words: str, between: str) -> str:
    items = _BETWEEN_ITEMS.split(words)
    return between.join(without_article(item) for item in items if item)


def _truth(words: str, yes: str, no: str) -> str:
    return yes if truth_of(words) else no


def _unmarked(words: str) -> str:
    return re.sub(r"\A(?:#|(?:order\s+)?[Nn]o\.\s*)", "", words)


def _only_digits(words: str) -> str:
    return re.sub(r"[^\d+]", "", words)


def _hex(words: str) -> str | None:
    return words if words.startswith("#") else named("hex", words)


FORMS: Mapping[str, Mapping[str, Form]] = {
    "text": _CASES | {"capitalised": _capitalised},
    "date": DAYS,
    "time": CLOCKS,
    "moment": MOMENTS,
    "duration": DURATIONS,
    "count": DIGITS | {"12 people": with_digits},
    "year": DIGITS,
    "quantity": QUANTITIES,
    "amount": AMOUNTS,
    "percent": PERCENTS,
    "ordinal": _CHOICES | ORDINALS,
    "currency": _CASES
    | {"EUR": currency_of, "eur": _then(currency_of, str.lower),
       "singular": singular},
    "unit": _CHOICES
    | {
        "km": _unit_sign,
        "kilometre": _unit_name,
        "kilometer": _unit_american,
        "without degrees": _undegreed,
        "without degrees, lower case": _then(_undegreed, str.lower),
    },
    "person": _CASES
    | {
        "without title": _untitled,
        "without title, lower case": _then(_untitled, str.lower),
        "without title, title case": _then(_untitled, _title),
        "First Last": partial(_name, pattern="FIRST LAST"),
        "Last, First": partial(_name, pattern="LAST, FIRST"),
        "Last First": partial(_name, pattern="LAST FIRST"),
        "first name": partial(_name, pattern="FIRST"),
        "surname": partial(_name, pattern="LAST"),
    },
    "place": _CASES
    | {
        "first part": _first_part,
        "first part, title case": _then(_first_part, _title),
        "first part, lower case": _then(_first_part, str.lower),
        "airport": partial(named, "airports"),
        "with underscores": _snake,
    },
    "country": _CASES
    | {
        "without article": without_article,
        "full name": country_of,
        "GB": partial(_code_of_country, place=0),
        "GBR": partial(_code_of_country, place=1),
        "gb": _then(partial(_code_of_country, place=0), str.lower),
    },
    "language": _CASES | {"fr": language_of},
    "zone": _CASES | {"Europe/Paris": _zone},
    "address": _CASES | {"without article": without_article},
    "company": _CASES
    | {"without suffix": partial(_SUFFIX.sub, ""), "ticker": partial(named, "tickers")},
    "list": _CASES
    | {
        "a, b": partial(_listed, between=", "),
        "a,b": partial(_listed, between=","),
        "a;b": partial(_listed, between=";"),
        "a; b": partial(_listed, between="; "),
        "a|b": partial(_listed, between="|"),
        "a b": partial(_listed, between=" "),
        "a and b": partial(_listed, between=" and "),
    },
    "truth": _CHOICES
    | {
        "true": partial(_truth, yes="true", no="false"),
        "True": partial(_truth, yes="True", no="False"),
        "yes": partial(_truth, yes="yes", no="no"),
        "Yes": partial(_truth, yes="Yes", no="No"),
        "1": partial(_truth, yes="1", no="0"),
        "Y": partial(_truth, yes="Y", no="N"),
    },
    "option": _CHOICES,
    "size": _CHOICES,
    "plural": _CHOICES,
    "colour": _CASES | {"with underscores": _snake, "#FF0000": _hex},
    "code": _CASES | {"without mark": _unmarked, "one word": _joined},
    "phone": {AS_SAID: as_said, "digits": _only_digits},
}  # fmt: skip
"""Form -> function, by kind of value. ``as said`` comes first in each."""
KINDS = tuple(FORMS)

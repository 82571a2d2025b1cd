"""The forms that a value of a kind is written in: each makes a text of the words of a request.

One table serves three: the reader writes by it, the table of habits is counted by it (which form
makes of these words what a real model wrote?), and an example in a documentation is understood by
it (which form leaves the example as it is?).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from knitbone.testing.reading.numbers import NUMBER, number_at, ordinal_of, plain
from knitbone.testing.reading.times import DAY, Clock, Day, clock_of, day_of, minutes_of
from knitbone.testing.reading.world import (
    country_of,
    currency_of,
    language_of,
    named,
    unit_of,
    world,
)

__all__ = ["AS_SAID", "FORMS", "KINDS", "Form", "converted", "singular", "truth_of", "write"]

Form = Callable[[str], "str | None"]
AS_SAID = "as said"
INVENTED_YEAR = 2023
"""The year that models fill in where a request names none: the newest that their training knew."""

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
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


def _said(words: str) -> str:
    return words


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
    AS_SAID: _said,
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

# Days and times


def _day(words: str, pattern: str, *, swap: bool = False) -> str | None:
    day = day_of(words)
    if day is None or day.month is None or day.day is None or day.year is None:
        return None
    return _dated(_swapped(day) if swap and day.swapped else day, pattern)


def _swapped(day: Day) -> Day:
    return Day(day.year, day.day, day.month)


def _dated(day: Day, pattern: str) -> str:
    month, number = day.month or 1, day.day or 1
    return (
        pattern.replace("YYYY", f"{day.year:04d}")
        .replace("YY", f"{(day.year or 0) % 100:02d}")
        .replace("MM", f"{month:02d}")
        .replace("DD", f"{number:02d}")
        .replace("MONTH", _MONTHS[month - 1])
        .replace("MON", _MONTHS[month - 1][:3])
        .replace("dd", str(number))
    )


def _begun_day(words: str, pattern: str = "YYYY-MM-DD") -> str | None:
    """The first day of the month or year that is named."""
    day = day_of(words)
    if day is None or day.year is None or day.day is not None:
        return None
    return _dated(Day(day.year, day.month or 1, 1), pattern)


def _yearless_day(words: str, pattern: str) -> str | None:
    day = day_of(words)
    if day is None or day.year is not None:
        return None
    return _dated(Day(INVENTED_YEAR, day.month, day.day), pattern)


def _made_up_day(words: str) -> str | None:
    """A day made up for one that is relative to today, which nobody told."""
    if day_of(words) is not None:
        return None
    place = sum(words.encode()) % 360
    return f"{INVENTED_YEAR}-{place // 30 + 1:02d}-{place % 28 + 1:02d}"


def _clock(words: str, pattern: str) -> str | None:
    clock = clock_of(words)
    if clock is None:
        return None
    half = "AM" if clock.hour < 12 else "PM"
    return (
        pattern.replace("HH", f"{clock.hour:02d}")
        .replace("MM", f"{clock.minute:02d}")
        .replace("hh", str(clock.hour % 12 or 12))
        .replace("half", half.lower())
        .replace("HALF", half)
    )


def _short_clock(words: str) -> str | None:
    clock = clock_of(words)
    return None if clock is None or clock.minute else _clock(words, "hh HALF")


def _moment(words: str, pattern: str) -> str | None:
    day, clock = _day_in_moment(words), clock_of(_without_day(words))
    if day is None:
        return None
    return _clock_in(_dated(day, pattern), clock or Clock(0, 0))


def _day_in_moment(words: str) -> Day | None:
    day = day_of(words)
    return day if day is not None and day.year and day.month and day.day else None


def _without_day(words: str) -> str:
    """The words without those of the day, whose digits could pass for a time."""
    return re.sub(DAY, " ", words, count=1, flags=re.IGNORECASE)


def _clock_in(pattern: str, clock: Clock) -> str:
    return pattern.replace("hh", f"{clock.hour:02d}").replace("mm", f"{clock.minute:02d}")


def _without_article(words: str) -> str:
    return re.sub(r"\A(?:the|an?)\s+", "", words, flags=re.IGNORECASE)


_DAYS: dict[str, Form] = {
    AS_SAID: _said,
    "without article": _without_article,
    "2025-03-12": partial(_day, pattern="YYYY-MM-DD"),
    "2025-03-12, day before month": partial(_day, pattern="YYYY-MM-DD", swap=True),
    "2025-03-12T00:00:00": partial(_day, pattern="YYYY-MM-DDT00:00:00"),
    "2025-03-12T00:00:00Z": partial(_day, pattern="YYYY-MM-DDT00:00:00Z"),
    "03/12/2025": partial(_day, pattern="MM/DD/YYYY"),
    "12/03/2025": partial(_day, pattern="DD/MM/YYYY"),
    "12.03.2025": partial(_day, pattern="DD.MM.YYYY"),
    "12-03-2025": partial(_day, pattern="DD-MM-YYYY"),
    "2025/03/12": partial(_day, pattern="YYYY/MM/DD"),
    "20250312": partial(_day, pattern="YYYYMMDD"),
    "12 March 2025": partial(_day, pattern="dd MONTH YYYY"),
    "March 12, 2025": partial(_day, pattern="MONTH dd, YYYY"),
    "12 Mar 2025": partial(_day, pattern="dd MON YYYY"),
    "12-Mar-2025": partial(_day, pattern="DD-MON-YYYY"),
    "2025-03-01 of a month": _begun_day,
    "2023-03-12 without year": partial(_yearless_day, pattern="YYYY-MM-DD"),
    "03-12 without year": partial(_yearless_day, pattern="MM-DD"),
    "made up": _made_up_day,
}
_CLOCKS: dict[str, Form] = {
    AS_SAID: _said,
    "15:30": partial(_clock, pattern="HH:MM"),
    "15:30:00": partial(_clock, pattern="HH:MM:00"),
    "3:30 PM": partial(_clock, pattern="hh:MM HALF"),
    "3:30 pm": partial(_clock, pattern="hh:MM half"),
    "3:30PM": partial(_clock, pattern="hh:MMHALF"),
    "3 PM": _short_clock,
    "1530": partial(_clock, pattern="HHMM"),
    "15": partial(_clock, pattern="HH"),
}
_MOMENTS: dict[str, Form] = {
    AS_SAID: _said,
    "2025-03-17T09:00:00": partial(_moment, pattern="YYYY-MM-DDThh:mm:00"),
    "2025-03-17T09:00:00Z": partial(_moment, pattern="YYYY-MM-DDThh:mm:00Z"),
    "2025-03-17T09:00": partial(_moment, pattern="YYYY-MM-DDThh:mm"),
    "2025-03-17 09:00": partial(_moment, pattern="YYYY-MM-DD hh:mm"),
    "2025-03-17 09:00:00": partial(_moment, pattern="YYYY-MM-DD hh:mm:00"),
    "17/03/2025 09:00": partial(_moment, pattern="DD/MM/YYYY hh:mm"),
    "03/17/2025 09:00": partial(_moment, pattern="MM/DD/YYYY hh:mm"),
    "2025-03-17": partial(_moment, pattern="YYYY-MM-DD"),
}


def _duration(words: str, pattern: str, length: float, *, whole: bool = False) -> str | None:
    minutes = minutes_of(words)
    if minutes is None or (whole and (minutes / length) % 1):
        return None
    return pattern.replace("N", plain(round(minutes / length, 6)))


def _hours_and_minutes(words: str, pattern: str) -> str | None:
    minutes = minutes_of(words)
    if minutes is None or minutes % 1:
        return None
    hours, rest = divmod(int(minutes), 60)
    return (
        pattern.replace("HH", f"{hours:02d}").replace("H", str(hours)).replace("MM", f"{rest:02d}")
    )


def _iso_duration(words: str) -> str | None:
    minutes = minutes_of(words)
    if minutes is None or minutes % 1:
        return None
    hours, rest = divmod(int(minutes), 60)
    return "PT" + (f"{hours}H" if hours else "") + (f"{rest}M" if rest or not hours else "")


def _said_unit(words: str) -> str | None:
    """The number in the unit that was said."""
    for unit, length in (("min", 1), ("hour", 60), ("day", 1440), ("week", 10080)):
        if unit in words.casefold():
            return _duration(words, "N", length)
    return None


# Numbers


def _digits(words: str) -> str | None:
    found = re.search(NUMBER, words, re.IGNORECASE)
    number = number_at(words, found.start()) if found else None
    return None if number is None else plain(number.value)


def _with_digits(words: str, between: str = " ") -> str | None:
    """Digits in place of number words, and the unit as it was said."""
    found = re.search(NUMBER, words, re.IGNORECASE)
    number = number_at(words, found.start()) if found else None
    if number is None or not words[number.end :].strip():
        return None
    return plain(number.value) + between + words[number.end :].strip(" -")


def _measured(words: str) -> tuple[float, str] | None:
    """The number and the unit's name in the table."""
    found = re.search(NUMBER, words, re.IGNORECASE)
    number = number_at(words, found.start()) if found else None
    unit = (
        unit_of(re.sub(r"^(?:of\s+|an?\s+)", "", words[number.end :].strip(" -")))
        if number
        else None
    )
    return None if number is None or unit is None else (number.value, unit)


def _short_unit(words: str, between: str) -> str | None:
    measured = _measured(words)
    if measured is None:
        return None
    return plain(measured[0]) + between + world()["units"][measured[1]][0]


def converted(words: str, unit: str) -> str | None:
    """The number in another unit of the same dimension."""
    measured = _measured(words)
    if measured is None:
        return _digits(words)
    units = world()["units"]
    of, to = units[measured[1]], units[unit]
    if of[1] != to[1]:
        return _digits(words)
    if of[1] == "temperature" and measured[1] != unit:
        return plain(round(_temperature(measured[0], measured[1], unit), 2))
    return plain(round(measured[0] * of[2] / to[2], 4))


def _temperature(value: float, unit: str, wanted: str) -> float:
    celsius = {"celsius": value, "fahrenheit": (value - 32) / 1.8, "kelvin": value - 273.15}[unit]
    return {"celsius": celsius, "fahrenheit": celsius * 1.8 + 32, "kelvin": celsius + 273.15}[
        wanted
    ]


def _amount_currency(words: str) -> str | None:
    """The code of the currency that stands beside an amount."""
    left = re.sub(NUMBER, " ", words, flags=re.IGNORECASE).strip()
    return currency_of(left)


def _money(words: str, pattern: str) -> str | None:
    number, code = _digits(words), _amount_currency(words)
    if number is None or (code is None and "CODE" in pattern):
        return None
    cents = f"{float(number):.2f}"
    return pattern.replace("CODE", code or "").replace("CENTS", cents).replace("NUMBER", number)


def _kept_digits(words: str) -> str | None:
    """The digits with the point that was written, without sign and thousands' mark."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?", words)
    return found[0].replace(",", "") if found else None


def _percent(words: str, pattern: str, share: float = 1.0) -> str | None:
    number = _digits(words)
    if number is None:
        return None
    value = float(number)
    if re.search(r"\b(?:half|quarter|third)\b", words, re.IGNORECASE) or (
        value < 1 and "%" not in words and "per" not in words
    ):
        value *= 100
    return pattern.replace("N", plain(round(value * share, 6)))


def _ordinal(words: str, pattern: str, offset: int = 0) -> str | None:
    number = ordinal_of(words)
    if number is None:
        return None
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return pattern.replace("N", str(number + offset)).replace("th", ending)


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
    return _without_article(words.partition(",")[0])


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
    return between.join(_without_article(item) for item in items if item)


def _truth(words: str, yes: str, no: str) -> str:
    return yes if truth_of(words) else no


def _unmarked(words: str) -> str:
    return re.sub(r"\A(?:#|(?:order\s+)?[Nn]o\.\s*)", "", words)


def _only_digits(words: str) -> str:
    return re.sub(r"[^\d+]", "", words)


def _hex(words: str) -> str | None:
    return words if words.startswith("#") else named("hex", words)


_DIGITS: dict[str, Form] = {AS_SAID: _said, "12": _digits}
_QUANTITIES: dict[str, Form] = {
    AS_SAID: _said,
    "12 kilograms": _with_digits,
    "12kilograms": partial(_with_digits, between=""),
    "12": _digits,
    "12 kg": partial(_short_unit, between=" "),
    "12kg": partial(_short_unit, between=""),
}
FORMS: Mapping[str, Mapping[str, Form]] = {
    "text": _CASES | {"capitalised": _capitalised},
    "date": _DAYS,
    "time": _CLOCKS,
    "moment": _MOMENTS,
    "duration": {
        AS_SAID: _said,
        "without article": _without_article,
        "in the unit said": _said_unit,
        "12 minutes": _with_digits,
        "90": partial(_duration, pattern="N", length=1),
        "90 minutes": partial(_duration, pattern="N minutes", length=1),
        "90 min": partial(_duration, pattern="N min", length=1),
        "1.5": partial(_duration, pattern="N", length=60),
        "1.5 hours": partial(_duration, pattern="N hours", length=60),
        "2h": partial(_duration, pattern="Nh", length=60, whole=True),
        "90m": partial(_duration, pattern="Nm", length=1),
        "5400": partial(_duration, pattern="N", length=1 / 60),
        "01:30": partial(_hours_and_minutes, pattern="HH:MM"),
        "1:30": partial(_hours_and_minutes, pattern="H:MM"),
        "01:30:00": partial(_hours_and_minutes, pattern="HH:MM:00"),
        "PT1H30M": _iso_duration,
    },
    "count": _DIGITS | {"12 people": _with_digits},
    "year": _DIGITS,
    "quantity": _QUANTITIES,
    "amount": {
        AS_SAID: _said,
        "1250": _digits,
        "1250.00": partial(_money, pattern="CENTS"),
        "as its digits": _kept_digits,
        "1250 euros": _with_digits,
        "1250 EUR": partial(_money, pattern="NUMBER CODE"),
        "EUR 1250": partial(_money, pattern="CODE NUMBER"),
    },
    "percent": {
        AS_SAID: _said,
        "15": partial(_percent, pattern="N"),
        "15%": partial(_percent, pattern="N%"),
        "0.15": partial(_percent, pattern="N", share=0.01),
        "the word": lambda words: re.sub(r"\A(?:an?|the)\s+", "", words).casefold(),
    },
    "ordinal": _CHOICES
    | {
        "3": partial(_ordinal, pattern="N"),
        "2, counted from 0": partial(_ordinal, pattern="N", offset=-1),
        "3rd": partial(_ordinal, pattern="Nth"),
    },
    "currency": _CASES
    | {"EUR": currency_of, "eur": lambda words: (currency_of(words) or "").lower() or None,
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
        "without article": _without_article,
        "full name": country_of,
        "GB": partial(_code_of_country, place=0),
        "GBR": partial(_code_of_country, place=1),
        "gb": _then(partial(_code_of_country, place=0), str.lower),
    },
    "language": _CASES | {"fr": language_of},
    "zone": _CASES | {"Europe/Paris": _zone},
    "address": _CASES | {"without article": _without_article},
    "company": _CASES
    | {"without suffix": lambda words: _SUFFIX.sub("", words), "ticker": partial(named, "tickers")},
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
    "phone": {AS_SAID: _said, "digits": _only_digits},
}  # fmt: skip
"""Form -> function, by kind of value. ``as said`` comes first in each."""
KINDS = tuple(FORMS)

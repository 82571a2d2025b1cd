"""The forms of numbers: counts, quantities, amounts of money, shares and ordinals."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from knitbone_evals.reader.numbers import NUMBER, number_at, ordinal_of, plain
from knitbone_evals.reader.world import currency_of, unit_of, world

__all__ = [
    "AMOUNTS",
    "AS_SAID",
    "DIGITS",
    "ORDINALS",
    "PERCENTS",
    "QUANTITIES",
    "Form",
    "as_said",
    "converted",
    "with_digits",
]

Form = Callable[[str], "str | None"]
"""A form makes a text of the words of a request; ``None`` where it has none for them."""
AS_SAID = "as said"


def as_said(words: str) -> str:
    """The words as they are."""
    return words


def _digits(words: str) -> str | None:
    found = re.search(NUMBER, words, re.IGNORECASE)
    number = number_at(words, found.start()) if found else None
    return None if number is None else plain(number.value)


def with_digits(words: str, between: str = " ") -> str | None:
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


DIGITS: dict[str, Form] = {AS_SAID: as_said, "12": _digits}
QUANTITIES: dict[str, Form] = {
    AS_SAID: as_said,
    "12 kilograms": with_digits,
    "12kilograms": partial(with_digits, between=""),
    "12": _digits,
    "12 kg": partial(_short_unit, between=" "),
    "12kg": partial(_short_unit, between=""),
}
AMOUNTS: dict[str, Form] = {
    AS_SAID: as_said,
    "1250": _digits,
    "1250.00": partial(_money, pattern="CENTS"),
    "as its digits": _kept_digits,
    "1250 euros": with_digits,
    "1250 EUR": partial(_money, pattern="NUMBER CODE"),
    "EUR 1250": partial(_money, pattern="CODE NUMBER"),
}
PERCENTS: dict[str, Form] = {
    AS_SAID: as_said,
    "15": partial(_percent, pattern="N"),
    "15%": partial(_percent, pattern="N%"),
    "0.15": partial(_percent, pattern="N", share=0.01),
    "the word": lambda words: re.sub(r"\A(?:an?|the)\s+", "", words).casefold(),
}
ORDINALS: dict[str, Form] = {
    "3": partial(_ordinal, pattern="N"),
    "2, counted from 0": partial(_ordinal, pattern="N", offset=-1),
    "3rd": partial(_ordinal, pattern="Nth"),
}

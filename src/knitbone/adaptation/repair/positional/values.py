"""Answers, or slots, that the code converts: ``int(text)``, ``float(text)``, dates.

The value is delivered without the text around it, where there is exactly one value. Nothing is
calculated: a multiple (``k``, ``million``, ``2 hours`` where minutes were asked) is refused, as is
a number that would lose digits.

Source: Comfrey §4.3.1 (type conversion of elements that violate the schema).
"""

# ruff: noqa: RUF001 - the minus signs and dashes that models write
from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time
from typing import NamedTuple

from knitbone._forks import unforked
from knitbone.adaptation.consumers.readers import PARSERS
from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
)
from knitbone.adaptation.repair.positional.number_prompt import RATE, NumberPrompt
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.requirements.records import ValueType
from knitbone.adaptation.text.wrappers.layers import MAX_SHORT, elements_in, peel
from knitbone.adaptation.text.wrappers.remarks import may_take_back, without_tags
from knitbone.common.number_words import number_of_words
from knitbone.common.structured.dates import FUNCTIONS, is_reading, respelled

__all__ = ["converts", "find_value", "prepare_value"]

_WORDS_LEFT_OUT = "words around the number left out"
_MAX_DIGITS = 400
"""Characters of a number; ``int`` itself refuses more than 4,300 digits (ours)."""
_NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>[-+−–]?)(?P<currency>[$€£]?)(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
    r"(?P<fraction>\.\d+)?(?P<exponent>[eE][-+]?\d{1,3})?(?P<percent>\s?%)?(?![\w%]|[.,/:]\d|[-+−](?!\w))"
)
"""A number with its sign, currency, thousands, fraction, exponent and percent sign."""
_CURRENCIES = ("$", "€", "£")
_COMPASS = re.compile(r"(\d{1,3}(?:\.\d{1,12})?)\s?°?\s?([NSEW])")
"""A latitude or a longitude: ``47.35° N``."""
_OUT_OF = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)\s?(?:/|out of|of)\s?(5|10|20|100)", re.IGNORECASE)
"""A number on a scale: ``7/10``, ``4 out of 5``."""
_BOOKED = re.compile(r"(?<!\\)\((?:[^\w\s()]\s?\d[\d.,]*|\d+[.,]\d[\d.,]*|\d[\d.,]*\s?[^\w\s()])\)")
"""An amount in parentheses, which in accounts is a negative one: ``($12.50)``; not ``(2)``."""
_AROUND = re.compile(r"[<>≤≥≈±~^#@=/|\\&§½¼¾⅓⅔↑↓‰¥₹℉]")
"""Signs that make another value of the number beside them, or are one."""
_NAME = re.compile(r"\A[^\W\d][^\W\d_ ]*(?: [^\W\d_ ]+){0,4} ?= ")
"""A name and an equals sign before the number."""
_COUNT = re.compile(r"^[^\S\n]*(\d{1,2})[.)][^\S\n]+(?=[^\W\d])", re.MULTILINE)
"""The number of an item."""

_RATE = re.compile(rf"(?<=\s)({RATE})(?!\w)")
"""A unit of one quantity for another: ``mmol/L``."""

_TRUE_FALSE = frozenset(("y", "yes", "t", "true", "on", "1", "n", "no", "f", "false", "off", "0"))
"""The words that ``strtobool`` accepts."""

Convert = Callable[[str], object]


class FoundValue(NamedTuple):
    """A value in a text, and what was done to take it out."""

    text: str
    """The text in a spelling that the code converts."""
    rules: tuple[str, ...]
    edits: int = 1


def prepare_value(template: PositionalTemplate) -> Check | None:
    """Build the check of a template that is one converted slot."""
    if template.repeated or template.separator or template.reader is not None:
        return None
    if len(template.elements) != 1 or template.elements[0].kind != "slot":
        return None
    kind, reading = template.elements[0].type, template.elements[0].reading
    convert = _converter(kind, reading)
    if convert is None:
        return None

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if _works(convert, text):
            return conforming(text)
        if not invocation.uses("positional.values"):
            return unmatched(text, f"it is no {kind}")
        found = find_value(text, kind, convert, asked=NumberPrompt(invocation), reading=reading)
        if found is None:
            return refused(text, f"it is no {kind}, and does not hold exactly one")
        if found.edits >= invocation.config.tau_element:
            return refused(text, f"{found.edits} elements stand around the {kind}")
        return repaired(found.text, *found.rules, edits=max(1, found.edits))

    return check


def converts(text: str, kind: ValueType) -> bool:
    """Return whether the code can convert a text into the type."""
    convert = _converter(kind)
    return convert is None or _works(convert, text)


def _converter(kind: ValueType, reading: str = "") -> Convert | None:
    """Return the conversion that the code makes; ``None`` for a type without one."""
    if kind == "integer":
        return int
    if kind == "number":
        return float
    if kind == "boolean":
        return _strtobool
    if kind == "string":
        return PARSERS.get(reading)
    if kind != "date" or not is_reading(reading):
        return None
    if reading in ("date.fromisoformat", "datetime.fromisoformat", "time.fromisoformat"):
        owner = {"date": date, "datetime": datetime, "time": time}[reading.partition(".")[0]]
        return owner.fromisoformat
    if reading in FUNCTIONS:
        return None  # a field of a model, which is read with its document

    def read(text: str) -> datetime:
        with unforked:  # it has a lock of its own
            return datetime.strptime(text, reading)  # noqa: DTZ007 - as the code does

    return read


def _strtobool(text: str) -> object:
    if text.lower() not in _TRUE_FALSE:
        raise ValueError(text)
    return text


def _works(convert: Convert, text: str) -> bool:
    try:
        convert(text)
    except (ValueError, OverflowError, TypeError):
        return False
    return True


def find_value(
    text: str,
    kind: ValueType,
    convert: Convert | None = None,
    *,
    asked: NumberPrompt,
    reading: str = "",
) -> FoundValue | None:
    """Find the only value of a type that a text holds, as the code can convert it.

    Args:
        reading: of a date: how the code reads it, where that is known.
    """
    convert = convert or _converter(kind, reading)
    if convert is None or len(text) > MAX_SHORT:
        return None
    core, layers = peel(text)
    if kind in ("integer", "number") and _BOOKED.search(text):
        return None
    rules = tuple(f"{layer} left out" for layer in dict.fromkeys(layers))
    if _works(convert, core):
        return FoundValue(core, rules or ("blanks left out",), elements_in(layers))
    if kind in ("integer", "number") and (digits := number_of_words(core)) is not None:
        return FoundValue(digits, (*rules, "number written in digits"), elements_in(layers) + 1)
    if kind == "date":
        day = respelled(core, reading)
        found = None if day is None else FoundValue(day, (f'date written as "{day[:40]}"',))
    elif kind in ("integer", "number"):
        found = _find_number(core, kind, asked)
    else:
        return None
    if found is None or not _works(convert, found.text):
        return None
    if _WORDS_LEFT_OUT in found.rules and asked.odd_word(core, found.text):
        return None
    # Marks and words around the value are one element, however many they are.
    edits = bool(layers or _WORDS_LEFT_OUT in found.rules) + len(found.rules)
    edits -= _WORDS_LEFT_OUT in found.rules
    return FoundValue(found.text, (*rules, *found.rules), edits)


def _find_number(core: str, kind: ValueType, asked: NumberPrompt) -> FoundValue | None:
    """Find the only number of a text, where the text around it does not change its value."""
    if scale := _OUT_OF.fullmatch(core):
        inside = float(scale[1]) <= int(scale[2]) and asked.has_scale(scale[2])
        return FoundValue(scale[1], (f'"out of {scale[2]}" left out',)) if inside else None
    if (placed := _COMPASS.fullmatch(core)) is not None:
        sign = "-" if placed[2] in "SW" else ""
        known = not sign or asked.names("negative")
        return FoundValue(sign + placed[1], ("degrees written with a sign",)) if known else None
    core = _without_counting(core)
    numbers = list(_NUMBER.finditer(core))
    if not numbers or len({number.group() for number in numbers}) != 1:
        return None
    match = numbers[0]
    if len(match.group()) > _MAX_DIGITS or not _is_stated(core, asked):
        return None
    if match["percent"] and not asked.wants_percent(whole=kind == "integer"):
        return None  # it may be 0.85
    if match["currency"] and not asked.wants_money(match["currency"]):
        return None
    written = _plain_digits(match, kind)
    if written is None:
        return None
    rules: list[str] = []
    if written != match.group():
        rules.append("number written plainly")
    if core.strip() != match.group():
        rules.append(_WORDS_LEFT_OUT)
    return FoundValue(written, tuple(rules))


def _is_stated(core: str, asked: NumberPrompt) -> bool:
    """Return whether the signs and the reservations around a number leave it as it is."""
    around = _NAME.sub(" ", without_tags(_NUMBER.sub(" ", core)))
    around = _RATE.sub(lambda unit: " " if asked.names_rate(unit[1]) else unit[0], around)
    if _AROUND.search(around) or may_take_back(around) or any(map(str.isdigit, around)):
        return False
    return all(asked.wants_money(sign) for sign in _CURRENCIES if sign in around)


def _without_counting(core: str) -> str:
    """Return a text without the numbers that count its items from one on."""
    counted = list(_COUNT.finditer(core))
    if len(counted) < 2 or [int(each[1]) for each in counted] != list(range(1, len(counted) + 1)):
        return core
    return _COUNT.sub("", core)


def _plain_digits(match: re.Match[str], kind: ValueType) -> str | None:
    """Return the digits as Python reads them; ``None`` where a digit would be lost."""
    sign = "-" if match["sign"] in ("-", "−", "–") else ""
    digits = match["digits"].replace(",", "")
    fraction, exponent = match["fraction"] or "", match["exponent"] or ""
    if kind == "integer":
        if exponent or fraction.strip(".0"):
            return None
        return sign + digits
    return sign + digits + fraction + exponent

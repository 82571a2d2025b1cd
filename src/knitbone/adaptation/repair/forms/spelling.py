"""A value, written as an example writes its like."""

from __future__ import annotations

import re

from knitbone.adaptation.repair.forms.values import WrittenValue
from knitbone.common.number_words import number_of_words
from knitbone.common.structured.dates import respelled

__all__ = ["spelled_like"]

_PARTS = re.compile(r"(\d+)([-/.])(\d+)\2(\d+)")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_DAYS = 31
_MONTHS = 12
_YEAR = 4


def spelled_like(value: WrittenValue, sample: WrittenValue) -> str:
    """Return the value as the sample is written; empty where that is not known, or would change
    it."""
    if value.kind == "code":
        return value.text
    if value.kind == "number":
        return _number(value.text, sample.text)
    if re.sub(r"\d", "0", value.text) == re.sub(r"\d", "0", sample.text):
        return value.text
    if value.kind == "time":
        if _CLOCK.fullmatch(value.text) and _CLOCK.fullmatch(sample.text):
            return value.text
        return respelled(value.text, "%H:%M") or "" if _CLOCK.fullmatch(sample.text) else ""
    reading = _reading(sample.text)
    return respelled(value.text, reading) or "" if reading else ""


def _number(text: str, sample: str) -> str:
    """Return a number in digits, without thousands, with the sample's decimals at least."""
    digits = number_of_words(text) or text.replace(",", "").replace("−", "-")  # noqa: RUF001
    whole, _, decimals = digits.partition(".")
    wanted = len(sample.partition(".")[2])
    if not wanted:
        return digits
    return f"{whole}.{decimals.ljust(wanted, '0')}"


def _reading(sample: str) -> str:
    """Return the format of an example's date; empty where its day may be its month."""
    parts = _PARTS.fullmatch(sample)
    if parts is None:
        return ""
    mark, first, second = parts[2], parts[1], parts[3]
    if len(first) == _YEAR:
        return f"%Y{mark}%m{mark}%d"
    if _MONTHS < int(first) <= _DAYS:
        return f"%d{mark}%m{mark}%Y"
    return f"%m{mark}%d{mark}%Y" if _MONTHS < int(second) <= _DAYS else ""

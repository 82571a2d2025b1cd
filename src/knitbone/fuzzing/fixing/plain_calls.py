"""The call that a documentation shows: the plainest that the tool takes.

A campaign keeps calls that turn a decision, so those that a tool took are seldom ones that a
person would write (``-1`` where 2 does as well). Of these the plainest is chosen, and made plainer
one value at a time, as long as the tool takes what came out. *Plain* are words that the
documentation or the statements name, then other words, small positive whole numbers, one value
once; odd are signs, leading zeros, single letters, empty parts, long texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast

from knitbone.record.events import Json

__all__ = ["oddness", "plainest_call", "words_in"]

_TRIES = 24
"""Calls that may be made to find a plainer one."""
_BEGUN = 3
"""Calls that the tool took which are tried again before there is no example."""
_PLAIN_VALUE = 40
"""Characters from which a text is no example."""
_NUMBERS = (2, 3, 10, 1, 5, 100)
"""What numbers are replaced by, as a person would choose."""
_SMALL, _LARGE = 100, 10_000

# What each trait of a value weighs. Ours, by what reads oddly; from 1 on a value is not shown.
_NOT_SHOWN = 1.0
_SIGN, _NO_LETTER, _NO_PART, _UNDERSCORE, _STRUCTURE = 0.5, 0.5, 0.3, 0.3, 0.2
_ZEROS, _SINGLE_LETTER, _FRACTION, _MARK_AT_END, _ZERO = 0.2, 0.15, 0.1, 0.1, 0.1
_UNKNOWN_WORD, _DECIMAL, _REPEATED, _NUMBER, _CHARACTER = 0.05, 0.05, 0.02, 0.01, 0.001

_WORD = re.compile(r"[^\W\d_]+(?:_[^\W_]+)*")
_NUMBER_AT = re.compile(r"(?<![\w.])[+-]?\d[\d_]*(?:\.\d+)?|(?<=[-:/.])\d+|\d[\d_]*(?:\.\d+)?")
_DATE = re.compile(r"[\d:/.-]*(?:\d[-:/]\d|\d\.\d+\.\d)[\d:/.-]*")
_EMPTY_PART = re.compile(r"([;,|/:])(?=\1|\Z)|\A[;,|/:]")


def plainest_call(
    calls: Sequence[dict[str, Json]],
    *,
    named: Collection[str],
    keeps: Callable[[dict[str, Json]], bool],
    accepts: Callable[[dict[str, Json]], bool | None],
) -> dict[str, Json] | None:
    """The plainest call that keeps to what is stated and that the tool takes.

    Args:
        calls: what to begin with.
        named: words that the documentation or the statements name (``words_in``).
        keeps: whether a call keeps to what is stated.
        accepts: calls the tool.
    """
    shown = [given for given in calls if given and keeps(given)]
    shown = [given for given in shown if oddness(given, named) < _NOT_SHOWN]
    begun = sorted(shown, key=lambda given: oddness(given, named))[:_BEGUN]
    found = next((given for given in begun if accepts(given)), None)
    tries = _TRIES
    while found is not None:
        for plainer in _plainer(found, shown, named):
            if not keeps(plainer):
                continue
            if not tries:
                return found
            tries -= 1
            if accepts(plainer):
                found = plainer
                break
        else:
            return found
    return None


def words_in(*texts: str) -> set[str]:
    """The words that texts name, as ``oddness`` looks for them; single letters say nothing."""
    return {word.casefold() for text in texts for word in _WORD.findall(text) if len(word) > 1}


def oddness(arguments: dict[str, Json], named: Collection[str] = ()) -> float:
    """How little a call looks like one that somebody makes."""
    values = [json.dumps(value, sort_keys=True) for value in arguments.values()]
    repeated = len(values) - len(set(values))
    return _REPEATED * repeated + sum(_of_value(value, named) for value in arguments.values())


def _plainer(
    call: dict[str, Json], calls: Sequence[dict[str, Json]], named: Collection[str]
) -> Iterator[dict[str, Json]]:
    """Calls with one value replaced that are plainer, the plainest of an argument first."""
    now = oddness(call, named)
    for name, value in call.items():
        seen = [
            other[name] for other in calls if name in other and type(other[name]) is type(value)
        ]
        made = [{**call, name: each} for each in (*seen, *_replacements(value))]
        made = [each for each in made if oddness(each, named) < now]
        yield from sorted(made, key=lambda each: oddness(each, named))


def _replacements(value: Json) -> Iterator[Json]:
    """The value with another number; of a text, one of its numbers."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from _NUMBERS
    elif isinstance(value, str):
        for found in _NUMBER_AT.finditer(value):
            if not _is_of_date(value, found.start(), found.end()):
                for number in _NUMBERS:
                    yield f"{value[: found.start()]}{number}{value[found.end() :]}"


def _of_value(value: Json, named: Collection[str]) -> float:
    if isinstance(value, str):
        return _of_text(value, named)
    if isinstance(value, bool) or value is None:
        return 0.0
    if isinstance(value, int | float):
        return _of_number(repr(value))
    if not value:
        return _NOT_SHOWN
    fields = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    parts = fields.values() if isinstance(value, dict) else cast("list[Json]", value)
    words = _of_words(" ".join(fields), named)
    return _STRUCTURE + words + sum(_of_value(part, named) for part in parts)


def _of_text(text: str, named: Collection[str]) -> float:
    plain = text.isascii() and text.isprintable() and text == text.strip()
    if not plain or not 0 < len(text) <= _PLAIN_VALUE:
        return _NOT_SHOWN
    odd = _CHARACTER * len(text)
    if text.casefold() in named:
        return odd
    if not any(character.isalnum() for character in text):
        return odd + _NO_LETTER + _MARK_AT_END
    if text[0] in "[{" and (parts := _document(text)) is not None:
        return odd + _of_value(parts, named)
    for found in _NUMBER_AT.finditer(text):
        odd += _of_number(found[0], is_of_date=_is_of_date(text, found.start(), found.end()))
    odd += _of_words(text, named) + _NO_PART * len(_EMPTY_PART.findall(text))
    return odd + _MARK_AT_END * (not text[-1].isalnum())


def _of_words(text: str, named: Collection[str]) -> float:
    odd = 0.0
    for word in _WORD.findall(text):
        if word.casefold() not in named:
            odd += _SINGLE_LETTER if len(word) == 1 else _UNKNOWN_WORD
            odd += _UNDERSCORE * ("_" in word)
    return odd


def _document(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_number(written: str, *, is_of_date: bool = False) -> float:
    """Of a number as it is written; its parts of a date are neither signed nor large."""
    digits = written.lstrip("+-")
    whole, _, decimals = digits.partition(".")
    if is_of_date:
        return _NUMBER
    try:
        size = abs(float(digits))
    except ValueError:  # such as 1_000 with two marks
        return _NOT_SHOWN
    if not size < _LARGE:  # not a number, too
        return _NOT_SHOWN
    odd = _NUMBER + _SIGN * (digits != written) + _UNDERSCORE * ("_" in digits)
    odd += _ZEROS * (len(whole) > 1 and whole.startswith("0"))
    odd += _ZERO * (size == 0)
    if decimals.strip("0"):
        odd += _FRACTION + _DECIMAL * (len(decimals) - 1)
    return odd + _FRACTION * (size > _SMALL)


def _is_of_date(text: str, start: int, end: int) -> bool:
    """Whether a number stands in a date, a time or a version."""
    return any(date.start() <= start and end <= date.end() for date in _DATE.finditer(text))

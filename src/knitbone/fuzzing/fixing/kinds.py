"""The kinds of constraints: what each allows, what would break it, what would keep it.

One entry of ``KINDS`` a kind. Values that keep or break a constraint are made from the value of a
call that the tool took, so that only what the constraint is about changes.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime as dt
import ipaddress
import json
import random
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

from knitbone.fuzzing.fixing.records import Constraint
from knitbone.fuzzing.solve.texts import draw_matching

__all__ = ["FORMS", "KINDS", "Kind", "is_as_spelled", "number_of"]

_READ = 2_000
_LONGEST = 4_000
"""Characters or items of a value that is made to reach a length."""
_FAR = 1_000
_MOMENTS = (dt.datetime(2024, 5, 17, 10, 30), dt.datetime(2023, 12, 3, 8, 5))  # noqa: DTZ001
_ODD_TEXTS = ("", "x", "nope", "-", "1,5", "12x", "a: 1", "{")
_BETWEEN = (",", ";", " ", "|", "\n")
"""What stands between the items of a list in a text."""
_DATES = ("2024-05-17", "17.05.2024", "05/17/2024", "20240517", "May 17, 2024", "2024-05-17T10:30")
_NEAR: dict[str, tuple[str, ...]] = {
    "whole number": ("1.5", "7.0", "1e3", "0x10"),
    "number": ("1/2", "0x10"),
    "date": _DATES,
    "form": _DATES,
}
"""Texts that just miss a form: a tool that reads more than was supposed takes one of them."""

Samples = Callable[[Constraint, Any], Iterator[Any]]


class Kind(NamedTuple):
    """What a kind of constraint means."""

    holds: Callable[[Constraint, Any], bool | None]
    """Whether a value keeps it; ``None`` where the value is of a type that it says nothing of."""
    kept: Samples
    """Values that keep it, those at its edge first; from a value that the tool took."""
    broken: Samples
    """Values that break it, the nearest first."""


class NamedForm(NamedTuple):
    """A form of texts with a name."""

    words: str
    example: str
    reads: Callable[[str], Any]
    """Raises ``ValueError`` where a text has another form."""


def _base64(text: str) -> None:
    base64.b64decode(text, validate=True)


def _hexadecimal(text: str) -> None:
    binascii.unhexlify(text)


def _json_list(text: str) -> None:
    if not isinstance(json.loads(text), list):
        raise ValueError(text)


def _json_object(text: str) -> None:
    if not isinstance(json.loads(text), dict):
        raise ValueError(text)


def _json_objects(text: str) -> None:
    value = json.loads(text)
    items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [None]
    if not all(isinstance(item, dict) for item in items):
        raise ValueError(text)


FORMS: dict[str, NamedForm] = {
    "json objects": NamedForm("a JSON list of objects", '[{"a": 1}]', _json_objects),
    "json list": NamedForm("a JSON list", "[1]", _json_list),
    "json object": NamedForm("a JSON object", '{"a": 1}', _json_object),
    "iso date": NamedForm(
        "an ISO 8601 date such as 2024-05-17", "2024-05-17", dt.date.fromisoformat
    ),
    "iso datetime": NamedForm(
        "a date and time in ISO 8601 form", "2024-05-17T10:30:00", dt.datetime.fromisoformat
    ),
    "iso time": NamedForm("an ISO 8601 time such as 10:30", "10:30", dt.time.fromisoformat),
    "json": NamedForm("JSON", '{"a": 1}', json.loads),
    "uuid": NamedForm("a UUID", "12345678-1234-5678-1234-567812345678", uuid.UUID),
    "ip address": NamedForm("an IP address", "10.0.0.1", ipaddress.ip_address),
    "ip network": NamedForm("an IP network", "10.0.0.0/24", ipaddress.ip_network),
    "base64": NamedForm("base64", "aGVsbG8=", _base64),
    "hexadecimal": NamedForm("hexadecimal digits, two a byte", "00ff", _hexadecimal),
}


def number_of(value: Any) -> float | None:
    """A number, or a text that is one, as a number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    if isinstance(value, str) and len(value) < 40:
        with contextlib.suppress(ValueError):
            return float(value)
    return None


def _like(number: float, current: Any) -> Any:
    """A number in the type of the value that it takes the place of."""
    if isinstance(current, str):
        return str(int(number)) if number == int(number) else repr(number)
    if isinstance(current, float):
        return float(number)
    return int(number) if number == int(number) else number


# -- numbers --------------------------------------------------------------------------------------


def _bound(allows: Callable[[float, float], bool], sign: int, *, open_end: bool) -> Kind:
    """A bound of a number.

    Args:
        sign: 1 where greater numbers are allowed, -1 where smaller ones are.
        open_end: the bound itself is not allowed.
    """

    def holds(constraint: Constraint, value: Any) -> bool | None:
        number = number_of(value)
        return None if number is None else allows(number, _limit(constraint))

    def step(current: Any) -> float:
        return 0.5 if isinstance(current, float) else 1

    def kept(constraint: Constraint, current: Any) -> Iterator[Any]:
        if number_of(current) is not None:
            yield _like(_limit(constraint) + (sign * step(current) if open_end else 0), current)

    def broken(constraint: Constraint, current: Any) -> Iterator[Any]:
        if number_of(current) is not None:
            limit = _limit(constraint)
            yield _like(limit if open_end else limit - sign * step(current), current)
            yield _like(limit - sign * 7, current)
            yield _like(limit - sign * _FAR, current)

    return Kind(holds, kept, broken)


def _limit(constraint: Constraint) -> float:
    number = number_of(constraint.value)
    return 0.0 if number is None else number


def _not_zero() -> Kind:
    def holds(_: Constraint, value: Any) -> bool | None:
        number = number_of(value)
        return None if number is None else number != 0

    def kept(_: Constraint, current: Any) -> Iterator[Any]:
        yield _like(1, current)

    def broken(_: Constraint, current: Any) -> Iterator[Any]:
        yield _like(0, current)

    return Kind(holds, kept, broken)


# -- sizes ----------------------------------------------------------------------------------------


def _length(sign: int) -> Kind:
    def holds(constraint: Constraint, value: Any) -> bool | None:
        if not isinstance(value, str | list):
            return None
        limit = int(_limit(constraint))
        size: int = len(value)  # pyright: ignore[reportUnknownArgumentType]
        return size >= limit if sign > 0 else size <= limit

    def kept(constraint: Constraint, current: Any) -> Iterator[Any]:
        yield from _of_size(current, int(_limit(constraint)))

    def broken(constraint: Constraint, current: Any) -> Iterator[Any]:
        yield from _of_size(current, int(_limit(constraint)) - sign)
        if sign < 0:
            yield from _of_size(current, int(_limit(constraint)) + 20)

    return Kind(holds, kept, broken)


def _of_size(current: Any, size: int) -> Iterator[Any]:
    if 0 <= size <= _LONGEST and isinstance(current, str | list):
        filler: Any = cast("Any", current) or ("a" if isinstance(current, str) else ["a"])
        yield (filler * (size // len(filler) + 1))[:size]


def _not_empty() -> Kind:
    def holds(_: Constraint, value: Any) -> bool | None:
        if isinstance(value, str):
            return bool(value.strip())
        return bool(cast("Any", value)) if isinstance(value, list | dict) else None

    def broken(_: Constraint, current: Any) -> Iterator[Any]:
        if isinstance(current, str | list | dict):
            yield type(cast("Any", current))()

    return Kind(holds, _same, broken)


def _same(_: Constraint, current: Any) -> Iterator[Any]:
    yield current


# -- values ---------------------------------------------------------------------------------------


def _listed(constraint: Constraint) -> list[Any]:
    value: Any = constraint.value
    return list(cast("list[Any]", value)) if isinstance(value, list) else []


def _values() -> Kind:
    def holds(constraint: Constraint, value: Any) -> bool | None:
        listed = _listed(constraint)
        if isinstance(value, str):
            words = [str(item) for item in listed]
            if constraint.any_case:
                return value.casefold() in {word.casefold() for word in words}
            return value in words
        return any(value == item for item in listed)

    def kept(constraint: Constraint, current: Any) -> Iterator[Any]:
        for value in _listed(constraint):
            yield str(value) if isinstance(current, str) else value

    def broken(constraint: Constraint, current: Any) -> Iterator[Any]:
        listed = _listed(constraint)
        if isinstance(current, str):
            known = {str(item).casefold() for item in listed}
            for text in (f"{listed[0]}x" if listed else "x", "nope", "other", ""):
                if text.casefold() not in known:
                    yield text
        elif numbers := [i for i in listed if isinstance(i, int | float)]:
            yield max(numbers) + 1
            yield min(numbers) - 1

    return Kind(holds, kept, broken)


# -- forms ----------------------------------------------------------------------------------------


def _form(reads: Callable[[Constraint], Callable[[str], Any]], samples: Samples) -> Kind:
    """A form of texts that a function reads."""

    def holds(constraint: Constraint, value: Any) -> bool | None:
        if not isinstance(value, str):
            return None
        try:
            reads(constraint)(value.strip()[:_READ])
        except (ValueError, TypeError, OverflowError, RecursionError, re.error):
            return False
        return True

    def broken(constraint: Constraint, current: Any) -> Iterator[Any]:
        near = (current[:-1], f"{current}x", current.swapcase()) if isinstance(current, str) else ()
        # A list of such values, which a tool may take apart, is nearest.
        lists = [f"{current}{mark}{current}" for mark in _BETWEEN if isinstance(current, str)]
        others = (*lists, *_NEAR.get(constraint.kind, ()), *near, *_ODD_TEXTS)
        if str(constraint.value).startswith("json "):
            others = ("1", '"a"', '["a"]', '{"a": 1}', "[1]")
        for text in dict.fromkeys(others):
            if holds(constraint, text) is False:
                yield text

    return Kind(holds, samples, broken)


def _written(*texts: str) -> Samples:
    def samples(_: Constraint, current: Any) -> Iterator[Any]:
        yield current
        yield from texts

    return samples


def _date_samples(constraint: Constraint, _: Any) -> Iterator[Any]:
    for moment in _MOMENTS:
        yield moment.strftime(str(constraint.value))


def _reader_of_date(constraint: Constraint) -> Callable[[str], Any]:
    return lambda text: dt.datetime.strptime(text, str(constraint.value))  # noqa: DTZ007


def is_as_spelled(constraint: Constraint, value: Any) -> bool:
    """Whether a date is written as its form is spelled: ``1.5.2024`` is read as DD.MM.YYYY, and
    shows another form."""
    is_date = constraint.kind == "date" or constraint.value == "iso date"
    if not isinstance(value, str) or not is_date:
        return True
    pattern = "%Y-%m-%d" if constraint.value == "iso date" else str(constraint.value)
    try:
        return dt.datetime.strptime(value, pattern).strftime(pattern) == value  # noqa: DTZ007
    except ValueError:
        return True


def _reader_of_form(constraint: Constraint) -> Callable[[str], Any]:
    form = FORMS.get(str(constraint.value))
    return form.reads if form is not None else str


def _pattern_reader(constraint: Constraint) -> Callable[[str], Any]:
    def reads(text: str) -> None:
        if re.fullmatch(str(constraint.value), text) is None:
            raise ValueError(text)

    return reads


def _pattern_samples(constraint: Constraint, current: Any) -> Iterator[Any]:
    yield current
    rng = random.Random(0)  # noqa: S311 - reproducible
    for _ in range(2):
        text = draw_matching(str(constraint.value), rng)
        if text is not None:
            yield text


def _part_reader(constraint: Constraint) -> Callable[[str], Any]:
    separator, count = _separator(constraint)

    def reads(text: str) -> None:
        if text.count(separator) + 1 != count:
            raise ValueError(text)

    return reads


def _separator(constraint: Constraint) -> tuple[str, int]:
    match constraint.value:
        case [str(separator), int(count)] if separator:
            return separator, count
        case _:
            return ",", 1


def _affix(*, at_start: bool) -> Kind:
    def having(constraint: Constraint, text: str) -> str:
        affixes = tuple(str(item) for item in _listed(constraint))
        found = [a for a in affixes if (text.startswith(a) if at_start else text.endswith(a))]
        return found[0] if found else ""

    def holds(constraint: Constraint, value: Any) -> bool | None:
        return bool(having(constraint, value.strip())) if isinstance(value, str) else None

    def kept(constraint: Constraint, current: Any) -> Iterator[Any]:
        if isinstance(current, str):
            has = having(constraint, current)
            bare = current.removeprefix(has) if at_start else current.removesuffix(has)
            for affix in _listed(constraint):
                yield f"{affix}{bare}" if at_start else f"{bare}{affix}"

    def broken(constraint: Constraint, current: Any) -> Iterator[Any]:
        if isinstance(current, str):
            has = having(constraint, current)
            bare = current.removeprefix(has) if at_start else current.removesuffix(has)
            for text in (bare, f"~{current}" if at_start else f"{current}~"):
                if not having(constraint, text):
                    yield text

    return Kind(holds, kept, broken)


def _unread() -> Kind:
    # Of two arguments, which ``trials.py`` compares and swaps; or of what exists somewhere.
    def holds(_constraint: Constraint, _value: Any) -> bool | None:
        return None

    def nothing(_constraint: Constraint, _current: Any) -> Iterator[Any]:
        yield from ()

    return Kind(holds, nothing, nothing)


KINDS: dict[str, Kind] = {
    "values": _values(),
    "minimum": _bound(lambda number, limit: number >= limit, 1, open_end=False),
    "above": _bound(lambda number, limit: number > limit, 1, open_end=True),
    "maximum": _bound(lambda number, limit: number <= limit, -1, open_end=False),
    "below": _bound(lambda number, limit: number < limit, -1, open_end=True),
    "shortest": _length(1),
    "longest": _length(-1),
    "not empty": _not_empty(),
    "not zero": _not_zero(),
    "whole number": _form(lambda _: int, _written("12", "7")),
    "number": _form(lambda _: float, _written("12", "7.5")),
    "date": _form(_reader_of_date, _date_samples),
    "form": _form(_reader_of_form, _same),
    "pattern": _form(_pattern_reader, _pattern_samples),
    "prefix": _affix(at_start=True),
    "suffix": _affix(at_start=False),
    "parts": _form(_part_reader, _same),
    "before": _unread(),
    "not after": _unread(),
    "existing": _unread(),
}

"""Tools that refuse bad arguments with exceptions."""

import json
import math
import re

_NUMERALS = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


class TheatreError(Exception):
    """Whatever the theatre refuses."""


class NoSuchSeatError(TheatreError):
    """The seat is not in the plan."""


def roman_numeral(number: int) -> str:
    """Write a number in Roman numerals.

    Args:
        number: The number, 1 to 3999.

    Returns:
        The numerals, as in "MCMXC".

    Raises:
        ValueError: If the number is out of range.
    """
    if not 1 <= number <= 3999:
        raise ValueError("out of range")
    text = ""
    for value, sign in _NUMERALS:
        text += sign * (number // value)
        number %= value
    return text


def spread(values: list[float]) -> float:
    """Compute the standard deviation of values.

    Parameters
    ----------
    values : list of float
        At least two values between -1e100 and 1e100.

    Returns
    -------
    float
        Their standard deviation.

    Raises
    ------
    ValueError
        If there are fewer than two values.
    OverflowError
        If a value is out of range.
    """
    if len(values) < 2:
        raise ValueError("two values are needed")
    if not all(abs(value) <= 1e100 for value in values):
        raise OverflowError("values between -1e100 and 1e100 only")
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def seat_price(row: str, seat: int) -> str:
    """Tell what a seat in the theatre costs.

    :param row: Letter of the row, A to F.
    :param seat: Number of the seat, 1 to 20.
    :returns: The price.
    :raises TheatreError: if the theatre has no such seat.
    """
    if row not in ("A", "B", "C", "D", "E", "F") or not 1 <= seat <= 20:
        raise NoSuchSeatError("the theatre has no such seat")
    return f"{60 - 8 * 'ABCDEF'.index(row)} euros"


def config_keys(config: str) -> list[str]:
    """List the keys of a configuration.

    Args:
        config: JSON object of at most 4000 characters, and with at most 100 brackets.
    """
    if len(config) > 4000 or config.count("[") + config.count("{") > 100:
        raise ValueError("config is too long")
    try:
        parsed = json.loads(config)
    except json.JSONDecodeError as error:
        raise ValueError(f"config is not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise TypeError("config is not a JSON object")
    return sorted(ascii(key) for key in parsed)


def percent_of(part: float, whole: float) -> float:
    """Compute how many percent of a whole a part is."""
    if not 0 < whole <= 1e9:
        raise ValueError("whole must be above 0 and at most 1e9")
    if not 0 <= part <= whole:
        raise ValueError("part must be between 0 and whole")
    return part / whole * 100


def _checked(argument: str, value: int, low: int, high: int) -> int:
    if value < low:
        raise ValueError(f"{argument} must be at least {low}")
    if value > high:
        raise ValueError(f"{argument} must be at most {high}")
    return value


def opening_hours(weekday: int, week: int) -> str:
    """Tell the opening hours on a day of the year, by weekday and number of the week."""
    day = _checked("weekday", weekday, 1, 7)
    closed = _checked("week", week, 1, 53) in (31, 32)
    return "closed" if closed or day == 7 else "9 to 17"


def joined_tags(tags: list[str], separator: str = ", ") -> str:
    """Join tags to a line; every tag is of small letters, digits and hyphens."""
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise TypeError("tags must be a list of text")
    if separator not in (", ", " ", "; "):
        raise ValueError('separator must be ", ", "; " or " "')
    for place, tag in enumerate(tags):
        if not re.fullmatch("[a-z0-9-]+", tag):
            raise ValueError(f"tags[{place}] has other characters than a-z, 0-9 and hyphens")
    return separator.join(tags)

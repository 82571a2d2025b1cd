"""Tools that convert and compute measures."""

import math
import re
from typing import Literal

_RATIOS = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}
_UNITS = ("m", "km", "degC", "K", "W")
_CUPS = {"cup": 1.0, "tbsp": 1 / 16, "tsp": 1 / 48}
_COLOURS = (
    *("black", "brown", "red", "orange", "yellow"),
    *("green", "blue", "violet", "grey", "white"),
)
_TOLERANCES = {"brown": 1, "red": 2, "green": 0.5, "blue": 0.25, "violet": 0.1}


def _finite(*numbers: float) -> None:
    if not all(abs(number) <= 1e9 for number in numbers):
        raise ValueError("numbers must lie within -1e9 and 1e9")


def to_display(quantity: str) -> str:
    """Write a quantity as the dashboard shows it: lengths in m, temperatures in K, power in dB.

    Args:
        quantity: A number, a space, and one of the units m, km, degC, K and W, as in "3.5 km".
            The number may be negative, with at most four digits before and two after the point.

    Returns:
        The quantity, or "This is not a quantity.".
    """
    match = re.fullmatch(r"(-?[0-9]{1,4}(?:\.[0-9]{1,2})?) ([A-Za-z]+)", quantity)
    if match is None or match.group(2) not in _UNITS:
        return "This is not a quantity."
    value, unit = float(match.group(1)), match.group(2)
    if unit in _RATIOS:
        return f"{value * _RATIOS[unit]:.2f} m"
    if unit == "W":
        return f"{_decibel(value):.1f} dB"
    return f"{value + 273.15 if unit == 'degC' else value:.2f} K"


def _decibel(power: float) -> float:
    return 0.0 if power == 0 else 10 * math.log10(power)


def heat_flow(value: float, unit: str) -> float:
    """Convert a flow of heat to watts.

    Args:
        value: The flow; negative when heat is taken away. Within -1e9 and 1e9.
        unit: watt, kilowatt, horsepower, calories or refrigeration-tons.

    Raises:
        ValueError: The unit is none of these, or the value lies outside of its range.
    """
    _finite(value)
    factors = {"watt": 1.0, "kilowatt": 1e3, "horsepower": 745.7, "calories": 4.184}
    if unit == "refrigeration-tons":
        if value < 0:
            raise ArithmeticError("a chiller cannot heat")
        return value * 3516.85
    if unit not in factors:
        raise ValueError(f"unknown unit {unit!r}")
    return value * factors[unit]


def split_bill(total: float, people: int) -> float:
    """Split a restaurant bill evenly.

    Args:
        total: Amount of the bill in euros, within -1e9 and 1e9.
        people: Number of people that share it, at most 40.

    Raises:
        ValueError: The amount or the number of people is out of range.
    """
    _finite(total)
    if abs(people) > 40:
        raise ValueError("at most 40 people")
    return round(total / people, 2)


def paint_needed(width: float, height: float, coats: int = 2) -> str:
    """Say how many litres of paint a wall needs.

    Args:
        width: Width of the wall in metres, from 0 up to 1000.
        height: Height of the wall in metres, from 0 up to 1000.
        coats: Number of coats, 1 to 5.

    Raises:
        ValueError: A size or the number of coats is out of range.
    """
    if not (0 <= width <= 1000 and 0 <= height <= 1000 and 1 <= coats <= 5):
        raise ValueError("width and height from 0 to 1000, coats from 1 to 5")
    litres = width * height * coats / 9
    if litres > 250:
        return "Error: amount exceeds the largest drum"
    return f"{litres:.1f} litres"


def average_speed(distances: list[float]) -> float:
    """Average the distances that a runner covered in each hour, in kilometres per hour.

    Args:
        distances: Kilometres of each hour, 0 to 100.

    Raises:
        ValueError: A distance is out of range.
    """
    if not all(0 <= distance <= 100 for distance in distances):
        raise ValueError("distances from 0 to 100")
    return sum(distances) / len(distances)


def in_cups(amount: str) -> float:
    """Convert an amount of a recipe to cups.

    Args:
        amount: A fraction with an optional whole number before it, and cup, tbsp or tsp, as in
            "3/4 cup" or "1 1/2 tsp". Each number has one or two digits.

    Raises:
        ValueError: The amount is written in another way.
    """
    match = re.fullmatch("(?:([0-9]{1,2}) )?([0-9]{1,2})/([0-9]{1,2}) (cup|tbsp|tsp)", amount)
    if match is None:
        raise ValueError(f"not an amount: {amount!r}")
    whole, numerator, denominator, unit = match.groups()
    return (int(whole or 0) + int(numerator) / int(denominator)) * _CUPS[unit]


def resistance(bands: list[str]) -> str:
    """Read the value of a resistor from its coloured bands.

    Args:
        bands: Three colours, or four with the tolerance: black, brown, red, orange, yellow, green,
            blue, violet, grey or white.

    Raises:
        ValueError: There are not three or four bands, or one has another colour.
    """
    if len(bands) not in (3, 4) or not set(bands) <= set(_COLOURS):
        raise ValueError("three or four colours")
    first, second, power = (_COLOURS.index(colour) for colour in bands[:3])
    ohms = (first * 10 + second) * 10**power
    tolerance = 20 if len(bands) == 3 else _TOLERANCES[bands[3]]
    return f"{ohms} ohm, {tolerance} %"


def years_to_reach(amount: float, target: float, percent: float) -> int:
    """Say after how many years savings have grown to a target.

    Args:
        amount: Savings now, from 1 up to 1e9.
        target: Amount to reach, from 1 up to 1e9.
        percent: Interest a year, 0 to 100.

    Raises:
        ValueError: A number lies outside of its range.
    """
    if not (1 <= amount <= 1e9 and 1 <= target <= 1e9 and 0 <= percent <= 100):
        raise ValueError("amount and target from 1 to 1e9, percent from 0 to 100")
    years = 0
    while amount < target:
        amount += amount * percent / 100
        years += 1
    return years


def convert_length(
    value: float, unit: Literal["m", "km", "ft", "mi"], to: Literal["m", "km", "ft", "mi"] = "m"
) -> float:
    """Convert a length. The value lies within -1e9 and 1e9; ValueError is raised for others."""
    _finite(value)
    return value * _RATIOS[unit] / _RATIOS[to]


def clamp_dimmer(level: int, lowest: int = 0, highest: int = 100) -> int:
    """Bring the level of a dimmer between the lowest and the highest one.

    Raises:
        ValueError: The lowest level lies above the highest.
    """
    if lowest > highest:
        raise ValueError("lowest lies above highest")
    return min(max(level, lowest), highest)

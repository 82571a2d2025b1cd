"""A number with the unit that its name says already: ``"minutes": "20 min"``.

Nothing is lost where the unit is left out, since the name of the field says it. Any other unit is
part of what was said (``"minutes": "2 hours"``), and stays.

Source: Comfrey §4.3.1 (type conversion where content violates the template).
"""

from __future__ import annotations

import re

from knitbone.common.structured.names import MAX_NAME

__all__ = ["names_of_unit", "same_unit", "without_unit"]

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+|[%°$€£]")
"""The words of a name: ``for_minutes``, ``forMinutes``, ``Protein (g)``."""
_NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
_AFTER = re.compile(rf"({_NUMBER})\s?([^\W\d_]+\.?|%|°\s?[CF]?|[$€£])")
_BEFORE = re.compile(rf"([$€£])\s?({_NUMBER})")
_SHORT: dict[str, tuple[str, ...]] = {
    "min": ("minute",),
    "m": ("minute", "meter", "metre"),
    "h": ("hour",),
    "hr": ("hour",),
    "s": ("second",),
    "sec": ("second",),
    "ms": ("millisecond", "milli"),
    "d": ("day",),
    "km": ("kilometer", "kilometre"),
    "cm": ("centimeter", "centimetre"),
    "mm": ("millimeter", "millimetre"),
    "kg": ("kilogram", "kilo"),
    "g": ("gram",),
    "mg": ("milligram",),
    "l": ("liter", "litre"),
    "ml": ("milliliter", "millilitre"),
    "kcal": ("calorie", "kilocalorie"),
    "%": ("percent", "percentage", "pct"),
    "°": ("degree",),
    "c": ("celsius", "centigrade"),
    "f": ("fahrenheit",),
    "°c": ("celsius", "centigrade", "degree"),
    "°f": ("fahrenheit", "degree"),
    "€": ("euro", "eur"),
    "eur": ("euro",),
    "$": ("dollar", "usd"),
    "usd": ("dollar",),
    "£": ("pound", "gbp"),
    "gbp": ("pound",),
}
"""The signs and abbreviations of units, and what they are called."""


def without_unit(text: str, name: str) -> str | None:
    """The number of a text whose unit is a word of the field's name; ``None`` for any other.

    The name says "minutes", so may the text (``20 minutes``, ``20 min``). It reads texts of a few
    dozen characters.
    """
    if after := _AFTER.fullmatch(text):
        number, unit = after.groups()
    elif before := _BEFORE.fullmatch(text):
        unit, number = before.groups()
    else:
        return None
    words = {_singular(word.casefold()) for word in _WORD.findall(name[:MAX_NAME])}
    unit = unit.replace(" ", "").rstrip(".").casefold()
    called = (unit, *_SHORT.get(unit, ()), *_SHORT.get(_singular(unit), ()))
    return number if any(_singular(word) in words for word in called) else None


def same_unit(one: str, other: str) -> bool:
    """Tell whether two signs, abbreviations or names stand for the same unit: ``min``, ``minutes``.

    ``m`` is a minute and a meter, and the same as either.
    """
    first, second = names_of_unit(one), names_of_unit(other)
    return bool(first & second)


def names_of_unit(unit: str) -> set[str]:
    """What a sign, an abbreviation or a name of a unit is called, with itself: ``h``, ``hour``."""
    plain = unit.replace(" ", "").rstrip(".").casefold()
    called = (plain, *_SHORT.get(plain, ()), *_SHORT.get(_singular(plain), ()))
    return {_singular(each) for each in called}


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word

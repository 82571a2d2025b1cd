"""A small set of agent tools, as people write them, with the faults that people leave in them.

The demo fuzzes them; two are sound. They are samples: nothing else in knitbone uses them.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from datetime import date, timedelta
from typing import Literal

__all__ = ["SAMPLE_TOOLS"]

_PLACES = {"in": "the dining room", "out": "the terrace"}
_ROOMS = {"single": 80, "double": 120, "suite": 240}
_MENU = ("soup", "salad", "risotto", "trout", "cheese", "sorbet")
_TO_METRES = {"m": 1.0, "km": 1000.0, "mile": 1609.344, "foot": 0.3048}


def seat_party(note: str) -> str:
    """Seat a party from a note such as 'Ann;2;in': name, number of guests, and place."""
    name, guests, place = note.split(";")
    minutes = 60 // int(guests)
    return f"{name} sits in {_PLACES[place]}; {minutes} minutes per guest"


def convert_length(value: float, unit: str, to: str = "m") -> float:
    """Convert a length between units, for example from 'km' to 'mile'."""
    return value * _TO_METRES[unit] / _TO_METRES[to]


def count_nights(arrival: str, departure: str) -> str:
    """Count the nights of a stay. Dates are written as '2024-05-01'."""
    nights = (date.fromisoformat(departure) - date.fromisoformat(arrival)).days
    if nights < 0:
        return "Error: the departure lies before the arrival"
    return f"{nights} nights"


def last_day(start: str, days: int) -> str:
    """Say which day it is a number of days after a start date."""
    try:
        first = date.fromisoformat(start)
    except ValueError:
        return "Error: the start is not a date"
    return (first + timedelta(days=days)).isoformat()


def column_mean(table: str, column: int = 0) -> float:
    """Average one column of CSV text that starts with a heading line."""
    rows = list(csv.reader(io.StringIO(table)))[1:]
    values = [float(row[column]) for row in rows]
    return sum(values) / len(values)


def room_price(kind: Literal["single", "double", "suite", "family"], nights: int) -> str:
    """Quote the price of a room for some nights."""
    return f"{_ROOMS[kind] * nights} euros"


def menu_page(page: int, size: int = 2) -> list[str]:
    """List one page of the menu; the first page is number 1."""
    pages = len(_MENU) // size
    if page > pages:
        raise IndexError(f"page {page} of {pages}")
    return list(_MENU[(page - 1) * size : page * size])


def read_order(path: str) -> str:
    """Read an order from a JSON file and name its dishes."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as people write it
        order = json.load(file)
    return ", ".join(order["dishes"])


def next_opening(today: int, open_days: tuple[int, ...] = (1, 2, 3, 4, 5)) -> int:
    """Say on which day of the week the house opens next; 0 is Monday."""
    opened = {day % 7 for day in open_days}
    day = today
    while day not in opened:
        day = (day + 1) % 7
    return day


def close_till(password: str) -> str:
    """Close the till for the day."""
    if not password.strip():
        sys.exit("no password")
    return "closed"


async def find_dish(query: str, limit: int = 3) -> list[str]:
    """Search the menu for dishes, best match first."""
    words = query.lower().split()
    first = words[0]
    return [dish for dish in _MENU if first in dish][:limit]


def greet(name: str, formal: bool = False) -> str:
    """Greet a guest by name."""
    return f"Good evening, {name}." if formal else f"Hello {name}!"


def add_tip(amount: float, percent: float = 10) -> float:
    """Add a tip to an amount."""
    return amount + amount * percent / 100


SAMPLE_TOOLS = tuple(
    f"knitbone.samples.tools:{name}"
    for name in (
        "seat_party",
        "convert_length",
        "count_nights",
        "last_day",
        "column_mean",
        "room_price",
        "menu_page",
        "read_order",
        "next_opening",
        "close_till",
        "find_dish",
        "greet",
        "add_tip",
    )
)
"""Targets for ``knitbone fuzz``; ``greet`` and ``add_tip`` have no fault."""

"""Tools with documentation that misleads, or does not, for the tests of the search."""

from __future__ import annotations

import random
import time
from datetime import datetime


def lodge_price(nights: int, season: str) -> str:
    """Price of a stay in the lodge, in euros."""
    prices = {"low": 60, "high": 110}
    if season not in prices:
        raise ValueError(f"unknown season {season!r}")
    return f"{nights * prices[season]} euros"


def stated_price(nights: int, season: str) -> str:
    """Price of a stay in the lodge, in euros.

    Args:
        nights: how many nights.
        season: "low" (October to April) or "high".
    """
    return lodge_price(nights, season)


def day_of(date: str) -> str:
    """Day of the week of a date."""
    day, month, year = (int(part) for part in date.split("/"))
    return f"{datetime(year, month, day):%A}"  # noqa: DTZ001 - a day, no moment


def tides(harbour: str, when: str = "today") -> str:
    """High tide in a harbour."""
    hour = {"d": 9, "m": 4}.get(when[:1].lower(), 7)
    return f"{hour}:30"


def lottery(player: str) -> str:
    """Points of a player."""
    draws = [random.randint(0, 10**6) for _ in player]
    return f"{draws[-1]} points"


def clock(place: str) -> str:
    """The local office of a place, as of now."""
    return f"Office 12, as of {time.strftime('%H:%M:%S')}.{time.perf_counter_ns() % 10**6}"


def shout(word: str) -> str:
    """The word in capital letters."""
    return word.upper()


def greeting(name: str) -> str:
    """A greeting."""
    return f"Welcome, {name.strip().title()}! Your table is ready."


PAIR = [lodge_price, shout]

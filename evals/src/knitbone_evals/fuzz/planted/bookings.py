"""Rooms and tables of a small hotel."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import date, timedelta

_SEATS = {1: 2, 2: 4, 3: 4, 4: 8}
_ROOMS = {"single": 70.0, "double": 110.0, "suite": 190.0}


class TablePlan:
    """Tables of the restaurant for this evening."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._held: dict[int, str] = {}

    async def hold(self, table: int, guest: str, party: int = 2) -> str:
        """Hold a table of the restaurant for a guest.

        Args:
            table: Number of the table, 1 to 4.
            guest: Name of the guest.
            party: How many people will come.

        Returns:
            Whether the table is held, or why it cannot be.
        """
        if party < 1:
            return "A party has at least one person."
        await self._lock.acquire()
        if table not in _SEATS:
            self._lock.release()
            return f"There is no table {table}."
        if party > _SEATS[table]:
            return f"Table {table} seats {_SEATS[table]}."
        await asyncio.sleep(0)
        holder = self._held.setdefault(table, guest)
        self._lock.release()
        if holder != guest:
            return f"Table {table} is taken."
        return f"Table {table} is held for {guest}."


tables = TablePlan()


async def _price(room: str) -> float:
    await asyncio.sleep(0)
    return _ROOMS[room]


async def _monthly_price(room: str, nights: int) -> float:
    price = await _price(room)
    return round(price * nights * 0.6, 2)


async def room_rate(room: str, nights: int, breakfast: bool = False) -> float:
    """Quote the price of a room.

    Args:
        room: Kind of the room: single, double or suite.
        nights: Number of nights, 1 to 90. From 28 nights on the monthly rate applies, which
            includes breakfast.
        breakfast: Whether breakfast is wanted.

    Returns:
        The price of the whole stay in euros.

    Raises:
        ValueError: If there is no such room, or the stay is too short or too long.
    """
    kind = room.strip().lower()
    if kind not in _ROOMS:
        raise ValueError(f"room must be one of {', '.join(_ROOMS)}")
    if not 1 <= nights <= 90:
        raise ValueError("nights must be between 1 and 90")
    if nights >= 28:
        return _monthly_price(kind, nights)
    price = await _price(kind)
    if breakfast:
        price += 12.5
    return round(price * nights, 2)


def quote_stay(nights: int, guests: int = 2, code: str = "") -> float:
    """Quote a stay in the guest house.

    Args:
        nights: Number of nights, 1 to 60.
        guests: Number of guests, 1 to 6.
        code: Promotion code for stays of three nights or more. Give it in full, with the letter
            of the campaign, e.g. "SAVE10-B"; the number is the discount in percent.

    Returns:
        The price in euros. A code that is not known changes nothing.

    Raises:
        ValueError: If nights or guests are out of range.
    """
    if not 1 <= nights <= 60:
        raise ValueError("nights must be between 1 and 60")
    if not 1 <= guests <= 6:
        raise ValueError("guests must be between 1 and 6")
    price = nights * (65.0 + 20.0 * (guests - 1))
    promotion = code.strip().upper()
    if nights >= 3 and promotion.startswith("SAVE"):
        percent = min(max(int(promotion[4:]), 0), 50)
        price *= 1 - percent / 100
    return round(price, 2)


def read_voucher(code: str, arrival: str) -> str:
    """Read the voucher of a guest and say whether it holds on the day of arrival.

    Vouchers without `valid_until` never expire.

    Args:
        code: The voucher's code: base64 of a JSON object with `guest`, `value` and
            `valid_until` (YYYY-MM-DD).
        arrival: Day of arrival, YYYY-MM-DD.

    Returns:
        Whose voucher it is, what it is worth and whether it is valid.

    Raises:
        ValueError: If the code or a date cannot be read.
    """
    try:
        day = date.fromisoformat(arrival)
    except ValueError:
        raise ValueError("arrival must be a date, YYYY-MM-DD") from None
    try:
        voucher = json.loads(base64.b64decode(code, validate=True).decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("the code is damaged") from None
    if not isinstance(voucher, dict) or "guest" not in voucher or "value" not in voucher:
        raise ValueError("the code is not a voucher")
    try:
        until = date.fromisoformat(voucher.get("valid_until"))
    except ValueError:
        raise ValueError("the voucher's last day cannot be read") from None
    state = "valid" if day <= until else "expired"
    return f"Voucher of {voucher['guest']} over {voucher['value']}: {state}"


def stay_dates(arrival: str, nights: int) -> str:
    """List the nights of a stay.

    Args:
        arrival: Day of arrival, YYYY-MM-DD, from 2000 to 2100.
        nights: Number of nights, 1 to 30.

    Returns:
        The dates of the nights, separated by commas. If the stay cannot be computed, a line
        that begins with "Error:" and says what to change.
    """
    try:
        first = date.fromisoformat(arrival.strip())
    except ValueError:
        return f"Error: arrival must look like 2024-05-31, got {arrival!r}"
    if not 2000 <= first.year <= 2100:
        return "Error: arrival must lie between 2000 and 2100"
    if not 1 <= nights <= 30:
        return "Error: nights must be between 1 and 30"
    return ", ".join((first + timedelta(days=night)).isoformat() for night in range(nights))

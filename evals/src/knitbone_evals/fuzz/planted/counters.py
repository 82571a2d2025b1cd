"""Tools of a ticket counter: departures and reserved seats."""

import re
from typing import Literal

_DEPARTURES = {
    "Harbour": ("06:10", "09:40", "15:05", "21:30"),
    "Old Town": ("05:55", "12:00", "18:20"),
}
_orders: dict[str, int] = {}
_reserved = {"seats": 0}


def next_departure(station: Literal["Harbour", "Old Town"], time: str) -> str:
    """Tell when the next bus leaves.

    Args:
        station: Where it leaves.
        time: From when on, 00:00 to 23:59.
            After the last bus of the day, the answer is the first one of the next day.

    Raises:
        ValueError: The time has another form.
    """
    if not re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", time):
        raise ValueError("time must be 00:00 to 23:59")
    for departure in _DEPARTURES[station]:
        if departure >= time:
            return departure
    return None  # type: ignore[return-value]


def seat_orders(
    action: Literal["reserve", "cancel", "count"], order: str = "", seats: int = 0
) -> str:
    """Reserve the twelve seats of a boat.

    Args:
        action: "reserve" needs an order and seats, "cancel" gives the seats of an order back, and
            "count" tells how many seats are reserved, 0 to 12.
        order: Number of the order: three digits.
        seats: Number of seats, 1 to 12.

    Raises:
        ValueError: The number of the order has another form, is taken or unknown, or there are not
            so many free seats.
    """
    if action == "count":
        return f"{_reserved['seats']} seats are reserved."
    if not re.fullmatch("[0-9]{3}", order):
        raise ValueError("order must have three digits")
    if action == "reserve":
        if order in _orders:
            raise ValueError("order: the number is taken")
        if not 1 <= seats <= 12 - _reserved["seats"]:
            raise ValueError("seats: there are not so many free ones")
        _orders[order] = seats
        _reserved["seats"] += seats
        return f"{seats} seats for {order}"
    if order not in _orders:
        raise ValueError("order: the number is unknown")
    _reserved["seats"] -= _orders[order]
    return f"{order} is cancelled"

"""Tools that run a guest house, for LangChain agents and as methods of objects."""

import re
from datetime import datetime
from typing import Literal

from langchain_core.tools import BaseTool, StructuredTool, tool
from pydantic import BaseModel, Field

_SEATS = {"window": 2, "stove": 6, "terrace": 8}
_DEGREES = {"kitchen": 21.5, "salon": 19.0, "cellar": 12.5}
_SHELF_DAYS = {"milk": 5, "butter": 30, "salmon": 2, "honey": 700}
_FERRIES = {"pier": 0, "island": 25, "lighthouse": 40}
_ACTIONS = {"lamp": ("on", "off", "dim"), "fan": ("on", "off"), "blind": ("up", "down", "off")}


class _Reservation(BaseModel):
    table: Literal["window", "stove", "terrace"] = Field(description="the table to reserve")
    guests: int = Field(ge=1, description="number of guests")


class ReserveTable(BaseTool):
    """Reserve a table for the evening."""

    name: str = "reserve_table"
    description: str = "Reserves a table in the restaurant for this evening, and confirms it."
    args_schema: type[BaseModel] = _Reservation

    def _run(self, table: str, guests: int) -> str:
        try:
            self._check(table, guests)
        except ValueError as problem:
            return f"Error: {problem}"
        return f"The {table} table is reserved for {guests}."

    def _check(self, table: str, guests: int) -> None:
        if guests > _SEATS[table]:
            raise ValueError(f"the {table} table is too small")


reserve_table = ReserveTable()


class Thermostat:
    """The heating of the house."""

    def __init__(self) -> None:
        self._targets = {"kitchen": 20.0, "salon": 21.0}

    def set_target(self, zone: Literal["kitchen", "salon"], celsius: float) -> str:
        """Set the temperature that the heating aims at.

        Args:
            zone: Part of the house.
            celsius: Temperature in degrees Celsius.
        """
        if not 5 <= celsius <= 30:
            return f"Failed to set the {zone}: value not accepted by the boiler"
        self._targets[zone] = celsius
        return f"The {zone} is heated to {celsius:.1f} degrees."


set_heating = Thermostat().set_target


class _Visit(BaseModel):
    day: str = Field(description='day of the visit, such as "2024/05/01"')
    guests: int = Field(default=1, ge=1, le=30, description="number of guests")


def _plan_visit(day: str, guests: int = 1) -> str:
    """Plan a visit of the wine cellar, and tell on which weekday it is."""
    when = datetime.strptime(day, "%Y-%m-%d")  # noqa: DTZ007
    return f"{guests} guests on {when:%A}"


plan_visit = StructuredTool.from_function(_plan_visit, name="plan_visit", args_schema=_Visit)


def _control(command: str) -> str:
    """Control a device of the house.

    Args:
        command: Device (lamp, fan or blind), ":", and action (on, off, dim, up or down), as in
            "lamp:on". For others the answer is "Unknown device or action.".
    """
    device, _, action = command.partition(":")
    if device not in _ACTIONS or action not in ("on", "off", "dim", "up", "down"):
        return "Unknown device or action."
    try:
        place = _ACTIONS[device].index(action)
    except ValueError as problem:
        return f"Exception: {problem}"
    return f"{device}: action {place} done"


control_device = StructuredTool.from_function(_control, name="control_device")


@tool
def room_temperature(room: str) -> str:
    """Tell the temperature of a room.

    Args:
        room: The room, which must be written after "room: ", as in "room: kitchen". The rooms are
            kitchen, salon and cellar. For others the answer is "There is no such room.".
    """
    if room.removeprefix("room: ") not in _DEGREES:
        return "There is no such room."
    return f"{_DEGREES[room]} degrees"


@tool
def shelf_life(food: str) -> str:
    """Tell how long a food keeps in the pantry.

    Args:
        food: milk, butter, salmon or honey. It has to be written in capital letters, as in "MILK".
            For others the answer is "We do not store that.".
    """
    if food.lower() not in _SHELF_DAYS:
        return "We do not store that."
    return f"{_SHELF_DAYS[food]} days"


@tool
def print_labels(text: str, copies: int) -> str:
    """Print labels for the jam, one below the other.

    Args:
        text: What a label says; up to 200 characters, others are refused with a ValueError.
        copies: Number of labels, at least 1; others are refused with a ValueError.
    """
    if len(text) > 200 or copies < 1:
        raise ValueError("1 or more labels of up to 200 characters")
    if copies * (len(text) + 1) > 4000:
        return "Error: output too long for the printer"
    return "\n".join([text] * copies)


@tool
async def ferry_minutes(
    start: Literal["pier", "island", "lighthouse"], end: Literal["pier", "island", "lighthouse"]
) -> float:
    """Tell how many rounds of the ferry between two landing places fit in an hour."""
    return 60 / abs(_FERRIES[start] - _FERRIES[end])


@tool
def pick_breakfast(eggs: int, tea: bool, bread: Literal["rye", "wheat"] = "rye") -> str:
    """Put together a breakfast.

    Args:
        eggs: Number of eggs, 0 to 4; others are refused with a ValueError.
        tea: Tea instead of coffee.
        bread: Kind of bread.
    """
    if not 0 <= eggs <= 4:
        raise ValueError("0 to 4 eggs")
    return f"{eggs} eggs, {bread} bread, {'tea' if tea else 'coffee'}"


def room_of(key: str) -> str:
    """Name the room that a key opens.

    Args:
        key: Floor (1 to 3) and letter (A to D), as in "2B".

    Raises:
        ValueError: The key is written in another way.
    """
    if not re.fullmatch("[1-3][A-D]", key):
        raise ValueError("not a key")
    return f"room {int(key[0]) * 100 + 'ABCD'.index(key[1]) + 1}"

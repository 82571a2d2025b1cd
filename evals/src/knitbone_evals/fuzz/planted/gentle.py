"""Tools that answer bad arguments with errors, or in the ways of frameworks."""

import asyncio
from typing import Any

from langchain_core.tools import ToolException, tool

_LITRES = {"pint": 0.568, "gallon": 4.546, "cup": 0.25}
_ROOMS = {0: ["Foyer", "Kitchen"], 1: ["Library"], 2: []}
_PAGES = ("Welcome", "Rules of the house", "Contacts")


def to_litres(amount: float, unit: str) -> dict[str, Any]:
    """Convert an amount to litres.

    Args:
        amount: The amount, 0 to 1000000.
        unit: cup, gallon or pint.

    Returns:
        A result with "content"; its "isError" is true if the arguments are not as described.
    """
    if unit not in _LITRES:
        return {"isError": True, "content": [{"type": "text", "text": "unknown unit"}]}
    if not 0 <= amount <= 1_000_000:
        return {"isError": True, "content": [{"type": "text", "text": "amount out of range"}]}
    text = f"{amount * _LITRES[unit]:.3f} l"
    return {"isError": False, "content": [{"type": "text", "text": text}]}


def rooms_on_floor(floor: int) -> dict[str, Any]:
    """List the rooms on a floor of the house.

    Args:
        floor: Number of the floor, 0 for the ground.

    Returns:
        {"rooms": [...]}, or {"error": ...} if there is no such floor.
    """
    if floor not in _ROOMS:
        return {"error": "floor must be 0, 1 or 2"}
    return {"rooms": list(_ROOMS[floor])}


@tool
def repaired_by(device: str, decade: str) -> str:
    """Tell who repaired a device of the house.

    Args:
        device: boiler or lift.
        decade: The decade, as in "2010s"; records go from the 1990s to the 2020s.
    """
    if device not in ("boiler", "lift"):
        raise ToolException("device must be boiler or lift")
    if decade not in ("1990s", "2000s", "2010s", "2020s"):
        raise ToolException("decade must be 1990s, 2000s, 2010s or 2020s")
    return "Moser" if device == "boiler" or decade < "2010s" else "Novak"


async def handbook_page(page: int) -> str:
    """Fetch a page of the handbook.

    Args:
        page: Number of the page, from 1.

    Raises:
        LookupError: The handbook has no such page.
    """
    await asyncio.sleep(0)
    if not 1 <= page <= len(_PAGES):
        raise LookupError("the handbook has no such page")
    return _PAGES[page - 1]

"""Tools of an allotment: beds, watering, frost."""

import configparser
import re
from typing import Any


def bed_plan(plan: str) -> str:
    """Summarise a plan of garden beds.

    Args:
        plan: Text in INI form: a section for every bed, with "width" in metres (1 to 99), "plants"
            (names, with commas between them), and any other notes, as in
            "[north]\\nwidth = 2\\nplants = peas, kale\\nsoil = sandy".

    Raises:
        ValueError: The plan is not INI, has no bed, or a bed has no width.
    """
    if len(plan) > 5000:
        raise ValueError("plan: 5000 characters at most")
    parser = configparser.ConfigParser()
    try:
        parser.read_string(plan)
    except configparser.Error as error:
        raise ValueError(f"plan: not INI ({type(error).__name__})") from error
    if not parser.sections():
        raise ValueError("plan: there is no bed in it")
    lines = []
    for bed in parser.sections():
        values = dict(parser[bed])
        if not re.fullmatch("[1-9][0-9]?", values.get("width", "")):
            raise ValueError(f"plan: bed {bed[:20]!r} needs a width of 1 to 99 metres")
        plants = [name for name in values.get("plants", "").split(",") if name.strip()]
        lines.append(f"{bed[:20]!r}: {len(plants)} kinds on {values['width']} m")
    return "\n".join(lines)


def watering_total(bed: str, entries: list[dict[str, Any]]) -> float:
    """Add up the litres that a bed was given.

    Args:
        bed: Name of the bed.
        entries: The waterings of all beds, at most 500. Each is an object with its "bed", and the
            amount in "litres" or in "cans" of ten litres, 0 to 10000.

    Raises:
        ValueError: There are too many entries, one has no bed, or its amount is no such number.
    """
    if len(entries) > 500:
        raise ValueError("entries: 500 at most")
    total = 0.0
    for place, entry in enumerate(entries):
        if not isinstance(entry.get("bed"), str):
            raise ValueError(f"entries[{place}] has no bed")
        if entry["bed"] != bed:
            continue
        unit = 1 if "litres" in entry else 10
        given = entry["litres"] if unit == 1 else entry["cans"]
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise ValueError(f"entries[{place}]: the amount is not a number")
        if not 0 <= given <= 10_000:
            raise ValueError(f"entries[{place}]: the amount is out of range")
        total += given * unit
    return total


def frost_free(nights: str) -> int:
    """Count the nights of the longest stretch that stayed above zero.

    Args:
        nights: The lowest temperatures of up to 365 nights in a row, as in "3.5, -1, 0, 12".

    Raises:
        ValueError: A temperature is not a number of one or two digits, or there are too many.
    """
    temperatures = [text.strip() for text in nights.split(",")]
    if len(temperatures) > 365:
        raise ValueError("nights: 365 at most")
    for text in temperatures:
        if not re.fullmatch("-?[0-9]{1,2}([.][0-9])?", text):
            raise ValueError(f"nights: not a temperature: {text[:20]!r}")
    marks = "".join("+" if float(text) > 0 else "-" for text in temperatures)
    return max(len(stretch) for stretch in marks.split("-") if stretch)

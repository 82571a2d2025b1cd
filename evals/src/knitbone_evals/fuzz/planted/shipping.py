"""Tools of a parcel service: labels, notes for the driver, weights."""

import base64
import json
import re
from urllib.parse import unquote_to_bytes


def read_label(code: str) -> str:
    """Read the code on a parcel's label: where the parcel goes, and what it weighs.

    Args:
        code: Base64 of a JSON object with the receiver in "to", in turn with "name" and "town",
            and the weight in "grams".

    Raises:
        ValueError: The code is not Base64 of a JSON object, or something is missing in it.
    """
    try:
        label = json.loads(base64.b64decode(code, validate=True).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError("code: not Base64 of JSON") from error
    if not isinstance(label, dict):
        raise ValueError("code: the JSON is not an object")
    grams = label.get("grams")
    if isinstance(grams, bool) or not isinstance(grams, int) or not 1 <= grams <= 40_000:
        raise ValueError("code: grams must be a whole number, 1 to 40000")
    receiver = label.get("to")
    if receiver is None:
        raise ValueError("code: there is no receiver")
    name, town = receiver.get("name"), receiver.get("town")
    if not isinstance(name, str) or not isinstance(town, str):
        raise ValueError("code: the receiver needs a name and a town")
    return f"{name[:40]!r} in {town[:40]!r}, {grams} g"


def driver_note(query: str) -> str:
    """Read the note that a customer leaves for the driver on the tracking page.

    Args:
        query: Query of the page's address, with "parcel" (two capital letters and six digits) and
            "note" (any text, percent-encoded), as in "parcel=AB123456&note=at%20the%20door".

    Raises:
        ValueError: The query has other characters than ASCII, or no such parcel, or no note.
    """
    if not query.isascii():
        raise ValueError("query: percent-encode what is not ASCII")
    fields = dict(part.partition("=")[::2] for part in query.split("&"))
    if not re.fullmatch("[A-Z]{2}[0-9]{6}", fields.get("parcel", "")):
        raise ValueError("query: parcel must be two letters and six digits")
    if not fields.get("note"):
        raise ValueError("query: there is no note")
    note = unquote_to_bytes(fields["note"].replace("+", " ")).decode("utf-8")
    return f"{fields['parcel']}: {note!r}"


def parcels_needed(weight: float, limit: float) -> int:
    """Count the parcels into which goods have to be split.

    Args:
        weight: Weight of all goods in kilograms, above 0 and at most 10000.
        limit: Weight that a parcel may have at most, in kilograms; never negative.

    Raises:
        ValueError: A weight is out of its range.
    """
    if not 0 < weight <= 10_000:
        raise ValueError("weight must be above 0 and at most 10000")
    if not limit >= 0:
        raise ValueError("limit must not be negative")
    parcels = 0
    while weight > 0:
        weight -= limit
        parcels += 1
    return parcels

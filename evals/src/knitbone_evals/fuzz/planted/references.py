"""Tools that decode references, codes and numbers with check digits."""

import base64
import binascii
import re
import struct

_SHELVES = ("A1", "A2", "B1", "B2", "C1", "C2")
_BANKS = {"1": "North Bank", "2": "Harbour Bank", "3": "Farmers", "4": "Post", "5": "City Savings"}
_LAYOUTS = ("plain", "signed", "sealed")
_REGIONS = {"W": "Vienna", "S": "Salzburg", "G": "Graz"}
_PARCELS = {"L-104": "delivered", "L-105": "on its way", "L-230": "at the depot"}
_ROOMS = {"0": 3, "1": 3, "2": 3, "3": 4, "4": 4, "5": 4, "6": 7, "7": 7, "8": 7, "9": 7}
_NUMERALS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_AGES = (*["antiquity"] * 5, *["middle ages"] * 10, *["modern times"] * 6, *["future"] * 9)


def invoice_shelf(reference: str) -> str:
    """Tell on which shelf an invoice is kept.

    Args:
        reference: "INV-", four digits, "-", and two capital letters, as in "INV-2041-KB".

    Raises:
        ValueError: The reference has another form.
    """
    match = re.fullmatch("INV-([0-9]{4})-([A-Z]{2})", reference)
    if match is None:
        raise ValueError(f"not a reference: {reference!r}")
    number = int(match.group(1))
    return f"{_SHELVES[number % 7]}, folder {match.group(2)}"


def card_issuer(number: str) -> str:
    """Name the bank that issued a customer card.

    Args:
        number: The eight digits of the card. The last one is the check digit: the digits, weighted
            by turns with 1 and 3, must add up to a multiple of 10.

    Returns:
        Name of the bank, or "The check digit is wrong.".

    Raises:
        ValueError: The number does not consist of eight digits.
    """
    if not re.fullmatch("[0-9]{8}", number):
        raise ValueError("a card has eight digits")
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number))
    if total % 10:
        return "The check digit is wrong."
    return _BANKS[number[0]]


def book_room(isbn: str) -> str:
    """Tell in which room of the library a book stands.

    Args:
        isbn: Ten-character ISBN without hyphens: nine digits and the check character, which is a
            digit or X.

    Returns:
        The room, or "The check character is wrong.".

    Raises:
        ValueError: The text has another form.
    """
    if not re.fullmatch("[0-9]{9}[0-9X]", isbn):
        raise ValueError(f"not an ISBN: {isbn!r}")
    values = [10 if character == "X" else int(character) for character in isbn]
    if sum((10 - place) * value for place, value in enumerate(values)) % 11:
        return "The check character is wrong."
    return f"room {_ROOMS[isbn[-1]]}"


def plain_colour(code: str) -> str:
    """Undo the transparency of a colour, for a white page.

    Args:
        code: "#RRGGBB", or "#RRGGBBAA" with the opacity, in hexadecimal digits.

    Raises:
        ValueError: The code has another form.
    """
    if not re.fullmatch("#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})", code):
        raise ValueError(f"not a colour: {code!r}")
    red, green, blue, *opacity = bytes.fromhex(code[1:])
    if opacity:
        red, green, blue = (min(255, part * 255 // opacity[0]) for part in (red, green, blue))
    return f"rgb({red}, {green}, {blue})"


def token_layout(token: str) -> str:
    """Describe the layout of an access token.

    Args:
        token: Twelve characters of base64, which stand for nine bytes: the layout as a big-endian
            number of two bytes, the serial number in four, and a signature of three.

    Raises:
        ValueError: The text is not base64, or does not stand for nine bytes.
    """
    try:
        data = base64.b64decode(token, validate=True)
    except (binascii.Error, ValueError) as problem:
        raise ValueError("not base64") from problem
    if len(data) != 9:
        raise ValueError("a token has nine bytes")
    layout, serial, _signature = struct.unpack(">HI3s", data)
    return f"{_LAYOUTS[layout]} token {serial}"


def parcel_state(code: str) -> str:
    """Tell where a parcel is.

    Args:
        code: Code of the parcel.

    Returns:
        Where it is, or "There is no such parcel.".
    """
    number = code.split("L-")[1]
    return _PARCELS.get(f"L-{number}", "There is no such parcel.")


def parcel_weight(label: str) -> str:
    """Read the weight from the label of a parcel.

    Args:
        label: Text of the label, which names sender, receiver and weight.
    """
    return label.split("/")[2].strip()


def plate_region(plate: str) -> str:
    """Name the region of a licence plate; "elsewhere" if it is not one of ours.

    Args:
        plate: The licence plate.
    """
    letters = re.match(r"([A-Z]{1,2})-[0-9]{1,5}", plate).group(1)
    return _REGIONS.get(letters, "elsewhere")


def age_of(numeral: str) -> str:
    """Name the age to which a year belongs.

    Args:
        numeral: The year in Roman numerals, such as MCMXIV, from I to MMMCMXCIX.

    Raises:
        ValueError: The text is not such a numeral.
    """
    form = "M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})"
    if not numeral or not re.fullmatch(form, numeral):
        raise ValueError(f"not a Roman numeral: {numeral!r}")
    values = [_NUMERALS[letter] for letter in numeral]
    year = sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
    return _AGES[(year - 1) // 100]


def group_iban(iban: str) -> str:
    """Write an IBAN in groups of four.

    Args:
        iban: Two capital letters, two digits, and 11 to 30 capital letters or digits; spaces are
            passed over.

    Raises:
        ValueError: The text has another form.
    """
    letters = iban.replace(" ", "")
    if not re.fullmatch("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", letters):
        raise ValueError("not an IBAN")
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))

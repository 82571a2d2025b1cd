"""Tools that read text with structure: CSV, JSON, XML, patterns."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter


def _rows(table: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(table)))
    except csv.Error as problem:
        raise ValueError("not CSV text") from problem


def _json_object(document: str) -> dict[str, object]:
    try:
        found = json.loads(document)
    except (ValueError, RecursionError) as problem:
        raise ValueError("not JSON") from problem
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


def unit_price(table: str) -> float:
    """Compute the price of one piece from the first line of an order.

    Args:
        table: CSV text: a line of headings, then lines of an item, the total price, and the number
            of pieces in the third column. Prices and numbers are whole, of one to six digits.

    Raises:
        ValueError: The text has no such line.
    """
    rows = _rows(table)
    if len(rows) < 2 or len(rows[1]) < 3:
        raise ValueError("no line of three columns below the headings")
    total, pieces = rows[1][1].strip(), rows[1][2].strip()
    if not (re.fullmatch("[0-9]{1,6}", total) and re.fullmatch("[0-9]{1,6}", pieces)):
        raise ValueError("price and number of pieces must be whole numbers")
    return int(total) / int(pieces)


def third_column(table: str) -> str:
    """Return the entry in the third column of the second row of CSV text with a heading "item".

    Args:
        table: CSV text of at least two rows; the first column of the first row says "item".

    Raises:
        ValueError: The text has fewer rows, or its first heading is another.
    """
    rows = _rows(table)
    if len(rows) < 2 or rows[0][:1] != ["item"]:
        raise ValueError("no table of items")
    return rows[1][2]


def list_column(table: str, column: int) -> list[str]:
    """List one column of a table.

    Args:
        table: Rows on lines of their own, columns separated by semicolons.
        column: Number of the column, from 0.
    """
    return [line.split(";")[column] for line in table.splitlines()]


def read_setting(document: str, name: str) -> str:
    """Read one setting from the JSON text of a configuration.

    Args:
        document: JSON text of an object.
        name: Name of the setting. For an unknown one the answer is "not set".

    Raises:
        ValueError: The text is not that of a JSON object.
    """
    settings = _json_object(document)["settings"]
    if isinstance(settings, dict) and name in settings:
        return str(settings[name])
    return "not set"


def apply_event(event: str) -> str:
    """Describe what an event does to an account.

    Args:
        event: JSON object with "kind" (deposit, withdrawal or refund) and "cents", a whole number
            from 0 to 1000000.

    Raises:
        ValueError: The text is not such an object.
    """
    fields = _json_object(event)
    kind, cents = fields.get("kind"), fields.get("cents")
    if kind not in ("deposit", "withdrawal", "refund"):
        raise ValueError("kind must be deposit, withdrawal or refund")
    if not isinstance(cents, int) or not 0 <= cents <= 1_000_000:
        raise ValueError("cents must be a whole number from 0 to 1000000")
    if kind == "refund":
        return f"+{cents} cents, for order {fields['order']!s:.20}"
    return f"{'+' if kind == 'deposit' else '-'}{cents} cents"


def price_of(document: str) -> float:
    """Read the price from the XML text of an article.

    Args:
        document: XML with an element "article" at the root and a "price" in it, such as
            "<article><price>3.20</price></article>".

    Raises:
        ValueError: The text is not XML, the root is another, or there is no price in it.
    """
    try:
        root = ET.fromstring(document)
    except (ET.ParseError, ValueError, LookupError) as problem:
        raise ValueError("not XML") from problem
    price = root.find("price")
    if root.tag != "article" or price is None:
        raise ValueError("no article with a price")
    return _amount(price.text)


def _amount(text: str) -> float:
    digits = text.strip().replace(",", ".")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,2})?", digits):
        return 0.0
    return float(digits)


def top_word(text: str) -> str:
    """Return the most frequent word of a text, in lower case.

    Args:
        text: Any text in any language.
    """
    words = re.findall(r"\w+", text.lower())
    return Counter(words).most_common(1)[0][0]


def headline(text: str) -> str:
    """Make a headline of a sentence: each word with a capital letter.

    Args:
        text: The sentence.
    """
    assert len(text) <= 80, "headlines have at most 80 characters"
    return " ".join(word[:1].upper() + word[1:] for word in text.split())


def expand_pattern(pattern: str) -> str:
    """Write out the pattern of a weaver.

    Args:
        pattern: Parts joined by "+", each of lower-case letters, "*" and how often they are
            repeated (1 to 999), such as "ab*3+c*2". At most 20 parts of at most 10 letters.

    Raises:
        ValueError: The pattern is written in another way.
    """
    parts = pattern.split("+")
    if len(parts) > 20 or not all(
        re.fullmatch(r"[a-z]{1,10}\*[1-9][0-9]{0,2}", part) for part in parts
    ):
        raise ValueError(f"not a pattern: {pattern[:40]!r}")
    woven = "".join(letters * int(count) for letters, count in (p.split("*") for p in parts))
    if len(woven) > 1000:
        raise BufferError("the loom takes 1000 threads")
    return woven


def sum_column(table: str, heading: str) -> float:
    """Add up a column of CSV text with headings; entries that are no whole numbers count as 0.

    Raises:
        ValueError: The text is not CSV, or has no such heading.
    """
    rows = _rows(table)
    if not rows or heading not in rows[0]:
        raise ValueError("no such heading")
    column = rows[0].index(heading)
    entries = [row[column].strip() for row in rows[1:] if len(row) > column]
    return float(sum(int(entry) for entry in entries if re.fullmatch("-?[0-9]{1,9}", entry)))


def json_keys(document: str) -> list[str]:
    """List the keys of a JSON object in order.

    Raises:
        ValueError: The text is not that of a JSON object.
    """
    return sorted(_json_object(document))

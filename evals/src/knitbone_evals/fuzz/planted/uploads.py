"""Files that users drop into the chat."""

from __future__ import annotations

import base64
import csv

_PREFIX = "data:text/csv;base64,"
_ENCODINGS = ("utf-8", "latin-1", "ascii")


def preview_csv_upload(data_url: str, rows: int = 5) -> list[dict[str, str]]:
    """Show the first rows of a CSV file that a user has uploaded.

    Args:
        data_url: The file as the browser sends it: "data:text/csv;base64," and its content.
        rows: How many rows to show, 1 to 50.

    Returns:
        The rows, each with its cells by the names in the file's first line.

    Raises:
        ValueError: If it is not a CSV upload, its base64 is damaged, or `rows` is out of range.
    """
    if not 1 <= rows <= 50:
        raise ValueError("rows must be between 1 and 50")
    if not data_url.startswith(_PREFIX):
        raise ValueError(f"the upload must begin with {_PREFIX}")
    try:
        content = base64.b64decode(data_url[len(_PREFIX) :], validate=True)
    except ValueError:
        raise ValueError("the upload is damaged") from None
    lines = content.decode("utf-8-sig").splitlines()
    try:
        table = [row for row in csv.reader(lines) if row]
    except csv.Error as problem:
        raise ValueError(f"the upload is not a CSV file: {problem}") from None
    if not table:
        return []
    return [dict(zip(table[0], row)) for row in table[1 : rows + 1]]


def decode_text(data: str, encoding: str = "utf-8") -> str:
    """
    Decode a text file that was uploaded as base64.

    Parameters
    ----------
    data : str
        Content of the file in base64.
    encoding : str
        Encoding of the text: utf-8, latin-1 or ascii.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    ValueError
        If `data` is not base64, the encoding is not one of the three, or the file is not a text
        in this encoding.
    """
    if encoding not in _ENCODINGS:
        raise ValueError(f"encoding must be one of {', '.join(_ENCODINGS)}")
    try:
        content = base64.b64decode(data, validate=True)
    except ValueError:
        raise ValueError("data is not valid base64") from None
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        raise ValueError(f"the file is not a text in {encoding}: {problem.reason}") from None

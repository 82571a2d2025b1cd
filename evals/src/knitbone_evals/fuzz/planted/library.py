"""Tools of a lending library: loans, book numbers, shelf marks."""

import re
from typing import Literal

_loans: dict[str, list[str]] = {}
_readers: list[str] = []


def loan_desk(action: Literal["lend", "return", "list"], reader: str = "", book: str = "") -> str:
    """Keep track of who has borrowed which book.

    Args:
        action: "lend" and "return" need a reader and a book. "list" needs neither;
            it names the readers with the books that they have.
        reader: Name of the reader.
        book: Title of the book.

    Raises:
        ValueError: A name is empty or has unusual characters, 30 books are lent, the book is lent
            already, or the reader does not have it.
    """
    if action == "list":
        lines = []
        for name in _readers:
            lines.append(f"{name}: {', '.join(_loans[name])}")
        return "\n".join(lines) or "Nothing is lent."
    for argument, text in (("reader", reader), ("book", book)):
        if not re.fullmatch(r"[\w .,'-]{1,60}", text):
            raise ValueError(f"{argument}: 1 to 60 letters, digits and spaces are needed")
    if action == "lend":
        if sum(len(books) for books in _loans.values()) >= 30:
            raise ValueError("30 books are lent, which is the limit")
        if any(book in books for books in _loans.values()):
            raise ValueError("book: it is lent already")
        if reader not in _readers:
            _readers.append(reader)
        _loans.setdefault(reader, []).append(book)
        return f"{reader} takes {book}"
    if book not in _loans.get(reader, []):
        raise ValueError("book: this reader does not have it")
    _loans[reader].remove(book)
    if not _loans[reader]:
        del _loans[reader]
    return f"{reader} brings {book} back"


def isbn_check(isbn: str) -> str:
    """Check the last character of an ISBN-10.

    Args:
        isbn: Nine digits and a check character, which is a digit or an X, large or small.
            Hyphens may stand anywhere.

    Raises:
        ValueError: The number has another form.
    """
    plain = isbn.replace("-", "")
    if not re.fullmatch("[0-9]{9}[0-9Xx]", plain):
        raise ValueError("isbn: nine digits and a check character are needed")
    total = 0
    for place, sign in enumerate(plain):
        total += (10 - place) * (10 if sign == "X" else int(sign))
    return "The number is valid." if total % 11 == 0 else "The check character is wrong."


def _shelf_key(mark: str) -> tuple[str, int | str]:
    subject, rest = mark.split(" ")
    return subject, int(rest) if rest.isdigit() else rest


def shelf_order(marks: list[str]) -> list[str]:
    """Bring shelf marks into the order in which they stand on the shelf.

    Args:
        marks: Up to 100 shelf marks: one to three capital letters for the subject, a space, and a
            number or a letter with a number, as in "QA 76" or "QA M12".

    Raises:
        ValueError: A shelf mark has another form, or there are too many.
    """
    if len(marks) > 100:
        raise ValueError("marks: 100 at most")
    for place, mark in enumerate(marks):
        if not re.fullmatch("[A-Z]{1,3} (?:[0-9]{1,4}|[A-Z][0-9]{1,3})", mark):
            raise ValueError(f"marks[{place}] is not a shelf mark: {mark[:20]!r}")
    return sorted(marks, key=_shelf_key)

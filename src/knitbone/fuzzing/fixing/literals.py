"""Edits of what a string says, as edits of its source: quotation marks and escapes stay theirs."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

import msgspec

from knitbone.fuzzing.fixing.docstrings import TextEdit

__all__ = ["EditError", "edited_source", "literal_of"]

_ESCAPE = re.compile(
    r"\\(?:\r\n|\r|\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.)|\r\n",
    re.DOTALL,
)
_LITERAL = re.compile(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')", re.DOTALL)


class EditError(ValueError):
    """A literal that cannot be edited; the message says why."""


class Literal(msgspec.Struct, frozen=True, kw_only=True):
    """One string literal in source."""

    start: int
    """Where its text begins, behind the quotation marks."""
    end: int
    quote: str
    is_raw: bool
    text: str
    """As the program reads it."""


def literal_of(source: str, start: int, end: int) -> Literal:
    """The literal that stands between two offsets of a source.

    Raises:
        EditError: it is none, or one of bytes or with expressions in it.
    """
    match = _LITERAL.match(source, start, end)
    if match is None:
        raise EditError("it is no string literal")
    prefix, quote = match[1].lower(), match[2]
    if set(prefix) - {"r", "u"}:
        raise EditError("it is made when the program runs")
    first, last = match.end(), end - len(quote)
    if last < first or source[last:end] != quote:
        raise EditError("it is no string literal")
    value = ast.literal_eval(source[start:end])
    return Literal(start=first, end=last, quote=quote, is_raw="r" in prefix, text=value)


def edited_source(source: str, literal: Literal, edits: Sequence[TextEdit], newline: str) -> str:
    """The source with edits of what one literal says.

    Args:
        newline: what ends the lines of the file.

    Raises:
        EditError: an edit cannot be written in such a literal.
    """
    places = _places(source, literal)
    for edit in reversed(sorted(edits, key=lambda e: (e.start, e.end))):  # noqa: C413 - stable
        text = _escaped(edit.text, literal, newline, at_end=edit.end == len(literal.text))
        source = source[: places[edit.start]] + text + source[places[edit.end] :]
    return source


def _places(source: str, literal: Literal) -> list[int]:
    """Where each character of the literal's value begins in source, and where the last one ends."""
    places: list[int] = []
    offset = literal.start
    while offset < literal.end:
        match = _ESCAPE.match(source, offset, literal.end)
        is_break = match is not None and match[0] == "\r\n"
        if match is None or (literal.is_raw and not is_break):
            places.append(offset)
            offset += 1
            continue
        places.extend([offset] * len(_read(match[0])))
        offset = match.end()
    places.append(literal.end)
    if len(places) != len(literal.text) + 1:
        raise EditError("its escapes are not understood")
    return places


def _read(escape: str) -> str:
    """What an escape, or a line's end, says."""
    if escape == "\r\n":
        return "\n"
    if escape[1:] in ("\n", "\r", "\r\n"):
        return ""
    try:
        value = ast.literal_eval(f'"""{escape}"""' if escape != '\\"' else "'\"'")
    except (SyntaxError, ValueError):
        raise EditError("its escapes are not understood") from None
    return str(value)


def _escaped(text: str, literal: Literal, newline: str, *, at_end: bool) -> str:
    """A text as it is written in such a literal."""
    many_lines = len(literal.quote) > 1
    if literal.is_raw:
        if "\\" in text or literal.quote[0] in text or ("\n" in text and not many_lines):
            raise EditError("it is a raw string, and the text would need escapes")
        return text.replace("\n", newline)
    made = text.replace("\\", "\\\\")
    if not many_lines:
        return made.replace("\n", "\\n").replace(literal.quote, f"\\{literal.quote}")
    made = made.replace(literal.quote, "\\" + "\\".join(literal.quote))
    if at_end and made.endswith(literal.quote[0]):
        made = f"{made[:-1]}\\{made[-1]}"
    return made.replace("\n", newline)

"""Messages without what differs between two calls that fail alike, for grouping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

__all__ = ["normalise", "stable"]

_LONGEST = 4_000
"""Characters looked at; a message repeats its argument, which is replaced before the cut."""
_SHORT = 3
"""Arguments shorter than this may be part of any word."""
_VALUE = "<value>"

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
# The alternatives exclude each other, and a second quote on a line closes the first: linear.
_QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`[^`\n]*`")
_CUT = re.compile(r"'(?:[^'\\\n]|\\.)*\Z|\"(?:[^\"\\\n]|\\.)*\Z")
_CUT_BY_PYTHON = re.compile(r"'(?:[^'\\\n]|\\.){99,}\Z|\"(?:[^\"\\\n]|\\.){99,}\Z")
"""What ``%.200R`` leaves of a long value: no quotation mark ends it (at least 99 characters, since
one may take two)."""
_PATH = re.compile(r"(?:\$\{SANDBOX\}|~|\.{1,2})?(?:/[^\s/'\":,;()]+)+/?")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.,_]*(?:[eE][-+]?\d+)?(?!\w)")
_DIGITS = re.compile(r"(?<![A-Za-z])[-+]?\d[\d.,_]*")
_HEX = re.compile(r"[-+]?\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b")
_SPACES = re.compile(r"\s+")
_EDGE = " \t\n:.,;"
_PLACEHOLDERS = (_VALUE, "N", "PATH")
_PIECES = re.compile(r"[;,|:/=\s]+|->")


def stable(message: str, *, longest: int) -> str:
    """A message for the report: memory addresses, which differ each time, are masked."""
    text = _ADDRESS.sub("0x…", message[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def normalise(message: str, arguments: dict[str, Any]) -> str:
    """What is left of a message when values are taken out.

    Arguments (as they are, quoted, stripped or in another case), quoted texts, paths, numbers and
    addresses become placeholders; a value at the end is dropped. Idempotent.
    """
    text = message
    values = sorted(set(_texts(arguments)), key=len, reverse=True)
    for value in values:
        text = _without(text, value)
    is_cut = len(text) > _LONGEST
    text = text[:_LONGEST]
    text = _ADDRESS.sub("N", text)
    text = _QUOTED.sub(_VALUE, text)
    text = (_CUT if is_cut else _CUT_BY_PYTHON).sub(_VALUE, text)
    text = _PATH.sub("PATH", text)
    text = _NUMBER.sub("N", text)
    text = _HEX.sub("N", text)
    text = _DIGITS.sub("N", text)
    text = _SPACES.sub(" ", text).strip()
    return _settle(text)


def _settle(text: str) -> str:
    """Drop values from the end until none is left."""
    text = text.rstrip(_EDGE)
    while text.endswith(_PLACEHOLDERS):
        for placeholder in _PLACEHOLDERS:
            shorter = text.removesuffix(placeholder)
            if shorter != text and not (placeholder.isalpha() and shorter[-1:].isalnum()):
                text = shorter.rstrip(_EDGE)
                break
        else:
            return text  # a word that only ends like a placeholder
    return text


def _without(text: str, value: str) -> str:
    for form in dict.fromkeys((repr(value), value, value.strip(), value.lower(), value.upper())):
        if not form:
            continue
        if form != repr(value) and len(form) < _SHORT:
            if text.endswith(form) and not text[: -len(form)][-1:].isalnum():
                text = text[: -len(form)] + _VALUE
            continue
        if len(form) >= _SHORT and form in text:
            before = r"(?<![A-Za-z0-9])" if form[0].isalnum() else ""
            after = r"(?![A-Za-z0-9])" if form[-1].isalnum() else ""
            text = re.sub(before + re.escape(form) + after, _VALUE, text)
    for piece in _PIECES.split(value[:2_000]):
        if len(piece) >= _SHORT and text.endswith(piece):
            text = text[: -len(piece)] + _VALUE
    return text


def _texts(value: Any) -> Iterator[str]:
    """All texts within the arguments."""
    queue: list[Any] = [value]
    while queue:
        item = queue.pop()
        if isinstance(item, str):
            if item:
                yield item
        elif isinstance(item, dict):
            pairs = cast("dict[str, Any]", item)
            # Keys of the arguments themselves are the tool's own words.
            queue.extend(pairs.values())
        elif isinstance(item, list):
            queue.extend(cast("list[Any]", item))

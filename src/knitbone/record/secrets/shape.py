"""What a value is like by itself, in a few words (``weights.py`` says what each counts for)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from knitbone.record.secrets.looks import look_of
from knitbone.record.secrets.names import strength_of
from knitbone.record.secrets.spelling import bits_of

__all__ = ["shape_of"]

_LENGTHS = (5, 7, 9, 11, 15, 19, 23, 31, 39, 47, 63, 95)
_HEXADECIMAL = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[\W_]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FILE = re.compile(r"\.[a-z]{1,5}\d?\Z")
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|local|lan|internal|example|corp|de|uk)(?:\W|\Z)"
)
_NAME = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d{1,3}\Z")
_DOTTED = re.compile(r"(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*\Z")
_PREFIXED = re.compile(r"[a-z]{2,9}_[A-Za-z0-9]{8,}\Z")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_VERSION = re.compile(r"[vV]?\d+(?:\.\d+)+|.*[<>=~^]=?\d|.*-\d+\.\d+")


def _bin(number: float, limits: tuple[float, ...]) -> int:
    return sum(number > limit for limit in limits)


_LONGEST = 128
"""Characters by which a value is judged."""


def shape_of(value: str) -> tuple[str, ...]:
    """The features of a value."""
    if len(value) <= _LONGEST:
        return _shape_of(value)
    return (*_shape_of(value[:_LONGEST]), f"longer {_bin(len(value), (256, 1_024))}")


@lru_cache(maxsize=2_048)
def _shape_of(value: str) -> tuple[str, ...]:
    length = len(value)
    said = [f"look {look_of(value).value}", f"length {_bin(length, _LENGTHS)}"]
    if value.isdigit():
        return (*said[1:], "digits")
    if _HEXADECIMAL.match(value):
        return _hexadecimal_shape(value)
    if _UUID.match(value):
        return ("uuid",)
    pieces = _PIECE.findall(value)
    said.append(f"bits {_bin(bits_of(value), (3.2, 3.6, 4.0, 4.4, 4.8, 5.2, 5.6))}")
    signs = [piece for piece in pieces if not piece[0].isalnum()]
    digits = sum(map(str.isdigit, value))
    lower, upper = value != value.upper(), value != value.lower()
    said.append(f"case {int(lower)}{int(upper)}{min(digits, 3)}")
    said.append(f"pieces {_bin(length / max(1, len(pieces)), (1.5, 2, 2.5, 3, 4, 6))}")
    said.extend(_sign_features(value, signs))
    last = value[-1]
    said.append(
        "ends in " + ("digit" if last.isdigit() else "letter" if last.isalpha() else "sign")
    )
    words = [piece for piece in pieces if piece.isalpha() and len(piece) > 2]
    said.append(f"words {min(len(words), 4)}")
    said.append(f"titles {min(sum(word[0].isupper() and not word.isupper() for word in words), 3)}")
    if value.count("/") > 1:
        said.append("path" if bits_of(value) < 4.4 else "slashes")
    if strength_of(value):
        said.append("names itself")
    for name, pattern in _KINDS:
        if pattern.search(value) if name in ("year", "file", "host") else pattern.match(value):
            said.append(name)
    return tuple(said)


def _hexadecimal_shape(value: str) -> tuple[str, ...]:
    prefixed = value.startswith("0x")
    digits = len(value) - 2 * prefixed
    usual = f"hexadecimal {digits}" if digits in (16, 24, 32, 40, 48, 64, 128) else ""
    name = usual or f"hexadecimal {_bin(digits, (12, 24, 39, 64))}-"
    return (name, "0x") if prefixed else (name,)


def _sign_features(value: str, signs: Sequence[str]) -> Iterator[str]:
    yield f"signs {min(len(signs), 4)}"
    for sign in {mark for piece in signs for mark in piece}:
        yield f"sign {sign}" if sign in "!#$?%&*+@^~-_./:=(,;|\\" else "sign other"
    if any(len(sign) > 1 for sign in signs):
        yield "double sign"
    if value[-1:] in "!?.*#$_-&^%@+" and signs:
        yield "last sign"


_KINDS = (
    ("dotted", _DOTTED),
    ("prefixed", _PREFIXED),
    ("assignment", _ASSIGNMENT),
    ("year", _YEAR),
    ("file", _FILE),
    ("host", _HOST),
    ("name", _NAME),
    ("version", _VERSION),
)

"""All ways to read a value: what one finds who undoes its encodings and joins its pieces."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import unquote, unquote_plus

# Three levels of JSON within each other, and one encoding within them.
DEPTH = 5
# A shorter part of a secret is no leak: tools keep "sk-" or the last four characters on purpose.
SHORTEST_PART = 8
LARGEST_HARMLESS_SHARE = 0.6
# A line of a private key.
SHORTEST_LINE = 16

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_LINE_END = re.compile(r"\\+r\\+n|\\+n|\s*\n\s*")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}


def survives(value: Any, secret: str) -> bool:
    """Whether a secret, or most of it, can still be read in a value.

    A secret of several lines survives with any one of its longer lines; another one with more
    than six tenths of its characters in one piece, eight at least.
    """
    parts = _parts(secret)
    return any(part in text for text in readings(value) for part in parts)


def readings(value: Any) -> Iterator[str]:
    """Each text that a value holds, as it is and with its encodings undone."""
    seen: set[str] = set()
    found = list(_texts(value))
    for _ in range(DEPTH):
        fresh = [text for text in dict.fromkeys(found) if text not in seen]
        seen.update(fresh)
        yield from fresh
        found = [text for old in fresh for text in _decoded(old)]


def _parts(secret: str) -> list[str]:
    lines = [line for line in _LINE_END.split(secret) if len(line) >= SHORTEST_LINE]
    if len(lines) > 1:
        return lines
    size = min(len(secret), max(SHORTEST_PART, int(len(secret) * LARGEST_HARMLESS_SHARE) + 1))
    return [secret[start : start + size] for start in range(len(secret) - size + 1)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        if value and all(isinstance(item, str) for item in value):
            yield "".join(value)
        for item in value:
            yield from _texts(item)
    elif isinstance(value, BaseException):
        yield str(value)
        yield from _texts(value.args)
    elif value is not None and not isinstance(value, (bool, int, float)):
        yield repr(value)


def _decoded(text: str) -> Iterator[str]:
    with contextlib.suppress(ValueError, RecursionError):
        yield from _texts(json.loads(text))
    if "\\" in text:
        yield _unescaped(text)
    if "%" in text or "+" in text:
        yield unquote(text)
        yield unquote_plus(text)
    if "&" in text:
        yield unescape(text)
    if "\x1b" in text:
        yield _COLOURS.sub("", text)
    if '""' in text:
        yield text.replace('""', '"')
    yield from _from_base64(text)


def _unescaped(text: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        unit, byte, character = match.groups()
        if unit or byte:
            return chr(int(unit or byte, 16))
        return _CONTROL.get(character, character)

    plain = _ESCAPE.sub(replacement, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _from_base64(text: str) -> Iterator[str]:
    # What is left of a damaged text may begin anywhere within a group of four characters.
    for match in _BASE64.finditer(text):
        run = match.group().rstrip("=").replace("-", "+").replace("_", "/")
        for start in range(4):
            piece = run[start:]
            if len(piece) % 4 == 1:
                piece = piece[:-1]
            plain = base64.b64decode(piece + "=" * (-len(piece) % 4)).decode("utf-8", "ignore")
            readable = sum(letter.isprintable() or letter.isspace() for letter in plain)
            if len(plain) >= SHORTEST_PART and readable > 0.8 * len(plain):
                yield plain

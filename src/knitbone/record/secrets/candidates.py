"""What may be a secret in a text, by its characters alone: tokens with a digit that are no number,
groups of characters, bytes between colons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from knitbone.record.secrets.cues import Announcement, Cue
from knitbone.record.secrets.looks import Look, are_groups, look_of
from knitbone.record.secrets.names import strength_of
from knitbone.record.secrets.values import is_placeholder
from knitbone.record.secrets.weights import WEIGHTS

__all__ = [
    "SecretCandidate",
    "bits_of",
    "candidates",
    "has_digit",
    "score_of",
    "shape_of",
    "shape_score",
]


# How unlike the words of prose, of programs and of paths a text is spelled.
#
# A table of pairs of characters, counted over the distinct words of 4,000 files of public packages
# (code, prose, settings): how many bits the second of a pair tells after the first, in eighths,
# written as a character from ``0`` on. Letters without case, one row for all digits and one for all
# else. ``python -m knitbone_evals.redact.fit --pairs`` counts it again.

_ROWS = (
    "wYQTxkTzXzkJPKzSzHPE]ijgaziS",
    "Hi`iEkopOYzFmtOmzSUmOzzzVzZJ",
    "LwanJszJYzQPozAgzU_IXuzzfzgP",
    "LclXAgczHxy`muSjz_X_]wztjze>",
    "VmTPdadzkzzNZLq_fHIPualVizoB",
    "QqmnQSszBzzVtnJozS`ZSzzzjz[>",
    r"Xr]t?l]UQzv\a\]bzMPe[wzzpzg@",
    "DoprCmzzOztldqIrzT]OWzzzdzmA",
    "Y`PUV_VzzzoRSAI[z[NKr^zez[z[",
    "KzuvArzzZzijrmIZzzCzSzbzxzpB",
    "Zrfa=lfnJzzWd_dezhQgenZbmzn?",
    "LmhZDJmzHzuOlxLhzqVUVlyz]ztG",
    "D[hkAyzzMzwbYfNIztTmYzzzhzpG",
    r"OtQNN[LzWzfin\T\zpLF_aylpzwD",
    "`_VRteazcu_PPAVSzEYXRaZkzzzT",
    r"FyhbEvy\TzzNtzLUzJ_QTzzxSzoJ",
    "azr_zpzznzhGglyjz[gl5zuzzztK",
    "Ir[`Am[zNzad[^LjzWQU]etz]zvF",
    "[zWsCku[QzbgnsWUjsREYujzazv?",
    r"LvbpDnzSHzzklyNazOV\^znzUzoA",
    r"WVY\McbzWzzLNGlQzJMExzzwzzfb",
    r"@zgl9vszHzzuqzZzzyhwzzzwzz\N",
    "IyjmGuzUDzsdrSJrzMOkzz^zzzuE",
    "XsSkOcusRzznhyqFzqmCzzzjczH?",
    "cib__mizazz]^RdCzjROrrgzvzm9",
    r"Gzzz6rifSzzljyWfzrlh]zzz\iaO",
    "mnogVmzzzxzzzzzzzzzzzzzezz4B",
    r"SYOUWW\aUoiYVX[SpTKR^aajxwLF",
)
_DIGIT, _OTHER = 26, 27
_BITS = {
    (first, second): (ord(character) - 48) / 8
    for first, row in enumerate(_ROWS)
    for second, character in enumerate(row)
}
_CLASS = dict.fromkeys((chr(code) for code in range(128)), _OTHER)
_CLASS.update({chr(code): code - 97 for code in range(97, 123)})
_CLASS.update({chr(code): code - 65 for code in range(65, 91)})
_CLASS.update({chr(code): _DIGIT for code in range(48, 58)})


def bits_of(text: str) -> float:
    """Bits that a character of the text tells on the average: 3 to 4 of words, above 5 of what is
    drawn."""
    last, bits = _OTHER, 0.0
    for character in text:
        this = _CLASS.get(character, _OTHER)
        bits += _BITS[last, this]
        last = this
    return (bits + _BITS[last, _OTHER]) / (len(text) + 1)


# What a value is like by itself, in a few words (``weights.py`` says what each counts for).

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


_SIGNS = r"\s\"'`<>,;|(){}\[\]=:\\«»“”„\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
_TOKEN = re.compile(rf"(?<![^{_SIGNS}])[^{_SIGNS}0-9]{{0,64}}[0-9][^{_SIGNS}]*")
_CHARACTER_KINDS = bytes(
    0x31
    if chr(code).isdigit() and code < 0x80
    else 0x20
    if re.match(f"[{_SIGNS}]", chr(code))
    else 0x61
    for code in range(256)
)
"""A digit, a sign that ends a token, or another character."""
_WORD = re.compile(rf"[\s\"'`=:>(]{{0,12}}(?P<value>[^{_SIGNS}0-9]{{8,64}})(?![^{_SIGNS}])")
_QUOTES = "\"'`"
_QUOTED = re.compile(r"[^\s\"'`\\<>]{0,256}(?=\\*[\"'`])")
_QUOTED_BACKWARDS = re.compile(r"[^\s\"'`\\<>]{0,64}[\"'`]")
_OPENS = re.compile(r"[,:;)\]}=]")
"""What a quoted value does not begin with, but what stands between two quotations."""
_NAMED = re.compile(r"[A-Za-z_][\w.-]*[=:]")
"""A name before the value, in the same quotation."""
_GROUPS = re.compile(
    r"(?<![\w-])(?:(?:[A-Za-z0-9]{4,6}[ -]){3,15}[A-Za-z0-9]{4,6}|\d{4}[ ]\d{4})(?![\w-])"
)
_BYTES = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}:\s{0,24}){15,600}[0-9a-fA-F]{2}(?![\w:])")
_EXPRESSION = re.compile(
    r"""\b[0a]-[9fz] | A-Z | \\[dws.] | \$\{                        # regular expressions, templates
    | @[0-9a-f]{40}\Z | @v\d | [A-Za-z]/\d+\.\d | ^\d{2,5}/         # releases, ports
    | %(?:2[0-9A-F]|3[A-F]|40|5[BD]|7[BD])                          # what is read without escapes
    | ^[a-z]{2}-[a-z]{4,9}-\d\Z | ^@[\w.-]+\Z | ^![a-z_]+\Z       # regions, hosts, tags
    | ^[a-z]+(?:_[a-z]+)+\d?\Z                                    # names of programs
    | ^[A-Za-z][\w.-]*-20\d\d-?[01]\d-?[0-3]\d\Z                  # releases by their day
    | ^0x[0-9a-fA-F]{1,15}\Z | ^AAAA[A-E][0-9]                      # places in memory, public keys
    """,
    re.VERBOSE,
)
"""What is no secret whatever stands beside it."""
_NEVER = -99.0
_NUMBER = re.compile(r"[+-]?\d[\d.,:/TZ+_%-]*(?:[a-zA-Z]{1,3})?\Z")
"""Numbers, times, sizes; a code is read where one is announced."""
_SHORTEST, _LONGEST_CANDIDATE = 6, 8_192
_LEAST_SHAPE = -4.2
"""What a value counts for by itself at least that any word near it makes a secret (ours: 1 of 200
secrets of the sets counts for less)."""
_SHORTEST_WORD = 8
_LONGEST_CODE = 8
_CACHED = 64
"""Characters of a token that is let go at once for what it is by itself."""
_MARK = frozenset("!#$%&*+@^~?")
"""Signs of which a word without a digit has one that is no name of a program."""
_DRAWN, _SPELLED = 4.6, 3.5
"""Bits of a character from which letters alone, and words with signs, are no name of a program
(ours: those have 3 to 4.5)."""
_OF_DIGITS = frozenset({Cue.CODE, Cue.NAME, Cue.ACCOUNT})
"""What digits alone may be announced by, and groups of characters."""
_OF_UUIDS = frozenset({Cue.NAME, Cue.SECRET})
_UUID_LENGTH = 36
"""A uuid is a secret right beside the name of one only (``nearness.py``)."""
_CODES = frozenset({Cue.CODE, Cue.KEY, Cue.CRYPTO, Cue.SECRET, Cue.NAME})


class SecretCandidate(NamedTuple):
    """Where a value stands, and what it is like."""

    start: int
    end: int
    shape: tuple[str, ...]


def candidates(text: str, named: Iterable[Announcement], cues: set[Cue]) -> list[SecretCandidate]:
    """What may be a secret, in order.

    Args:
        named: names of secrets, beside which a word may be one.
        cues: what else the text bears.
    """
    found = list(_words(text, named))
    if has_digit(text):
        codes = not _OF_DIGITS.isdisjoint(cues)
        found += _tokens(text, codes=codes, uuids=not _OF_UUIDS.isdisjoint(cues))
        if not _CODES.isdisjoint(cues):
            found += _groups(text)
        if Cue.CRYPTO in cues and ":" in text:
            found += [SecretCandidate(*match.span(), ("bytes",)) for match in _BYTES.finditer(text)]
    found.sort()
    return found


def has_digit(text: str) -> bool:
    """Whether there is any, without which nothing but words is read."""
    for digit in "1203456789":  # the most frequent first  # noqa: SIM110 - in the agent's call
        if digit in text:
            return True
    return False


def _with_digit(text: str) -> Iterator[tuple[int, int]]:
    """The tokens of a text in which there is a digit."""
    if not text.isascii():
        for match in _TOKEN.finditer(text):
            yield match.span()
        return
    kinds = text.encode().translate(_CHARACTER_KINDS)
    place = kinds.find(b"1")
    while place >= 0:
        end = kinds.find(b" ", place)
        end = len(kinds) if end < 0 else end
        yield kinds.rfind(b" ", 0, place) + 1, end
        place = kinds.find(b"1", end)


def _tokens(text: str, *, codes: bool, uuids: bool) -> Iterator[SecretCandidate]:
    done = 0
    for first, last in _with_digit(text):
        length = last - first
        if length < _SHORTEST or first < done:
            continue
        if _NUMBER.match(text, first, last) and not (
            codes and length <= _LONGEST_CODE and text[first:last].isdigit()
        ):
            continue
        if length == _UUID_LENGTH and not uuids and text[first + 8] == "-":
            continue
        if length <= _CACHED and shape_score(text[first:last]) < _LEAST_SHAPE - 1:
            continue
        start, end = _whole(text, first, min(last, first + _LONGEST_CANDIDATE))
        done = end
        value = text[start:end]
        if shape_score(value) >= _LEAST_SHAPE:
            yield SecretCandidate(start, end, shape_of(value))


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """All of a value between quotes, whatever signs it has; else without the point behind it."""
    before = text[max(0, start - 64) : start][::-1]
    opened = _QUOTED_BACKWARDS.match(before)
    if opened:
        first = start - opened.end() + 1
        closed = _QUOTED.match(text, end)
        if closed and not _OPENS.match(text, first):
            return (start if _NAMED.match(text, first, start) else first), closed.end()
    while end > start and text[end - 1] in ".,:":
        end -= 1
    if text[end : end + 1] == "=":
        end += 2 if text[end + 1 : end + 2] == "=" else 1
    return start, end


def _words(text: str, named: Iterable[Announcement]) -> Iterator[SecretCandidate]:
    """Words without a digit right beside a name, where no name of a program is spelled so."""
    done = 0
    for one in named:
        if one.cue not in (Cue.NAME, Cue.SECRET) or one.end < done:
            continue
        match = _WORD.match(text, one.end)
        if match is None:
            continue
        start, done = match.span("value")
        value = text[start:done].rstrip(".,:")
        if not value.isalnum() and _MARK.isdisjoint(value):
            continue
        bits = bits_of(value)
        if len(value) < _SHORTEST_WORD or bits < (_DRAWN if value.isalnum() else _SPELLED):
            continue
        if not strength_of(value) and shape_score(value) > _NEVER:
            yield SecretCandidate(start, start + len(value), shape_of(value))


def _groups(text: str) -> Iterator[SecretCandidate]:
    for match in _GROUPS.finditer(text):
        group = match.group()
        digits = group.replace(" ", "").replace("-", "").isdigit()
        if digits or are_groups(group):
            count = min(6, group.count(" ") + group.count("-"))
            yield SecretCandidate(
                *match.span(), ("digit groups" if digits else "groups", f"groups {count}")
            )


def score_of(features: Iterable[str]) -> float:
    """What features count for together."""
    get = WEIGHTS.get
    return sum([get(feature, 0.0) for feature in features])


@lru_cache(maxsize=4_096)
def shape_score(value: str) -> float:
    """What a value counts for by itself; nothing makes a secret of a variable, a path or an
    address."""
    if value[0] in "$%" and value[1:].replace("_", "").isalnum():
        return _NEVER
    if value[0] in "./~" and look_of(value) is Look.NONE:
        return _NEVER
    if value.startswith(("//", "--")) or "://" in value or _EXPRESSION.search(value):
        return _NEVER
    return _NEVER if is_placeholder(value) else score_of(shape_of(value))

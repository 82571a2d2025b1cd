"""The regular expressions of the tolerant JSON reader.

Two kinds. *Runs* take as much intact JSON as they can in one match: that is what makes the reader
fast, since a broken document is intact almost everywhere. The others look at one token.

All are unambiguous, so that a failed match gives back each character once: a run costs time in
proportion to what it looks at. Runs hold two levels of nesting, so that a character is looked at a
fixed number of times, however deep the document.
"""

from __future__ import annotations

import re

__all__ = [
    "AFTER",
    "A_NUMBER",
    "A_STRING",
    "BARE_KEY",
    "BLANKS",
    "CLOSING",
    "COLON",
    "ELLIPSIS",
    "FENCE",
    "FENCES",
    "ITEMS",
    "KEY",
    "KEY_AHEAD",
    "LONG_RUN",
    "MEMBERS",
    "NUMBER",
    "ONE_VALUE",
    "OPENING",
    "PLAIN",
    "POSSESSIVE",
    "QUOTES",
    "SKIP",
    "VALUE_AHEAD",
    "WORD",
]

POSSESSIVE = "+"
"""Makes a quantifier possessive: what is unambiguous need not be tried
again, and the matcher, which then keeps no notes of it, takes half the time."""


def _several(one: str) -> str:
    """Match what may stand between the brackets of an array or an object."""
    comma = f"{BLANKS},{BLANKS}"
    return f"{BLANKS}(?:{one}(?:{comma}{one})*{POSSESSIVE}{BLANKS})?{POSSESSIVE}"


BLANKS = rf"[ \t\n\r]*{POSSESSIVE}"
_PLAIN = rf'[^"\\\x00-\x1f]*{POSSESSIVE}'
A_STRING = rf'"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*{POSSESSIVE}"'
A_NUMBER = rf"-?(?:0|[1-9][0-9]*{POSSESSIVE})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_SCALAR = rf"(?:{A_STRING}|{A_NUMBER}|true|false|null)"
_FLAT_ARRAY = rf"\[{_several(_SCALAR)}\]"
_FLAT = rf"(?:{_SCALAR}|{_FLAT_ARRAY})"
_MEMBER = rf"{A_STRING}{BLANKS}:{BLANKS}{_FLAT}"
_FLAT_OBJECT = rf"\{{{_several(_MEMBER)}\}}"
_VALUE = rf"(?:{_FLAT}|{_FLAT_OBJECT})"
_ENDS = rf"{BLANKS}(?:,{BLANKS}|(?=[}}\]]))"

LONG_RUN = 4_096
"""Characters from which a run may have ended for its length. The matcher keeps notes of each
repetition, which grow out of the caches: longer runs are slower, not faster."""
MEMBERS = re.compile(rf"(?:{A_STRING}{BLANKS}:{BLANKS}({_FLAT}){_ENDS}){{0,256}}")
"""Members of an object, each up to the next key or to the bracket that closes; the last value is
the group."""
ITEMS = re.compile(rf"(?:({_VALUE}){_ENDS}){{0,256}}")
"""Items of an array, the same."""
ONE_VALUE = re.compile(rf"{_VALUE}(?={BLANKS}[,}}\]])")
"""One value, where what follows it shows that it ends there."""
KEY = re.compile(rf"{A_STRING}{BLANKS}:{BLANKS}")
AFTER = re.compile(rf"{BLANKS}([,\]}}]){BLANKS}")
NUMBER = re.compile(A_NUMBER)

OPENING = {"{": "{", "[": "[", "｛": "{", "［": "["}  # noqa: RUF001 - full-width, as models write
CLOSING = {"}": "}", "]": "]", "｝": "}", "］": "]"}  # noqa: RUF001
QUOTES = {'"': '"', "'": "'", "`": "`", "“": '”"“', "„": '“”"', "”": '”"', "‘": "’'", "’": "’'"}  # noqa: RUF001
"""Opening quote -> what closes it."""

SKIP = re.compile(r"(?:\s+|\ufeff+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|#[^\n]*)*")
"""White space and comments between tokens."""
ELLIPSIS = re.compile(r"\.{3,}|…")
FENCES = ("```", "~~~")
FENCE = re.compile("|".join(FENCES))
COLON = re.compile(r"\s*(=>|[:=：])\s*")  # noqa: RUF001
BARE_KEY = re.compile(r"([\w$](?:[\w$ .\-]{0,98}[\w$])?)\s*(?:=>|[:=：])")  # noqa: RUF001
PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
WORD = re.compile(r'[^\s,，\[\]{}｝］"]+')  # noqa: RUF001

_NAME = r"""(?:"[^"\\\n]{1,100}"|'[^'\\\n]{1,100}'|[“”][^“”"\n]{1,100}[“”"]|[\w$][\w$.\-]{0,99})"""
KEY_AHEAD = re.compile(rf"\s*{_NAME}\s*(?:=>|[:=：])")  # noqa: RUF001
"""A key and its colon."""
VALUE_AHEAD = re.compile(r"""\s*(?:["'“‘\[{\-0-9.]|(?:true|false|null|True|False|None)\b)""")  # noqa: RUF001
"""The beginning of a value that is no bare word."""

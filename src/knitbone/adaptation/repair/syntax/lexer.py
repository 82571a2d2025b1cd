"""A lexer for programs that do not parse.

There is one regular expression for each family of languages, tried from left to right; every
character belongs to exactly one token, whatever the text. A string that never closes is looked
through to the end of the text at most once for each kind of quote, because a later opener would
have closed it (escapes pair the same inside strings and outside), so the scan is linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from operator import attrgetter
from typing import Any, NamedTuple, cast

import msgspec

__all__ = [
    "CLOSER_OF",
    "C_LIKE",
    "HEADERS",
    "OPENER_OF",
    "PYTHON",
    "RUST",
    "SHELL",
    "SQL",
    "Lexicon",
    "Token",
    "code_tokens",
    "has_code",
    "scan",
    "statements",
]

OPENER_OF = {")": "(", "]": "[", "}": "{"}
CLOSER_OF = {opener: closer for closer, opener in OPENER_OF.items()}
HEADERS = frozenset(
    {"if", "elif", "else", "for", "while", "with", "def", "class", "try", "except", "finally"}
    | {"async", "match", "case"}
)
"""Words that begin a header of Python."""


class Token(NamedTuple):
    """A stretch of the text."""

    kind: str
    """``string``, ``unclosed`` (a string without its end), ``smart`` (a string between typographic
    quotes), ``comment``, ``name``, ``number``, ``bracket``, ``newline``, ``space`` or
    ``operator``."""
    start: int
    end: int
    text: str


class Lexicon(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of a family of languages."""

    pattern: re.Pattern[str]
    comment: str
    """The mark of a comment that ends with its line."""


_SMART = (
    '[\u201c\u201d\u201e\u00ab][^\u201c\u201d\u201e\u00bb"\n]*[\u201d\u201c\u00bb"]'
    "|[\u2018\u2019\u201a][^\u2018\u2019\u201a'\n]*[\u2019\u2018']"
)


def _lexicon(
    *, strings: str, unclosed: str, comments: str, comment: str, prefix: str = ""
) -> Lexicon:
    """Compile the expression of a family of languages from its strings and comments."""
    # What begins a string is no name.
    no_prefix = rf"(?!{prefix}[\"'])" if prefix else ""
    return Lexicon(
        pattern=re.compile(
            # The most frequent first; nothing else begins like a bracket, a line break or a number.
            r"(?P<space>(?:[ \t\f]|\\\r?\n)+)"
            rf"|(?P<name>{no_prefix}[^\W\d]\w*)"
            r"|(?P<bracket>[()\[\]{}])|(?P<newline>\r?\n)"
            r"|(?P<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)"
            rf"|(?P<comment>{comments})|(?P<string>{strings})|(?P<unclosed>{unclosed})"
            rf"|(?P<smart>{_SMART})"
            r"|(?P<operator>\\.|<>|=<|->|=>|&&|\|\||[-+*/%&|^<>=!]=?=?|.)",
            re.DOTALL,
        ),
        comment=comment,
    )


def _line_string(quote: str) -> str:
    return rf"{quote}[^{quote}\\\n]*(?:\\.[^{quote}\\\n]*)*{quote}"


def _block_string(quote: str) -> str:
    return rf"{quote * 3}[^{quote}\\]*(?:(?:\\.|{quote}(?!{quote * 2}))[^{quote}\\]*)*{quote * 3}"


_PREFIX = r"[rRbBuUfF]{1,2}"
_QUOTED = r"(?=[\"'rRbBuUfF])"
"""The beginning of a string: one look, in place of one for each kind of string."""
PYTHON = _lexicon(
    strings=f"{_QUOTED}(?:{_PREFIX})?"
    + "(?:"
    + "|".join((*map(_block_string, "\"'"), *map(_line_string, "\"'")))
    + ")",
    unclosed=rf"{_QUOTED}(?:{_PREFIX})?[\"'][^\n]*",
    comments=r"#[^\n]*",
    comment="#",
    prefix=_PREFIX,
)
_BLOCK_COMMENT = r"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?"
# A slash begins a regular expression where an operand begins; its length is bounded, because a
# division looks like one until the line ends.
_OPERAND = r"(?:(?<=[(=,:\[!&|?])|(?<=[(=,:\[!&|?] ))"
_REGEX = _OPERAND + r"/(?![*/\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,60}\]){1,100}/[a-z]*"
C_LIKE = _lexicon(
    strings="|".join((*map(_line_string, "\"'"), r"`[^`\\]*(?:\\.[^`\\]*)*`", _REGEX)),
    unclosed=r"[\"'`][^\n]*",
    comments=rf"//[^\n]*|{_BLOCK_COMMENT}",
    comment="//",
)
RUST = _lexicon(
    # A lone quote begins a lifetime.
    strings=_line_string('"') + r"|'(?:\\[^\n]|[^\\'\n])'",
    unclosed=r"\"[^\n]*",
    comments=rf"//[^\n]*|{_BLOCK_COMMENT}",
    comment="//",
)
SQL = _lexicon(
    strings=r"'[^']*(?:''[^']*)*'|\"[^\"]*\"|`[^`]*`",
    unclosed=r"['\"`][^\n]*",
    comments=rf"--[^\n]*|{_BLOCK_COMMENT}",
    comment="--",
)
SHELL = _lexicon(
    strings=r"'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"",
    unclosed=r"['\"][^\n]*",
    comments=r"(?<!\S)#[^\n]*",
    comment="#",
)


_new = cast(
    "Callable[[type[Token], tuple[Any, int, int, str]], Token]",
    tuple.__new__,  # pyright: ignore[reportUnknownMemberType]
)
"""A token in a third of the time that its constructor takes."""


_NO_CODE = frozenset({"space", "newline", "comment"})
_kind = attrgetter("lastgroup")


def scan(text: str, lexicon: Lexicon) -> list[Token]:
    """Split a text into tokens; together they are the text."""
    matches = list(lexicon.pattern.finditer(text))
    texts = [match[0] for match in matches]
    ends = list(accumulate(map(len, texts)))
    starts = [0, *ends][:-1]
    parts = zip(map(_kind, matches), starts, ends, texts, strict=True)
    return list(map(_new, repeat(Token), parts))


def has_code(text: str, lexicon: Lexicon) -> bool:
    """Return whether there is more in the text than blanks, line breaks and comments."""
    return any(match.lastgroup not in _NO_CODE for match in lexicon.pattern.finditer(text))


def statements(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the code tokens of each logical line."""
    found: list[list[Token]] = []
    line: list[Token] = []
    level = 0
    for token in tokens:
        kind = token.kind
        if kind in ("space", "comment"):
            continue
        if kind == "newline":
            if level == 0 and line:
                found.append(line)
                line = []
            continue
        if kind == "bracket":
            level = level + 1 if token.text in CLOSER_OF else max(level - 1, 0)
        line.append(token)
    if line:
        found.append(line)
    return found


def code_tokens(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without blanks, line breaks and comments."""
    return [token for token in tokens if token.kind not in _NO_CODE]

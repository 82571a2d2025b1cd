"""Values without quotes: numbers, literals of other languages, bare words.

A number with leading zeros is no number but an identifier (``02139``): it becomes a text. Where a
bare text holds a comma, its end has to be sure: a quoted key follows, or one that is expected.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from knitbone.common.edit_distance import distance_within

__all__ = ["BARE_TEXT", "LEFT_OUT", "MAX_BARE", "Bare", "NotBare", "read_bare"]

BARE_TEXT = "quotes around a bare text added"
LEFT_OUT = "dots stand for what was left out"
"""Why a document is not read."""
MAX_BARE = 1_000
"""Characters of an unquoted text (ours)."""


class Bare(NamedTuple):
    """A value as it stands in the document."""

    end: int
    json: str
    rule: str
    """Empty: it is JSON already."""


class NotBare(NamedTuple):
    """Why there is none."""

    reason: str
    cut_off: bool = False


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SKIP = re.compile(r"(?:\s+|\ufeff+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|#[^\n]*)*")
"""White space and comments between tokens."""
_WORD = re.compile(r'[^\s,\uff0c\[\]{}\uff5d\uff3d"]+')
_LONGEST_WORD = 100
"""Characters of the word behind a number that decide whether both are one text (ours)."""
_KEPT = frozenset({"true", "false", "null", "NaN", "Infinity", "-Infinity"})
"""Python's parser reads the last three."""
_LITERALS = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("None", "NULL", "Null", "nil", "undefined"), "null"),
}
_LOOSE_NUMBER = re.compile(
    r"\+?(?P<sign>-?)(?P<whole>0|[1-9][0-9]*(?:_[0-9]+)*)?(?P<point>\.(?P<part>[0-9]*))?"
    r"(?P<power>[eE][+-]?[0-9]+)?"
)
_OPEN_NUMBER = re.compile(r"[-+]?[0-9][0-9_,]*\.|[-+]?[0-9.]*[0-9.][eE][-+]?|[-+]")
"""The beginning of a number, of which nobody can tell the rest: ``19.``, ``2e``, ``-``."""
_NO_TEXT = re.compile(
    r"[-+]?\d[\d.,]*[^\W\d_]{1,3}|\W+|!.*|[a-z]|(?:no|not|yes|off|on|never|none|null|nil|nan|n/a|tbd|"
    r"unknown|true|false|undefined)\b.*",
    re.IGNORECASE,
)
"""What stands for a number, a truth value or nothing, and is none of them as it is written."""
_IN_ARRAY = re.compile(r'[^,\[\]{}"\n]*')
_IN_OBJECT = re.compile(r'[^,{}\[\]"\n]*')
_COMMENT = re.compile(r"\s(?://|#).*")
_QUOTED_KEY = re.compile(r"""\s*(?:"[^"\\\n]{1,100}"|'[^'\\\n]{1,100}')\s*:""")
_LINE_ENDS = re.compile(r"\s*(?:\n|\}|//|#)")
_ENDS_ITEM = frozenset({",", "]", "\n"})
_ENDS_MEMBER = frozenset({"}", "\n"})
_ENDS_LITERAL = frozenset({"", ",", "，", "}", "]", "｝", "］", '"', "{", "["})  # noqa: RUF001
_NAMED_KEY = re.compile(r"\s*([\w$][\w$.\-]{0,99})\s*(?::|=)")


def read_bare(text: str, start: int, *, in_array: bool, keys: Collection[str]) -> Bare | NotBare:
    """The unquoted value at ``start``; looks at no more than ``MAX_BARE`` characters."""
    word = _WORD.match(text, start, start + MAX_BARE)
    if word is None:
        return NotBare("no value where one is expected")
    if len(word.group()) >= MAX_BARE:
        return NotBare(f"an unquoted value is longer than {MAX_BARE} characters")
    said = word.group().rstrip(";；")  # noqa: RUF001
    if _OPEN_NUMBER.fullmatch(said):
        return NotBare(f"the number {said[:40]} is cut off", cut_off=True)
    known, behind = _known(said), start + len(said)
    if known is not None and (behind < word.end() or _ends_there(text, behind, in_array=in_array)):
        return Bare(behind, *known)
    end = _array_end(text, start) if in_array else _object_end(text, start, keys)
    if isinstance(end, NotBare):
        return end
    content = _COMMENT.sub("", text[start:end]).rstrip()
    if not content:
        return NotBare("no value where one is expected")
    if _NO_TEXT.fullmatch(content) or _is_misspelt(content):
        return NotBare(f"{content[:40]!r} is neither a value nor surely a text")
    if content.endswith(("...", "…")):
        return NotBare(LEFT_OUT)
    return Bare(start + len(content), _quoted(content), BARE_TEXT)


def _is_misspelt(content: str) -> bool:
    """Tell whether a text begins with a literal in which a letter is wrong: ``fals``, ``nulll``."""
    word = content.split(maxsplit=1)[0].lower()
    return any(
        word[0] == literal[0] and distance_within(word, literal, 1) is not None
        for literal in ("true", "false", "null", "none", "undefined")
    )


def _known(word: str) -> tuple[str, str] | None:
    """A number or literal: how JSON writes it, and the rule."""
    if word in _KEPT or _NUMBER.fullmatch(word):
        return word, ""
    if word in _LITERALS:
        return _LITERALS[word], f"{word} -> {_LITERALS[word]}"
    number = _LOOSE_NUMBER.fullmatch(word)
    if number is None or not (number["whole"] or number["part"]):
        return None
    point = f".{number['part']}" if number["point"] else ""
    written = (number["whole"] or "0").replace("_", "") + point + (number["power"] or "")
    return number["sign"] + written, "number of another spelling rewritten"


def _ends_there(text: str, end: int, *, in_array: bool) -> bool:
    """Tell whether a number or literal is all of the value: ``12 kg`` is one text, while ``12 "b":
    3`` and ``12 // a note`` are a number."""
    skipped = _SKIP.match(text, end)
    after = skipped.end() if skipped else end
    if text[after : after + 1] in _ENDS_LITERAL or "\n" in text[end:after]:
        return True
    if _NAMED_KEY.match(text, after):
        return not in_array
    following = _WORD.match(text, after, after + _LONGEST_WORD)
    return following is None or _known(following.group()) is not None


def _array_end(text: str, start: int) -> int | NotBare:
    match = _IN_ARRAY.match(text, start, start + MAX_BARE)
    end = match.end() if match else start
    return end if text[end : end + 1] in _ENDS_ITEM else _no_end(text, end)


def _object_end(text: str, start: int, keys: Collection[str]) -> int | NotBare:
    """The end of the line, of the object, or the comma before the next key."""
    position = start
    commas, sign = 0, ""
    while position - start < MAX_BARE:
        match = _IN_OBJECT.match(text, position, start + MAX_BARE)
        position = match.end() if match else position
        sign = text[position : position + 1]
        if sign != ",":
            break
        quoted = _QUOTED_KEY.match(text, position + 1)
        named = _NAMED_KEY.match(text, position + 1)
        if quoted or (named and (named.group(1) in keys or not commas)):
            return position
        if not commas and _LINE_ENDS.match(text, position + 1):
            return position
        commas += 1
        position += 1
    if sign == "\n" and commas:
        named = _NAMED_KEY.match(text, position)
        sure = _QUOTED_KEY.match(text, position) or (named and named.group(1) in keys)
        return position if sure else NotBare("a bare text with commas has no sure end")
    return position if sign in _ENDS_MEMBER and not commas else _no_end(text, position)


def _no_end(text: str, end: int) -> NotBare:
    if end >= len(text):
        return NotBare("the text ends in the middle of a value", cut_off=True)
    return NotBare("a bare text has no sure end")


def _quoted(content: str) -> str:
    escaped = content.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f]", lambda m: f"\\u{ord(m.group()):04x}", escaped) + '"'

"""Slips in JSON: faults whose mending follows from the tokens beside them.

A comma too many or too few, a key without quotation marks, a text between apostrophes, words of
Python, a comment, words in quotation marks inside of a text: most of what models get wrong. The
*runs* take members and items that hold slips, as the runs of ``json_tokens`` take intact ones;
``slips`` then goes through what a run took. What both make of a text is what the reader makes of
it token by token (property test), in a fifth of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from knitbone.common.structured.json_tokens import A_NUMBER as _NUMBER
from knitbone.common.structured.json_tokens import A_STRING as _STRING
from knitbone.common.structured.json_tokens import BLANKS as _S
from knitbone.common.structured.json_tokens import POSSESSIVE as _P

__all__ = ["SLIPPED_ITEMS", "SLIPPED_MEMBERS", "Slip", "slips"]

Slip = tuple[tuple[int, int], str, str]
"""Its place, what is there instead, and the rule."""

_BLANK = r"[ \t\n\r]"
_APOSTROPHES = rf"'[^'\"\\\x00-\x1f]*{_P}'"
_IDENTIFIER = rf"[A-Za-z_$][\w$]{{0,99}}{_P}"
_COMMENTS = rf"(?:(?://|\#)(?![^\n]*(?:\.\.\.|…))[^\n]*{_P}\n{_S})+{_P}"
"""Without dots, which may stand for something that was left out."""
_KEY = rf"(?:{_STRING}|{_APOSTROPHES}|{_IDENTIFIER}){_S}:{_S}"
_TEXT = rf"(?:{_STRING}|{_APOSTROPHES})"
_PLAIN = rf"(?:{_NUMBER}|true|false|null|True|False|None)(?![^ \t\n\r,\]}}])"
_KEY_NEXT = rf'(?<={_BLANK})(?="[^"\\\n]{{1,100}}"{_S}:)'
_ITEM_NEXT = rf"(?<={_BLANK})(?=[\"'\[{{])"
"""What shows that a comma is missing."""
_NEVER = "(?!)"
_PART = r'[^"\\\x00-\x1f]{0,30000}'
_QUOTING = (
    rf'"{_PART}(?<=[A-Za-z ])"(?=[A-Za-z])(?![\w$.\-]*\s*(?:=>|[:=：]))'  # noqa: RUF001
    rf'{_PART}"{_PART}"(?={_S}(?:,{_S}"[^"\\\n]{{1,100}}"{_S}:|\}}))'
)
"""A text in which something stands in quotation marks, and whose end is sure."""


def _ends(comma: str, missing: str) -> str:
    """The end of a member or an item: a comma and comments, or the closing bracket ahead, or
    nothing where a comma is missing."""
    remark = rf"(?:(?<={_BLANK}){_COMMENTS}(?=[,}}\]]))?{_P}"
    behind = rf"(?:{_COMMENTS}(?=[\"'\[{{\w$\-]))?{_P}"
    return rf"{_S}{remark}(?:{comma}{_S}{behind}|(?=[}}\]])|{missing})"


_ARRAY = rf"\[{_S}(?:{_TEXT}{_ends(',', _ITEM_NEXT)}|{_PLAIN}{_ends(',', _NEVER)})*{_P}\]"
_FLAT = rf"(?:{_TEXT}|{_PLAIN}|{_ARRAY}|{_QUOTING})"
_OBJECT = rf"\{{{_S}(?:{_KEY}{_FLAT}{_ends(',', _KEY_NEXT)})*{_P}\}}"
SLIPPED_MEMBERS = re.compile(rf"(?:{_KEY}({_FLAT}){_ends('(,)', '()' + _KEY_NEXT)}){{1,16}}")
SLIPPED_ITEMS = re.compile(
    rf"(?:({_TEXT}|{_ARRAY}|{_OBJECT}){_ends('(,)', '()' + _ITEM_NEXT)}){{1,16}}"
)
"""A few members, and a few items. The groups are the value, the comma and the place where one is
missing, each where it was found last."""

_ENDS_VALUE = rf"(?:{_STRING}|{_NUMBER}|true|false|null|[}}\]])"
_COMMA = rf",(?!{_S}[}}\]/\#]){_S}"
_INTACT = "|".join(
    (
        rf"{_STRING}{_S}(?::{_S}|{_COMMA}|(?=[,}}\]]))",
        rf"(?:{_NUMBER}|true|false|null|[}}\]]){_S}(?:{_COMMA}|(?=[,}}\]]))",
        _COMMA,
        rf"[:\[{{]{_S}",
        rf"{_BLANK}+(?=[:,}}\]])",
    )
)
_SLIPS = "|".join(
    (
        rf"(?P<trailing>,)(?={_S}[}}\]])",
        rf",{_S}(?P<comment>{_COMMENTS})",
        rf"(?P<apostrophes>{_APOSTROPHES})",
        rf"(?P<key>{_IDENTIFIER})(?={_S}:)",
        r"(?P<True>True)|(?P<False>False)|(?P<None>None)",
        rf"{_ENDS_VALUE}?(?P<remark>{_S}{_COMMENTS})",
        rf"{_ENDS_VALUE}?(?P<missing>){_BLANK}+{_P}(?=[\"'\[{{])",
        r'(?P<quoting>"[^"]*"[^"]*"[^"]*")',
    )
)
_NEXT_SLIP = re.compile(f"(?>(?:{_INTACT})*)(?:{_SLIPS})")
"""In what a run took: there is no need to look at brackets again."""
_MENDED: dict[str, tuple[str, Callable[[str], str]]] = {
    "trailing": ("trailing comma removed", lambda _: ""),
    "missing": ("missing comma added", lambda _: ","),
    "comment": ("comment removed", lambda _: "\n"),
    "remark": ("comment removed", lambda _: "\n"),
    "key": ("quotes around a key added", lambda said: f'"{said}"'),
    "apostrophes": ("quotes of another kind -> double quotes", lambda said: f'"{said[1:-1]}"'),
    "quoting": ("quote in a text escaped", lambda said: _quoted(said[1:-1])),
    "True": ("True -> true", lambda _: "true"),
    "False": ("False -> false", lambda _: "false"),
    "None": ("None -> null", lambda _: "null"),
}
"""Kind of slip: the rule, and how JSON writes it."""


def _quoted(content: str) -> str:
    return '"' + content.replace('"', '\\"') + '"'


def slips(text: str, start: int, end: int) -> Iterator[Slip]:
    """The slips of what a run took, in the order of the text.

    Args:
        end: of the run, and one more where the run looked ahead: at a bracket, or at what follows
            a missing comma.
    """
    while (found := _NEXT_SLIP.match(text, start, end)) is not None:
        kind = found.lastgroup or ""
        start = found.end()
        rule, write = _MENDED[kind]
        slip = found.span(kind), write(found[kind]), rule
        yield slip
        if kind == "quoting":
            yield slip  # of its two marks each is one

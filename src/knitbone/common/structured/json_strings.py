"""Where a text in broken JSON ends, and how it is written properly.

A quote ends the text where what follows it can follow a value. Where it cannot, the quote belongs
to the text, and from then on the end has to be sure: a key and its colon, another item, or a
closing bracket; and the quotes inside have to come in pairs, but for inches (``5" screen``). If no
place is sure, there is no end.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from knitbone.common.structured.json_draft import Stop
from knitbone.common.structured.json_escapes import IN_DOUBT, escaped
from knitbone.common.structured.json_tokens import PLAIN, QUOTES

__all__ = ["MAX_INNER_QUOTES", "Context", "String", "read_string"]

Context = Literal["key", "member", "item"]
"""A key, a value in an object, an item of an array."""

MAX_INNER_QUOTES = 200
"""Quotes inside of one text that are looked at (ours)."""


class String(NamedTuple):
    """A text as it stands in the document."""

    end: int
    """Behind its closing quote, or where that is missing."""
    json: str
    """How JSON writes it."""
    rules: tuple[str, ...]


_NAME = r"""(?:"[^"\\\n]{1,100}"|'[^'\\\n]{1,100}'|[“”][^“”"\n]{1,100}[“”"]|[\w$][\w$.\-]{0,99})"""
_COLON = r"\s*(?:=>|[:=：])"  # noqa: RUF001
_MAY_FOLLOW: dict[str, re.Pattern[str]] = {
    "key": re.compile(_COLON + r"|\s*[\"“\[{\-0-9]"),
    "member": re.compile(
        rf"\s*(?:[,，;}}\]｝］]|$|//|/\*|\#|```|{_NAME}{_COLON})|[ \t]*\n\s*(?:\n|\{{)"  # noqa: RUF001
    ),
    "item": re.compile(r"""\s*(?:[,，;}\]｝］]|$|//|/\*|\#|```|\s["'“\[{0-9])"""),  # noqa: RUF001
}
"""After the first quote that could close the text."""
_MUST_FOLLOW: dict[str, re.Pattern[str]] = {
    "member": re.compile(rf"\s*(?:[,，]\s*{_NAME}{_COLON}|[,，]?\s*[}}｝])"),  # noqa: RUF001
    "item": re.compile(r"""\s*(?:[,，]\s*["'“\[{0-9\-]|[,，]?\s*[\]］])"""),  # noqa: RUF001
}
"""After a later one."""
_NEXT_LINE = re.compile(rf"\n\s*(?:{_NAME}{_COLON}|[}}\]])")
"""What shows that a text whose end is missing ended with its line."""
_SCANS = {
    closers: re.compile(rf"[^{re.escape(closers)}\\]*(?:\\.[^{re.escape(closers)}\\]*)*", re.DOTALL)
    for closers in set(QUOTES.values())
}
MAX_ESCAPED = 100_000
"""Characters of a text that is escaped: as many line breaks take 90 ms (measured)."""
_SUM = re.compile(r"""(?<!\\)(["'])\s?\+\s?\1""")
"""Texts that are put together, which is no JSON."""


def read_string(text: str, start: int, context: Context) -> String | None:
    """The text whose opening quote is at ``start``; ``None`` where its end is not sure.

    Takes time in proportion to what it looks at.

    Raises:
        Stop: which of its backslashes are escapes is not sure.
    """
    opening = text[start]
    if text.startswith('"""', start):
        return None  # a text of another language, or an empty one and more
    end = _find_end(text, start, context)
    missing = end is None
    if end is None:
        end = _end_of_line(text, start) if context != "key" else None
        if end is None:
            return None
    content = text[start + 1 : end]
    if "+" in content and any(m.group(1) == opening for m in _SUM.finditer(content)):
        return None
    rules: list[str] = ["closing quote added"] if missing else []
    if opening != '"' or (not missing and text[end] != '"'):
        rules.append("quotes of another kind -> double quotes")
    plain = _is_plain(content)
    if not plain and len(content) > MAX_ESCAPED:
        return None
    if not plain:
        written = escaped(content)
        if written is None:
            raise Stop(IN_DOUBT)
        rules += [rule for rule, count in written.rules.items() for _ in range(count)]
        content = written.json
    return String(end if missing else end + 1, f'"{content}"', tuple(rules))


def _is_plain(content: str) -> bool:
    """Tell whether JSON writes the content as it is; most texts need no expression to tell."""
    if '"' in content or "\\" in content:
        return False
    return content.isprintable() or PLAIN.fullmatch(content) is not None


def _find_end(text: str, start: int, context: Context) -> int | None:
    """The place of the closing quote."""
    scan = _SCANS[QUOTES[text[start]]]
    # Other quotes are apostrophes as well, or differ from what opens them: they need no pairs.
    paired = text[start] == '"'
    position = start + 1
    first, inside = True, False
    for _ in range(MAX_INNER_QUOTES):
        match = scan.match(text, position)
        end = match.end() if match else len(text)
        if end >= len(text) or text[end] == "\\":
            return None
        follows = (_MAY_FOLLOW if first else _MUST_FOLLOW)[context]
        if not (paired and inside) and follows.match(text, end + 1):
            return end
        if context == "key":
            return None  # a quote inside a key is rather a key without value
        # Behind a digit it stands for inches, where it does not close what was quoted.
        inside = not inside and not text[end - 1].isdigit()
        first = False
        position = end + 1
    return None


def _end_of_line(text: str, start: int) -> int | None:
    """Where a text without closing quote ends, if its line is all of it."""
    line_end = text.find("\n", start)
    if line_end < 0 or _NEXT_LINE.match(text, line_end) is None:
        return None
    content = text[start + 1 : line_end].rstrip(", \t\r")
    if not content or content[-1] == "\\" or any(q in content for q in QUOTES[text[start]]):
        return None
    return start + 1 + len(content)

"""Characters and operators that a language does not have, wherever they stand in code.

Strings and comments keep every character they have. Each function is the ``propose`` of a rule.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import Token
from knitbone.adaptation.repair.syntax.records import Scene

__all__ = [
    "C_OPERATORS",
    "PYTHON_OPERATORS",
    "SQL_OPERATORS",
    "characters",
    "entities",
    "escapes",
    "operators",
    "quotes",
]

_SPACES = "\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_PUNCTUATION = dict(
    zip(
        "\uff08\uff09\uff0c\uff1a\uff1b\uff1d\uff3b\uff3d\uff5b\uff5d\u2212\uff0b\u3001",
        "(),:;=[]{}-+,",
        strict=True,
    )
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
PYTHON_OPERATORS = {
    "&&": "and", "||": "or", "===": "==", "!==": "!=", "<>": "!=", "=<": "<=",
    "\u2260": "!=", "\u2264": "<=", "\u2265": ">=", "\u00d7": "*", "\u00f7": "/",
    "\u2192": "->", "\u2013": "-",
}  # fmt: skip
C_OPERATORS = {
    "\u2260": "!=", "\u2264": "<=", "\u2265": ">=", "\u00d7": "*", "\u00f7": "/", "\u2013": "-",
}  # fmt: skip
SQL_OPERATORS = {"==": "=", "\u2260": "<>", "\u2264": "<=", "\u2265": ">=", "!==": "<>"}
_COMPARES = frozenset({"=", "==", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "ILIKE"})


def characters(scene: Scene) -> Iterator[RepairProposal]:
    """Replace blanks that are none, invisible characters and full-width punctuation."""
    if scene.text.isascii():
        return
    edits: list[Edit] = []
    kinds: Counter[str] = Counter()
    for token in _outside_strings(scene.tokens):
        for index, character in enumerate(token.text, token.start):
            new, kind = _plain_character(character)
            if new is not None:
                edits.append(Edit(index, index + 1, new))
                kinds[kind] += 1
    if edits:
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        yield proposal(edits, f"{told} written in ASCII")


def _outside_strings(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        if (
            token.kind not in ("string", "smart", "comment", "unclosed")
            and not token.text.isascii()
        ):
            yield token


def _plain_character(character: str) -> tuple[str | None, str]:
    if character in _SPACES:
        return " ", "special spaces"
    if character in _INVISIBLE:
        return "", "invisible characters"
    return _PUNCTUATION.get(character), "full-width characters"


def quotes(*, sql: bool = False) -> Callable[[Scene], Iterator[RepairProposal]]:
    """Return a rule that replaces typographic quotes around strings.

    Args:
        sql: single quotes for values, that is behind a comparison; elsewhere the double quotes
            of a name stay what they are.
    """

    def propose(scene: Scene) -> Iterator[RepairProposal]:
        if scene.text.isascii():
            return
        edits: list[Edit] = []
        before = ""
        for token in scene.code:
            if token.kind == "smart":
                content = token.text[1:-1]
                quote = "'" if token.text[0] in "\u2018\u2019\u201a" else '"'
                if sql and quote == '"' and before in _COMPARES:
                    quote = "'"
                if quote in content or "\\" in content:
                    return
                edits += (
                    Edit(token.start, token.start + 1, quote),
                    Edit(token.end - 1, token.end, quote),
                )
            before = token.text.upper()
        if edits:
            yield proposal(edits, f"typographic quotes straightened in {len(edits) // 2} strings")

    return propose


def operators(table: Mapping[str, str]) -> Callable[[Scene], Iterator[RepairProposal]]:
    """Return a rule that replaces operators of other languages, or of mathematics."""

    def propose(scene: Scene) -> Iterator[RepairProposal]:
        if not any(operator in scene.text for operator in table):
            return
        found: Counter[str] = Counter()
        edits: list[Edit] = []
        tokens = scene.tokens
        for index, token in enumerate(tokens):
            new = table.get(token.text) if token.kind == "operator" else None
            if new is None:
                continue
            if new.isalpha():
                # ``a&&b``: a word needs blanks around it.
                new = " " * (index > 0 and tokens[index - 1].kind != "space") + new
                following = index + 1 < len(tokens) and tokens[index + 1].kind == "space"
                new += "" if following else " "
            edits.append(Edit(token.start, token.end, new))
            found[f'"{token.text}" -> "{new.strip()}"'] += 1
        if edits:
            told = ", ".join(f"{change} in {count} places" for change, count in found.items())
            yield proposal(edits, f"operator {told}")

    return propose


def entities(scene: Scene) -> Iterator[RepairProposal]:
    """Undo the escapes of HTML: ``if a &lt; b``.

    Where the entities stand in strings as well as outside, they may be content, and nothing is
    proposed, unless the quotes of strings are escaped themselves: then all of it was.
    """
    text = scene.text
    found = list(_ENTITY.finditer(text))
    if not found:
        return
    strings = [t for t in scene.tokens if t.kind in ("string", "unclosed")]
    outside = [x for x in found if not any(t.start <= x.start() < t.end for t in strings)]
    escaped = any(x.group() in ("&quot;", "&apos;", "&#39;", "&#x27;") for x in outside)
    if not escaped and len(outside) < len(found):
        return
    edits = [Edit(x.start(), x.end(), html.unescape(x.group())) for x in found]
    yield proposal(edits, f"{len(edits)} HTML entities written as characters")


_ESCAPED = re.compile(r"\\[_*\[\]()#+\-.!<>|~`=&]")
_BREAKS = {"\\n": "\n", "\\t": "\t", "\\r": ""}


def escapes(scene: Scene) -> Iterator[RepairProposal]:
    r"""Undo the escapes of Markdown, ``COUNT(\*)``; and, where the whole text is one line, the
    line breaks of code that was encoded as a string."""
    if "\\" not in scene.text:
        return
    one_line = "\n" not in scene.text.strip()
    edits: list[Edit] = []
    for token in scene.tokens:
        if token.kind != "operator":
            continue
        if one_line and token.text in _BREAKS:
            edits.append(Edit(token.start, token.end, _BREAKS[token.text]))
        elif _ESCAPED.fullmatch(token.text):
            edits.append(Edit(token.start, token.start + 1, ""))
    if edits:
        yield proposal(edits, f"{len(edits)} backslashes before other characters resolved")

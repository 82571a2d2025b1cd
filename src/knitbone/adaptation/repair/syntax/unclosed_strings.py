"""Strings that do not end on their line.

The content of a string cannot be known from its beginning alone. Every place on its line is tried,
and the string is closed only if one program comes out: ``print("Total: , x)`` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import Token
from knitbone.adaptation.repair.syntax.records import Language, Scene
from knitbone.adaptation.repair.syntax.uniqueness import statement_start, unique_repair

__all__ = ["propose_strings"]

_MAX_LINE = 1_000
"""Characters of a line that is looked at."""
_MAX_MORE_LINES = 6
"""Lines after it that the statement may take."""
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_SMART_END = {'"': "\u201d\u201c", "'": "\u2019\u2018"}


def propose_strings(language: Language, scene: Scene) -> Iterator[RepairProposal]:
    """Propose ends of the first string that has none."""
    token = next((token for token in scene.tokens if token.kind == "unclosed"), None)
    if token is None:
        return
    start, end = scene.line(token.start)
    if end - start > _MAX_LINE:
        return
    quote = token.text.lstrip("rRbBuUfF")[:1]
    opening = token.text.index(quote) + 1
    if token.text[opening - 1 :].startswith(quote * 3):
        return  # a text over several lines, whose end nothing tells
    statement = statement_start(scene.tokens, token)
    apostrophes = list(_apostrophes(language, scene, start, end)) if quote == "'" else []
    candidates = [*apostrophes, *_end_proposals(scene, token, quote, opening, end)]
    for _ in range(_MAX_MORE_LINES):
        found = list(unique_repair(language, scene, candidates, statement, end))
        if found or end >= len(scene.text) or not language.line_statements:
            yield from found
            return
        # The statement may go on: the string stands inside a bracket.
        end = scene.line(end + 1)[1]


def _end_proposals(
    scene: Scene, token: Token, quote: str, opening: int, end: int
) -> Iterator[RepairProposal]:
    """Propose the quote that ends a string: in place of a wrong one, or wherever the content may
    end."""
    text = scene.text
    first = token.start + opening
    line = text[first:end].rstrip("\r")
    rule = f"missing {quote} added"
    wrong = _mistaken_end(line, quote)
    if wrong is not None:
        edit = Edit(first + wrong, first + wrong + 1, quote)
        yield proposal([edit], f"{line[wrong]} -> {quote}")
        return
    # Any string of the line may be the one without its end: the later quotes then are shifted.
    strings = [t for t in scene.tokens if t.kind == "string" and t.text[-1] == quote]
    begin = min(
        [t.start for t in strings if text.rfind("\n", t.end, first) < 0 and t.end <= first]
        + [first]
    )
    for at in range(begin, first + len(line) + 1):
        # Content ends before a bracket, a comma, a blank, or with the line; and it may be empty:
        # ``".join(x)``. Blanks at the end of the line may belong to it: both are tried.
        following = text[at : at + 1]
        if at == first or at == first + len(line) or following in ")]},:;. +%":
            yield proposal([Edit(at, at, quote)], rule, at_end=not text[at:].strip())


def _mistaken_end(line: str, quote: str) -> int | None:
    """Return where the string ends with another kind of quote."""
    tail = line.rstrip(")]},:; ")
    other = ("'" if quote == '"' else '"') + _SMART_END[quote] if quote in _SMART_END else ""
    if len(tail) > 1 and tail[-1] in other and sum(tail.count(mark) for mark in other) == 1:
        return len(tail) - 1
    return None


def _apostrophes(
    language: Language, scene: Scene, start: int, end: int
) -> Iterator[RepairProposal]:
    """Propose to escape the apostrophe between two letters, which is content: ``'it's'``."""
    for match in _APOSTROPHE.finditer(scene.text, start, end):
        position = match.start()
        if any(t.kind == "comment" and t.start <= position < t.end for t in scene.tokens):
            continue
        escape = "'" if language.name == "sql" else "\\"
        yield proposal([Edit(position, position, escape)], "apostrophe in a string escaped")

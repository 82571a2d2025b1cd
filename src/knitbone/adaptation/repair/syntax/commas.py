"""Commas between items: missing, doubled, or trailing where none is allowed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import CLOSER_OF, OPENER_OF, Token, code_tokens
from knitbone.adaptation.repair.syntax.records import Scene

__all__ = ["missing_commas", "superfluous_commas"]

_start = attrgetter("start")
_SEARCH_RADIUS = 200
"""Characters around the fault in which a comma is looked for."""
_OPERATORS = frozenset("+-*/%|&^<>=") | {"==", "!=", "<=", ">=", "and", "or", "in", "is", "not"}
_KEYWORDS = frozenset(
    {"and", "or", "in", "is", "not", "if", "else", "for", "lambda", "async", "as"}
)


@dataclass
class _Bracket:
    """The tokens between an opener and its closer, nested brackets left out."""

    vertical: bool
    """Whether the opener ends its line."""
    operator: bool = False
    pairs: list[tuple[Token, Token]] = field(default_factory=list[tuple[Token, Token]])


def missing_commas(scene: Scene) -> Iterator[RepairProposal]:
    """Propose commas between two operands side by side inside brackets: ``[1 2]``, ``{"a": 1 "b":
    2}``, ``f("x" y)``.

    Two names side by side are rather words of a sentence, a number before a name a product, and
    next to an operator the operator may be what is missing: none of them is touched.
    """
    text, fault = scene.text, scene.fault.offset
    found: list[_Bracket] = []
    for start, end in _bracketed_stretches(scene):
        if start - _SEARCH_RADIUS <= fault <= end + _SEARCH_RADIUS:
            found += _brackets_in(text, code_tokens(scene.between(start, end)))
    for bracket in found:
        near = any(abs(x.end - fault) <= _SEARCH_RADIUS for x, _ in bracket.pairs)
        if near and not bracket.operator:
            edits = [Edit(before.end, before.end, ",") for before, _ in bracket.pairs]
            places = f" in {len(edits)} places" if len(edits) > 1 else ""
            yield proposal(edits, f"missing comma added{places}")


def _bracketed_stretches(scene: Scene) -> Iterator[tuple[int, int]]:
    """Yield the stretches in which any bracket is open."""
    level = start = 0
    for bracket in scene.brackets:
        if bracket.text in CLOSER_OF:
            start = start if level else bracket.start
            level += 1
        elif level:
            level -= 1
            if not level:
                yield start, bracket.end
    if level:
        yield start, len(scene.text)


def _brackets_in(text: str, tokens: list[Token]) -> list[_Bracket]:
    """Return the brackets of a stretch in which one is open, in the order in which they close."""
    stack: list[_Bracket] = []
    found: list[_Bracket] = []
    for token, following in pairwise(tokens):
        if token.kind == "bracket" and token.text in CLOSER_OF:
            stack.append(_Bracket(vertical="\n" in text[token.end : following.start]))
        elif token.kind == "bracket":
            found.append(stack.pop())
        elif token.text in _OPERATORS:
            stack[-1].operator = stack[-1].operator or token.text != "="
        if stack and _side_by_side(text, token, following, vertical=stack[-1].vertical):
            stack[-1].pairs.append((token, following))
    if stack and tokens[-1].text in OPENER_OF:
        found.append(stack.pop())
    return found


def _side_by_side(text: str, before: Token, token: Token, *, vertical: bool) -> bool:
    """Return whether two tokens are operands between which a comma is missing."""
    ends = before.kind in ("name", "number", "string") or before.text in OPENER_OF
    begins = token.kind in ("name", "number", "string") or token.text in ("{", "[")
    if not ends or not begins or before.text in _KEYWORDS or token.text in _KEYWORDS:
        return False
    lines = text.count("\n", before.end, token.start)
    if lines:
        # One item a line; under anything else the bracket itself may be what is missing.
        return vertical and lines == 1 and (before.kind, token.kind) != ("string", "string")
    if token.text in ("[", "{"):
        # ``a [0]`` is a subscript.
        return before.text in ("]", "}") and token.text == OPENER_OF[before.text]
    kinds = (before.kind, token.kind)
    # Two strings parse, as one; two names are words of a sentence; ``2 x`` is a product.
    return kinds not in (
        ("string", "string"), ("name", "name"), ("number", "name"), ("bracket", "name")
    )  # fmt: skip


def superfluous_commas(scene: Scene) -> Iterator[RepairProposal]:
    """Propose the removal of doubled commas, ``[1,, 2]``, and of one before the end of what allows
    none: ``import a, b,``."""
    tokens, offset = scene.code, scene.fault.offset
    first = bisect_left(tokens, offset - _SEARCH_RADIUS, key=_start)
    for index in range(first, bisect_right(tokens, offset + _SEARCH_RADIUS, first, key=_start)):
        token = tokens[index]
        if token.text != ",":
            continue
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        line_end = scene.line(token.start)[1]
        ends = following is None or following.start >= line_end
        doubled = following is not None and following.text == "," and following.start == token.end
        closed = following is not None and following.text in (")", "]", "}", ":", ";")
        if doubled or ends or closed:
            what = "doubled" if doubled else "trailing"
            yield proposal([Edit(token.start, token.end, "")], f"{what} comma removed")

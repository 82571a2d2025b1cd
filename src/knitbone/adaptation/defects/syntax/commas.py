"""Commas between items: missing, doubled, or trailing where none is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.adaptation.defects.syntax.edits import Edit, Proposal, proposal
from knitbone.adaptation.defects.syntax.language import Scene
from knitbone.adaptation.defects.syntax.lexis import CLOSER, OPENER, Token, code_tokens

__all__ = ["missing_commas", "superfluous_commas"]

_NEAR = 200
"""Characters around the fault in which a comma is looked for."""
_OPERATORS = frozenset("+-*/%|&^<>=") | {"==", "!=", "<=", ">=", "and", "or", "in", "is", "not"}
_WORDS = frozenset({"and", "or", "in", "is", "not", "if", "else", "for", "lambda", "async", "as"})


def missing_commas(scene: Scene) -> Iterator[Proposal]:
    """``[1 2]``, ``{"a": 1 "b": 2}``, ``f("x" y)``: two operands side by side inside brackets.

    Two names side by side are rather words of a sentence, a number before a name a product, and
    next to an operator the operator may be what is missing: none of them is touched.
    """
    stack: list[list[tuple[Token, Token]]] = []
    operators: list[bool] = []
    found: list[tuple[list[tuple[Token, Token]], bool]] = []
    tokens = code_tokens(scene.tokens)
    for index, token in enumerate(tokens):
        if token.kind == "bracket" and token.text in CLOSER:
            stack.append([])
            operators.append(False)
        elif token.kind == "bracket" and stack:
            found.append((stack.pop(), operators.pop()))
        elif stack and token.text in _OPERATORS:
            operators[-1] = operators[-1] or token.text != "="
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if stack and following and _side_by_side(scene.text, token, following):
            stack[-1].append((token, following))
    for pairs, has_operator in found:
        near = any(abs(before.end - scene.fault.offset) <= _NEAR for before, _ in pairs)
        if pairs and near and not has_operator:
            edits = [Edit(before.end, before.end, ",") for before, _ in pairs]
            places = f" in {len(edits)} places" if len(edits) > 1 else ""
            yield proposal(edits, f"missing comma added{places}")


def _side_by_side(text: str, before: Token, token: Token) -> bool:
    ends = before.kind in ("name", "number", "string") or before.text in CLOSER.values()
    begins = token.kind in ("name", "number", "string") or token.text in ("{", "[")
    if not ends or not begins or before.text in _WORDS or token.text in _WORDS:
        return False
    if token.text in ("[", "{") and "\n" not in text[before.end : token.start]:
        # ``a [0]`` is a subscript.
        return before.text in ("]", "}") and token.text == OPENER[before.text]
    kinds = (before.kind, token.kind)
    if kinds == ("string", "string"):
        return False  # they parse: one string in two parts
    return kinds not in (("name", "name"), ("number", "name"), ("bracket", "name")) or (
        "\n" in text[before.end : token.start]
    )


def superfluous_commas(scene: Scene) -> Iterator[Proposal]:
    """``[1,, 2]``; a comma before the end of what allows none: ``import a, b,``."""
    tokens = code_tokens(scene.tokens)
    for index, token in enumerate(tokens):
        if token.text != "," or abs(token.start - scene.fault.offset) > _NEAR:
            continue
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        line_end = scene.line(token.start)[1]
        ends = following is None or following.start >= line_end
        doubled = following is not None and following.text == "," and following.start == token.end
        closed = following is not None and following.text in (")", "]", "}", ":", ";")
        if doubled or ends or closed:
            what = "doubled" if doubled else "trailing"
            yield proposal([Edit(token.start, token.end, "")], f"{what} comma removed")

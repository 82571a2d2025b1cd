"""What models get wrong in SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from knitbone.adaptation.defects.syntax.edits import Edit, Proposal, proposal
from knitbone.adaptation.defects.syntax.language import Scene
from knitbone.adaptation.defects.syntax.lexis import Token

__all__ = ["backticks", "no_item", "semicolons", "trailing_commas"]

_CLAUSES = frozenset(
    {"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "OFFSET", ")", ";"}
)


def trailing_commas(scene: Scene) -> Iterator[Proposal]:
    """``SELECT a, FROM t``; ``(a, b,)``; ``SET a = 1, WHERE``; ``a,, b``."""
    tokens = scene.code
    edits = [
        Edit(token.start, token.end, "")
        for token, following in pairwise(tokens)
        if no_item(token, following)
    ]
    if edits:
        places = f" in {len(edits)} places" if len(edits) > 1 else ""
        yield proposal(edits, f"trailing comma removed{places}")


def no_item(token: Token, following: Token) -> bool:
    """Whether a token is a comma that no item follows."""
    if token.text != ",":
        return False
    doubled = following.text == "," and following.start == token.end
    return doubled or following.text.upper() in _CLAUSES


def semicolons(scene: Scene) -> Iterator[Proposal]:
    """``;;``: an empty statement."""
    tokens = scene.code
    edits = [
        Edit(before.end, token.end, "")
        for before, token in pairwise(tokens)
        if before.text == token.text == ";"
    ]
    if edits:
        yield proposal(edits, "superfluous semicolon removed")


def backticks(quote: str) -> Callable[[Scene], Iterator[Proposal]]:
    """Names in MySQL's quotes, for a dialect that writes ``quote`` (``""`` or ``[]``)."""

    def propose(scene: Scene) -> Iterator[Proposal]:
        edits: list[Edit] = []
        for token in scene.tokens:
            if token.kind == "string" and token.text[0] == "`":
                if any(mark in token.text for mark in (*quote, "\n")):
                    return
                edits.append(Edit(token.start, token.start + 1, quote[0]))
                edits.append(Edit(token.end - 1, token.end, quote[1]))
        if edits:
            yield proposal(edits, f"backticks -> {quote} around {len(edits) // 2} names")

    return propose

"""Rules for slips of models in SQL. Each function is the ``propose`` of a rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import Token
from knitbone.adaptation.repair.syntax.records import Scene

__all__ = [
    "apostrophes",
    "backticks",
    "lacks_item",
    "semicolons",
    "trailing_commas",
    "without_prompt",
]

_CLAUSES = frozenset(
    {"FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "OFFSET", ")", ";"}
)


def trailing_commas(scene: Scene) -> Iterator[RepairProposal]:
    """Remove commas that no item follows: ``SELECT a, FROM t``; ``(a, b,)``; ``SET a = 1, WHERE``;
    ``a,, b``."""
    tokens = scene.code
    edits = [
        Edit(token.start, token.end, "")
        for token, following in pairwise(tokens)
        if lacks_item(token, following)
    ]
    if edits:
        places = f" in {len(edits)} places" if len(edits) > 1 else ""
        yield proposal(edits, f"trailing comma removed{places}")


def lacks_item(token: Token, following: Token) -> bool:
    """Return whether a token is a comma that no item follows."""
    if token.text != ",":
        return False
    doubled = following.text == "," and following.start == token.end
    return doubled or following.text.upper() in _CLAUSES


def semicolons(scene: Scene) -> Iterator[RepairProposal]:
    """Remove an empty statement: ``;;``."""
    tokens = scene.code
    edits = [
        Edit(before.end, token.end, "")
        for before, token in pairwise(tokens)
        if before.text == token.text == ";"
    ]
    if edits:
        yield proposal(edits, "superfluous semicolon removed")


def backticks(quote: str) -> Callable[[Scene], Iterator[RepairProposal]]:
    """Return a rule that replaces MySQL's quotes of names, for a dialect that writes ``quote``
    (``""`` or ``[]``)."""

    def propose(scene: Scene) -> Iterator[RepairProposal]:
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


_PROMPT = re.compile(r"\s*(?:sqlite|mysql|duckdb|SQL|\w{1,63}=[#>])>? ?(?<=[#> ])(?=\S)")
_CONTINUED = re.compile(r"[ \t]*(?:\.\.\.>|->|\w{1,63}-[#>]) ?")


def without_prompt(text: str) -> Iterator[tuple[str, str]]:
    """Yield a statement without the prompt of a database's shell: ``sqlite> ``, ``shop=# ``."""
    prompt = _PROMPT.match(text)
    if prompt is None or prompt.group().rstrip()[-1] not in "#>":
        return
    first, *rest = text[prompt.end() :].split("\n")
    filled = [line for line in rest if line.strip()]
    if filled and all(_CONTINUED.match(line) or _PROMPT.match(line) for line in filled):
        rest = [_CONTINUED.sub("", _PROMPT.sub("", line, count=1), count=1) for line in rest]
    yield "prompt of a database removed", "\n".join((first, *rest))


_ESCAPED_APOSTROPHE = re.compile(r"(?<=[^\W\d_])\\'(?=[^\W\d_])")


def apostrophes(scene: Scene) -> Iterator[RepairProposal]:
    r"""Double an apostrophe that is escaped with a backslash, as SQL writes it: ``'O\'Neill'``."""
    edits = [Edit(x.start(), x.start() + 1, "'") for x in _ESCAPED_APOSTROPHE.finditer(scene.text)]
    if edits:
        yield proposal(edits, f"{len(edits)} apostrophes in strings written twice")

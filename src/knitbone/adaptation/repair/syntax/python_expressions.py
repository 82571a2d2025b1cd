"""Python that is evaluated, not executed: one expression, and what models write instead of one.

An expression has no statements, so ``return`` in front of it or ``if ...:`` around it can only be
what the model put there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from knitbone.adaptation.repair.syntax.edits import Edit, RepairProposal, proposal
from knitbone.adaptation.repair.syntax.lexer import CLOSER_OF, OPENER_OF, Token
from knitbone.adaptation.repair.syntax.python_oddity import oddity
from knitbone.adaptation.repair.syntax.records import ProgramShape, Scene
from knitbone.common.source import parse_source

__all__ = ["comparisons", "expression_shape", "looks_like_expression", "without_statement"]

_MAX_TEXT = 20_000
"""Characters, as for statements: Python 3.10 overflows the stack on longer chains."""
_OPERATION = re.compile(r"[=<>!]=|[<>]|[ \t][-+*/%|&^]{1,2}[ \t]|[\w)][\[(]|\s*[\d\"'(\[{]")
_STATEMENTS = (
    ("return before the expression removed", re.compile(r"\s*return\s+(?=\S)")),
    (
        "name before the expression removed",
        re.compile(
            r"\s*(?:result|res|answer|ans|expression|expr|output|condition|predicate|formula)"
            r"[ \t]*=(?!=)[ \t]*(?=\S)"
        ),
    ),
)
"""The names are those of any value: ``city = "Oslo"`` may be a comparison."""
_CONDITION = re.compile(r"\s*if\b[ \t]*(\S[^\n]*[^\s:]):\s*(?:pass|\.\.\.)?\s*")
_LONE = re.compile(r"(?<![\w)\]\"'])\(\s*[\w.]+\s*\)")


def looks_like_expression(line: str) -> bool:
    """Return whether a line is more than words."""
    return _OPERATION.search(line) is not None


def without_statement(text: str) -> Iterator[tuple[str, str]]:
    """Yield the expression of a ``return``, of an assignment to any name, of an ``if``; each with
    its rule."""
    for rule, before in _STATEMENTS:
        match = before.match(text)
        if match is not None:
            yield rule, text[match.end() :].rstrip().removesuffix(";")
    condition = _CONDITION.fullmatch(text)
    if condition is not None:
        yield "if around the expression removed", condition[1]
    if text.rstrip().endswith(";"):
        yield "semicolon removed", text.rstrip()[:-1]


def comparisons(scene: Scene) -> Iterator[RepairProposal]:
    """Replace ``=`` and ``=>`` by comparisons: ``a = 3 and b``, ``a => 3``, with a literal on the
    right.

    ``a = 3`` alone may be an assignment, and ``(row) => row.a`` is a function of JavaScript.
    """
    code = scene.code
    joined = any(token.text in ("and", "or", "not") for token in code)
    edits: list[Edit] = []
    level = 0
    for index, token in enumerate(code[:-1]):
        if token.kind == "bracket":
            level += (token.text in CLOSER_OF) - (token.text in OPENER_OF)
        right = code[index + 1]
        literal = right.kind in ("string", "number") or right.text in ("None", "True", "False")
        if token.text == "=>" and right.kind == "number":
            edits.append(Edit(token.start, token.end, ">="))
        elif token.text == "=" and literal and joined and not _in_call(code, index, level):
            edits.append(Edit(token.start, token.end, "=="))
    if edits:
        yield proposal(edits, f'"=", "=>" -> "==", ">=" in {len(edits)} comparisons')


def _in_call(code: list[Token], index: int, level: int) -> bool:
    """Return whether an equals sign names an argument: ``sorted(x, reverse=True)``."""
    depth = 0
    for place in range(index - 1, -1, -1) if level > 0 else ():
        depth += (code[place].text in OPENER_OF) - (code[place].text in CLOSER_OF)
        if depth < 0:
            return place > 0 and code[place - 1].kind == "name" and code[place].text == "("
    return False


def expression_shape(text: str) -> ProgramShape | None:
    """Return the program of an expression; ``None`` where there is none."""
    if len(text) > _MAX_TEXT:
        return None
    try:
        tree = parse_source(text.lstrip(" \t"), mode="eval")
        found = list(ast.walk(tree))
        displays = sum(isinstance(n, ast.Tuple | ast.List | ast.Set | ast.Dict) for n in found)
        bare = isinstance(tree.body, ast.Tuple) and not text.lstrip().startswith("(")
        odd = oddity(tree, text) + len(_LONE.findall(text)) + bare
        return ProgramShape(odd, displays, ast.dump(tree))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None

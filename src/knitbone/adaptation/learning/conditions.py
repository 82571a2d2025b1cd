"""The state of the program that decides if an operation is applied to an answer.

From the answers with the operation and those without it, the single simplest ``name == value`` that
separates them, such as ``self.mode == 'tool'``: it held for all of the first, for none of the
second, and was seen at least twice on each side. Nothing here guesses: without such a name the
operation happens ``SOMETIMES``.
"""

from __future__ import annotations

import ast
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from knitbone.common.source import parse_source

__all__ = ["SOMETIMES", "State", "separating_condition"]

SOMETIMES = "sometimes"
"""The condition of an operation for which none was found."""

State = Mapping[tuple[str, str], str]
"""(function as ``file:line:name``, name) -> value as an expression."""

_MIN_ANSWERS = 2
"""Answers on each side below which a condition would be chance (ours)."""


def separating_condition(with_it: Sequence[State], without: Sequence[State]) -> str:
    """Return the condition under which an operation happens, or ``SOMETIMES``.

    Args:
        with_it: the states of the answers that the operation was applied to.
        without: the states of those that it could have been applied to, and was not.
    """
    if len(with_it) < _MIN_ANSWERS or len(without) < _MIN_ANSWERS:
        return SOMETIMES
    # A state begins with the function that the answer came to, and goes on with its callers.
    away = {place: steps for steps, place in enumerate(dict.fromkeys(p for p, _ in with_it[0]))}
    found: list[tuple[tuple[int, int, int, int, str, str], str]] = []
    for key, value in with_it[0].items():
        if all(state.get(key) == value for state in with_it[1:]) and all(
            state.get(key, value) != value for state in without
        ):
            place, name = key
            found.append((_rank(place, name, value, away[place]), f"{name} == {value}"))
    return min(found)[1] if found else SOMETIMES


def _rank(place: str, name: str, value: str, away: int) -> tuple[int, int, int, int, str, str]:
    """Return the rank of a condition, the simplest first: names that the function branches on, then
    the function nearest to the answer, then state of the object, then values with few
    alternatives."""
    file, _, rest = place.rpartition(":")[0].rpartition(":")
    branched = name in _branch_names(file, int(rest) if rest.isdigit() else 0)
    is_text = value[:1] in "'\""
    kind = 1 if is_text else 0 if value in ("True", "False") or "." in value else 2
    return (0 if branched else 1, away, 0 if "." in name else 1, kind, name, place)


def _branch_names(file: str, line: int) -> frozenset[str]:
    """Return the names that the function at a line branches on."""
    return _all_branch_names(file).get(line, frozenset())


@lru_cache(maxsize=256)
def _all_branch_names(file: str) -> dict[int, frozenset[str]]:
    """Return, for the first line of each function, the names that it branches on or chooses
    something by."""
    try:
        with tokenize.open(file) as source, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_source(source.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, frozenset[str]] = {1: frozenset(_names(_deciding(tree)))}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[first] = frozenset(_names(_deciding(node)))
    return found


def _deciding(tree: ast.AST) -> Iterator[ast.AST]:
    """Find the expressions that decide: conditions, subjects, keys."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.test
        elif isinstance(node, ast.Match):
            yield node.subject
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Call) and node.args:
            # ``getattr(self, name)``, ``handlers.get(name)``
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in ("getattr", "get"):
                yield node.args[-1 if name == "getattr" and len(node.args) == 2 else 0]


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Find the names in some expressions."""
    for outer in nodes:
        for node in ast.walk(outer):
            if isinstance(node, ast.Name | ast.Attribute):
                yield ast.unparse(node)

"""Python's own parser, made safe for text that nobody has seen before.

``ast.parse`` and ``ast.literal_eval`` may exhaust the C stack or the memory on deeply nested text,
and they write warnings; here depth and size are bounded by a linear scan first.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

__all__ = ["MAX_PYTHON", "literal_of", "parse_python"]

MAX_PYTHON = 200_000
"""Characters; Python's parser needs about 100 bytes for each (ours)."""
_MAX_DEPTH = 100
"""Open brackets at a time; CPython itself refuses 200 (ours)."""
_MAX_CHAIN = 500
"""Operators in a row of one line, each of which is a level of the tree (ours)."""
_BRACKETS = re.compile(r"[()\[\]{}]")
_CHAIN = re.compile(r"[-+*/%@&|^~<>=.]|\b(?:not|and|or|if|lambda|await|elif)\b")


def parse_python(text: str, *, mode: str = "exec") -> ast.AST | None:
    """The syntax tree; ``None`` where the text is not Python, or too long or deep to be tried."""
    if len(text) > MAX_PYTHON or "\0" in text or not _is_shallow(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def literal_of(text: str) -> tuple[Any] | None:
    """What ``ast.literal_eval`` makes of the text, in a tuple; ``None`` where it would raise."""
    tree = parse_python(text.lstrip(" \t"), mode="eval")
    if tree is None:
        return None
    try:
        return (ast.literal_eval(tree),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _is_shallow(text: str) -> bool:
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += 1 if match.group() in "([{" else -1
        if depth > _MAX_DEPTH:
            return False
    # A chain can run over lines only inside brackets or behind a backslash: the operators of the
    # whole text are an upper bound, counted first because it is cheap.
    chain = len(_CHAIN.findall(text))
    if chain <= _MAX_CHAIN:
        return True
    return chain <= _MAX_CHAIN * (text.count("\n") + 1) and all(
        len(_CHAIN.findall(row)) <= _MAX_CHAIN for row in text.split("\n")
    )

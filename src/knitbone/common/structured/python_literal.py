"""Python's own parser, made safe for text that nobody has seen before.

``ast.parse`` and ``ast.literal_eval`` may exhaust the C stack or the memory on deeply nested text,
and they write warnings; here depth and size are bounded by a linear scan first.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

from knitbone.common.source import parse_source
from knitbone.common.structured.changes import ValueChange
from knitbone.common.structured.drafts import DocumentDraft, fenced_parts, splice
from knitbone.common.structured.spelled_numbers import Spelled, SpelledInteger

__all__ = [
    "MAX_PYTHON",
    "is_attached",
    "is_large",
    "literal_of",
    "literal_parts",
    "parse_literal",
    "parse_python",
    "spelled_literal",
    "write_literal",
]

MAX_PYTHON = 100_000
"""Characters; Python's parser takes up to 1 µs and about 500 bytes for each (measured)."""
_MAX_DEPTH = 100
"""Open brackets at a time; CPython itself refuses 200 (ours)."""
_MAX_CHAIN = 500
"""Operators in a row of one line, each of which is a level of the tree (ours)."""
_MAX_PARTS = 12_000
"""Lines, statements and items, each of which takes the parser up to 8 µs (measured)."""
_SHORT = 4_000
"""Characters; a text up to this length has no chain that is too long for any interpreter."""
_RUNS_ON = re.compile(r"[0-9][A-Za-z_]")
"""A number that runs into a word: the parser may warn of that, and of escapes that are none."""
_NAME = "<knitbone literal>"
_QUIET = ("ignore", None, Warning, re.compile(re.escape(_NAME)), 0)
"""The filter of the warnings about texts that are only looked at."""
_BRACKETS = re.compile(r"[()\[\]{}]")
_CHAIN = re.compile(r"[-+*/%@&|^~<>=.]|\b(?:not|and|or|if|lambda|await|elif)\b")


def parse_python(text: str, *, mode: str = "exec") -> ast.AST | None:
    """The syntax tree; ``None`` where the text is not Python, or too long or deep to be tried."""
    if is_large(text) or "\0" in text or not _is_shallow(text):
        return None
    try:
        if "\\" not in text and not _RUNS_ON.search(text):
            return parse_source(text, _NAME, mode)
        if _QUIET not in warnings.filters:
            # Not ``catch_warnings``, which is no good where there are threads.
            warnings.filterwarnings("ignore", category=Warning, module=_QUIET[3].pattern)
        return parse_source(text, _NAME, mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_large(text: str) -> bool:
    """Tell whether parsing the text would take long, which nothing can stop."""
    return len(text) > MAX_PYTHON or sum(map(text.count, "\n,;")) > _MAX_PARTS


def parse_literal(text: str) -> ast.AST | None:
    """The syntax tree as ``ast.literal_eval`` makes it of the text; ``None`` where there is none,
    or none was asked for because the text is too long or deep."""
    return parse_python(text.lstrip(" \t"), mode="eval")


Parse: TypeAlias = Callable[[str], ast.AST | None]


def literal_of(text: str, parse: Parse = parse_literal) -> tuple[Any] | None:
    """Give what ``ast.literal_eval`` makes of the text, in a tuple; ``None`` where it would
    raise."""
    tree = parse(text)
    if tree is None:
        return None
    try:
        return (ast.literal_eval(tree),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _is_shallow(text: str) -> bool:
    # No deeper than there are brackets, which are counted first because it is cheap.
    depth = 0
    if sum(map(text.count, "([{")) > _MAX_DEPTH:
        for match in _BRACKETS.finditer(text):
            depth += 1 if match.group() in "([{" else -1
            if depth > _MAX_DEPTH:
                return False
    if len(text) <= _SHORT:
        return True
    # A chain can run over lines only inside brackets or behind a backslash: the operators of the
    # whole text are an upper bound, counted first because it is cheap.
    chain = len(_CHAIN.findall(text))
    if chain <= _MAX_CHAIN:
        return True
    return chain <= _MAX_CHAIN * (text.count("\n") + 1) and all(
        len(_CHAIN.findall(row)) <= _MAX_CHAIN for row in text.split("\n")
    )


_TOKEN = re.compile(
    r"\"\"\"|\'\'\'|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\"']|[()\[\]{}]|[^\W\d]\w*"
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_START = re.compile(r"[\[{(]")
_CALLED = re.compile(r"[\w)\]]")
_GOES_ON = re.compile(r"\.[^\W\d]|[\[(]")
_DATA = re.compile(r"[\[({\"']")
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A line as Python counts them."""
_MAX_STARTS = 20
"""Brackets of an answer that may open the literal (ours)."""
_MAX_SEARCHED = 2 * MAX_PYTHON
"""Characters that are looked through for the counterparts of brackets, all together (ours)."""


def literal_parts(text: str, names: frozenset[str]) -> Iterator[DocumentDraft]:
    """Fenced parts, then what a bracket opens and its counterpart closes, the last first."""
    del names
    rule = ("text around the literal removed",)
    for part in fenced_parts(text):
        yield DocumentDraft(part.strip(), rule)
    found: list[str] = []
    place = searched = 0
    while len(found) < _MAX_STARTS and (start := _START.search(text, place)) is not None:
        end, stopped = _matching(text, start.start())
        searched += stopped - start.start()
        if searched > _MAX_SEARCHED:
            break
        if end is None:
            place = start.end()
            if len(found) == 0 and text[start.start()] in "[{":
                found.append(text[start.start() :].rstrip())
                break
            continue
        part = text[start.start() : end]
        if not is_attached(text, start.start(), end):
            found.append(part)
        elif _DATA.search(part, 1):
            return  # code that holds data: which of the values is meant is not said
        place = end
    several = len(found) > 1
    for part in reversed(found):
        if part != text:
            yield DocumentDraft(part, rule, beside=several)


def is_attached(text: str, start: int, end: int) -> bool:
    """Tell whether brackets belong to what stands beside them, as in code: a call, an item, a
    literal whose method is called."""
    return _CALLED.search(text, max(start - 1, 0), start) is not None or (
        _GOES_ON.match(text, end) is not None
    )


def _matching(text: str, start: int) -> tuple[int | None, int]:
    """Behind the bracket that closes the one at ``start``, ``None`` where there is none; and where
    the search ended."""
    opened: list[str] = []
    for token in _TOKEN.finditer(text, start, start + MAX_PYTHON):
        mark = token.group()
        if mark in _CLOSING:
            opened.append(_CLOSING[mark])
            if len(opened) > _MAX_DEPTH:
                return None, len(text)  # no parser takes it
        elif mark in ")]}":
            if opened.pop() != mark:
                return None, token.end()
            if not opened:
                return token.end(), token.end()
        elif mark in ("'", '"', "'''", '"""'):
            return None, token.end()
    return None, len(text)


def spelled_literal(text: str, parse: Parse = parse_literal) -> tuple[Any] | None:
    """Give what ``literal_of`` gives, with numbers that print as they were written; ``None`` also
    where a key stands twice with different values, or is computed."""
    tree = parse(text)
    if not isinstance(tree, ast.Expression):
        return None
    source = text.lstrip(" \t")
    try:
        return (_spelled(tree.body, source, _Places(source)),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _spelled(node: ast.expr, source: str, places: _Places) -> Any:
    """The value of a node.

    Raises:
        ValueError: it is no literal; or a key stands twice with different values, or is unpacked.
        TypeError: a key cannot be one.
    """
    if isinstance(node, ast.Constant):
        value = node.value
        return value if isinstance(value, str) else _spelled_number(value, node, source, places)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_spelled(item, source, places) for item in node.elts]
    if isinstance(node, ast.Dict):
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else _key(key)
            inner = _spelled(value, source, places)
            if name in made and made[name] != inner:
                raise ValueError("a key stands twice")
            made[name] = inner
        return made
    return _spelled_number(ast.literal_eval(node), node, source, places)


def _key(node: ast.expr | None) -> Any:
    if node is None:
        raise ValueError("a dictionary is unpacked")
    return ast.literal_eval(node)


def _spelled_number(value: Any, node: ast.expr, source: str, places: _Places) -> Any:
    if isinstance(value, float):
        return Spelled(value, source[slice(*places.of(node))])
    if isinstance(value, int) and not isinstance(value, bool):
        return SpelledInteger(value, source[slice(*places.of(node))])
    return value


def write_literal(text: str, changes: tuple[ValueChange, ...]) -> str | None:
    """The changes written at their places; ``None`` where a place is not found."""
    tree = parse_python(text, mode="eval")
    if not isinstance(tree, ast.Expression) or text[:1] in " \t":
        return None
    places = _Places(text)
    edits: list[tuple[int, int, str]] = []
    for change in changes:
        found = _node_at(tree.body, change.path)
        if found is None:
            return None
        key, node = found
        start, end = places.of(node)
        source = text[start:end]
        if change.action == "rename" and key is not None:
            edits.append((*places.of(key), repr(change.value)))
        elif change.action == "unwrap":
            inner = _node_at(node, (change.value,))
            if inner is None:
                return None
            first, last = places.of(inner[1])
            edits += [(start, first, ""), (last, end, "")]
        elif change.action == "wrap":
            edits += [(start, start, "["), (end, end, "]")]
        else:
            value = source if change.action == "quote" else change.value
            edits.append((start, end, repr(value)))
    return splice(text, edits)


class _Places:
    """Offsets of nodes: Python counts the bytes of each line."""

    def __init__(self, text: str) -> None:
        self.ascii = text.isascii()
        self.rows = _ROW.findall(text)
        self.starts = [0]
        for row in self.rows:
            self.starts.append(self.starts[-1] + len(row))

    def of(self, node: ast.expr) -> tuple[int, int]:
        end_line, end_column = cast("int", node.end_lineno), cast("int", node.end_col_offset)
        if self.ascii:
            starts = self.starts
            return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end_column
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def _offset(self, line: int, column: int) -> int:
        row = self.rows[line - 1]
        if not row.isascii():
            column = len(row.encode("utf-8")[:column].decode("utf-8"))
        return self.starts[line - 1] + column


def _node_at(
    root: ast.expr, path: tuple[str | int, ...]
) -> tuple[ast.expr | None, ast.expr] | None:
    key: ast.expr | None = None
    node = root
    for step in path:
        if isinstance(node, ast.List | ast.Tuple) and isinstance(step, int):
            key, node = None, node.elts[step]
        elif isinstance(node, ast.Dict):
            pairs = [
                (k, v)
                for k, v in zip(node.keys, node.values, strict=True)
                if isinstance(k, ast.Constant) and k.value == step
            ]
            if not pairs:
                return None
            key, node = pairs[-1]
        else:
            return None
    return key, node

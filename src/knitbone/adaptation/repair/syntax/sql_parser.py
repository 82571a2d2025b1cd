"""Parsers of SQL: SQLite itself where the driver is SQLite's, else sqlglot.

SQLite tells a syntax error from a missing table, so an empty database in memory and ``EXPLAIN``
validate a statement without running it.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from knitbone._forks import unforked
from knitbone.adaptation.repair.syntax.lexer import SQL, code_tokens, has_code, scan
from knitbone.adaptation.repair.syntax.records import Fault, ProgramShape
from knitbone.adaptation.repair.syntax.sql_rules import lacks_item
from knitbone.errors import import_extra

__all__ = ["MAX_SQL", "sql_fault_finder", "sql_shape", "sqlite_fault_finder"]

MAX_SQL = 16_384
"""Characters; sqlglot takes up to 6 ms a kilobyte, and cannot be stopped."""
STRAY = re.compile("[\u2018\u2019\u201c\u201d\u00a0\u200b\u200c\u2060\ufeff\uff0c\uff08\uff09]")
"""Characters that databases take for parts of names, and that no name holds."""
_SUBSCRIPTS = re.compile(r"\]\s*\[")
_MAX_SUBSCRIPTS = 64
"""``a[1][2]``: sqlglot's time grows with their square, 0.5 s for 300 (measured)."""
_EXPLAIN = re.compile(r"\s*explain\b", re.IGNORECASE)
_DENIED = {sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}
_SYNTAX = ("syntax error", "incomplete input", "unrecognized token", "parser stack overflow")
_TRAILING_COMMA_ALLOWED = frozenset(
    {"", "bigquery", "clickhouse", "databricks", "duckdb", "snowflake", "spark", "redshift"}
)
_DOUBLE_EQUALS_REFUSED = frozenset({"postgres", "mysql", "tsql", "oracle", "redshift"})

_local = threading.local()


_inherited: list[sqlite3.Connection] = []
"""Connections that threads of the parent held when this process was forked. Never freed: closing
takes a lock of SQLite's that one of them may have had."""


class _ThreadConnection:
    """The connection of a thread, closed with it."""

    def __init__(self) -> None:
        self._process = os.getpid()
        # Whichever thread collects the garbage closes it.
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.connection.set_authorizer(_authorize)

    def __del__(self) -> None:
        if self._process == os.getpid():
            self.connection.close()
        else:
            _inherited.append(self.connection)


def _connection() -> sqlite3.Connection:
    held: _ThreadConnection | None = getattr(_local, "held", None)
    if held is None:
        held = _local.held = _ThreadConnection()
    return held.connection


def _authorize(
    action: int, first: str | None, second: str | None, database: str | None, trigger: str | None
) -> int:
    """Deny pragmas, some of which act when they are compiled, and access to other files."""
    del first, second, database, trigger
    return sqlite3.SQLITE_DENY if action in _DENIED else sqlite3.SQLITE_OK


def sqlite_fault_finder(parser: str) -> Callable[[str], Fault | None]:
    """Return a function that finds the fault of a text with SQLite's parser, on an empty database.

    Args:
        parser: the consumer's name; ``executescript`` takes several statements, every other
            method one.
    """
    script = parser.rpartition(".")[2] == "executescript"

    def find(text: str) -> Fault | None:
        stray = _stray(text)
        if stray is not None:
            return stray
        if ";" not in text.rstrip()[:-1]:
            return _explain(text)
        statements = _statements(text)
        if not script and len(statements) > 1:
            return Fault(statements[1][0], "more than one statement")
        for start, end in statements:
            fault = _explain(text[start:end])
            if fault is not None:
                return fault
        return None

    return find


def _explain(statement: str) -> Fault | None:
    """Return the syntax fault that SQLite finds in one statement; other errors are none."""
    prefix = "" if _EXPLAIN.match(statement) else "EXPLAIN "
    try:
        with unforked:  # locks on its memory
            _connection().execute(prefix + statement).close()
    except sqlite3.OperationalError as error:
        message = str(error)
        if not any(known in message for known in _SYNTAX):
            return None  # a missing table, column or function: the real database knows
        if message == "incomplete input" and not has_code(statement, SQL):
            return None  # nothing to run is nothing wrong
        return Fault(-1, message)
    except (UnicodeEncodeError, ValueError) as error:
        return Fault(-1, str(error))
    except sqlite3.ProgrammingError as error:
        message = str(error)
        # Bindings come from the application.
        return Fault(-1, message) if "null character" in message else None
    except sqlite3.Error:
        return None  # not authorized, too big, ...: past the parser
    return None


def _statements(text: str) -> list[tuple[int, int]]:
    """Return the positions of the statements; SQLite decides what a trigger's semicolon ends."""
    found: list[tuple[int, int]] = []
    start = 0
    for token in scan(text, SQL):
        if token.text == ";":
            piece = text[start : token.end]
            if "trigger" in piece.lower() and not sqlite3.complete_statement(piece):
                continue
            found.append((start, token.end))
            start = token.end
    if has_code(text[start:], SQL):
        found.append((start, len(text)))
    return found


def _stray(text: str) -> Fault | None:
    if text.isascii() or not STRAY.search(text):
        return None
    for token in scan(text, SQL):
        if token.kind not in ("string", "comment", "unclosed") and STRAY.search(token.text):
            return Fault(token.start, f"{token.text[:1]!r} outside of a string")
    return None


class _Quiet(logging.Filter):
    """A filter that drops what sqlglot logs while we ask it; what the application asks is logged
    as ever."""

    def filter(self, record: logging.LogRecord) -> bool:
        del record
        return not getattr(_local, "asking", False)


_quiet = _Quiet()


def sql_fault_finder(dialect: str) -> Callable[[str], Fault | None]:
    """Return a function that finds the fault of a text with sqlglot's parser for a dialect.

    Without a dialect, a text has a fault where each of several dialects finds one.

    Raises:
        MissingExtraError: sqlglot is not installed.
    """
    sqlglot = import_extra("sqlglot", extra="syntax", purpose="Checking SQL")
    logging.getLogger("sqlglot").addFilter(_quiet)
    tried = (dialect,) if dialect else ("", "mysql", "postgres", "tsql", "bigquery")

    def find(text: str) -> Fault | None:
        if len(_SUBSCRIPTS.findall(text)) > _MAX_SUBSCRIPTS:
            raise TimeoutError("parsing so many subscripts would take longer than the time budget")
        fault = _stray(text) or _refused_by_database(text, dialect)
        if fault is not None:
            return fault
        for name in tried:
            fault = _parse(sqlglot, text, name)[1]
            if fault is None:
                return None
        return fault

    return find


def _parse(sqlglot: Any, text: str, dialect: str) -> tuple[list[Any], Fault | None]:
    """Parse a text with sqlglot; return its trees, or the fault."""
    _local.asking = True
    try:
        level = sqlglot.ErrorLevel.IMMEDIATE
        trees = sqlglot.parse(text, read=dialect or None, error_level=level)
        bare = (sqlglot.exp.Condition, sqlglot.exp.Alias)
        wrong = any(isinstance(tree, bare) for tree in trees)
        return trees, Fault(-1, "an expression, no statement") if wrong else None
    except sqlglot.errors.SqlglotError as error:
        return [], Fault(-1, str(error).partition("\n")[0].partition(". Line")[0])
    except RecursionError:
        return [], Fault(-1, "too deeply nested to be parsed")
    except Exception as error:  # noqa: BLE001 - its errors are not all its own: {"a" b}
        return [], Fault(-1, f"sqlglot fails with {type(error).__name__}")
    finally:
        _local.asking = False


def _refused_by_database(text: str, dialect: str) -> Fault | None:
    """Return a fault that sqlglot lets pass and the database does not."""
    comma = dialect not in _TRAILING_COMMA_ALLOWED and "," in text
    equals = dialect in _DOUBLE_EQUALS_REFUSED and "==" in text
    if not comma and not equals:
        return None
    tokens = code_tokens(scan(text, SQL))
    for token, following in pairwise(tokens):
        if comma and lacks_item(token, following):
            return Fault(token.start, "a comma without an item behind it")
        if equals and token.text == "==":
            return Fault(token.start, "'==' is no operator")
    return None


def sql_shape(
    dialect: str, find_fault: Callable[[str], Fault | None]
) -> Callable[[str], ProgramShape | None]:
    """Return a function that makes sqlglot's syntax tree of what the consumer's parser accepts.

    Where sqlglot does not parse it, the text itself stands for the tree.
    """

    def shape(text: str) -> ProgramShape | None:
        if find_fault(text) is not None:
            return None
        sqlglot = import_extra("sqlglot", extra="syntax", purpose="Comparing SQL")
        trees, fault = _parse(sqlglot, text, dialect)
        if fault:
            return ProgramShape(0, 0, text)
        # ``((x))`` is the statement that ``(x)`` is.
        paren = sqlglot.exp.Paren

        subquery = sqlglot.exp.Subquery

        def bare(node: Any) -> Any:
            outermost = isinstance(node, subquery) and node.parent is None
            if outermost or (isinstance(node, subquery) and isinstance(node.this, subquery)):
                return node.this
            return node.unnest() if isinstance(node, paren) else node

        bare_trees = [tree and tree.transform(bare) for tree in trees]
        tuples = sum(len(list(tree.find_all(sqlglot.exp.Tuple))) for tree in bare_trees if tree)
        return ProgramShape(_oddity(sqlglot, bare_trees), tuples, repr(bare_trees))

    return shape


def _oddity(sqlglot: Any, trees: list[Any]) -> int:
    """Count what nobody writes.

    Rows of different lengths, or not as long as the list of columns; a table by itself in
    parentheses; a query as the argument of a function.
    """
    odd = 0
    exp = sqlglot.exp
    for tree in filter(None, trees):
        odd += sum(isinstance(node.this, exp.Table) for node in tree.find_all(exp.Subquery))
        odd += sum(
            any(isinstance(argument, exp.Select) for argument in node.expressions)
            for node in tree.find_all(exp.Anonymous)
        )
        for values in tree.find_all(exp.Values):
            rows = [len(getattr(row, "expressions", ())) for row in values.expressions]
            columns = getattr(getattr(values.parent, "this", None), "expressions", ())
            odd += len(set(rows)) > 1 or bool(columns and rows and len(columns) != rows[0])
    return odd

"""Proof that a text is code of a language and nothing else, by a parser or by its form.

``is_program`` says yes only where a mistake is out of the question; in doubt it says no. A text
that may have been cut off is never complete: nothing may be closed behind half a program.
``is_program_or_mendable`` also accepts JSON with slips, which are mended once the code finds the
document.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Callable

from knitbone.common.structured.python_literal import parse_python
from knitbone.parsing.documents import JsonReading, read_json

__all__ = ["detected_language", "is_complete", "is_program", "is_program_or_mendable"]

_STRONG = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.For
    | ast.While | ast.If | ast.With | ast.Try | ast.Assign | ast.AugAssign | ast.Return | ast.Raise
    | ast.Assert | ast.Delete | ast.AsyncFor | ast.AsyncWith | ast.Match
)  # fmt: skip
_SQL = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?:SELECT\b.{1,4000}?\bFROM\b|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s"
    r"|DELETE\s+FROM\s|CREATE\s+(?:TABLE|VIEW|INDEX|TEMP|OR\s+REPLACE|UNIQUE)\b|ALTER\s+TABLE\s"
    r"|DROP\s+(?:TABLE|VIEW|INDEX)\s|WITH\s+(?:RECURSIVE\s+)?\w+\s+AS\s*\()",
    re.IGNORECASE | re.DOTALL,
)
"""The beginning of a statement that is SQL for sure."""
_SQL_OPEN = re.compile(
    r"\b(?:SELECT|FROM|WHERE|AND|OR|ON|BY|JOIN|SET|VALUES|INTO|AS|IN|LIKE|NOT|LIMIT|HAVING|UNION"
    r"|BETWEEN|DISTINCT|CASE|WHEN|THEN|ELSE|INNER|LEFT|RIGHT|OUTER)$",
    re.IGNORECASE,
)
"""A last word of SQL behind which something is missing."""
_MARKUP = re.compile(r"\s*(?:<!DOCTYPE\s|<\?xml\s|<html\b|<[A-Za-z][\w.-]*[\s>])", re.IGNORECASE)
"""The beginning of a document of HTML or XML."""
_LAST_TAG = re.compile(r"</[A-Za-z][\w.-]*\s*>$")
_WORD = re.compile(r"\w+")
_OPEN_END = re.compile(r"[-=+*/%<>&|^,.([{:\\@~]$")
"""A last character of code behind which something is missing."""
_PAIRS = {")": "(", "]": "[", "}": "{"}
_BRACKETS = re.compile(r"[()\[\]{}]")
_MAX_DEPTH = 100


def is_program(language: str, code: str) -> bool:
    """Return whether ``code`` is a program or document of ``language``, beyond doubt."""
    prove = _PROOFS.get(language)
    return prove is not None and bool(code.strip()) and prove(code)


def is_program_or_mendable(
    language: str, code: str, pause: Callable[[], None] = lambda: None
) -> bool:
    """Return whether ``code`` is a program, or JSON from bracket to bracket that can be mended in
    one way.

    Of JSON whose brackets do not close, more may be missing.

    Args:
        pause: called now and then; it may raise where the time is spent.
    """
    if is_program(language, code):
        return True
    if language != "json":
        return False
    body = code.strip()
    if body[:1] + body[-1:] not in ("{}", "[]") or not ('"' in body or ":" in body):
        return False
    reading = read_json(body, pause=pause)
    if not isinstance(reading, JsonReading) or reading.end < len(body):
        return False
    return not reading.guessed


def detected_language(code: str) -> str:
    """Return the one language that the text is a program of; empty where of none or of several."""
    found = [language for language in _DETECTABLE if is_program(language, code)]
    return found[0] if len(found) == 1 else ""


def is_complete(
    language: str,
    code: str,
    *,
    known: str = "",
    is_proved: bool = False,
    pause: Callable[[], None] = lambda: None,
) -> bool:
    """Return whether the code does not end in the middle.

    Args:
        known: text in which the last word may occur too: a word seen before is not half a word.
        is_proved: whether ``is_program`` or ``is_program_or_mendable`` said yes before.
        pause: called now and then; it may raise where the time is spent.
    """
    body = code.rstrip()
    if not body:
        return False
    if language in _PROOFS and not is_proved and not is_program_or_mendable(language, code, pause):
        return False
    if language not in _PROOFS and (_OPEN_END.search(body) or not _has_balanced_brackets(body)):
        return False
    return (
        code.endswith("\n")
        or language in ("json", "html", "xml")
        or _ends_on_whole_word(body, known)
    )


def _ends_on_whole_word(body: str, known: str) -> bool:
    """Return whether the text does not end in what may be half a word or half a number."""
    if not (body[-1].isalnum() or body[-1] == "_"):
        return True
    start = len(body)
    while start and (body[start - 1].isalnum() or body[start - 1] == "_"):
        start -= 1
    word = body[start:]
    if word[0].isdigit():
        return False
    return keyword.iskeyword(word) or any(
        match.group() == word for text in (body[:start], known) for match in _WORD.finditer(text)
    )


def _has_balanced_brackets(code: str) -> bool:
    """Return whether brackets close in order.

    Strings are not looked into, which errs to the safe side only in code whose strings hold single
    brackets.
    """
    opened: list[str] = []
    for match in _BRACKETS.finditer(code):
        mark = match.group()
        if mark in "([{":
            opened.append(mark)
        elif not opened or opened.pop() != _PAIRS[mark]:
            return False
    return not opened


def _python(code: str) -> bool:
    tree = parse_python(code)
    if not isinstance(tree, ast.Module):
        return False
    strong = 0
    for index, statement in enumerate(tree.body):
        if _is_strong(statement):
            strong += 1
        elif not (index == 0 and _is_text(statement)):
            return False
    return strong > 0


def _is_strong(statement: ast.stmt) -> bool:
    """Return whether a statement is none that a sentence may look like: ``Answer: yes``, ``not
    found``."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None
    if isinstance(statement, ast.Expr):
        value = statement.value
        return isinstance(value, ast.Call | ast.Await | ast.Yield | ast.ListComp)
    return isinstance(statement, _STRONG)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _json(code: str) -> bool:
    body = code.strip()
    if body[0] + body[-1] not in ("{}", "[]") or _depth(body) > _MAX_DEPTH:
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in _BRACKETS.finditer(text):
        depth += 1 if match.group() in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


def _sql(code: str) -> bool:
    body = code.strip()
    if not _SQL.match(body) or _SQL_OPEN.search(body[-16:]) or _OPEN_END.search(body):
        return False
    # Two statements need a semicolon between them; a paragraph of prose has none.
    paragraphs = [p.strip() for p in re.split(r";\s*\n|\n[ \t]*\n", body) if p.strip()]
    return _has_balanced_brackets(body) and all(
        _SQL.match(p) or p.upper() in ("BEGIN", "COMMIT") for p in paragraphs
    )


def _markup(code: str) -> bool:
    body = code.strip()
    return bool(_MARKUP.match(body)) and bool(_LAST_TAG.search(body[-64:]))


_PROOFS: dict[str, Callable[[str], bool]] = {
    "python": _python,
    "json": _json,
    "sql": _sql,
    "html": _markup,
    "xml": _markup,
}
_DETECTABLE = ("python", "json", "sql", "html")

"""TOML that a person or a model wrote: read it safely, mend its lines, write changes into it.

Source: TOML 1.0 (key/value pairs, tables).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from knitbone.common.structured.changes import ValueChange
from knitbone.common.structured.drafts import DocumentDraft, fenced_parts, splice
from knitbone.common.structured.spelled_numbers import Spelled

__all__ = ["MAX_TOML", "mend_toml", "read_toml", "spelled_toml", "toml_parts", "write_toml"]

MAX_TOML = 30_000
"""Characters of a document; ``tomllib`` reads about 1 KB in a millisecond (ours)."""
_MAX_DEPTH = 100
"""Brackets open at a time (ours)."""
_MAX_ROWS = 50
"""Lines of one value (ours)."""
_MAX_PARTS = 64
"""Parts of a dotted key (ours)."""
_BRACKETS = re.compile(r"[\[\]{}]")
_KEY = r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\"[^\"\\\n]*\""
_ROW = re.compile(rf"(?P<lead>[ \t]*)(?P<key>{_KEY})[ \t]*(?P<mark>=|:)[ \t]*(?P<value>.*)")
_HEADER = re.compile(rf"[ \t]*(?P<many>\[?)\[[ \t]*(?P<key>{_KEY})[ \t]*\]\]?[ \t]*(?:#.*)?")
_SCALAR = re.compile(r"(?P<value>\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#,\[\]{}\"']+)\s*(?:#.*)?")
_NUMERIC = re.compile(r"[-+]?\d[\d_]*(?:\.\d+)?(?: ?[-\u2013] ?\d+)? ?%?")
"""What is rather a number, or a range of numbers, than a text."""
_BARE = re.compile(r"[^\W_][^\"'#=\[\]{}\\]*")
_WORDS = {"True": "true", "False": "false"}


def read_toml(text: str) -> tuple[Any] | None:
    """The document in a tuple; ``None`` where the parser raises."""
    return _load(text, float)


def spelled_toml(text: str) -> tuple[Any] | None:
    """The same with numbers that print as they were written."""
    return _load(text, _spelled)


def _spelled(spelling: str) -> float:
    return Spelled(float(spelling), spelling)


def _load(text: str, parse_float: Callable[[str], float]) -> tuple[Any] | None:
    depth = 0
    # The parser is quadratic in the parts of a dotted key.
    if any(row.count(".") > _MAX_PARTS and _is_key(row) for row in text.split("\n")):
        return None
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket.group() in "[{" else -1
        if depth > _MAX_DEPTH:
            return None
    try:
        return (tomllib.loads(text, parse_float=parse_float),)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None


def _is_key(row: str) -> bool:
    head, mark, _ = row.partition("=")
    return head.count(".") > _MAX_PARTS and (bool(mark) or head.lstrip().startswith("["))


def toml_parts(text: str, names: frozenset[str]) -> Iterator[DocumentDraft]:
    """Fenced parts, the last first; else the lines from the first table or key to the last."""
    del names
    rule = ("text around the document removed",)
    fenced = fenced_parts(text)
    yield from (DocumentDraft(part, rule) for part in fenced)
    if fenced:
        return
    rows = text.split("\n")
    held = [n for n, row in enumerate(rows) if _is_row(row)]
    if held and (held[0] > 0 or any(row.strip() for row in rows[held[-1] + 1 :])):
        yield DocumentDraft("\n".join(rows[held[0] : held[-1] + 1]), rule)


def _is_row(row: str) -> bool:
    match = _ROW.fullmatch(row)
    return (
        (match is not None and (match["mark"] == "=" or bool(match["value"])))
        or _HEADER.fullmatch(row) is not None
        or row.strip() in ("]", "}", '"""', "'''")
    )


def mend_toml(text: str, names: frozenset[str]) -> DocumentDraft | None:
    """The lines with equals signs, truth values and quotation marks as TOML wants them."""
    del names
    if len(text) > MAX_TOML:
        return None
    rows = text.split("\n")
    rules: dict[str, None] = {}
    mended: list[str] = []
    number = 0
    while number < len(rows):
        length = _whole(rows, number)
        if length:
            mended += rows[number : number + length]
            number += length
            continue
        row, rule = _mended_row(rows[number])
        if rule:
            rules[rule] = None
        mended.append(row)
        number += 1
    return DocumentDraft("\n".join(mended), tuple(rules)) if rules else None


def _whole(rows: list[str], start: int) -> int:
    """How many lines from ``start`` on make a key and its value, or a table; 0 where none do."""
    row = rows[start]
    if not row.strip() or row.lstrip().startswith("#") or read_toml(row) is not None:
        return 1
    match = _ROW.fullmatch(row)
    if match is None or match["value"][:1] not in ("[", "{", '"', "'") or match["mark"] != "=":
        return 0
    closing = {"[": "]", "{": "}"}.get(match["value"][0], match["value"][:3])
    for end in range(start + 1, min(start + _MAX_ROWS, len(rows))):
        whole = closing in rows[end] and read_toml("\n".join(rows[start : end + 1])) is not None
        if whole:
            return end + 1 - start
    return 0


def _mended_row(row: str) -> tuple[str, str]:
    """The line and what was done to it."""
    match = _ROW.fullmatch(row)
    if match is None:
        return row, ""
    value = match["value"].strip()
    start = f"{match['lead']}{match['key']} = "
    bare, mark, comment = value.partition(" #")
    bare = bare.strip()
    tried = [
        (value, '":" -> "="'),
        (_WORDS.get(bare, "") + mark + comment, "True, False -> true, false"),
        (value.replace("\u201c", '"').replace("\u201d", '"'), "curly quotation marks straightened"),
    ]
    is_text = _BARE.fullmatch(bare) and not _NUMERIC.fullmatch(bare)
    if is_text and bare not in ("null", "None", "nil"):
        tried.append((json.dumps(bare, ensure_ascii=False) + mark + comment, "text quoted"))
    for written, rule in tried:
        if written and start + written != row and read_toml(start + written) is not None:
            return start + written, rule
    return row, ""


def write_toml(text: str, changes: tuple[ValueChange, ...]) -> str | None:
    """The changes written at their places; ``None`` where a place is not on a line of its own."""
    places = _places(text)
    edits: list[tuple[int, int, str]] = []
    for change in changes:
        if change.path not in places or change.action == "unwrap":
            return None
        key, (start, end) = places[change.path]
        source = text[start:end]
        if change.action == "rename":
            edits.append(
                (*key, change.value if change.value.isidentifier() else json.dumps(change.value))
            )
        elif change.action == "wrap":
            edits.append((start, end, f"[{source}]"))
        elif change.action == "quote":
            edits.append((start, end, json.dumps(source)))
        elif isinstance(change.value, bool):
            edits.append((start, end, str(change.value).lower()))
        elif isinstance(change.value, str):
            edits.append((start, end, json.dumps(change.value, ensure_ascii=False)))
        elif change.value is None:
            return None
        else:
            edits.append((start, end, str(change.value)))
    return splice(text, edits)


_Span = tuple[int, int]


def _places(text: str) -> dict[tuple[str | int, ...], tuple[_Span, _Span]]:
    """Path -> where the last part of the key and the value stand, for values on one line."""
    found: dict[tuple[str | int, ...], tuple[_Span, _Span]] = {}
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    place = 0
    for row in text.split("\n"):
        header, match = _HEADER.fullmatch(row), _ROW.fullmatch(row)
        if header is not None:
            table = _path(header["key"])
            # A table inside an element of a list of tables belongs to the last element.
            for length in range(len(table), 0, -1):
                if table[:length] in counts and (length < len(table) or not header["many"]):
                    table = (*table[:length], counts[table[:length]] - 1, *table[length:])
                    break
            if header["many"]:
                counts[table] = counts.get(table, 0) + 1
                table = (*table, counts[table] - 1)
        elif match is not None:
            scalar = _SCALAR.fullmatch(match["value"].rstrip("\r"))
            if scalar is not None:
                start = place + match.start("value")
                end = place + match.end("key")
                name = end - len(match["key"].rpartition(".")[2])
                found[(*table, *_path(match["key"]))] = (
                    (name, end),
                    (start, start + len(scalar["value"])),
                )
        place += len(row) + 1
    return found


def _path(key: str) -> tuple[str, ...]:
    return (key[1:-1],) if key.startswith('"') else tuple(key.split("."))

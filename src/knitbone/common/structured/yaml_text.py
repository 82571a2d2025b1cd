"""YAML that a person or a model wrote: read it safely, mend its lines, write changes into it.

The reader is PyYAML's safe one over libyaml where that is built in; depth is bounded by a linear
scan first, because libyaml's composer has no bound of its own.

Source: YAML 1.1 §7 (plain scalars), §8 (block collections).
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from knitbone.common.structured.changes import ValueChange
from knitbone.common.structured.drafts import DocumentDraft, fenced_parts, splice
from knitbone.common.structured.spelled_numbers import Spelled, SpelledInteger
from knitbone.errors import import_extra

__all__ = [
    "MAX_YAML",
    "load_yaml",
    "mend_yaml",
    "read_yaml",
    "spelled_yaml",
    "write_yaml",
    "yaml_parts",
]

MAX_YAML = 50_000
"""Characters of a document; libyaml reads about 1 KB in a millisecond (ours)."""
_MAX_FLOW = 100
"""Brackets open at a time (ours)."""
_MAX_COLUMNS = 200
"""Columns of indentation, each of which may be a level (ours)."""
_MAX_DOCUMENTS = 20
"""Documents of one answer that are looked at (ours)."""
_FLOW = re.compile(r"[\[\]{}]")
_LEAD = re.compile(r"^[ ]*(?:[-?:][ ]+)*", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^|[\s\[{,])&\w")
_ALIAS = re.compile(r"(?:^|[\s\[{,])\*\w")
_SEPARATOR = re.compile(r"^---[ \t]*$", re.MULTILINE)
_ROW = re.compile(
    r"(?P<lead>[ \t]*(?:- +)*)(?P<key>[A-Za-z_][\w .-]{0,60}|\"[^\"\n]{1,60}\")"
    r":(?P<gap>[ \t]*)(?P<value>.*)"
)
_BULLET = re.compile(r"(?P<lead>[ \t]*)(?:[*•+]|-(?=\S))[ \t]*(?=[^\s*-])")
_BOLD = re.compile(r"(?P<lead>[ \t]*(?:- +)*)\*\*(?P<key>[\w .-]{1,60})(?::\*\*|\*\*:)")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"\s*(?:#.*)?|'(?:[^']|'')*'\s*(?:#.*)?")
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*")


def load_yaml() -> None:
    """Load PyYAML ahead of the first text.

    Raises:
        MissingExtraError: it is not installed.
    """
    _loader()


@cache
def _yaml() -> Any:
    return import_extra("yaml", extra="syntax", purpose="Reading YAML")


@cache
def _loader() -> Any:
    """A safe loader whose numbers and dates keep their spelling."""
    yaml = _yaml()

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass

    def number(loader: Any, node: Any) -> Any:
        made = yaml.constructor.SafeConstructor.construct_yaml_float(loader, node)
        return Spelled(made, node.value)

    def whole(loader: Any, node: Any) -> Any:
        made = yaml.constructor.SafeConstructor.construct_yaml_int(loader, node)
        return SpelledInteger(made, node.value)

    def date(loader: Any, node: Any) -> Any:
        yaml.constructor.SafeConstructor.construct_yaml_timestamp(loader, node)
        return Spelled(0.0, node.value)

    Loader.add_constructor("tag:yaml.org,2002:float", number)
    Loader.add_constructor("tag:yaml.org,2002:int", whole)
    Loader.add_constructor("tag:yaml.org,2002:timestamp", date)
    return Loader


def read_yaml(text: str) -> tuple[Any] | None:
    """Give what a safe loader makes of the text, in a tuple; ``None`` where it raises.

    Raises:
        MissingExtraError: PyYAML is not installed.
    """
    yaml = _yaml()
    return _load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def spelled_yaml(text: str) -> tuple[Any] | None:
    """The same with numbers and dates that print as they were written."""
    return _load(text, _loader())


def _load(text: str, loader: Any) -> tuple[Any] | None:
    if not _is_shallow(text):
        return None
    try:
        return (_yaml().load(text, Loader=loader),)
    except (_yaml().YAMLError, ValueError, TypeError, AttributeError, RecursionError, KeyError):
        return None  # constructors of dates and numbers raise what they like


def _is_shallow(text: str) -> bool:
    """Also that there is no alias: a value that holds another many times over is not walked."""
    if "&" in text and _ANCHOR.search(text) and _ALIAS.search(text):
        return False
    depth = 0
    for bracket in _FLOW.finditer(text):
        depth += 1 if bracket.group() in "[{" else -1
        if depth > _MAX_FLOW:
            return False
    return len(text) <= MAX_YAML and all(
        lead.end() - lead.start() <= _MAX_COLUMNS for lead in _LEAD.finditer(text)
    )


def yaml_parts(text: str, names: frozenset[str]) -> list[DocumentDraft]:
    """Fenced parts; documents between ``---``; the lines from the first wanted key on."""
    found = [
        DocumentDraft(part, ("text around the document removed",)) for part in fenced_parts(text)
    ]
    if not found:
        documents = [part for part in _SEPARATOR.split(text) if part.strip()]
        if 1 < len(documents) <= _MAX_DOCUMENTS:
            return [
                DocumentDraft(d, ("other documents removed",), beside=True) for d in documents[::-1]
            ]
        found = _between_prose(text, names)
    return found


def _between_prose(text: str, names: frozenset[str]) -> list[DocumentDraft]:
    """The lines from the first that begins with a key that is asked for, or with a list item that
    does, up to the prose behind them."""
    rows = text.split("\n")
    first = next((n for n, row in enumerate(rows) if _key_of(row) in names), None)
    if first is None:
        return []
    # What stands above may be part of it as well; "Here is the plan:" is no key of one word.
    while first and (_is_row(rows[first - 1]) or rows[first - 1].startswith("#")):
        if " " in _key_of(rows[first - 1]):
            break
        first -= 1
    last = len(rows)
    while last > first + 1 and not _is_row(rows[last - 1]):
        last -= 1
    if (first, last) == (0, len(rows)):
        return []
    return [DocumentDraft("\n".join(rows[first:last]), ("text around the document removed",))]


def _key_of(row: str) -> str:
    match = _ROW.match(row.replace("**", "")) if len(row) < 500 else None
    return match["key"].strip(' "') if match else ""


def _is_row(row: str) -> bool:
    """Tell whether a line is part of a block: indented, an item, or a key."""
    return bool(row[:1].isspace() and row.strip()) or row.startswith("- ") or bool(_key_of(row))


def mend_yaml(text: str, names: frozenset[str]) -> DocumentDraft | None:
    """The lines with tabs, colons, quotation marks and indentation as YAML wants them."""
    if len(text) > MAX_YAML:
        return None
    rules: dict[str, int] = {}
    rows: list[str] = []
    before: tuple[str, bool] | None = None
    literal = -1
    for row in text.split("\n"):
        indent = len(row) - len(row.lstrip(" \t"))
        if literal >= 0 and (not row.strip() or indent > literal):
            rows.append(row)  # the lines of a block of text are content
            continue
        literal = -1
        new = _mended_row(row, names, rules)
        match = _ROW.fullmatch(new)
        if before is not None and match is not None and before[1]:
            lead = len(match["lead"])
            if len(before[0]) < lead <= len(before[0]) + 3 and "-" not in match["lead"]:
                new = " " * len(before[0]) + new.lstrip()
                _count(rules, "indentation aligned")
                match = _ROW.fullmatch(new)
        if match is not None:
            value = match["value"].strip()
            holds = bool(value) and value[0] not in "|>[{&"
            before = (match["lead"], holds)
            literal = len(match["lead"]) if value[:1] in ("|", ">") else -1
        elif new.strip():
            before = None
        rows.append(new)
    mended = "\n".join(rows)
    return DocumentDraft(mended, tuple(rules)) if mended != text else None


def _count(rules: dict[str, int], rule: str) -> None:
    rules[rule] = rules.get(rule, 0) + 1


def _mended_row(row: str, names: frozenset[str], rules: dict[str, int]) -> str:
    lead = row[: len(row) - len(row.lstrip(" \t"))]
    if "\t" in lead:
        row = lead.replace("\t", "  ") + row[len(lead) :]
        _count(rules, "tabs in the indentation -> blanks")
    bold = _BOLD.match(row)
    if bold is not None:
        row = f"{bold['lead']}{bold['key']}:{row[bold.end() :]}"
        _count(rules, "bold key -> plain key")
    bullet = _BULLET.match(row)
    if bullet is not None:
        row = f"{bullet['lead']}- {row[bullet.end() :]}"
        _count(rules, 'bullet -> "- "')
    match = _ROW.fullmatch(row)
    if match is None:
        return row
    value = match["value"].strip()
    key = match["key"].strip(' "')
    if value and not match["gap"] and key in names:
        row = f"{match['lead']}{match['key']}: {value}"
        _count(rules, "blank after the colon added")
    if value and _needs_quotes(value):
        written = "'" + value.replace("'", "''") + "'"
        row = f"{match['lead']}{match['key']}: {written}"
        _count(rules, "text with a special character quoted")
    return row


def _needs_quotes(value: str) -> bool:
    """Tell whether a value on the line of its key cannot be read without quotation marks, and is
    text all the same."""
    if value[0] in "\"'":
        # A quoted part and more behind it; without its closing mark it may be cut off.
        return _QUOTED.fullmatch(value) is None and value.count(value[0]) % 2 == 0
    if value[0] in "@`%":
        return True
    if value[0] in "|>[{&!#-?":
        return False
    return value[0] == "*" or ": " in value or value.endswith(":")


def write_yaml(text: str, changes: tuple[ValueChange, ...]) -> str | None:
    """The changes written at their places; ``None`` where a place is not found."""
    try:
        root = _yaml().compose(text, Loader=_loader())
    except (_yaml().YAMLError, RecursionError):
        return None
    edits: list[tuple[int, int, str]] = []
    top: Any = None
    for change in changes:
        found = _node_at(root, change.path)
        if found is None:
            return None
        key, node = found
        if change.action == "unwrap":
            inner = _node_at(node, (change.value,))
            if change.path != () or inner is None:
                return None
            top = inner[1]
            continue
        edit = _edit(text, key, node, change)
        if edit is None:
            return None
        edits.append(edit)
    if top is None:
        return splice(text, edits)
    start, end, column = top.start_mark.index, top.end_mark.index, top.start_mark.column
    inside = [(s - start, e - start, w) for s, e, w in edits if start <= s and e <= end]
    body = splice(text[start:end], inside)
    if body is None or len(inside) != len(edits):
        return None
    return "\n".join(
        row[column:] if index and not row[:column].strip() else row
        for index, row in enumerate(body.split("\n"))
    )


def _edit(text: str, key: Any, node: Any, change: ValueChange) -> tuple[int, int, str] | None:
    if change.action == "rename":
        written = change.value if _PLAIN_KEY.fullmatch(change.value) else json.dumps(change.value)
        return key.start_mark.index, key.end_mark.index, written
    start, end = node.start_mark.index, node.end_mark.index
    source = text[start:end]
    if "\n" in source:
        return None
    if change.action == "wrap":
        return start, end, f"[{source}]"
    if node.id != "scalar":
        return None
    if change.action == "quote":
        return start, end, "'" + source.replace("'", "''") + "'"
    value = change.value
    if isinstance(value, str):
        return start, end, json.dumps(value, ensure_ascii=False)
    return start, end, "null" if value is None else str(value).lower()


def _node_at(root: Any, path: tuple[str | int, ...]) -> tuple[Any, Any] | None:
    key, node = None, root
    for step in path:
        if isinstance(step, int):
            if node.id != "sequence" or step >= len(node.value):
                return None
            key, node = None, node.value[step]
            continue
        pairs = [(k, v) for k, v in node.value if k.value == step] if node.id == "mapping" else []
        if not pairs:
            return None
        key, node = pairs[-1]
    return key, node

"""Lists of entries that splitters and retrievers return, in the types that these libraries use.

A list of texts, of documents, of (document, score) pairs, or the parallel lists of a vector
store's answer (``{"ids": [[...]], "documents": [[...]]}``). Each entry keeps its type, id and
metadata; only its text, its position or its presence changes.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from knitbone.adaptation.repair.checks import ListEntry
from knitbone.adaptation.runtime.values.replacement import replace_texts
from knitbone.adaptation.runtime.values.texts import Path, ValueText, fields_of, find_texts

__all__ = ["find_entries", "rebuild_entries"]

_MAX_ENTRIES = 10_000
_MAX_NAME = 2_000
_MAX_COLUMNS = 64
_FEWEST_WORDS = 4
"""Words from which on a column holds texts (ours)."""


class Entries(NamedTuple):
    """The entries of a value."""

    entries: tuple[ListEntry, ...]
    parts: tuple[ValueText, ...]
    """The text of each item with its path; empty for parallel lists."""


def find_entries(value: Any) -> Entries | None:
    """Return the entries of a list; ``None`` where the value is no list, or an item has not just
    one text."""
    if type(value) is dict:
        texts = _column(cast("dict[str, Any]", value))
        if texts is None:
            return None
        return Entries(tuple(ListEntry(text=t, source=i) for i, t in enumerate(texts)), ())
    if type(value) not in (list, tuple) or not 0 < len(value) <= _MAX_ENTRIES:
        return None
    found: list[ValueText] = []
    entries: list[ListEntry] = []
    items = cast("Sequence[Any]", value)
    column: Path | None = None
    for index, item in enumerate(items):
        # Of a (document, score) pair the document.
        inside = find_texts(item) if column is None else (_cell(item, column),)
        if len(inside) != 1:
            column = _text_column(items) if index == 0 else None
            if column is None:
                return None
            inside = (_cell(item, column),)
        found.append(inside[0])
        entries.append(ListEntry(text=inside[0].text, source=index, document=_document_of(item)))
    return Entries(tuple(entries), tuple(found))


def _cell(row: Any, column: Path) -> ValueText:
    return ValueText(_cells_of_row(row)[column], (column,))


def _text_column(rows: Sequence[Any]) -> Path | None:
    """Return the only column of rows that holds texts rather than names and numbers; ``None``: not
    just one.

    Rows are tuples, dictionaries or data classes, also one inside another.
    """
    tables = [_cells_of_row(row) for row in rows]
    if any(table.keys() != tables[0].keys() for table in tables):
        return None
    columns = [key for key in tables[0] if all(_is_text(table[key]) for table in tables)]
    return columns[0] if len(columns) == 1 else None


def _cells_of_row(row: Any, path: Path = ()) -> dict[Path, Any]:
    """Return the cells of a row by their path."""
    if isinstance(row, tuple):
        fields: dict[Any, Any] = dict(enumerate(cast("tuple[Any, ...]", row)))
    else:
        fields = dict(fields_of(row))
    if not fields or len(path) > 2 or len(fields) > _MAX_COLUMNS:
        return {path: row}
    return {
        at: v for key, held in fields.items() for at, v in _cells_of_row(held, (*path, key)).items()
    }


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value.split(maxsplit=_FEWEST_WORDS)) >= _FEWEST_WORDS


_OWN = frozenset({"start_index", "_split_id", "_split_idx_start", "_split_overlap", "split_id"})
"""Metadata that tell one chunk of a document from the next."""


def _document_of(item: Any) -> str:
    """Return the document that a chunk was cut from: its metadata without what is the chunk's
    own."""
    metadata = fields_of(item).get("metadata")
    if not isinstance(metadata, dict):
        return ""
    told = cast("dict[Any, Any]", metadata)
    return repr(sorted((str(key), told[key]) for key in told if key not in _OWN))[:_MAX_NAME]


def rebuild_entries(value: Any, found: Entries, wanted: Sequence[ListEntry]) -> Any:
    """Return the same value with other entries; the value itself where nothing changed.

    Raises:
        TypeError: an item's type does not let its text be replaced.
    """
    if tuple(wanted) == found.entries:
        return value
    if not found.parts:
        return _filter_columns(cast("dict[str, Any]", value), wanted)
    used: set[int] = set()
    items: list[Any] = []
    for entry in wanted:
        item, part = value[entry.source], found.parts[entry.source]
        if entry.text != part.text:
            item = replace_texts(item, (part,), (entry.text,))
        elif entry.source in used:
            item = copy.copy(item)
        used.add(entry.source)
        items.append(item)
    return items if isinstance(value, list) else tuple(items)


def _column(value: dict[str, Any]) -> list[str] | None:
    """Return the texts of one query's answer of a vector store."""
    documents: Any = value.get("documents")
    if not isinstance(documents, list) or len(cast("list[Any]", documents)) != 1:
        return None
    (column,) = cast("list[Any]", documents)
    if not isinstance(column, list):
        return None
    texts = cast("list[Any]", column)
    if not 0 < len(texts) <= _MAX_ENTRIES or not all(isinstance(text, str) for text in texts):
        return None
    return texts


def _filter_columns(value: dict[str, Any], wanted: Sequence[ListEntry]) -> dict[str, Any]:
    """Return all parallel lists with the chosen entries only, in their order."""
    count = len(value["documents"][0])
    changed = dict(value)
    for key, column in value.items():
        if isinstance(column, list) and len(cast("list[Any]", column)) == 1:
            (one,) = cast("list[Any]", column)
            if isinstance(one, list) and len(cast("list[Any]", one)) == count:
                changed[key] = [[one[entry.source] for entry in wanted]]
    changed["documents"] = [[entry.text for entry in wanted]]
    return changed

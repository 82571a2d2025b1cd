"""The requirements file, ``knitbone.requirements.toml``: find, load and save it.

It holds what the analysis read, reviewed and edited by people, and wins over the analysis. Entries
that the analysis wrote carry a hash of what was written, so that an edit is noticed whatever the
formatting; comments and line numbers do not count. Paths are relative to the file, so that it can
be committed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.adaptation.requirements.codec import check_known, decode
from knitbone.adaptation.requirements.entries import (
    SCHEMA,
    SITE_KEYS,
    Entry,
    FileSite,
    RequirementsFile,
    absolute_path,
    dump_requirements,
    with_evidence_path,
)
from knitbone.adaptation.requirements.file_blocks import FileBlock, comments_in, split_blocks
from knitbone.adaptation.requirements.records import Evidence
from knitbone.errors import InputFormatError

__all__ = ["FILE_NAME", "find_requirements", "load_requirements", "save_requirements"]

FILE_NAME = "knitbone.requirements.toml"


def find_requirements(start: Path) -> Path | None:
    """Return the nearest requirements file, in ``start`` or above, up to the repository's root."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
        if (folder / ".git").exists():
            break
    return None


def load_requirements(path: Path) -> RequirementsFile:
    """Read a requirements file.

    Raises:
        InputFormatError: the file cannot be read, is not TOML, has an unknown schema version or
            key, or a value that cannot be used; with the line and the nearest name that is known.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document: dict[str, Any] = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputFormatError(
            f"{path} cannot be read: {error}.",
            next_step="Correct it, or delete it and run: knitbone check --write",
        ) from error
    _check_version(document, path)
    for key in document:
        _refuse_unknown(key, ("schema", "site"), "key of the file", path, 1)
    blocks = split_blocks(text)
    tables = _tables(document.get("site", []), path, 1, "[[site]]")
    in_blocks = _blocks_of_sites(blocks, tables)
    root = path.parent.resolve()
    sites = tuple(
        _load_site(table, in_blocks[index] if in_blocks else None, path, root)
        for index, table in enumerate(tables)
    )
    return RequirementsFile(path=path, sites=sites, head=blocks[0].text)


def _check_version(document: dict[str, Any], path: Path) -> None:
    """Refuse a document of another schema version."""
    version = document.get("schema")
    if type(version) is not int or version != SCHEMA:
        newer = isinstance(version, int) and version > SCHEMA
        raise InputFormatError(
            f"{path} has schema = {version!r}; this version of knitbone reads {SCHEMA}.",
            next_step="Install a newer knitbone." if newer else f"Write: schema = {SCHEMA}",
        )


def _tables(value: Any, path: Path, line: int, what: str) -> list[dict[str, Any]]:
    """Return a value that must be a series of tables."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in items):
        raise _error(path, line, f"{value!r} is not a series of {what} tables")
    return items


def _blocks_of_sites(
    blocks: Sequence[FileBlock], tables: Sequence[Mapping[str, Any]]
) -> list[list[FileBlock]] | None:
    """Return the blocks of each site, its own first; ``None`` where it is written some
    other way."""
    found: list[list[FileBlock]] = []
    for block in blocks[1:]:
        if block.kind == "site":
            found.append([block])
        elif found:
            found[-1].append(block)
    counts = [len(table.get("requirement", ())) for table in tables]
    return found if [len(each) - 1 for each in found] == counts else None


def _load_site(
    table: Mapping[str, Any], blocks: list[FileBlock] | None, path: Path, root: Path
) -> FileSite:
    """Return a ``[[site]]`` as a record."""
    line = blocks[0].line if blocks else 1
    for key in table:
        _refuse_unknown(key, SITE_KEYS, "key of a [[site]]", path, line)
    written = _tables(table.get("requirement", []), path, line, "[[site.requirement]]")
    entries = tuple(
        _load_entry(entry, blocks[index + 1] if blocks else None, path, root)
        for index, entry in enumerate(written)
    )
    try:
        site = msgspec.convert({**table, "requirement": None}, FileSite)
    except msgspec.ValidationError as error:
        raise _error(path, line, f"this [[site]] cannot be used: {error}") from error
    return msgspec.structs.replace(
        site,
        file=absolute_path(site.file, root),
        entries=entries,
        line=line,
        comments=tuple(comments_in(blocks[0].text)) if blocks else (),
    )


def _load_entry(table: dict[str, Any], block: FileBlock | None, path: Path, root: Path) -> Entry:
    """Return a ``[[site.requirement]]`` as a record."""
    line = block.line if block else 1
    by_hand = Evidence(file=str(path.resolve()), line=line, expression="written by a person")
    source = table.get("source", "code" if "generated" in table else "person")
    try:
        check_known(source, ("code", "person", "learn"), "source")
        for key, kind in (("ignore", bool), ("note", str), ("observed", str), ("generated", str)):
            if not isinstance(table.get(key, kind()), kind):
                raise ValueError(f"{key} = {table[key]!r} is not {kind.__name__}")
        requirements = decode(table, default_evidence=by_hand)
    except ValueError as error:
        raise _error(path, line, str(error)) from error
    return Entry(
        requirements=tuple(
            with_evidence_path(requirement, root, absolute_path) for requirement in requirements
        ),
        table=table,
        source=source,
        ignore=table.get("ignore", False),
        generated=table.get("generated", ""),
        line=line,
        text=block.text if block else "",
    )


def _refuse_unknown(key: str, valid: Sequence[str], what: str, path: Path, line: int) -> None:
    """Refuse an unknown key, with its line."""
    try:
        check_known(key, valid, what)
    except ValueError as error:
        raise _error(path, line, str(error)) from error


def _error(path: Path, line: int, why: str) -> InputFormatError:
    """Return an error with file and line."""
    return InputFormatError(
        f"{path}:{line}: {why}",
        next_step="Correct the entry, or delete it and run: knitbone check --write",
    )


def save_requirements(file: RequirementsFile) -> None:
    """Write the file, whole or not at all.

    Raises:
        InputFormatError: it cannot be written there.
    """
    scratch = file.path.with_name(f".{file.path.name}.new")
    try:
        scratch.write_bytes(dump_requirements(file).encode("utf-8"))
        scratch.replace(file.path)
    except (OSError, UnicodeEncodeError) as error:
        scratch.unlink(missing_ok=True)
        raise InputFormatError(
            f"{file.path} cannot be written: {error}.", next_step="Name another file."
        ) from error

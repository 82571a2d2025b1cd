"""Content of a requirements file as records, and the file's text: the same for the same content.

Paths are relative to the file, so that it can be committed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
import tomli_w

from knitbone.adaptation.requirements.codec import encode
from knitbone.adaptation.requirements.records import (
    Requirement,
    ScenarioName,
    ScenarioRequirement,
)

__all__ = [
    "SCHEMA",
    "SITE_KEYS",
    "Entry",
    "FileSite",
    "RequirementsFile",
    "Source",
    "absolute_path",
    "content_hash",
    "dump_entry",
    "dump_requirements",
    "entries_of",
    "with_evidence_path",
]

SCHEMA = 1
_HEADER = """\
# What this application expects of its models' answers: read from its code by `knitbone check
# --write`, reviewed by people. This file wins over the analysis, in `knitbone check` and at run
# time.
#
# Edit an entry and it is yours: the next --write leaves it as you wrote it. It can tell by
# `generated`, a hash of what it had written itself. `expects` (the entry in words), `evidence`
# (where it was read) and comments do not count: change the keys beside them.
# `ignore = true` switches a site or a requirement off; an entry that is deleted comes back.
# An entry of your own says `source = "person"`. `note` is for your reasons; `observed` is what
# `knitbone learn` saw."""

_INVISIBLE = re.compile(
    "[\t\x7f-\x9f\u061c\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Characters that would make a line look like something else in a review."""

_KEYS_WITHOUT_DEMAND = frozenset({"generated", "observed", "expects", "evidence"})
"""Keys of an entry that follow from others, or say where it comes from."""

SITE_KEYS = ("file", "function", "expression", "origin", "ordinal", "ignore", "stale", "note",
              "requirement")  # fmt: skip

Source = Literal["code", "person", "learn"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[site.requirement]]``."""

    requirements: tuple[Requirement, ...]
    """One; several where scenario requirements differ in their name only."""
    table: dict[str, Any]
    """As it stands in the file."""
    source: Source = "code"
    ignore: bool = False
    generated: str = ""
    """Hash of what the analysis wrote; empty: not written by it."""
    line: int = 0
    text: str = ""
    """The block as it is written; empty where it is not written in a block of its own."""

    @property
    def content(self) -> str:
        """Return a hash of what it says now."""
        return content_hash(self.table)

    @property
    def is_kept(self) -> bool:
        """Return whether a person, or ``learn``, has a say in it: then it is never overwritten."""
        return self.source != "code" or self.generated != self.content

    @property
    def is_declared(self) -> bool:
        """Return whether a person wrote or edited what it demands; a ``note`` alone demands
        nothing."""
        demands = {key: value for key, value in self.table.items() if key != "note"}
        edited = self.generated not in (self.content, content_hash(demands))
        return self.source == "person" or (self.source == "code" and edited)


class FileSite(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[site]]``. It is found again by file, function, origin and expression or ordinal."""

    file: str
    function: str
    origin: str
    expression: str = ""
    ordinal: int = 1
    """Which of the sites with this file, function and origin, in the order of the source."""
    ignore: bool = False
    stale: bool = False
    """True if the code has no such site any more."""
    note: str = ""
    entries: tuple[Entry, ...] = ()
    line: int = 0
    comments: tuple[str, ...] = ()

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements that are not switched off."""
        return tuple(r for entry in self.entries if not entry.ignore for r in entry.requirements)

    @property
    def declared(self) -> tuple[ScenarioName, ...]:
        """Return the scenario requirements that hold because a person said so."""
        return tuple(
            requirement.name
            for entry in self.entries
            if entry.is_declared and not entry.ignore
            for requirement in entry.requirements
            if isinstance(requirement, ScenarioRequirement)
        )


class RequirementsFile(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    path: Path
    sites: tuple[FileSite, ...] = ()
    head: str = ""
    """The text before the first site."""


def content_hash(table: Mapping[str, Any]) -> str:
    """Return a hash of what an entry demands: not of its formatting, its words, and where it was
    read."""
    said = {key: value for key, value in table.items() if key not in _KEYS_WITHOUT_DEMAND}
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def entries_of(
    requirements: Iterable[Requirement], root: Path, *, source: Source = "code"
) -> tuple[Entry, ...]:
    """Return the entries that are written for requirements; scenario requirements share one."""
    groups: list[tuple[Requirement, ...]] = []
    for requirement in requirements:
        last = groups[-1][-1] if groups else None
        if (
            isinstance(requirement, ScenarioRequirement)
            and isinstance(last, ScenarioRequirement)
            and repr(msgspec.structs.replace(last, name=requirement.name)) == repr(requirement)
        ):
            groups[-1] += (requirement,)
        else:
            groups.append((requirement,))
    entries: list[Entry] = []
    for group in groups:
        table = encode(
            tuple(with_evidence_path(requirement, root, _relative) for requirement in group)
        )
        if source != "code":
            table["source"] = source
        table["generated"] = content_hash(table)
        entries.append(
            Entry(requirements=group, table=table, source=source, generated=table["generated"])
        )
    return tuple(entries)


def with_evidence_path(
    requirement: Requirement, root: Path, change: Callable[[str, Path], str]
) -> Requirement:
    """Return the requirement with the path of its evidence changed."""
    evidence = requirement.evidence
    moved = msgspec.structs.replace(evidence, file=change(evidence.file, root))
    return msgspec.structs.replace(requirement, evidence=moved)


def _relative(file: str, root: Path) -> str:
    """Return a path relative to the file, where it leads back to the same path."""
    if not Path(file).is_absolute():
        return file
    relative = os.path.relpath(file, root)
    return relative if absolute_path(relative, root) == file else file


def absolute_path(file: str, root: Path) -> str:
    """Return a path of the file as the analysis has it."""
    return file if Path(file).is_absolute() else os.path.normpath(f"{root}/{file}")


def dump_requirements(file: RequirementsFile) -> str:
    """Return the text of the file: the same for the same content, byte for byte."""
    root = file.path.parent.resolve()
    parts = [file.head or f"{_HEADER}\nschema = {SCHEMA}"]
    for site in file.sites:
        parts.append(_dump_site(site, root))
        parts += [entry.text or dump_entry(entry.table) for entry in site.entries]
    return "\n\n".join(parts) + "\n"


def _dump_site(site: FileSite, root: Path) -> str:
    """Return the text of a ``[[site]]``."""
    values: dict[str, Any] = {"file": _relative(site.file, root), "function": site.function}
    for field in msgspec.structs.fields(FileSite):
        value = getattr(site, field.name)
        if field.name in SITE_KEYS and field.name not in values and value != field.default:
            values[field.name] = value
    return "\n".join([*site.comments, "[[site]]", *_lines(values)])


def dump_entry(table: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """Return one entry as it is written, below its comments."""
    return "\n".join([*comments, "[[site.requirement]]", *_lines(table)])


def _lines(table: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return the lines of a table; tables inside it as dotted keys."""
    lines: list[str] = []
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _lines(cast("dict[str, Any]", value), f"{prefix}{key}.")
            continue
        written = tomli_w.dumps({key: value}).rstrip("\n")
        if isinstance(value, list):
            items = [tomli_w.dumps({"x": item})[4:-1] for item in cast("list[Any]", value)]
            short = f"{key} = [{', '.join(items)}]"
            written = short if len(short) <= 88 and "\n" not in short else written
        lines.append(_INVISIBLE.sub(lambda m: f"\\u{ord(m.group()):04X}", prefix + written))
    return lines

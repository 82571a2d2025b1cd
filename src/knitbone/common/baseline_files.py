"""Files of findings that a team has seen and accepted: what all such baselines share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from knitbone.errors import InputFormatError

__all__ = ["AcceptedFinding", "read_accepted", "write_accepted"]

_SCHEMA = 1
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class AcceptedFinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accepted finding; what else an entry holds is for people."""

    fingerprint: str
    """16 hexadecimal digits that name the finding, whatever line it stands on."""


Entry = TypeVar("Entry", bound=AcceptedFinding)


class _Document(msgspec.Struct, Generic[Entry], frozen=True, forbid_unknown_fields=True):
    schema: int
    findings: tuple[Entry, ...]


def read_accepted(path: Path, entry: type[Entry], *, again: str, copy: str) -> tuple[Entry, ...]:
    """The entries of a file.

    Args:
        again: the command that makes a new file.
        copy: the command that shows fingerprints.

    Raises:
        InputFormatError: the file cannot be read, or is not a baseline of this version.
    """
    next_step = f"Make a new one: {again}"
    kind: Any = _Document[entry]
    try:
        document: _Document[Entry] = msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputFormatError(
            f"{path} cannot be read as a baseline: {error}.", next_step=next_step
        ) from error
    if document.schema != _SCHEMA:
        raise InputFormatError(
            f"{path} has schema {document.schema}; this version of knitbone reads {_SCHEMA}.",
            next_step=next_step,
        )
    for accepted in document.findings:
        if not _FINGERPRINT.fullmatch(accepted.fingerprint):
            raise InputFormatError(
                f"{path}: {accepted.fingerprint[:60]!r} is not a fingerprint: 16 hexadecimal"
                " digits.",
                next_step=f"Copy it from: {copy}",
            )
    return document.findings


def write_accepted(path: Path, entries: Iterable[AcceptedFinding]) -> None:
    """Write a file, the same bytes for the same entries in the same order.

    Raises:
        InputFormatError: it cannot be written there.
    """
    document = {"schema": _SCHEMA, "findings": [msgspec.structs.asdict(e) for e in entries]}
    try:
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="ascii", newline="\n")
    except OSError as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.", next_step="Name another file."
        ) from error

"""``knitbone.baseline.json``: findings that a team has seen and accepted, by fingerprint.

A fingerprint names one finding of one consumer of one site, whatever line they stand on; new
findings show, old ones stay silent, and entries that no longer occur are reported.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from knitbone.adaptation.findings import Finding, findings_of
from knitbone.adaptation.sites import Site
from knitbone.adaptation.suppressions import finding_id
from knitbone.errors import InputFormatError

__all__ = ["FILE_NAME", "Accepted", "fingerprints", "load_baseline", "save_baseline", "site_id"]

FILE_NAME = "knitbone.baseline.json"
_SCHEMA = 1
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


class Accepted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accepted finding; all but the fingerprint is for people."""

    fingerprint: str
    finding: str
    file: str
    function: str
    about: str


class _Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    schema: int
    findings: tuple[Accepted, ...]


def site_id(site: Site, number: int, root: Path) -> str:
    """A name of a site that line shifts do not change.

    Args:
        number: which of the sites with the same file, function and origin (``number_sites``).
        root: what paths are relative to.
    """
    return _digest(_place(site, number, root))


def _place(site: Site, number: int, root: Path) -> list[str]:
    file = os.path.relpath(site.file, root)
    return [Path(file).as_posix(), site.function, site.origin, str(number)]


def fingerprints(site: Site, number: int, root: Path) -> list[tuple[Finding, str]]:
    """The findings of a site with their fingerprints; arguments as for ``site_id``."""
    found: list[tuple[Finding, str]] = []
    seen: dict[str, int] = {}
    for finding in findings_of(site):
        consumer = next(
            (
                requirement.evidence.expression
                for requirement in site.requirements
                if (requirement.evidence.file, requirement.evidence.line)
                == (finding.file, finding.line)
            ),
            "",
        )
        parts = [*_place(site, number, root), finding_id(finding), consumer]
        key = _digest(parts)
        seen[key] = seen.get(key, 0) + 1
        # Equal consumers in one function are told apart by their order.
        found.append((finding, _digest([*parts, str(seen[key])])))
    return found


def _digest(parts: Sequence[str]) -> str:
    text = json.dumps(parts)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_baseline(path: Path) -> tuple[Accepted, ...]:
    """The accepted findings.

    Raises:
        InputFormatError: the file cannot be read, or is not a baseline of this version.
    """
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
    except (OSError, msgspec.DecodeError) as error:
        raise InputFormatError(
            f"{path} cannot be read as a baseline: {error}.",
            next_step="Make a new one: knitbone check --write-baseline",
        ) from error
    if document.schema != _SCHEMA:
        raise InputFormatError(
            f"{path} has schema {document.schema}; this version of knitbone reads {_SCHEMA}.",
            next_step="Make a new one: knitbone check --write-baseline",
        )
    for accepted in document.findings:
        if not _FINGERPRINT.fullmatch(accepted.fingerprint):
            raise InputFormatError(
                f"{path}: {accepted.fingerprint!r} is not a fingerprint: 16 hexadecimal digits.",
                next_step="Copy it from: knitbone check --json",
            )
    return document.findings


def save_baseline(path: Path, accepted: Iterable[Accepted]) -> None:
    """Write a baseline, the same bytes for the same findings.

    Raises:
        InputFormatError: it cannot be written there.
    """
    entries = sorted(accepted, key=lambda a: (a.file, a.function, a.finding, a.fingerprint))
    document = {"schema": _SCHEMA, "findings": [msgspec.structs.asdict(a) for a in entries]}
    text = json.dumps(document, indent=2) + "\n"
    try:
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.", next_step="Name another file."
        ) from error

"""Requirements and findings of an application as JSON records (docs/how-to/check.md)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.adaptation.requirements import Requirement, Unknown, describe
from knitbone.adaptation.requirements.file import kind_of
from knitbone.adaptation.requirements.findings import (
    JudgedFinding,
    Review,
    ReviewedSite,
    ReviewNote,
    prompt_line,
)
from knitbone.adaptation.requirements.merge import RequirementChange

__all__ = ["change_record", "note_record", "relative", "site_records"]


def relative(file: str, root: Path) -> str:
    """A path below the project's root, with ``/``."""
    return Path(os.path.relpath(file, root)).as_posix()


def site_records(
    reviewed: Review, not_adapted: Mapping[str, str], unenforced: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """One record a site."""
    for each in reviewed.sites:
        reasons = unenforced[each.id]
        yield _sound(_site(each, not_adapted.get(each.id), reasons, reviewed.root))


def _sound(value: Any) -> Any:
    """The value with halves of surrogate pairs, which JSON cannot carry, as their escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _sound(inner) for key, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_sound(item) for item in cast("list[Any]", value)]
    return value


def _site(
    reviewed: ReviewedSite, not_adapted: str | None, unenforced: Sequence[str], root: Path
) -> dict[str, Any]:
    site = reviewed.site
    said = prompt_line(site, [judged.finding for judged in reviewed.findings])
    return {
        "kind": "site",
        "id": reviewed.id,
        "file": relative(site.file, root),
        "line": site.line,
        "column": site.column + 1,
        "function": site.function,
        "expression": site.expression,
        "origin": site.origin,
        "site_kind": site.kind,
        "provider": site.provider,
        "form": site.form,
        "streamed": site.streamed,
        "confidence": site.confidence,
        "requirements": [
            _requirement(requirement, reason, root)
            for requirement, reason in zip(site.requirements, unenforced, strict=True)
        ],
        "prompt": said
        and {
            "text": said.text,
            "file": relative(said.file, root),
            "line": said.line,
            "agrees": said.agrees,
        },
        "findings": [_finding(judged, root) for judged in reviewed.findings],
        "switched_off": reviewed.switched_off or None,
        "off": list(reviewed.off),
        "not_adapted": not_adapted,
    }


def _requirement(requirement: Requirement, unenforced: str, root: Path) -> dict[str, Any]:
    evidence = requirement.evidence
    moved = msgspec.structs.replace(evidence, file=relative(evidence.file, root))
    record: dict[str, Any] = {
        "kind": kind_of(requirement),
        "expects": describe(requirement),
        "evidence": msgspec.structs.asdict(moved),
    }
    if not isinstance(requirement, Unknown):
        record |= {
            "confidence": requirement.confidence,
            "on_violation": requirement.on_violation,
            "alternative": requirement.alternative or None,
            "branch": requirement.branch or None,
            "when": requirement.when or None,
            "unenforced": unenforced or None,
        }
    record["record"] = msgspec.to_builtins(msgspec.structs.replace(requirement, evidence=moved))
    return record


def _finding(judged: JudgedFinding, root: Path) -> dict[str, Any]:
    finding = judged.finding
    return {
        "id": judged.id,
        "fingerprint": judged.fingerprint,
        "severity": finding.severity,
        "text": finding.text,
        "file": relative(finding.file, root) if finding.file else None,
        "line": finding.line or None,
        "silenced": judged.silenced or None,
    }


def note_record(note: ReviewNote, root: Path) -> dict[str, Any]:
    """A note: unused or wrong suppression, baseline or file entries that are gone."""
    return {
        "kind": "note",
        "note": note.kind,
        "file": relative(note.file, root),
        "line": note.line or None,
        "text": note.text,
    }


def change_record(change: RequirementChange, root: Path) -> dict[str, Any]:
    """One line of drift."""
    return {
        "kind": "change",
        "change": change.kind,
        "file": relative(change.site.file, root),
        "line": change.line or None,
        "function": change.site.function,
        "origin": change.site.origin,
        "written": change.file or None,
        "read": change.code or None,
    }

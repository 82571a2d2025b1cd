"""Findings that a team has seen and accepted, by fingerprint: in CI only new ones fail.

A fingerprint is made of the tool, the kind of failure, the exception, the function and the text of
the line that failed, and, where no operation failed there, the message without its values. So it
stays when lines shift, arguments are minimised otherwise, or another seed is used; ``Finding.id``
holds the number of the line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.common.baseline_files import AcceptedFinding, read_accepted, write_accepted
from knitbone.common.printable import printable
from knitbone.fuzzing.normalise import normalise
from knitbone.fuzzing.reasons import reason_in
from knitbone.fuzzing.records import Campaign, Finding, ToolUnderTest

__all__ = [
    "AcceptedFailure",
    "Search",
    "load_baseline",
    "mark_known",
    "reclassified",
    "save_baseline",
    "stale",
    "updated",
    "with_fingerprints",
]

Search = Literal["failures", "documentation"]
"""What a command searched: ``knitbone fuzz`` or ``knitbone fuzz-docs``. Both may share a file."""
_OF_DOCUMENTATION = "misleading"
"""The kind of finding that only ``knitbone fuzz-docs`` makes."""
_KEYED = 300
"""Characters of the normalised message that tell failures apart, as in ``findings``."""


class AcceptedFailure(AcceptedFinding, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accepted finding; all but fingerprint and tool is for people."""

    tool: str
    kind: str
    exception: str
    where: str
    message: str


def with_fingerprints(tool: ToolUnderTest, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, each with its fingerprint; equal ones are told apart by their lines."""
    names = _numbered(findings, [_key(tool, finding) for finding in findings])
    return tuple(
        msgspec.structs.replace(finding, fingerprint=name)
        for finding, name in zip(findings, names, strict=True)
    )


def _numbered(findings: Sequence[Finding], keys: Sequence[str]) -> list[str]:
    numbers: dict[int, int] = {}
    seen: dict[str, int] = {}
    for index in sorted(range(len(findings)), key=lambda i: _line(findings[i])):
        seen[keys[index]] = numbers[index] = seen.get(keys[index], 0) + 1
    return [_digest([keys[index], numbers[index]]) for index in range(len(findings))]


def mark_known(campaign: Campaign, accepted: Iterable[AcceptedFailure]) -> Campaign:
    """The campaign with the findings marked that a baseline names."""
    names = {entry.fingerprint for entry in accepted}
    findings = tuple(
        msgspec.structs.replace(finding, known=not names.isdisjoint(_names(campaign, finding)))
        for finding in campaign.findings
    )
    return msgspec.structs.replace(campaign, findings=findings)


def stale(
    campaigns: Iterable[Campaign],
    accepted: Iterable[AcceptedFailure],
    *,
    search: Search = "failures",
) -> list[AcceptedFailure]:
    """Accepted findings of the campaigns' tools and of their search that did not occur."""
    tools: set[str] = set()
    found: set[str] = set()
    for campaign in campaigns:
        tools.add(campaign.tool.target)
        for finding in (*campaign.findings, *campaign.not_run):
            found |= _names(campaign, finding)
    return [e for e in accepted if _sought(e, tools, search) and e.fingerprint not in found]


def _sought(entry: AcceptedFailure, tools: set[str], search: Search) -> bool:
    """Whether a search of some tools would have met a finding again."""
    is_of_documentation = entry.kind == _OF_DOCUMENTATION
    return entry.tool in tools and is_of_documentation == (search == "documentation")


def reclassified(
    campaigns: Iterable[Campaign], accepted: Iterable[AcceptedFailure]
) -> list[AcceptedFailure]:
    """Accepted findings that occurred and do not count any more: refused on purpose, not run."""
    found: set[str] = set()
    for campaign in campaigns:
        for finding in (*campaign.findings, *campaign.not_run):
            if not finding.counts:
                found |= _names(campaign, finding)
    return [entry for entry in accepted if entry.fingerprint in found]


def updated(
    campaigns: Iterable[Campaign],
    accepted: Iterable[AcceptedFailure],
    *,
    search: Search = "failures",
) -> list[AcceptedFailure]:
    """The baseline that accepts what the campaigns found; entries of other tools, and of the other
    search, stay."""
    campaigns = list(campaigns)
    tools = {campaign.tool.target for campaign in campaigns}
    kept = [entry for entry in accepted if not _sought(entry, tools, search)]
    return kept + [
        _accept(campaign.tool, finding)
        for campaign in campaigns
        for finding in campaign.findings
        if finding.counts
    ]


def load_baseline(path: Path) -> tuple[AcceptedFailure, ...]:
    """The accepted findings.

    Raises:
        InputFormatError: the file cannot be read, or is not a baseline of this version.
    """
    return read_accepted(
        path,
        AcceptedFailure,
        again="the same command with --update-baseline (knitbone fuzz, knitbone fuzz-docs)",
        copy="knitbone fuzz TARGET --json",
    )


def save_baseline(path: Path, accepted: Iterable[AcceptedFailure]) -> None:
    """Write a baseline, the same bytes for the same findings.

    Raises:
        InputFormatError: it cannot be written there.
    """
    entries = sorted(accepted, key=lambda e: (e.tool, e.kind, e.where, e.fingerprint))
    write_accepted(path, entries)


def _accept(tool: ToolUnderTest, finding: Finding) -> AcceptedFailure:
    frame = finding.frame
    return AcceptedFailure(
        fingerprint=finding.fingerprint,
        tool=tool.target,
        kind=finding.kind,
        exception=printable(finding.exception or ""),
        where="" if frame is None else printable(f"{Path(frame.file).name}: {frame.source}"),
        message=printable(finding.message),
    )


def _names(campaign: Campaign, finding: Finding) -> set[str]:
    """The fingerprints that a baseline may have accepted a finding by: which of its wordings comes
    first differs from seed to seed."""
    names = {finding.fingerprint}
    for variant in finding.variants:
        message = variant.message
        worded = msgspec.structs.replace(
            finding,
            kind=variant.kind,
            exception=variant.exception,
            frame=variant.frame,
            message=message,
            reason=reason_in(message) if variant.kind == "returned" else message,
            arguments=variant.arguments,
        )
        names.add(_digest([_key(campaign.tool, worded), 1]))
    return names


def _key(tool: ToolUnderTest, finding: Finding) -> str:
    """What names the reason: where an operation failed, whatever it said."""
    by_operation = finding.origin is not None and finding.origin.by == "operation"
    if by_operation and finding.frame is not None and finding.kind == "raised":
        said = ""
    else:
        said = finding.says
    frame = finding.frame
    place = [] if frame is None else [Path(frame.file).name, frame.function, frame.source]
    message = normalise(said, finding.arguments)[:_KEYED]
    return _digest([tool.name, finding.kind, finding.exception or "", place, message])


def _line(finding: Finding) -> int:
    return 0 if finding.frame is None else finding.frame.line


def _digest(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:16]

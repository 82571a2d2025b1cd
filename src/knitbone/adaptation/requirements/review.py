"""Review of sites and findings: what is left once file, comments and baseline had their say."""

from __future__ import annotations

import difflib
import os
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.adaptation.requirements.baseline import Accepted, fingerprints, site_id
from knitbone.adaptation.requirements.file import FileSite, RequirementsFile
from knitbone.adaptation.requirements.findings import Severity, SiteFinding
from knitbone.adaptation.requirements.merge import apply_requirements, number_sites
from knitbone.adaptation.requirements.records import ScenarioName, ScenarioRequirement
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.requirements.suppressions import (
    SuppressionDirective,
    finding_id,
    read_directives,
)
from knitbone.config import AdaptConfig

__all__ = [
    "SEVERITIES",
    "JudgedFinding",
    "Review",
    "ReviewNote",
    "ReviewedSite",
    "accept",
    "review",
]

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least to the most severe."""


class JudgedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and whether somebody has judged it."""

    finding: SiteFinding
    fingerprint: str
    """Stable over line shifts."""
    silenced: Literal["", "comment", "baseline"] = ""

    @property
    def id(self) -> str:
        """Return the name of the rule: ``silent-loss``."""
        return finding_id(self.finding)


class ReviewedSite(msgspec.Struct, frozen=True, kw_only=True):
    """A site with its findings, as the file and the comments leave it."""

    site: Site
    id: str
    findings: tuple[JudgedFinding, ...] = ()
    switched_off: Literal["", "comment", "file"] = ""
    acting: tuple[ScenarioRequirement, ...] = ()
    """The scenario requirements that are looked at under the configuration."""
    off: tuple[ScenarioName, ...] = ()
    """Those that it leaves out."""

    @property
    def remaining(self) -> tuple[JudgedFinding, ...]:
        """Return the findings that nobody has judged."""
        return tuple(judged for judged in self.findings if not judged.silenced)


class ReviewNote(msgspec.Struct, frozen=True, kw_only=True):
    """A problem with the comments, the baseline or the file itself."""

    kind: Literal["unused-suppression", "wrong-suppression", "gone-from-baseline", "stale-site"]
    file: str
    line: int
    text: str


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """All sites as they were reviewed."""

    root: Path
    sites: tuple[ReviewedSite, ...]
    notes: tuple[ReviewNote, ...] = ()

    @property
    def remaining(self) -> tuple[JudgedFinding, ...]:
        """Return the findings that nobody has judged."""
        return tuple(judged for reviewed in self.sites for judged in reviewed.remaining)


def review(
    sites: Sequence[Site],
    *,
    root: Path,
    read: Collection[str],
    known: Iterable[str] = (),
    file: RequirementsFile | None = None,
    baseline: Sequence[Accepted] = (),
    config: AdaptConfig | None = None,
) -> Review:
    """Let the file, the comments and the baseline have their say, in this order.

    Args:
        sites: what the analysis found.
        root: what fingerprints are relative to.
        read: the files that were asked for; comments and entries about others are not judged.
        known: names of findings that a comment may name, besides those that occur.
        config: the settings that hold at run time; the defaults where there are none.
    """
    settings = config or AdaptConfig()
    applied = apply_requirements(sites, file)
    ignored = {id(site) for site in applied.ignored}
    holding = iter(applied.sites)
    comments = _Comments()
    accepted = {entry.fingerprint for entry in baseline}
    reviewed: list[ReviewedSite] = []
    for site, number in number_sites(sites):
        name = site_id(site, number, root)
        if id(site) in ignored:
            reviewed.append(ReviewedSite(site=site, id=name, switched_off="file"))
            continue
        now = next(holding)
        judged = tuple(
            _judge(now, finding, fingerprint, comments, accepted)
            for finding, fingerprint in fingerprints(now, number, root)
        )
        off = "comment" if comments.switch_off(now) else ""
        acting = [r for r in now.acting(settings) if isinstance(r, ScenarioRequirement)]
        reviewed.append(
            ReviewedSite(
                site=now, id=name, findings=judged, switched_off=off,
                acting=tuple(acting), off=now.left_out(settings),
            )
        )  # fmt: skip
    found = [judged for each in reviewed for judged in each.findings]
    occurring = {judged.fingerprint for judged in found}
    notes = [
        *comments.notes(read, {*known, *(judged.id for judged in found)}),
        *_notes_on_baseline([e for e in baseline if e.fingerprint not in occurring], root, read),
        *_notes_on_stale(applied.missing, read),
    ]
    return Review(root=root, sites=tuple(reviewed), notes=tuple(notes))


def accept(reviewed: Review) -> list[Accepted]:
    """Return the baseline of a review: every finding that no comment silences."""
    return [
        Accepted(
            fingerprint=judged.fingerprint,
            finding=judged.id,
            file=Path(os.path.relpath(each.site.file, reviewed.root)).as_posix(),
            function=each.site.function,
            about=judged.finding.text,
        )
        for each in reviewed.sites
        for judged in each.findings
        if judged.silenced != "comment"
    ]


def _judge(
    site: Site, finding: SiteFinding, fingerprint: str, comments: _Comments, accepted: set[str]
) -> JudgedFinding:
    """Return a finding with what silences it."""
    silenced = "baseline" if fingerprint in accepted else ""
    if comments.silence(site, finding):
        silenced = "comment"
    return JudgedFinding(finding=finding, fingerprint=fingerprint, silenced=silenced)


class _Comments:
    """The directives of the files, and which of them had something to silence."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[SuppressionDirective, ...]] = {}
        self._used: set[tuple[str, SuppressionDirective]] = set()

    def silence(self, site: Site, finding: SiteFinding) -> bool:
        """Return whether a comment silences a finding."""
        covering = {
            (file, directive)
            for file in (site.file, finding.file)
            for directive in self._of(file)
            if directive.covers(site, finding, file=file)
        }
        self._used |= covering
        return bool(covering)

    def switch_off(self, site: Site) -> bool:
        """Return whether a comment switches a site off."""
        off = {
            (site.file, directive)
            for directive in self._of(site.file)
            if directive.switches_off(site, file=site.file)
        }
        self._used |= off
        return bool(off)

    def notes(self, read: Collection[str], known: Collection[str]) -> Iterator[ReviewNote]:
        """Find comments that are wrong, or had nothing to silence."""
        for file in sorted(read):
            for directive in self._of(file):
                wrong = directive.problem or _unknown_names(directive, known)
                if wrong:
                    yield ReviewNote(
                        kind="wrong-suppression", file=file, line=directive.line, text=wrong
                    )
                elif (file, directive) not in self._used:
                    yield ReviewNote(
                        kind="unused-suppression",
                        file=file,
                        line=directive.line,
                        text=f"nothing here to ignore: {', '.join(directive.names) or 'no site'}",
                    )

    def _of(self, file: str) -> tuple[SuppressionDirective, ...]:
        """Return the directives of a file."""
        if file not in self._read:
            try:
                with tokenize.open(file) as source:
                    self._read[file] = read_directives(source.read())
            except (OSError, SyntaxError, UnicodeDecodeError):
                # The analysis reports files that cannot be read.
                self._read[file] = ()
        return self._read[file]


def _unknown_names(directive: SuppressionDirective, known: Collection[str]) -> str:
    """Return a problem where a comment names a finding that there is not."""
    for name in directive.names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            return f"{name!r} is the name of no finding{hint}"
    return ""


def _notes_on_baseline(
    entries: Iterable[Accepted], root: Path, read: Collection[str]
) -> Iterator[ReviewNote]:
    """Find entries of the baseline that no longer occur."""
    for entry in entries:
        file = os.path.normpath(f"{root}/{entry.file}")
        if file in read or not Path(file).exists():
            text = f"{entry.finding} {entry.fingerprint} in {entry.function} no longer occurs"
            yield ReviewNote(kind="gone-from-baseline", file=file, line=0, text=text)


def _notes_on_stale(places: Iterable[FileSite], read: Collection[str]) -> Iterator[ReviewNote]:
    """Find sites of the file that are no longer in the code."""
    for place in places:
        if place.file in read or not Path(place.file).exists():
            text = f"{place.function}: {place.origin} is in the requirements file, not in the code"
            yield ReviewNote(kind="stale-site", file=place.file, line=0, text=text)

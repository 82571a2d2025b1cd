"""``knitbone.baseline.json``: findings that a team has seen and accepted, by fingerprint.

A fingerprint names one finding of one consumer of one site, whatever line they stand on; new
findings show, old ones stay silent, and entries that no longer occur are reported.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from knitbone.adaptation.requirements.findings import SiteFinding, findings_of
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.requirements.suppressions import finding_id
from knitbone.common.accepted import AcceptedFinding, read_accepted, write_accepted

__all__ = ["FILE_NAME", "Accepted", "fingerprints", "load_baseline", "save_baseline", "site_id"]

FILE_NAME = "knitbone.baseline.json"


class Accepted(AcceptedFinding, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accepted finding; all but the fingerprint is for people."""

    finding: str
    file: str
    function: str
    about: str


def site_id(site: Site, number: int, root: Path) -> str:
    """Return a name of a site that line shifts do not change.

    Args:
        number: which of the sites with the same file, function and origin (``number_sites``).
        root: what paths are relative to.
    """
    return _digest(_identity(site, number, root))


def _identity(site: Site, number: int, root: Path) -> list[str]:
    """Return what a site is known by."""
    file = os.path.relpath(site.file, root)
    return [Path(file).as_posix(), site.function, site.origin, str(number)]


def fingerprints(site: Site, number: int, root: Path) -> list[tuple[SiteFinding, str]]:
    """Return the findings of a site with their fingerprints; arguments as for ``site_id``."""
    found: list[tuple[SiteFinding, str]] = []
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
        parts = [*_identity(site, number, root), finding_id(finding), consumer]
        key = _digest(parts)
        seen[key] = seen.get(key, 0) + 1
        # Equal consumers in one function are told apart by their order.
        found.append((finding, _digest([*parts, str(seen[key])])))
    return found


def _digest(parts: Sequence[str]) -> str:
    """Return a short hash of some texts."""
    text = json.dumps(parts)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_baseline(path: Path) -> tuple[Accepted, ...]:
    """Return the accepted findings.

    Raises:
        InputFormatError: the file cannot be read, or is not a baseline of this version.
    """
    return read_accepted(
        path,
        Accepted,
        again="knitbone check --write-baseline",
        copy="knitbone check --json",
    )


def save_baseline(path: Path, accepted: Iterable[Accepted]) -> None:
    """Write a baseline, the same bytes for the same findings.

    Raises:
        InputFormatError: it cannot be written there.
    """
    entries = sorted(accepted, key=lambda a: (a.file, a.function, a.finding, a.fingerprint))
    write_accepted(path, entries)

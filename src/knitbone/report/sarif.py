"""Findings as SARIF 2.1.0, for code scanning.

Paths are relative to the project; fingerprints do not change when lines shift. What a comment or
the baseline silences is in the log, marked as suppressed.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from knitbone._version import __version__
from knitbone.adaptation.requirements.findings import (
    JudgedFinding,
    Review,
    ReviewedSite,
    Severity,
    rank_of,
)
from knitbone.common.printable import printable
from knitbone.report.check_rules import RULES, rule_of

__all__ = ["sarif_location", "sarif_log"]

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note"}
_SUPPRESSIONS = {"comment": "inSource", "baseline": "external"}


def sarif_log(reviewed: Review) -> dict[str, Any]:
    """The log of one run, ready for a JSON encoder."""
    names = sorted({*RULES, *(judged.id for s in reviewed.sites for judged in s.findings)})
    index = {name: number for number, name in enumerate(names)}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "knitbone",
                        "semanticVersion": __version__,
                        "rules": [_rule(name) for name in names],
                    }
                },
                "originalUriBaseIds": {
                    "PROJECT": {"description": {"text": "The root of the project."}}
                },
                "results": [
                    _result(judged, site, index[judged.id], reviewed.root)
                    for site in reviewed.sites
                    for judged in site.findings
                ],
            }
        ],
    }


def _rule(name: str) -> dict[str, Any]:
    rule = rule_of(name)
    return {
        "id": name,
        "name": "".join(part.capitalize() for part in name.split("-")),
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": f"{rule.title}."},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": "warning"},
    }


def _result(judged: JudgedFinding, site: ReviewedSite, index: int, root: Path) -> dict[str, Any]:
    finding = judged.finding
    where = f"{site.site.function}: {site.site.origin}"
    result: dict[str, Any] = {
        "ruleId": judged.id,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "rank": float(rank_of(judged, site.site.confidence)),
        "message": {"text": f"{printable(finding.text, limit=1_000)} ({printable(where)})."},
        "locations": [sarif_location(finding.file or site.site.file, finding.line, root)],
        "relatedLocations": [
            sarif_location(
                site.site.file,
                site.site.line,
                root,
                text="where the answer becomes available",
            )
        ],
        "partialFingerprints": {"knitbone/v1": judged.fingerprint},
    }
    if judged.silenced:
        result["suppressions"] = [{"kind": _SUPPRESSIONS[judged.silenced], "status": "accepted"}]
    return result


def sarif_location(file: str, line: int, root: Path, *, text: str = "") -> dict[str, Any]:
    """A place in a file, relative to the project where it lies in it."""
    relative = Path(os.path.relpath(file, root)).as_posix()
    # A path that leaves the project cannot be relative to it.
    artifact = (
        {"uri": "file://" + quote(file, errors="surrogateescape")}
        if relative.startswith("../")
        else {"uri": quote(relative, errors="surrogateescape"), "uriBaseId": "PROJECT"}
    )
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line, 1)}}
    }
    return location | ({"message": {"text": text}} if text else {})

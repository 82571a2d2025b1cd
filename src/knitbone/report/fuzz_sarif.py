"""Findings of ``knitbone fuzz`` and ``fuzz-docs`` as SARIF 2.1.0, for code scanning.

A finding that a baseline names, or a rule ignores, is in the log, marked as suppressed; so is what
the tool refuses on purpose, as information. Fingerprints do not change when lines shift.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from knitbone._version import __version__
from knitbone.common.printable import printable
from knitbone.fuzzing.records import Campaign, Finding
from knitbone.report.fuzz import arguments_line, judgement, what
from knitbone.report.fuzz_rules import FUZZ_RULES, rule_name
from knitbone.report.sarif import sarif_location

__all__ = ["fuzz_sarif_log"]

_INDEX = {kind: number for number, kind in enumerate(FUZZ_RULES)}


def fuzz_sarif_log(
    campaigns: Iterable[Campaign], *, root: Path, command: str = "knitbone fuzz"
) -> dict[str, Any]:
    """The log of one run.

    Args:
        root: what the paths of files are relative to.
        command: what ran. Code scanning keeps the logs of two commands apart by it.
    """
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": command,
                        "semanticVersion": __version__,
                        "rules": _rules(),
                    }
                },
                "originalUriBaseIds": {
                    "PROJECT": {"description": {"text": "The folder of the command."}}
                },
                "results": [
                    _result(finding, campaign, root)
                    for campaign in campaigns
                    for finding in campaign.findings
                ],
            }
        ],
    }


def _rules() -> list[dict[str, Any]]:
    return [
        {
            "id": rule_name(kind),
            "name": "".join(part.capitalize() for part in rule_name(kind).split("-")),
            "shortDescription": {"text": f"{rule.title}."},
            "fullDescription": {"text": f"{rule.title}."},
            "help": {"text": rule.help},
            "defaultConfiguration": {"level": "warning"},
        }
        for kind, rule in FUZZ_RULES.items()
    ]


def _result(finding: Finding, campaign: Campaign, root: Path) -> dict[str, Any]:
    name = printable(campaign.tool.name, limit=60)
    text = f"{name}({arguments_line(finding)}): {what(finding)}"
    if finding.says:
        text += f": {printable(finding.says, limit=500)}"
    if finding.classification is not None:
        text += f" [{judgement(finding.classification)}]"
    result: dict[str, Any] = {
        "ruleId": rule_name(finding.kind),
        "ruleIndex": _INDEX[finding.kind],
        "level": "warning",
        "message": {"text": f"{text}. Replay: {printable(finding.reproducer, limit=20_000)}"},
        "locations": _locations(finding, campaign, root),
        "partialFingerprints": {"knitbone/fuzz/v1": finding.fingerprint},
    }
    if finding.standing == "refused" or finding.is_documented:
        result |= {"kind": "informational", "level": "none"}
    if (why := _why_not(finding)) is not None:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": why}]
    return result


def _why_not(finding: Finding) -> str | None:
    """Why a finding asks for nothing."""
    if finding.known:
        return "named by the baseline"
    if finding.is_documented:
        return "announced by the documentation"
    if finding.standing == "refused":
        return printable(f"refused on purpose: {finding.because}", limit=300)
    if finding.ignored:
        return printable(f"ignored by the rule {finding.ignored}", limit=300)
    return None


def _locations(finding: Finding, campaign: Campaign, root: Path) -> list[dict[str, Any]]:
    """Where it failed; else the tool's own file, since code scanning shows no result without."""
    if finding.frame is not None:
        return [sarif_location(finding.frame.file, finding.frame.line, root)]
    files = [place for place in campaign.tool.roots if not place.endswith("/")]
    return [sarif_location(files[0], 1, root)] if files else []

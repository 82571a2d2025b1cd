"""What an application expects of its models, and what looks wrong, as one HTML file: nothing
loaded, everything untrusted escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from knitbone.adaptation.requirements import Requirement, ScenarioRequirement, Unknown, describe
from knitbone.adaptation.requirements.findings import (
    SEVERITIES,
    JudgedFinding,
    Review,
    ReviewedSite,
    prompt_line,
)
from knitbone.common.printable import printable
from knitbone.report.check_rules import rule_of
from knitbone.report.html import render
from knitbone.report.requirements import OFF_WORDS, Line, origin_of, short

__all__ = ["check_page"]

_CERTAINTY = {"high": "", "medium": "quite likely", "low": "a guess"}


def check_page(
    reviewed: Review,
    not_adapted: Mapping[str, str],
    unenforced: Mapping[str, Sequence[str]],
    *,
    files: int,
    notes: Sequence[Line],
    next_step: str,
    command: str = "",
) -> str:
    """The page, as text.

    Args:
        not_adapted: id of a site -> why it cannot be instrumented.
        unenforced: id of a site -> for each of its requirements, why nothing enforces it.
        files: how many were read.
        notes: lines about comments, baseline, entries and files that could not be read.
        next_step: what to do now.
        command: the command that does it, if one does.
    """
    places = [
        _place(each, not_adapted.get(each.id), unenforced.get(each.id, ()))
        for each in reviewed.sites
    ]
    worst_first = sorted(places, key=lambda place: (-place["severity"], not place["expects"]))
    return render(
        "check.html.j2",
        places=[place for place in worst_first if place["expects"] or place["findings"]],
        unread=[place for place in worst_first if not place["expects"] and not place["findings"]],
        files=files,
        requirements=sum(len(place["expects"]) for place in places),
        findings=len(reviewed.remaining),
        silenced=sum(len(each.findings) - len(each.remaining) for each in reviewed.sites),
        notes=[text for text, _ in notes],
        command=command,
        next_step=next_step,
    )


def _place(
    reviewed: ReviewedSite, not_adapted: str | None, unenforced: Sequence[str]
) -> dict[str, Any]:
    site = reviewed.site
    said = prompt_line(site, [judged.finding for judged in reviewed.findings])
    off = OFF_WORDS[reviewed.switched_off] if reviewed.switched_off else not_adapted
    remaining = sorted(reviewed.remaining, key=lambda judged: -_severity(judged))
    return {
        "where": f"{short(site.file)}:{site.line}",
        "what": origin_of(site),
        "function": printable(site.function, limit=80),
        "severity": max(map(_severity, remaining), default=-1),
        "findings": [_finding(judged) for judged in remaining],
        "expects": list(_expectations(site.requirements, unenforced)),
        "prompt": said
        and {
            "text": printable(said.text, limit=200),
            "where": f"{short(said.file)}:{said.line}",
            "agrees": said.agrees,
        },
        "also": [requirement.name.replace("_", " ") for requirement in reviewed.acting],
        "not_adapted": printable(off, limit=300) if off else "",
    }


def _severity(judged: JudgedFinding) -> int:
    return SEVERITIES.index(judged.finding.severity)


def _finding(judged: JudgedFinding) -> dict[str, str]:
    finding, rule = judged.finding, rule_of(judged.id)
    text = printable(finding.text, limit=300)
    return {
        "title": rule.title,
        "text": text[:1].upper() + text[1:] if text.startswith(("the ", "if ")) else text,
        "help": rule.help,
        "where": f"{short(finding.file)}:{finding.line}" if finding.file else "",
        "name": judged.id,
        "kind": "warn" if finding.severity == "note" else "bad",
    }


def _expectations(
    requirements: Sequence[Requirement], unenforced: Sequence[str]
) -> Iterator[dict[str, str]]:
    shown: set[str] = set()
    for requirement, reason in zip_longest(requirements, unenforced, fillvalue=""):
        if isinstance(requirement, str | ScenarioRequirement):
            continue
        evidence = requirement.evidence
        known = not isinstance(requirement, Unknown)
        text = describe(requirement) if known else f"not known: {requirement.reason}"
        yield {
            "text": printable(text, limit=300),
            "alternative": "or" if known and requirement.alternative in shown else "",
            "where": f"{short(evidence.file)}:{evidence.line}",
            "code": printable(evidence.expression, limit=160),
            "certainty": _CERTAINTY.get(requirement.confidence, "") if known else "",
            "unenforced": printable(reason, limit=300),
            "when": printable(requirement.when, limit=80) if known else "",
        }
        if known and requirement.alternative:
            shown.add(requirement.alternative)

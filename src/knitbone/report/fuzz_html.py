"""Fuzzing campaigns as one HTML file: nothing loaded, everything untrusted escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knitbone.common.printable import printable
from knitbone.fuzzing.effects import describe_attempt
from knitbone.fuzzing.records import Campaign, Estimate, Finding, json_text
from knitbone.report.fuzz import (
    arguments_line,
    before_line,
    estimate_words,
    failures,
    got_nowhere,
    judgement,
    lacking,
    news,
    place,
    refused,
    refused_line,
    signature,
    title_of,
)
from knitbone.report.fuzz_rules import FUZZ_RULES
from knitbone.report.html import render, shown_lines

__all__ = ["fuzz_page"]

_WIDTH, _HEIGHT = 260, 54
"""Of the curve of discoveries, in pixels."""
_SHOWN, _WHOLE = 120, 20_000
"""Characters of an argument in its row, and where it is unfolded."""
_DOCUMENTATION = 8_000
_VERDICTS = {
    "under-specified": "The documentation leaves unsaid",
    "over-specified": "The documentation promises too much",
    "ill-specified": "The documentation is wrong or unclear",
    "documented": "The documentation announces it",
}
_BADGES = {
    "known": "in the baseline",
    "documented": "announced",
    "refused": "refused on purpose",
    "ignored": "ignored by a rule",
    "new": "",
}


def fuzz_page(campaigns: Sequence[Campaign]) -> str:
    """The page, as text."""
    worst_first = sorted(campaigns, key=lambda campaign: -len(news(campaign)))
    found = [finding for campaign in campaigns for finding in news(campaign)]
    return render(
        "fuzz.html.j2",
        tools=[_tool(campaign, number) for number, campaign in enumerate(worst_first)],
        calls=sum(campaign.calls for campaign in campaigns),
        unique=len(found),
        failures=failures(len(found)),
        returned=sum(finding.kind == "returned" for finding in found),
        sound=sum(not news(campaign) for campaign in campaigns),
        known=sum(
            finding.known and finding.counts
            for campaign in campaigns
            for finding in campaign.findings
        ),
        refused=sum(len(refused(campaign)) for campaign in campaigns),
        confinement=sorted({each for campaign in campaigns for each in campaign.confinement}),
        seeds=sorted({campaign.seed for campaign in campaigns}),
    )


def _tool(campaign: Campaign, number: int) -> dict[str, Any]:
    fresh = news(campaign)
    away = refused(campaign)
    order = [*fresh, *(f for f in campaign.findings if f not in fresh and f not in away)]
    return {
        "anchor": f"tool-{number}",
        "name": campaign.tool.name,
        "signature": signature(campaign.tool),
        "target": campaign.tool.target,
        "documentation": _documentation(campaign),
        "campaign": campaign,
        "unique": len(fresh),
        "says": failures(len(fresh)),
        "first": _first(campaign, fresh[0]) if fresh else "",
        "curve": _curve(campaign),
        "estimate": campaign.chao1,
        "interval": _interval(campaign.chao1, sum(f.counts for f in campaign.findings)),
        "words": estimate_words(campaign),
        "findings": [_finding(campaign, finding) for finding in order],
        "refused": [_finding(campaign, finding) for finding in away],
        "refused_line": refused_line(campaign),
        "lacking": lacking(campaign),
        "got_nowhere": got_nowhere(campaign),
        "attempts": [describe_attempt(attempt) for attempt in campaign.attempts],
    }


def _what(campaign: Campaign, finding: Finding) -> str:
    named = f": {finding.exception}" if finding.exception else ""
    return printable(title_of(campaign, finding) + named, limit=160)


def _first(campaign: Campaign, finding: Finding) -> str:
    """One line of the tool's first failure."""
    at = f" at {place(finding)}" if finding.frame else ""
    said = f"{_what(campaign, finding)}{at}, with {arguments_line(finding)}"
    return printable(said, limit=200)


def _finding(campaign: Campaign, finding: Finding) -> dict[str, Any]:
    frame, state = finding.frame, _state(finding)
    return {
        "finding": finding,
        "what": _what(campaign, finding),
        "rule": FUZZ_RULES[finding.kind],
        "place": place(finding),
        "source": "" if frame is None else frame.source,
        "file": "" if frame is None else f"{frame.file}:{frame.line}",
        "arguments": [_argument(name, value) for name, value in finding.arguments.items()],
        "judgement": _judgement(finding),
        "state": state,
        "badge": _BADGES[state],
        "arguments_line": arguments_line(finding),
        "before": before_line(finding) if finding.before else "",
    }


def _judgement(finding: Finding) -> str:
    """The classification, in words that name no kind of it."""
    found = finding.classification
    return (
        "" if found is None else _VERDICTS[found.verdict] + judgement(found)[len(found.verdict) :]
    )


def _state(finding: Finding) -> str:
    if finding.known:
        return "known"
    if finding.is_documented:
        return "documented"
    if finding.standing == "refused":
        return "refused"
    return "ignored" if finding.ignored else "new"


def _argument(name: str, value: Any) -> dict[str, str]:
    text = json_text(value)
    long = len(text) > _SHOWN
    return {
        "name": printable(name, limit=60),
        "value": printable(text, limit=_SHOWN),
        "whole": printable(text, limit=_WHOLE) if long else "",
        "size": f"{len(value)} characters" if long and isinstance(value, str) else "",
    }


def _documentation(campaign: Campaign) -> list[tuple[str, bool]]:
    """The documentation in pieces, and which of them a classification cites."""
    text = campaign.tool.documentation[:_DOCUMENTATION]
    spans: list[tuple[int, int]] = []
    for finding in campaign.findings:
        sentence = finding.classification.sentence if finding.classification else ""
        start = text.find(sentence) if sentence else -1
        if start >= 0:
            spans.append((start, start + len(sentence)))
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            pieces += [(text[at:start], False), (text[start:end], True)]
            at = end
    pieces.append((text[at:], False))
    return [
        (shown_lines(piece, lines=_DOCUMENTATION, width=1_000), cited)
        for piece, cited in pieces
        if piece
    ]


def _curve(campaign: Campaign) -> dict[str, Any]:
    """Unique failures over calls, as the points of a line of steps."""
    firsts = sorted(finding.call for finding in campaign.findings if finding.counts)
    right = max(campaign.calls, 1)
    points = [f"0,{_HEIGHT}"]
    for number, call in enumerate(firsts):
        x = round(call / right * _WIDTH, 1)
        for found in (number, number + 1):
            points.append(f"{x},{round(_HEIGHT - found / len(firsts) * (_HEIGHT - 4), 1)}")
    points.append(f"{_WIDTH},{4 if firsts else _HEIGHT}")
    return {"points": " ".join(points), "width": _WIDTH, "height": _HEIGHT}


def _interval(estimate: Estimate | None, found: int) -> dict[str, float] | None:
    """Where found, estimate and interval stand on a bar, in percent of its length."""
    if estimate is None or not found:
        return None
    longest = max(estimate.high, float(found), 1.0)
    low, high = estimate.low / longest * 100, estimate.high / longest * 100
    return {
        "found": round(found / longest * 100, 1),
        "low": round(low, 1),
        "width": round(max(high - low, 0.5), 1),
    }

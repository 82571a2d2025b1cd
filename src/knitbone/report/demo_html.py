"""The demo's page: the strongest case of each capability first, all the rest folded below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from knitbone.common.printable import printable
from knitbone.fuzzing.records import Campaign, Finding, FindingKind
from knitbone.report.fuzz import arguments_line, failures, news, title_of
from knitbone.report.html import render, shown_lines

__all__ = ["demo_page"]

_WORST: tuple[FindingKind, ...] = ("crash", "hang", "exit", "memory", "outside", "network")
"""Kinds of failures that take an agent down or reach beyond it, the worst first; an error that is
raised comes after all of them (our order)."""
_LINES = 20
"""Lines of one answer (ours)."""


def demo_page(
    fuzz: Mapping[str, Any],
    adapt: Mapping[str, Any],
    tether: Mapping[str, Any],
    *,
    next_steps: Sequence[tuple[str, str]],
) -> str:
    """The page, as text.

    Args:
        fuzz: ``campaigns``, and the ``calls`` of each.
        adapt: the counts, and ``changed``: what became of each answer that did not fit.
        tether: the counts, and ``diagnoses``: one of each failed run.
        next_steps: commands, each with what it shows.
    """
    return render(
        "demo.html.j2",
        fuzz=_fuzz(fuzz["campaigns"], fuzz["calls"]),
        adapt=_adapt(adapt),
        tether=_tether(tether),
        next_steps=[{"command": command, "says": says} for command, says in next_steps],
    )


def _fuzz(campaigns: Sequence[Campaign], calls: int) -> dict[str, Any]:
    found = [(campaign, finding) for campaign in campaigns for finding in news(campaign)]
    strongest = min(found, key=lambda pair: _weight(pair[1]), default=None)
    return {
        "calls": calls,
        "failures": failures(len(found)),
        "strongest": None if strongest is None else _failure(*strongest),
        "tools": [
            {
                "name": campaign.tool.name,
                "findings": [_failure(campaign, finding) for finding in news(campaign)],
                "says": failures(len(news(campaign))),
            }
            for campaign in sorted(campaigns, key=lambda campaign: -len(news(campaign)))
        ],
    }


def _weight(finding: Finding) -> int:
    return _WORST.index(finding.kind) if finding.kind in _WORST else len(_WORST)


def _failure(campaign: Campaign, finding: Finding) -> dict[str, str]:
    frame = finding.frame
    given = arguments_line(finding) if finding.arguments or finding.before else ""
    message = printable(finding.message, limit=160)
    named = f"{finding.exception}: {message}" if finding.exception else message
    source = "" if frame is None else f"line {frame.line}:  {printable(frame.source, limit=120)}"
    return {
        "title": title_of(campaign, finding),
        "call": f"{printable(campaign.tool.name, limit=60)}({given})",
        "what": named,
        "source": source,
        "reproducer": finding.reproducer,
    }


def _adapt(part: Mapping[str, Any]) -> dict[str, Any]:
    mended = [case for case in part["changed"] if case["action"] == "repaired"]
    strongest = max(mended, key=lambda case: case["tasks"] - case["kept"], default=None)
    place, separator, expression = part["evidence"].partition("  ")
    changed = [{**case, **_texts(case)} for case in part["changed"]]
    return {
        **part,
        "changed": changed,
        "strongest": strongest and {**strongest, **_texts(strongest)},
        "evidence": PurePath(place).name + separator + expression,
    }


def _texts(case: Mapping[str, Any]) -> dict[str, str | None]:
    return {
        name: None if case[name] is None else shown_lines(case[name], lines=_LINES)
        for name in ("before", "after")
    }


def _tether(part: Mapping[str, Any]) -> dict[str, Any]:
    right = [
        item
        for item in part["diagnoses"]
        if item["turning_point"] == item["known"] and item["rank"] == 1
    ]
    return {
        **part,
        "told": shown_lines(part["told"], lines=_LINES),
        "strongest": right[0] if right else None,
        "diagnoses": [{**item, "place": _place(item["rank"])} for item in part["diagnoses"]],
    }


def _place(rank: int | None) -> str:
    if rank is None:
        return "which is no action of the agent, and not ranked"
    return "ranked first" if rank == 1 else f"ranked number {rank}"

"""Faults of documentations as one HTML file: nothing loaded, everything untrusted escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knitbone.common.printable import printable
from knitbone.fuzzing.documentation.oracle import THRESHOLD
from knitbone.fuzzing.documentation.records import (
    ArgumentForm,
    DocumentationCampaign,
    DocumentationFault,
    OtherToolUse,
)
from knitbone.fuzzing.records import json_text
from knitbone.report.documentation import looked_at
from knitbone.report.fuzz import place, signature
from knitbone.report.fuzz_rules import FUZZ_RULES
from knitbone.report.html import render, shown_lines

__all__ = ["documentation_page"]

_DOCUMENTATION = 8_000
_FORM = 120


def documentation_page(campaigns: Sequence[DocumentationCampaign]) -> str:
    """The page, as text: tools with most faults first."""
    worst_first = sorted(campaigns, key=lambda campaign: -len(_fresh(campaign)))
    crossed = sorted(
        (
            (campaign.tool.name, other)
            for campaign in campaigns
            if len(campaign.offered) > 1
            for other in campaign.others
        ),
        key=lambda row: -row[1].prompts,
    )
    return render(
        "documentation.html.j2",
        tools=[_tool(campaign, number) for number, campaign in enumerate(worst_first)],
        prompts=sum(map(looked_at, campaigns)),
        faults=sum(len(_fresh(campaign)) for campaign in campaigns),
        known=sum(len(campaign.faults) - len(_fresh(campaign)) for campaign in campaigns),
        sound=sum(not campaign.faults for campaign in campaigns),
        together=any(len(campaign.offered) > 1 for campaign in campaigns),
        crossed=[_crossing(name, other) for name, other in crossed],
        models=sorted({_players(campaign) for campaign in campaigns}),
        confinement=sorted({each for campaign in campaigns for each in campaign.confinement}),
    )


def _fresh(campaign: DocumentationCampaign) -> list[DocumentationFault]:
    return [fault for fault in campaign.faults if not fault.finding.known]


def _players(campaign: DocumentationCampaign) -> str:
    oracle = f", {campaign.oracle} says what is to be expected" if campaign.oracle else ""
    said = f"{campaign.agent} works on prompts of {campaign.writer}{oracle}"
    return printable(said, limit=300)


def _tool(campaign: DocumentationCampaign, number: int) -> dict[str, Any]:
    fresh = len(_fresh(campaign))
    many = "1 thing" if fresh == 1 else f"{fresh} things"
    return {
        "anchor": f"tool-{number}",
        "name": campaign.tool.name,
        "signature": signature(campaign.tool),
        "target": campaign.tool.target,
        "unique": fresh,
        "says": f"{many} unsaid" if fresh else "no fault was found",
        "first": campaign.faults[0].lack.text if campaign.faults else campaign.silence,
        "prompts": looked_at(campaign),
        "sets": len(campaign.sets),
        "stopped": campaign.stopped,
        "faults": [_fault(campaign, fault) for fault in campaign.faults],
        "others": [_crossing(campaign.tool.name, other) for other in campaign.others],
        "documentation": _documentation(campaign),
        "stages": [
            f"{stage.stage}: {stage.model_calls} calls, {stage.tokens:,} tokens"
            for stage in campaign.stages
            if stage.model_calls
        ],
    }


def _fault(campaign: DocumentationCampaign, fault: DocumentationFault) -> dict[str, Any]:
    found = fault.finding.classification
    result = next((each for each in campaign.sets if each.set.id == fault.sets[0]), None)
    verdict = None if result is None else result.verdict("oracle")
    expectation = None if verdict is None else verdict.expectation
    low = [] if verdict is None else [r for r in verdict.ratings if r.score <= THRESHOLD]
    return {
        "lack": printable(fault.lack.text, limit=600),
        "place": place(fault.finding),
        "known": fault.finding.known,
        "wrong": "" if found is None else printable(found.sentence, limit=300),
        "asked": fault.queries,
        "calls": [
            (bucket.text or bucket.kind, ", ".join(str(prompt + 1) for prompt in bucket.prompts))
            for bucket in fault.buckets
        ],
        "varies": [
            (printable(each.argument, limit=60), [_form(form) for form in each.forms])
            for each in fault.varies
        ],
        "expects": "" if expectation is None else expectation.text,
        "rating": low[0] if low else None,
        "sets": len(fault.sets),
        "help": FUZZ_RULES["misleading"].help,
        "command": fault.finding.reproducer,
    }


def _form(form: ArgumentForm) -> tuple[str, bool]:
    said = "left out" if form.absent else printable(json_text(form.value), limit=_FORM)
    return said, form.worked


def _crossing(name: str, other: OtherToolUse) -> dict[str, Any]:
    return {
        "name": name,
        "other": other.tool,
        "prompts": other.prompts,
        "instead": other.instead,
        "worked": other.worked,
        "queries": other.queries,
    }


def _documentation(campaign: DocumentationCampaign) -> list[tuple[str, bool]]:
    """The documentation in pieces, and which of them is wrong."""
    text = campaign.tool.documentation[:_DOCUMENTATION]
    sentences = [fault.finding.classification for fault in campaign.faults]
    spans = sorted(
        (start, start + len(each.sentence))
        for each in sentences
        if each is not None and each.sentence and (start := text.find(each.sentence)) >= 0
    )
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in spans:
        if start >= at:
            pieces += [(text[at:start], False), (text[start:end], True)]
            at = end
    pieces.append((text[at:], False))
    return [
        (shown_lines(piece, lines=_DOCUMENTATION, width=1_000), wrong)
        for piece, wrong in pieces
        if piece
    ]

"""Faults of documentations for people: the lines of the terminal, and the record for machines.

A prompt set that is not faulty says nothing; where there is no fault, one line says why. Whatever
a tool, a model or an agent said passes ``printable``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.documentation.oracle import THRESHOLD
from knitbone.fuzzing.documentation.records import (
    ArgumentForm,
    Bucket,
    DocumentationCampaign,
    DocumentationFault,
)
from knitbone.fuzzing.records import json_text
from knitbone.report.fuzz import Line, signature

__all__ = [
    "cross_call_lines",
    "documentation_lines",
    "documentation_record",
    "looked_at",
]

_BUCKETS = 4
_FORMS = 6
_ARGUMENTS = 2
"""Arguments that vary, told on the terminal."""


def documentation_record(campaign: DocumentationCampaign) -> dict[str, Any]:
    """The search as the JSON that machines read."""
    return msgspec.to_builtins(campaign)


def documentation_lines(
    campaign: DocumentationCampaign, *, seconds: float | None = None
) -> Iterator[Line]:
    """What the terminal shows of one search.

    Args:
        seconds: how long it took; not told where the same search is to print the same text.
    """
    yield f"{signature(campaign.tool)}    {_head(campaign, seconds)}", "bold"
    fresh = [fault for fault in campaign.faults if not fault.finding.known]
    for number, fault in enumerate(fresh, start=1):
        yield from _fault(campaign, fault, number)
    if len(fresh) < len(campaign.faults):
        yield f"  {len(campaign.faults) - len(fresh)} known from the baseline", "dim"
    if not campaign.faults:
        said = printable(campaign.silence, limit=400) or "nothing was looked at"
        yield f"  no fault was found: {said}", ""
    elif campaign.stopped:
        yield f"  stopped early: {printable(campaign.stopped)}", "yellow"
    yield from _counts(campaign)


def _head(campaign: DocumentationCampaign, seconds: float | None) -> str:
    number = len(campaign.sets)
    prompts = sum(len(result.set.prompts) for result in campaign.sets)
    sets = "1 prompt set" if number == 1 else f"{number} prompt sets"
    parts = [f"{sets}, {prompts} prompts", printable(campaign.agent, limit=80)]
    if seconds is not None:
        parts.append(f"{seconds:.1f} s")
    return ", ".join(parts)


def _fault(
    campaign: DocumentationCampaign, fault: DocumentationFault, number: int
) -> Iterator[Line]:
    yield f"  {number:>3} misleading  {printable(fault.lack.text, limit=400)}", ""
    finding = fault.finding
    if finding.classification is not None and finding.classification.sentence:
        cited = printable(finding.classification.sentence, limit=200)
        yield f'      wrong   the documentation says "{cited}"', "yellow"
    for place, query in enumerate(fault.queries):
        yield f'      {"asked" if place == 0 else "     "}   "{printable(query, limit=120)}"', ""
    for place, bucket in enumerate(fault.buckets[:_BUCKETS]):
        yield f"      {'calls' if place == 0 else '     '}   {_bucket(bucket)}", ""
    for varies in fault.varies[:_ARGUMENTS]:
        forms = ", ".join(map(_form, varies.forms[:_FORMS]))
        yield f"      varies  {printable(varies.argument, limit=60)}: {forms}", ""
    yield from _rating(campaign, fault)
    many = "1 set shows it" if len(fault.sets) == 1 else f"{len(fault.sets)} sets show it"
    yield f"      again   {printable(finding.reproducer, limit=1_000)}    ({many})", "dim"


def _bucket(bucket: Bucket) -> str:
    prompts = ", ".join(str(prompt + 1) for prompt in bucket.prompts)
    said = printable(bucket.text, limit=120) if bucket.text else bucket.kind
    return f"{said}  (prompt {prompts})"


def _form(form: ArgumentForm) -> str:
    said = "left out" if form.absent else printable(json_text(form.value), limit=60)
    return f"{said} {'worked' if form.worked else 'failed'}"


def _rating(campaign: DocumentationCampaign, fault: DocumentationFault) -> Iterator[Line]:
    result = next((each for each in campaign.sets if each.set.id == fault.sets[0]), None)
    verdict = None if result is None else result.verdict("oracle")
    if verdict is None or verdict.expectation is None:
        return
    low = [rating for rating in verdict.ratings if rating.score <= THRESHOLD]
    if low:
        yield f"      expects {printable(verdict.expectation.text, limit=160)}", ""
        reason = printable(low[0].reason, limit=160)
        yield f"      rated   {low[0].score} of 10 by {printable(low[0].judge)}: {reason}", ""


def looked_at(campaign: DocumentationCampaign) -> int:
    """Prompts whose runs came to an end of their own."""
    return sum(
        run.stopped not in ("failed", "budget") for result in campaign.sets for run in result.runs
    )


def cross_call_lines(campaigns: Sequence[DocumentationCampaign]) -> Iterator[Line]:
    """Which tools were called for prompts that were written for another one, the most first.

    Nothing where the agent had one tool at a time.
    """
    together = [campaign for campaign in campaigns if len(campaign.offered) > 1]
    if not together:
        return
    rows = sorted(
        ((other, campaign) for campaign in together for other in campaign.others),
        key=lambda row: -row[0].prompts,
    )
    prompts = sum(map(looked_at, together))
    crossed = sum(_crossed(campaign) for campaign in together)
    yield f"Calls of other tools: for {crossed} of {prompts} prompts", "bold"
    if not rows:
        return
    cells = [("written for", "called", "prompts", "in its place", "worked")]
    for other, campaign in rows:
        counts = (str(other.prompts), str(other.instead), str(other.worked))
        names = (printable(campaign.tool.name, limit=40), printable(other.tool, limit=40))
        cells.append((*names, *counts))
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    for place, row in enumerate(cells):
        named = [row[at].ljust(widths[at]) for at in (0, 1)]
        counted = [row[at].rjust(widths[at]) for at in range(2, len(row))]
        yield "  " + "  ".join([*named, *counted]), "dim" if place == 0 else ""


def _crossed(campaign: DocumentationCampaign) -> int:
    """Prompts that led to a call of at least one other tool."""
    return campaign.runs.get("with a call of another tool", 0)


def _others(campaign: DocumentationCampaign) -> Iterator[Line]:
    prompts = looked_at(campaign)
    for place, other in enumerate(campaign.others):
        head = "others " if place == 0 else "       "
        name = printable(other.tool, limit=60)
        instead = f", for {other.instead} of them in its place" if other.instead else ""
        query = f': "{printable(other.queries[0], limit=100)}"' if other.queries else ""
        yield (
            f"  {head} {name} was called for {other.prompts} of {prompts} prompts{instead}{query}",
            "",
        )


def _counts(campaign: DocumentationCampaign) -> Iterator[Line]:
    yield from _others(campaign)
    if campaign.dropped:
        said = ", ".join(f"{number} x {reason}" for reason, number in campaign.dropped.items())
        yield f"  dropped {printable(said, limit=400)}", "dim"
    odd = {name: number for name, number in campaign.runs.items() if name != "answered"}
    if odd:
        said = ", ".join(f"{number} {name}" for name, number in odd.items())
        yield f"  runs    {campaign.runs.get('answered', 0)} answered, {printable(said)}", "dim"
    spent = campaign.spent
    if spent.model_calls:
        price = f"{spent.usd:.4f} USD" if not spent.unpriced else "price not known"
        over = f"; over the soft budget: {', '.join(spent.over)}" if spent.over else ""
        repeated = sum(stage.repeated for stage in campaign.stages)
        again = f", {repeated} asked before and not again" if repeated else ""
        yield (
            f"  models  {spent.model_calls} calls{again}, {spent.tokens:,} tokens, {price}{over}",
            "",
        )
        stages = "; ".join(
            f"{stage.stage} {stage.tokens:,} tokens, {stage.seconds:.1f} s"
            for stage in campaign.stages
            if stage.model_calls or stage.seconds >= 0.05
        )
        yield f"  stages  {stages}", "dim"

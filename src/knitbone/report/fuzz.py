"""Fuzzing campaigns for people: words that all reports share, and the lines of the terminal.

Ten seconds to know what is wrong, where, why we think so, and what to do next. Whatever a tool or
a model said passes ``printable``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from knitbone.core.printable import printable
from knitbone.fuzzing.effects import describe_attempt
from knitbone.fuzzing.records import Campaign, Classification, Finding, ToolSpec
from knitbone.fuzzing.sandbox.wire import to_text

__all__ = [
    "Line",
    "arguments_line",
    "campaign_lines",
    "figures",
    "judgement",
    "news",
    "place",
    "signature",
    "totals_line",
    "what",
]

Line = tuple[str, str]
"""Text, and its style on a terminal."""

_TYPES = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list",
    "object": "dict", "null": "None",
}  # fmt: skip
_ATTEMPTS = 3
"""Attempts that the sandbox refused, told on the terminal."""
_BEHAVIOURS = 6
"""Behaviours told on the terminal; the HTML report tells all."""


def news(campaign: Campaign) -> list[Finding]:
    """The findings that count: not in the baseline, and not announced by the documentation."""
    return [f for f in campaign.findings if not f.known and not f.is_documented]


def signature(tool: ToolSpec) -> str:
    """The tool as people write it: name, fields and their types."""
    parts: list[str] = []
    required: Any = tool.schema.get("required")
    required = cast("list[Any]", required) if isinstance(required, list) else []
    fields: Any = tool.schema.get("properties")
    fields = cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
    for name, field in fields.items():
        text = f"{name}: {_type(field)}"
        parts.append(text if name in required else text + "?")
    return printable(f"{tool.name}({', '.join(parts)})", limit=100)


def place(finding: Finding) -> str:
    """File and line of the tool's own code, short."""
    frame = finding.frame
    return "" if frame is None else printable(f"{Path(frame.file).name}:{frame.line}", limit=60)


def what(finding: Finding) -> str:
    """What happened, in a few words."""
    parts = (finding.kind, finding.exception or "")
    return printable(" ".join(part for part in parts if part), limit=80)


def arguments_line(finding: Finding, *, limit: int = 60) -> str:
    """The smallest arguments, long values cut and their size told, and the calls before it."""
    parts: list[str] = []
    for name, value in finding.arguments.items():
        text = to_text(value)
        is_cut = isinstance(value, str) and len(text) > limit
        size = f" ({len(value)} characters)" if is_cut else ""
        parts.append(f"{printable(name, limit=40)}={printable(text, limit=limit)}{size}")
    line = ", ".join(parts) or "no arguments"
    if not finding.before:
        return line
    number = len(finding.before)
    earlier = "an earlier call" if number == 1 else f"{number} earlier calls"
    if all(arguments == finding.arguments for arguments in finding.before):
        earlier = "the same call" if number == 1 else f"{number} times the same call"
    return f"{line}  after {earlier}"


def judgement(classification: Classification) -> str:
    """The classification with what the documentation says or lacks."""
    because = classification.lack or classification.reason
    if classification.sentence:
        because = f'the documentation says "{classification.sentence}"'
    return printable(
        f"{classification.verdict}: {because}" if because else classification.verdict, limit=300
    )


def figures(campaign: Campaign) -> str:
    """Unique errors, tool calls per unique error, and how many there may be in all."""
    findings = [f for f in campaign.findings if not f.is_documented]
    returned = sum(finding.kind == "returned" for finding in findings)
    parts = [
        f"Unique {len(findings)} ({len(findings) - returned} raised or worse, "
        f"{returned} returned as text)"
    ]
    if campaign.tool_level and not campaign.spent.model_calls and findings:
        parts[0] += ", tool level"
    if campaign.calls_per_finding is not None:
        parts.append(f"{campaign.calls_per_finding:.3g} calls for each")
    estimate = campaign.chao1
    parts.append(f"Chao1 {estimate.value:g} [{estimate.low:g}, {estimate.high:g}]")
    return "    ".join(parts)


def campaign_lines(campaign: Campaign, *, seconds: float | None = None) -> Iterator[Line]:
    """What the terminal shows of one campaign.

    Args:
        seconds: how long it took; not told where the same campaign is to print the same text.
    """
    yield f"{signature(campaign.tool)}    {', '.join(_head(campaign, seconds))}", "bold"
    if campaign.behaviours:
        yield "  learned   " + _behaviours(campaign.behaviours), ""
    fresh = news(campaign)
    groups = {
        "raised or worse": [f for f in fresh if f.kind != "returned"],
        "returned as text": [f for f in fresh if f.kind == "returned"],
    }
    number = 0
    for title, findings in groups.items():
        if not findings:
            continue
        yield f"  {title}", ""
        width = max(len(what(finding)) for finding in findings)
        for finding in findings:
            number += 1
            yield from _finding(finding, number, width)
    yield from _silent(campaign)
    yield from _spent(campaign)


def totals_line(campaigns: Sequence[Campaign]) -> str:
    """All campaigns in one line."""
    found = sum(len(news(campaign)) for campaign in campaigns)
    sound = sum(not news(campaign) for campaign in campaigns)
    calls = sum(campaign.calls for campaign in campaigns)
    failures = "1 unique failure" if found == 1 else f"{found} unique failures"
    without = "1 tool without" if sound == 1 else f"{sound} tools without"
    return f"{len(campaigns)} tools, {calls:,} calls: {failures}, {without}"


def _head(campaign: Campaign, seconds: float | None) -> Iterator[str]:
    yield "1 call" if campaign.calls == 1 else f"{campaign.calls} calls"
    if seconds is not None:
        yield f"{seconds:.1f} s"
    if campaign.rejected:
        yield f"{campaign.rejected} rejected by argument validation, as they should be"
    if campaign.denied:
        yield f"{campaign.denied} stopped by the sandbox (see --allow-host), not counted"
    if campaign.stopped:
        yield f"stopped early: {printable(campaign.stopped)}"


def _behaviours(behaviours: Sequence[str]) -> str:
    text = "; ".join(printable(each, limit=60) for each in behaviours[:_BEHAVIOURS])
    more = len(behaviours) - _BEHAVIOURS
    return text + (f"; and {more} more" if more > 0 else "")


def _finding(finding: Finding, number: int, width: int) -> Iterator[Line]:
    frame = finding.frame
    source = "" if frame is None else printable(frame.source, limit=60)
    cells = [what(finding).ljust(width), place(finding), source]
    yield f"  {number:>3} {'  '.join(cell for cell in cells if cell)}".rstrip(), ""
    yield f"      with    {arguments_line(finding)}", ""
    if finding.message:
        yield f"      says    {printable(finding.message, limit=120)}", ""
    if finding.classification is not None:
        yield f"      {judgement(finding.classification)}", "yellow"
    if finding.query is not None:
        query = finding.query
        asked = printable(query.text, limit=120)
        yield f'      asked   "{asked}"  ({query.reproduced} of {query.runs} agent runs fail)', ""
    if finding.replays is False:
        yield "      did not replay in a fresh process: it needs earlier calls, time or chance", ""
    elif finding.replays is None:
        yield "      not confirmed in a fresh process: the time was used up", ""
    yield f"      replay  {printable(finding.reproducer, limit=100_000)}", "dim"


def _silent(campaign: Campaign) -> Iterator[Line]:
    """What is found and does not count."""
    if campaign.attempts:
        shown = [printable(describe_attempt(a), limit=120) for a in campaign.attempts]
        more = f"; and {len(shown) - _ATTEMPTS} more" if len(shown) > _ATTEMPTS else ""
        yield f"  sandbox   the tool {'; '.join(shown[:_ATTEMPTS])}{more}", "dim"
    known = sum(finding.known for finding in campaign.findings)
    if known:
        yield f"  {known} known from the baseline", "dim"
    for finding in campaign.findings:
        if finding.is_documented and not finding.known and finding.classification:
            words = judgement(finding.classification)
            yield f"  - {what(finding)}  {arguments_line(finding)}  {words}: not counted", "dim"


def _spent(campaign: Campaign) -> Iterator[Line]:
    spent = campaign.spent
    if spent.model_calls:
        price = f"{spent.usd:.4f} USD" if not spent.unpriced else "price not known"
        over = f"; over the soft budget: {', '.join(spent.over)}" if spent.over else ""
        yield f"  models  {spent.model_calls} calls, {spent.tokens:,} tokens, {price}{over}", ""
        if campaign.tool_level and campaign.findings:
            yield f"  tool level {printable(campaign.tool_level, limit=300)}", "dim"


def _type(field: Any) -> str:
    kind: Any = cast("dict[str, Any]", field).get("type") if isinstance(field, dict) else None
    if isinstance(kind, list):
        return " | ".join(_TYPES.get(str(each), str(each)) for each in cast("list[Any]", kind))
    if not isinstance(field, dict):
        return "any"
    body = cast("dict[str, Any]", field)
    if isinstance(kind, str):
        return "enum" if "enum" in body else _TYPES.get(kind, kind)
    if isinstance(reference := body.get("$ref"), str):
        return reference.rpartition("/")[2] or "any"
    branches = body.get("anyOf") or body.get("oneOf")
    if isinstance(branches, list):
        return " | ".join(dict.fromkeys(_type(each) for each in cast("list[Any]", branches)))
    return "enum" if "enum" in body else "any"

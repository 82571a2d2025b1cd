"""Fuzzing campaigns for people: words that all reports share, and the lines of the terminal.

Ten seconds to know what is wrong, where, why we think so, and what to do next. Whatever a tool or
a model said passes ``printable``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from knitbone.common.printable import printable
from knitbone.fuzzing.effects import describe_attempt
from knitbone.fuzzing.records import (
    CallBefore,
    Campaign,
    CampaignStarted,
    Classification,
    Finding,
    ToolUnderTest,
    json_text,
)
from knitbone.fuzzing.sandbox_report import SandboxReport
from knitbone.fuzzing.sequences import split_call
from knitbone.record.events import Json
from knitbone.report.fuzz_rules import FUZZ_RULES

__all__ = [
    "Line",
    "arguments_line",
    "before_line",
    "campaign_lines",
    "estimate_words",
    "failures",
    "figures",
    "got_nowhere",
    "judgement",
    "lacking",
    "news",
    "place",
    "refused",
    "refused_line",
    "report_lines",
    "report_record",
    "sandbox_line",
    "signature",
    "title_of",
    "totals_line",
    "unmade_lines",
    "what",
]


# The sandbox in words: what enforces it here, and which escapes it holds back.


def sandbox_line(event: CampaignStarted) -> str:
    """What enforces the sandbox of a campaign, and what is not enforced."""
    line = f"sandbox   {', '.join(event.confinement)}"
    return f"{line}; not here: {'; '.join(event.missing)}" if event.missing else line


def unmade_lines(event: CampaignStarted) -> Iterator[str]:
    """What the tool's schema asks for and no argument is generated of."""
    for note in event.tool.unmade:
        yield f"  not generated  {printable(note, limit=200)}"


def report_lines(report: SandboxReport) -> Iterator[tuple[str, str]]:
    """The table of escapes, a line and its style each."""
    who = "root" if report.user == 0 else f"user {report.user}"
    yield f"As {who}, enforced by {', '.join(report.confinement)}", "bold"
    for missing in report.missing:
        yield f"  {missing}", "yellow"
    width = max(len(attempt.name) for attempt in report.attempts)
    for attempt in report.attempts:
        word, style = ("came through", "red") if attempt.came_through else ("held back", "")
        answer = printable(attempt.answer, limit=70)
        yield f"  {attempt.name:<{width}}  {word:<12}  {answer}", style
    through = sum(attempt.came_through for attempt in report.attempts)
    yield f"{len(report.attempts) - through} of {len(report.attempts)} held back", "bold"


def report_record(report: SandboxReport) -> dict[str, Json]:
    """The same for machines."""
    return {
        "user": report.user,
        "confinement": list(report.confinement),
        "missing": list(report.missing),
        "escapes": [
            {"name": each.name, "came_through": each.came_through, "answer": each.answer}
            for each in report.attempts
        ],
    }


Line = tuple[str, str]
"""Text, and its style on a terminal."""

_TYPES = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list",
    "object": "dict", "null": "None",
}  # fmt: skip
_ROUNDED = 0.5
"""An interval that ends less than this above what was found leaves nothing to expect."""
_ATTEMPTS = 3
"""Attempts that the sandbox refused, told on the terminal."""
_LACKS = 4
"""Things that the documentation leaves unsaid, told on the terminal."""
_BEHAVIOURS = 6
"""Behaviours told on the terminal; the HTML report tells all."""


def news(campaign: Campaign) -> list[Finding]:
    """The findings that fail a build: those that count and that no baseline names."""
    return [f for f in campaign.findings if f.counts and not f.known]


def refused(campaign: Campaign) -> list[Finding]:
    """What the tool refuses on purpose: material for its documentation, and no failure."""
    return [
        finding
        for finding in campaign.findings
        if (finding.standing == "refused" or finding.is_documented) and not finding.ignored
    ]


def refused_line(campaign: Campaign) -> str:
    """One line of what is refused on purpose: how often, and over what."""
    findings = refused(campaign)
    if not findings:
        return ""
    ways = "1 way" if len(findings) == 1 else f"{len(findings)} ways"
    announced = sum(f.is_documented or f.because.startswith("the doc") for f in findings)
    told = f", {announced} announced by the documentation" if announced else ""
    lacks = dict.fromkeys(
        f.classification.lack for f in findings if f.classification and f.classification.lack
    )
    shown = [printable(lack, limit=80) for lack in list(lacks)[:_LACKS]]
    more = f"; and {len(lacks) - _LACKS} more" if len(lacks) > _LACKS else ""
    over = f": {'; '.join(shown)}{more}" if shown else ""
    return f"{ways}, on purpose, not counted{told}{over}"


def signature(tool: ToolUnderTest) -> str:
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
    parts = (finding.kind, finding.exception or "", finding.about)
    return printable(" ".join(part for part in parts if part), limit=80)


def title_of(campaign: Campaign, finding: Finding) -> str:
    """What happened, in a sentence without its full stop."""
    title, name = FUZZ_RULES[finding.kind].title, printable(campaign.tool.name, limit=60)
    named, subject, rest = title.partition("The tool ")
    return f"{name} {rest}" if subject and not named else f"{name}: {title[0].lower()}{title[1:]}"


def failures(number: int) -> str:
    """``no failure``, ``1 failure``, ``2 failures``."""
    return {0: "no failure", 1: "1 failure"}.get(number, f"{number} failures")


def arguments_line(finding: Finding, *, limit: int = 60) -> str:
    """The smallest arguments, long values cut and their size told, and the calls before it."""
    parts: list[str] = []
    for name, value in finding.arguments.items():
        text = json_text(value)
        is_cut = isinstance(value, str) and len(text) > limit
        size = f" ({len(value)} characters)" if is_cut else ""
        parts.append(f"{printable(name, limit=40)}={printable(text, limit=limit)}{size}")
    line = ", ".join(parts) or "no arguments"
    if not finding.before:
        return line
    return f"{line}  after {before_line(finding, limit=limit)}"


def before_line(finding: Finding, *, limit: int = 60) -> str:
    """The calls before it; those of other tools are named, with what they are given."""
    number = len(finding.before)
    if any(not isinstance(call, dict) for call in finding.before):
        return ", ".join(_call_line(call, limit) for call in finding.before)
    earlier = "an earlier call" if number == 1 else f"{number} earlier calls"
    if all(arguments == finding.arguments for arguments in finding.before):
        earlier = "the same call" if number == 1 else f"{number} times the same call"
    return earlier


def _call_line(call: CallBefore, limit: int) -> str:
    tool, arguments = split_call(call)
    pairs = (f"{name}={json_text(value)}" for name, value in arguments.items())
    given = printable(", ".join(pairs), limit=limit)
    return f"{printable(tool, limit=40)}({given})" if tool else f"the tool itself ({given})"


def judgement(classification: Classification) -> str:
    """The classification with what the documentation says or lacks."""
    because = classification.lack or classification.reason
    if classification.sentence:
        because = f'the documentation says "{classification.sentence}"'
    return printable(
        f"{classification.verdict}: {because}" if because else classification.verdict, limit=300
    )


def figures(campaign: Campaign) -> str:
    """Unique failures, tool calls for each, and how many there may be in all."""
    findings = [f for f in campaign.findings if f.counts]
    returned = sum(finding.kind == "returned" for finding in findings)
    many = "" if len(findings) == 1 else "s"
    parts = [
        f"{len(findings)} unique failure{many}: {len(findings) - returned} raised or worse, "
        f"{returned} returned as text"
    ]
    if campaign.calls_per_finding is not None:
        parts.append(f"one in {campaign.calls_per_finding:.3g} calls")
    parts.append(f"in all: {estimate_words(campaign)}")
    return "    ".join(parts)


def estimate_words(campaign: Campaign) -> str:
    """How many failures this search could find in all (Chao1 and its 95 % interval), in words."""
    estimate, found = campaign.chao1, sum(finding.counts for finding in campaign.findings)
    if estimate is None:
        return "not known, as no call came to a normal result"
    if not found:
        return "none met"
    most = math.ceil(estimate.high - _ROUNDED)
    if most <= found:
        return "probably these; each came several times"
    likely, least = max(round(estimate.value), found), max(math.floor(estimate.low), found)
    return f"about {likely} (between {least} and {most}), judged by how often each came"


def campaign_lines(campaign: Campaign, *, seconds: float | None = None) -> Iterator[Line]:
    """What the terminal shows of one campaign.

    Args:
        seconds: how long it took; not told where the same campaign is to print the same text.
    """
    yield f"{signature(campaign.tool)}    {', '.join(_head(campaign, seconds))}", "bold"
    for note in campaign.tool.notes:
        yield f"  note      {printable(note, limit=300)}", "yellow"
    if got_nowhere(campaign) and campaign.rejection:
        said = printable(campaign.rejection, limit=300)
        yield f"  rejected  the first message: {said}", "yellow"
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
    unique = "1 unique failure" if found == 1 else f"{found} unique failures"
    without = "1 tool has none" if sound == 1 else f"{sound} tools have none"
    return f"{len(campaigns)} tools, {calls:,} calls: {unique}, {without}"


def _head(campaign: Campaign, seconds: float | None) -> Iterator[str]:
    yield "1 call" if campaign.calls == 1 else f"{campaign.calls} calls"
    if campaign.companion_calls:
        names = printable(", ".join(campaign.companion_calls), limit=120)
        yield f"{sum(campaign.companion_calls.values())} of them to {names}"
    if seconds is not None:
        yield f"{seconds:.1f} s"
    if got_nowhere(campaign):
        yield "no call got past argument validation"
    elif campaign.rejected:
        yield f"{campaign.rejected} rejected by argument validation, as they should be"
    if campaign.denied:
        yield f"{campaign.denied} not run: {lacking(campaign)}, not counted"
    if campaign.stopped:
        yield f"stopped early: {printable(campaign.stopped)}"


def got_nowhere(campaign: Campaign) -> bool:
    """Whether argument validation refused every call: nothing is known of the tool then."""
    return 0 < campaign.rejected == campaign.calls - sum(campaign.companion_calls.values())


def lacking(campaign: Campaign) -> str:
    """What calls that were not run lacked, the first things."""
    because = dict.fromkeys(
        printable(finding.because, limit=80) for finding in campaign.not_run if finding.because
    )
    told = list(because)[:2] or ["stopped by the sandbox"]
    hint = " (see --allow-host)" if "network" in " ".join(told) or not because else ""
    return " and ".join(told) + hint


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
    if finding.says:
        yield f"      says    {printable(finding.says, limit=120)}{_otherwise(finding)}", ""
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


def _otherwise(finding: Finding) -> str:
    number = len(finding.variants)
    words = "another wording" if number == 1 else f"{number} other wordings"
    return f"  (and in {words})" if number else ""


def _silent(campaign: Campaign) -> Iterator[Line]:
    """What is found and does not count."""
    if campaign.attempts:
        shown = [printable(describe_attempt(a), limit=120) for a in campaign.attempts]
        more = f"; and {len(shown) - _ATTEMPTS} more" if len(shown) > _ATTEMPTS else ""
        yield f"  sandbox   the tool {'; '.join(shown[:_ATTEMPTS])}{more}", "dim"
    known = sum(finding.known and finding.counts for finding in campaign.findings)
    if known:
        yield f"  {known} known from the baseline", "dim"
    if line := refused_line(campaign):
        yield f"  refused   {line}", "dim"
    rules = Counter(finding.ignored for finding in campaign.findings if finding.ignored)
    for rule, number in rules.items():
        yield f"  ignored   {number} by the rule {printable(rule, limit=80)!r}", "dim"


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

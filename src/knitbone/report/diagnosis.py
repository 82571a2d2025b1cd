"""Diagnoses for people at a terminal, and as JSON records for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knitbone.common.printable import printable
from knitbone.record.events import Run, encode_json
from knitbone.record.verdicts import set_by
from knitbone.report.run_lines import given_by, lost_line
from knitbone.report.wording import count
from knitbone.tethering.diagnosis.engine import Examined
from knitbone.tethering.diagnosis.failures import FailureGroup
from knitbone.tethering.diagnosis.findings import FindingKind, steps_text
from knitbone.tethering.diagnosis.records import Attribution, Diagnosis, OutcomeName
from knitbone.tethering.diagnosis.units import asked

__all__ = [
    "analyst_line",
    "conversations_line",
    "diagnosis_record",
    "evidence_line",
    "outcome_words",
    "region_words",
    "show_diagnosis",
    "show_failures",
    "source_of",
    "touched_line",
    "unknown_of",
    "verdict_reason",
    "why",
]


# Failures of many runs in lines, one a group.


def show_failures(
    screen: Console, groups: Sequence[FailureGroup], runs: int, *, limit: int | None
) -> None:
    """Print the groups, the largest first.

    Args:
        runs: that were grouped.
        limit: groups shown at most.
    """
    shown = groups[:limit]
    if not shown:
        screen.print("No run is known to have failed, and nothing is claimed of one.")
        return
    ways = "one way" if len(groups) == 1 else f"{len(groups):,} ways"
    said = "1 run" if runs == 1 else f"{runs:,} runs"
    screen.print(Text(f"{said} failed, in {ways}", "bold"))
    table = Table(box=None, pad_edge=False)
    for title in ("runs", "share", "what", "tool", "error", "example"):
        right = title in ("runs", "share")
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    for group in shown:
        table.add_row(
            f"{group.count:,}",
            f"{group.share:.0%}",
            printable(group.kind, limit=60),
            printable(group.tool or "", limit=40),
            printable(group.error, limit=90),
            _example(group),
        )
    screen.print(table)
    if len(groups) > len(shown):
        left = sum(group.count for group in groups[len(shown) :])
        screen.print(f"… and {len(groups) - len(shown):,} more groups with {left:,} runs")


def _example(group: FailureGroup) -> str:
    """What to give to ``knitbone diagnose`` to see it."""
    step = "" if group.step is None else f" step {group.step}"
    if group.path is None:
        return group.run + step
    name = printable(Path(group.path).name, limit=60)
    record = "" if group.record is None else f" --record {group.record}"
    return f"{name}{record}{step}"


_SUSPECTS = 5
"""Steps of the ranking shown to a person; --json has all."""
_PARTS = 6
"""Conversations of one recording shown to a person."""
_WHY = 3
"""Findings said in the reason; all stand in the HTML page and in --json."""

_EVIDENCE_WORDS: dict[FindingKind, str] = {
    "missing argument": "argument missing",
    "broken rule": "rule broken",
    "failed call": "failed",
    "repeated action": "loop",
    "changed before": "state changed before",
    "error passed over": "error passed over",
    "value never observed": "value never observed",
    "state change": "changes state",
    "ended with open error": "open error at the end",
}
_OUTCOMES: dict[OutcomeName, str] = {
    "failed": "failed",
    "succeeded": "succeeded",
    "unknown": "outcome unknown",
}


def diagnosis_record(run: Run, diagnosis: Diagnosis) -> dict[str, Any]:
    """The object that ``--json`` prints for one run; docs/how-to/diagnose.md lists its fields."""
    origin = run.origin
    return {
        "run": run.id,
        "source": {
            "format": origin.format if origin else "knitbone",
            "path": origin.path if origin else None,
            "record": origin.record if origin else None,
            "identity": origin.identity if origin else {},
        },
        "task": asked(run),
        "outcome": diagnosis.outcome,
        "outcome_reason": verdict_reason(run),
        "outcome_set_by": set_by(run.outcome),
        "lost": lost_line(run),
        "units": diagnosis.units,
        "headline": diagnosis.headline,
        "turning_point": diagnosis.turning_point,
        "claim": diagnosis.claim,
        "on_record": diagnosis.on_record,
        "conversations": diagnosis.conversations,
        "ranking": diagnosis.ranking,
        "region": diagnosis.region,
        "region_groups": diagnosis.region_groups,
        "action": diagnosis.action,
        "category": diagnosis.category,
        "root_cause": diagnosis.root_cause,
        "reason": diagnosis.reason,
        "signals": diagnosis.signals,
        "unusual": diagnosis.unusual,
        "recovery_hints": diagnosis.recovery_hints,
        "affected": diagnosis.affected,
        "changed": diagnosis.changed,
        "planes": diagnosis.planes,
        "missing_planes": diagnosis.missing_planes,
        "evidence": {"findings": diagnosis.findings, "planes": diagnosis.evidence},
        "analysis": msgspec.to_builtins(diagnosis.analysis),
        "warnings": diagnosis.warnings,
    }


def show_diagnosis(screen: Console, examined: Examined, *, many: bool) -> None:
    """Print one diagnosis, what is wrong first: aligned and wrapped on a terminal, a line a fact
    in a pipe."""
    run, diagnosis = examined.case.run, examined.diagnosis
    screen.print(Text(printable(diagnosis.headline, limit=500), "bold"))
    head = Text.assemble(
        (f"  {printable(source_of(run, many=many), limit=160)}", "bold"),
        f"   {count(diagnosis.units, 'step')}, {_OUTCOMES[diagnosis.outcome]}"
        f"{given_by(run.outcome)}",
        ("" if source_of(run, many=many) == run.id else f"   run {run.id[:12]}", "dim"),
    )
    screen.print(head)
    rows = list(_rows(examined))
    if screen.is_terminal and not screen.soft_wrap:
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True, min_width=11)
        grid.add_column(overflow="fold")
        for label, text, style in rows:
            grid.add_row(Text(f"  {label}", "dim"), Text(text, style))
        screen.print(grid)
    else:
        for label, text, _ in rows:
            screen.print(f"  {label:<10}{text}")
    screen.print()


def _rows(examined: Examined) -> Iterator[tuple[str, str, str]]:
    """Label, text and style of each line."""
    run, diagnosis = examined.case.run, examined.diagnosis
    yield "Asked", printable(asked(run) or "(the source does not say)", limit=240), ""
    if said := verdict_reason(run):
        yield "Verdict", printable(said, limit=240), ""
    if diagnosis.conversations:
        yield "Apart", printable(conversations_line(diagnosis), limit=300), ""
    if diagnosis.units:
        label, style = "Left at", "bold red"
        step = diagnosis.turning_point
        if step is None:
            label, style, step = "Ranks 1st", "", diagnosis.ranking[0]
        yield label, printable(f"step {step}   {diagnosis.action}", limit=200), style
    yield "Why", printable(why(diagnosis), limit=700), ""
    for quote in diagnosis.analysis.quotes[:2]:
        text = printable(quote.text, limit=160)
        yield "", f"step {quote.step} says: “{text}”", "dim"
    if diagnosis.units:
        yield "Evidence", printable(evidence_line(examined), limit=300), ""
        yield "Touched", printable(touched_line(diagnosis), limit=240), ""
        yield "Region", region_line(diagnosis), ""
    if lost := lost_line(run):
        yield "Lost", printable(lost, limit=240), "yellow"
    for unknown in unknown_of(run, diagnosis):
        yield "Unknown", printable(unknown, limit=240), "dim"
    for missing in diagnosis.missing_planes:
        yield "Without", printable(missing, limit=200), "dim"
    for warning in diagnosis.warnings[:2]:
        yield "Beware", printable(f"step {warning.step} {warning.text}", limit=240), "yellow"
    said = analyst_line(diagnosis.analysis)
    if said:
        refused = diagnosis.analysis.state in ("refused", "failed")
        yield "Analyst", printable(said, limit=400), "yellow" if refused else ""
    for hint in diagnosis.recovery_hints:
        yield "Next time", printable(hint, limit=300), "green"


def conversations_line(diagnosis: Diagnosis) -> str:
    """The conversations in one recording, which are judged apart; empty where there is one."""
    parts = diagnosis.conversations
    shown = [
        (f"{part.number + 1}" if part.parent is None else f"{part.number + 1} in {part.parent + 1}")
        + (f" ({steps_text(part.steps)})" if part.steps else "")
        for part in parts[:_PARTS]
    ]
    more = f" and {len(parts) - _PARTS} more" if len(parts) > _PARTS else ""
    return f"{count(len(parts), 'conversation')}: {', '.join(shown)}{more}" if parts else ""


def unknown_of(run: Run, diagnosis: Diagnosis) -> Iterator[str]:
    """What the record does not say, and the diagnosis therefore does not know."""
    if not diagnosis.units:
        return
    if diagnosis.outcome == "unknown":
        yield "whether the run succeeded: no verdict is on record"
    if run.origin is None and run.ended_ns is None:
        yield "how the run ended: its recording goes on, or its process died"
    if diagnosis.outcome == "failed" and diagnosis.turning_point is None:
        yield "where it went wrong: the ranking says what to look at first, and blames no step"
    if not asked(run):
        yield "what was asked of the agent"


def why(diagnosis: Diagnosis) -> str:
    """The reason in a few sentences: the analyst's root cause where there is one, and facts."""
    findings = diagnosis.findings
    kinds: set[FindingKind] = {finding.kind for finding in findings}
    symptom = [finding.text for finding in findings if finding.kind == "symptom"]
    facts = [f.text for f in findings if f.kind != "symptom" and not _says_less(f.kind, kinds)]
    if diagnosis.analysis.by == "analyst":
        more = f" On record: {'; '.join([*facts, *symptom][:2])}." if facts or symptom else ""
        return diagnosis.root_cause + more
    if diagnosis.turning_point is None or not diagnosis.units:
        return diagnosis.reason
    said = [*facts[: _WHY - len(symptom)], *symptom]
    if len(said) < _WHY:
        said += diagnosis.unusual
    text = "; ".join(said) + "." if said else diagnosis.reason
    return text[0].upper() + text[1:] if text.startswith(("step", "the ", "it ")) else text


def _says_less(kind: FindingKind, kinds: set[FindingKind]) -> bool:
    """Whether a finding of this kind adds nothing for a hurried reader beside the others."""
    if kind == "failed call":
        return "missing argument" in kinds
    return kind == "built upon" or (kind == "state change" and bool(kinds - {kind, "built upon"}))


def verdict_reason(run: Run) -> str:
    """Why the run is known to have failed, in the words of who judged it; empty where unsaid."""
    verdict = run.outcome
    return "" if verdict is None or verdict.success else verdict.reason


def outcome_words(outcome: OutcomeName) -> str:
    """``failed``, ``succeeded`` or ``outcome unknown``."""
    return _OUTCOMES[outcome]


def region_line(diagnosis: Diagnosis) -> str:
    """The region, its share of the run, and the first suspects."""
    suspects = " > ".join(map(str, diagnosis.ranking[:_SUSPECTS]))
    return f"{_region(diagnosis)}   ({_share(diagnosis)} % of the run)   suspects {suspects}"


def region_words(diagnosis: Diagnosis) -> str:
    """The same as a sentence."""
    first = ", ".join(map(str, diagnosis.ranking[:_SUSPECTS]))
    share = f"{_share(diagnosis)} % of the run"
    return f"{_region(diagnosis)}, {share}; look at them in this order: {first}"


def _region(diagnosis: Diagnosis) -> str:
    groups = ", ".join(_span(group) for group in diagnosis.region_groups[:10])
    more = len(diagnosis.region_groups) - 10
    noun = "step" if len(diagnosis.region) == 1 else "steps"
    return f"{noun} {groups}" + (f" and {more} more" if more > 0 else "")


def _share(diagnosis: Diagnosis) -> int:
    return round(100 * len(diagnosis.region) / max(diagnosis.units, 1))


def evidence_line(examined: Examined) -> str:
    """What each plane says of the turning point, and the kinds of facts that support it."""
    diagnosis = examined.diagnosis
    shown = [
        f"{_EVIDENCE_WORDS[finding.kind]}{', mended' if finding.mended else ''}"
        f" ({', '.join(map(str, finding.steps[:8]))})"
        for finding in diagnosis.findings
        if finding.kind in _EVIDENCE_WORDS
    ]
    step = diagnosis.turning_point
    step = diagnosis.ranking[0] if step is None else step
    ordinal = next(u.ordinal for u in examined.case.graph.units if u.index == step)
    broken = [v.rule.kind for v in examined.case.violations if v.ordinal == ordinal]
    names = ", ".join(dict.fromkeys(broken))
    for item in examined.case.evidence:
        if item.ordinal != ordinal:
            continue
        if item.plane in {view.plane for view in diagnosis.planes if view.top}:
            rule = f" ({names})" if item.plane == "rules" and names else ""
            if item.plane != "rules" or names:  # a step that breaks no rule has no rank in them
                shown.append(f"{item.plane} rank {item.rank} of {diagnosis.units}{rule}")
    return "  ·  ".join(shown) or "none"


def touched_line(diagnosis: Diagnosis) -> str:
    """What the turning point reached: the steps that build on it, and the state it changed."""
    if not diagnosis.affected and not diagnosis.changed:
        return "no later step builds on it, and it changed no state"
    parts: list[str] = []
    if diagnosis.affected:
        verb = "builds" if len(diagnosis.affected) == 1 else "build"
        parts.append(f"{steps_text(diagnosis.affected)} {verb} on it")
    if diagnosis.changed:
        named = [f"{change.step} {change.tool or ''}".strip() for change in diagnosis.changed[:5]]
        more = len(diagnosis.changed) - 5
        shown = ", ".join(named) + (f" and {more} more" if more > 0 else "")
        parts.append(f"state changed at {shown}")
    return "; ".join(parts)


def analyst_line(analysis: Attribution) -> str:
    """Who named the turning point; empty where no analyst is configured."""
    model = analysis.model or "the analyst"
    itself = " (it judges a run of its own model)" if analysis.self_judging else ""
    match analysis.state:
        case "accepted":
            path = " <- ".join(map(str, analysis.path))
            text = f"named by {model}{itself}, path back {path}"
            other = analysis.graph_turning_point
            if other is not None and other not in analysis.path[-1:]:
                text += f"; the graph alone names step {other}"
            return text
        case "opinion":
            named = analysis.opinion
            words = f"step {named.turning_point}: {named.root_cause}" if named else ""
            return f"{model}{itself} would name {words} The graph decides, since {analysis.reason}"
        case "refused":
            return f"the answer of {model} was refused: {analysis.reason} The graph alone decides."
        case "failed":
            return f"{model} gave no answer: {analysis.reason} The graph alone decides."
        case _:
            return ""


def source_of(run: Run, *, many: bool) -> str:
    """Where the run came from: its file, and among many its record and identity."""
    origin = run.origin
    if origin is None:
        return run.name or run.id
    name = Path(origin.path).name if origin.path and origin.path != "-" else "standard input"
    parts = [name]
    if many:
        parts.append(f"record {origin.record}")
        parts.append(", ".join(f"{k} {_plain(v)}" for k, v in origin.identity.items()))
    return "   ".join(part for part in parts if part)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else encode_json(value).decode("utf-8")


def _span(group: tuple[int, ...]) -> str:
    return str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}"

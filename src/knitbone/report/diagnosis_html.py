"""Diagnoses as one HTML file: nothing loaded, everything untrusted escaped."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from knitbone.common.printable import printable
from knitbone.record.events import Run
from knitbone.report.diagnosis import (
    analyst_line,
    conversations_line,
    outcome_words,
    region_words,
    source_of,
    touched_line,
    unknown_of,
    verdict_reason,
    why,
)
from knitbone.report.html import render
from knitbone.report.run_lines import given_by, lost_line
from knitbone.report.wording import count
from knitbone.tethering.diagnosis.analyse import signals_of
from knitbone.tethering.diagnosis.case import Case
from knitbone.tethering.diagnosis.context import ContextNode
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.engine import Examined
from knitbone.tethering.diagnosis.findings import describe
from knitbone.tethering.diagnosis.graph_exports import to_svg, view_of
from knitbone.tethering.diagnosis.graph_exports.svg import rows_of
from knitbone.tethering.diagnosis.records import OutcomeName
from knitbone.tethering.diagnosis.units import TransitionUnit, asked

__all__ = ["diagnosis_page"]

_TEXT = 3_000
"""Characters of one text of a step."""
_LINES = 200
_LINKS = 12
"""Dependencies listed at one step, each way."""
_TITLE = 120
"""Characters of the task in a run's title; the whole of it stands below (ours)."""
_OUTCOMES: tuple[OutcomeName, ...] = ("failed", "unknown", "succeeded")
_VIEWS = {
    "run-local": "unlike the run's other steps",
    "offline": "unlike what successful runs do",
    "rules": "breaks a rule of its own",
    "conduct": "the run itself says so",
}
"""The detectors, by what they say of a step."""


def diagnosis_page(
    examined: Sequence[Examined], *, left_out: int = 0, store: str | None = None
) -> str:
    """The page, as text.

    Args:
        left_out: runs that were diagnosed and are not on the page.
        store: the run store that was named, for the commands on the page.
    """
    outcomes = [item.diagnosis.outcome for item in examined]
    return render(
        "diagnosis.html.j2",
        runs=[
            _run(item, number, store) for number, item in enumerate(sorted(examined, key=_order))
        ],
        named=any(item.diagnosis.turning_point is not None for item in examined),
        failed=outcomes.count("failed"),
        succeeded=outcomes.count("succeeded"),
        unknown=outcomes.count("unknown"),
        steps=sum(item.diagnosis.units for item in examined),
        left_out=left_out,
    )


def _order(examined: Examined) -> tuple[int, bool]:
    """Runs that failed come first, and of those the ones with a turning point."""
    diagnosis = examined.diagnosis
    return _OUTCOMES.index(diagnosis.outcome), diagnosis.turning_point is None


def _run(examined: Examined, number: int, store: str | None) -> dict[str, Any]:
    case, diagnosis = examined.case, examined.diagnosis
    view = view_of(
        case.graph, run=case.run.id, task=asked(case.run),
        turning_point=diagnosis.turning_point, region=diagnosis.region,
    )  # fmt: skip
    drawn = [row for row in rows_of(view) if not isinstance(row, int)]
    anchor = f"run-{number}-step-"
    ordinals = [int(node.id[1:]) for node in drawn]
    facts = [finding for finding in diagnosis.findings if finding.text]
    named = diagnosis.turning_point
    task, title = _lines(asked(case.run)), _title(case.run)
    return {
        "anchor": f"run-{number}",
        "steps_anchor": anchor,
        "title": title,
        "source": printable(", ".join(source_of(case.run, many=True).split("   ")), limit=160),
        "outcome": outcome_words(diagnosis.outcome) + given_by(case.run.outcome),
        "task": "" if task == title else task,
        "command": _command(case.run, store),
        "diagnosis": diagnosis,
        "size": count(diagnosis.units, "step"),
        "step": diagnosis.ranking[0] if named is None and diagnosis.ranking else named,
        "verdict": verdict_reason(case.run),
        "lost": lost_line(case.run),
        "why": why(diagnosis),
        "apart": conversations_line(diagnosis),
        "unknown": list(unknown_of(case.run, diagnosis)),
        "facts": facts,
        "touched": touched_line(diagnosis) if diagnosis.units else "",
        "region": region_words(diagnosis) if diagnosis.units else "",
        "views": [
            {"name": _VIEWS.get(view.plane, view.plane), "top": view.top}
            for view in diagnosis.planes
        ],
        "analyst": analyst_line(diagnosis.analysis),
        # Written by ElementTree, which escapes; nothing of the run enters it otherwise.
        "graph": Markup(to_svg(view, links=anchor)),  # noqa: S704
        "steps": [_step(examined, ordinal) for ordinal in ordinals],
        "left_out": diagnosis.units - len(drawn),
    }


def _title(run: Run) -> str:
    """The task; of a run that does not say it, what else names the run."""
    task = next((line for line in asked(run).splitlines() if line.strip()), "").strip()
    return printable(task or run.name or source_of(run, many=True), limit=_TITLE)


def _command(run: Run, store: str | None) -> str:
    """Diagnoses the run again; empty where it came from standard input."""
    origin, words = run.origin, ["knitbone", "diagnose"]
    if store is not None:
        words += ["--store", store, run.id]
    elif origin is None:
        words.append(run.id)
    elif origin.path and origin.path != "-":
        words += [origin.path, "--record", str(origin.record)]
    else:
        return ""
    return shlex.join(words)


def _step(examined: Examined, ordinal: int) -> dict[str, Any]:
    case, diagnosis = examined.case, examined.diagnosis
    unit = case.graph.units[ordinal]
    speaking = {view.plane for view in diagnosis.planes if unit.index in view.top}
    quotes = [quote.text for quote in diagnosis.analysis.quotes if quote.step == unit.index]
    state = "turn" if unit.index == diagnosis.turning_point else ""
    if not state and unit.index in diagnosis.region:
        state = "region"
    return {
        "unit": unit,
        "state": state,
        "label": describe(unit),
        "texts": [
            {"name": name, "pieces": _pieces(_lines(text), quotes)}
            for name, text in (
                ("saw", unit.observation),
                ("thought", unit.belief),
                ("did", unit.action),
                ("came back", unit.feedback),
            )
            if text
        ],
        "into": _ties(case, unit, back=True),
        "out": _ties(case, unit, back=False),
        "evidence": [
            _evidence(item, diagnosis.units)
            for item in case.evidence
            if item.ordinal == ordinal and item.plane in speaking
        ],
        "telemetry": [_telemetry(node) for node in unit.context],
    }


def _evidence(item: PlaneEvidence, steps: int) -> str:
    """What one detector says of a step: how it ranks, and by what the step stands out."""
    said = signals_of((item,))
    named = f" ({', '.join(said)})" if said else ""
    return f"{_VIEWS.get(item.plane, item.plane)}: ranks {item.rank} of {steps}{named}"


def _telemetry(node: ContextNode) -> str:
    number = "" if node.value is None else f"{node.value:g}"
    if node.kind == "span" and node.value is not None:
        number = f"{node.value:.1f} ms"
    parts = (node.status if node.status != "unknown" else "", number, node.text)
    return f"{node.kind} {node.name}: {' '.join(part for part in parts if part)}"


def _ties(case: Case, unit: TransitionUnit, *, back: bool) -> list[dict[str, Any]]:
    """The units that a unit is tied to, each with what they share."""
    graph = case.graph
    edges = (graph.dependencies_into if back else graph.dependencies_from).get(unit.ordinal, ())
    tied: dict[int, list[str]] = defaultdict(list)
    for edge in edges:
        other = graph.units[edge.source if back else edge.target].index
        tied[other].append(", ".join(edge.artifacts) or edge.sharing)
    return [
        {"step": step, "shared": "; ".join(shared)}
        for step, shared in sorted(tied.items())[:_LINKS]
    ]


def _lines(text: str) -> str:
    """The text with its lines, each made printable, cut where it is long."""
    lines = text[:_TEXT].splitlines()[:_LINES]
    shown = "\n".join(printable(line, limit=_TEXT) for line in lines)
    return shown + (" …" if len(text) > _TEXT or text.count("\n") > _LINES else "")


def _pieces(text: str, quotes: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, and which of them the analyst quotes."""
    pieces = [(text, False)]
    for quote in quotes:
        split: list[tuple[str, bool]] = []
        for piece, marked in pieces:
            before, found, after = piece.partition(quote) if not marked else (piece, "", "")
            split.append((before, marked))
            split += [(found, True), (after, False)] if found else []
        pieces = split
    return [(piece, marked) for piece, marked in pieces if piece]

"""What adapt did, or saw, in a program that ``knitbone run`` started: lines for a terminal.

Answers, paths and reasons are untrusted: all of it goes through ``printable``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from knitbone.adaptation.runtime.instrument.program_report import ProgramReport
from knitbone.adaptation.runtime.summary import Observation, SiteCounts
from knitbone.common.printable import printable
from knitbone.report.wording import count

__all__ = ["observation_lines", "short_place", "site_line", "verdict", "why_nothing"]

_MAX_RULES = 4
"""Kinds of repairs that a site's line names; the counts behind them must stay in sight (ours)."""
_TEXT = 160
"""Characters of an answer on a line."""
_UNREAD = ("plain", "unknown", "unchecked", "unfinished")
"""Counts of answers that nothing was looked for in."""


def observation_lines(outcome: ProgramReport) -> Iterator[str]:
    """What did not fit, three lines each: what is required, the answer, and what it would be."""
    answers = {counts.site: counts for counts in outcome.sites}
    for one in outcome.observations:
        place = printable(short_place(one.site), limit=_TEXT)
        yield f"{place}   {often(one, answers)}   {verdict(one)}"
        yield f"  required  {printable(one.requirement)}   ({printable(_consumer(one))})"
        yield f"  before    {printable(one.before, limit=_TEXT)}"
        if one.after is not None:
            yield f"  after     {printable(one.after, limit=_TEXT)}"


def often(one: Observation, answers: Mapping[str, SiteCounts]) -> str:
    """How many answers of a site an observation is about, and what one answer took."""
    counts = answers.get(one.site)
    said = count(one.count, "time")
    if counts is None:
        return said
    said += f" in {count(counts.answers, 'answer')}"
    if counts.median_us is not None:
        said += f", {counts.median_us / 1000:.2f} ms each"
    return said


def verdict(one: Observation) -> str:
    """What was done about it, or would be."""
    rules = printable(", ".join(one.rules), limit=_TEXT)
    reason = printable(one.reason, limit=_TEXT)
    if one.after is None:
        words = {"observed": "does not fit, and no repair is proven", "unread": "not read"}
        said = words.get(one.action, one.action)
        return f"{said}: {reason}" if reason else said
    said = "would be repaired" if one.action == "observed" else one.action
    return f"{said}: {rules}" if rules else said


def _consumer(one: Observation) -> str:
    place, separator, expression = one.evidence.partition("  ")
    return short_place(place) + separator + expression


def why_nothing(outcome: ProgramReport) -> str:
    """Why no answer was looked at, with what to do; empty where one was."""
    if not outcome.processes:
        return (
            "no module of the application was loaded; name its package: "
            "knitbone run --package NAME -- ..."
        )
    place = outcome.analysed[0].unit.partition(os.pathsep)[0] if outcome.analysed else "."
    check = f"see: knitbone check {printable(short_place(place))}"
    if not outcome.known:
        return (
            "no output of a model, retriever or splitter is recognised in the application; mark "
            f"the function that asks the model with @knitbone.source; {check}"
        )
    if not outcome.executed:
        places = [short_place(known.rpartition(":")[0]) for known in outcome.known[:3]]
        return f"no output came: {printable(', '.join(places))} did not run"
    looked = sum(
        counts.answers - sum(getattr(counts, name) for name in _UNREAD) for counts in outcome.sites
    )
    if looked:
        return ""
    return f"nothing is required of the outputs that came, or nothing checks it; {check}"


def site_line(counts: SiteCounts) -> str:
    """``plan.py:41   12 answers   9 conforming   3 repaired (...)   p50 11 µs``."""
    cells = [
        short_place(counts.site),
        f"{counts.answers} answer{'' if counts.answers == 1 else 's'}",
    ]
    for name in ("conforming", "repaired", "observed", "refused", "unread", "raised", "failed"):
        if number := getattr(counts, name):
            cells.append(f"{number} {name}{_detail(counts, name)}")
    for name, words in (
        ("unknown", "without a text"),
        ("unchecked", "not checked (no detector for its kind of requirement)"),
        ("unfinished", "streams left before their end"),
        ("plain", "without requirement"),
    ):
        if number := getattr(counts, name):
            cells.append(f"{number} {words}")
    if counts.median_us is not None:
        cells.append(f"p50 {counts.median_us:.0f} µs")
    return "   ".join(cells)


def _detail(counts: SiteCounts, name: str) -> str:
    if name == "repaired" and counts.rules:
        often = sorted(counts.rules.items(), key=lambda done: -done[1])
        rules = [
            f"{rule} in {number} record{'' if number == 1 else 's'}"
            for rule, number in often[:_MAX_RULES]
        ]
        if len(often) > _MAX_RULES:
            rules.append(f"{len(often) - _MAX_RULES} more kinds")
        return f" ({', '.join(rules)})"
    if name in ("refused", "unread", "failed") and counts.reason:
        return f": {printable(counts.reason, limit=120)}; original passed on"
    return ""


def short_place(site: str) -> str:
    """``file:line`` as it is seen from the current folder, where it lies below."""
    file, separator, line = site.rpartition(":")
    if not separator:
        file, line = site, ""
    relative = os.path.relpath(file) if Path(file).is_absolute() else file
    return (file if relative.startswith("..") else relative) + separator + line

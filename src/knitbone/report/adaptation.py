"""What adapt did, or saw, in a program that ``knitbone run`` started: lines for a terminal.

Answers, paths and reasons are untrusted: all of it goes through ``printable``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from knitbone.adaptation.runtime.instrument.program_report import ProgramReport
from knitbone.adaptation.runtime.summary import (
    MAX_KINDS,
    Observation,
    SiteCounts,
    UnlistedKinds,
    excerpts,
)
from knitbone.common.printable import printable
from knitbone.report.wording import count

__all__ = [
    "observation_lines",
    "often",
    "short_place",
    "site_line",
    "unlisted_line",
    "verdict",
    "why_nothing",
]

_TEXT = 160
"""Characters of an answer on a line."""
_RULES = 400
"""Characters of all changes of a repair (ours)."""
_UNREAD = ("plain", "unknown", "unchecked", "unfinished")
"""Counts of answers that nothing was looked for in."""


def observation_lines(outcome: ProgramReport) -> Iterator[str]:
    """Every kind of repair and refusal: what is required, the first answer, and what it became or
    would become; at last how many more kinds there are, by site."""
    answers = {counts.site: counts for counts in outcome.sites}
    for one in outcome.observations:
        place = printable(short_place(one.site), limit=_TEXT)
        yield f"{place}   {often(one, answers)}   {verdict(one)}"
        yield f"  required  {printable(one.requirement)}   ({printable(_consumer(one))})"
        before, after = excerpts(one.before, one.after, _TEXT - 2)
        yield f"  before    {printable(before, limit=_TEXT)}"
        if after is not None:
            yield f"  after     {printable(after, limit=_TEXT)}"
    yield from map(unlisted_line, outcome.unlisted)


def unlisted_line(more: UnlistedKinds) -> str:
    """What a site's list leaves out: ``app.py:3   and 12 more kinds, 40 times``."""
    place = printable(short_place(more.site), limit=_TEXT)
    kinds = count(more.kinds, "more kind") if more.complete else f"at least {more.kinds} more kinds"
    return (
        f"{place}   and {kinds}, {count(more.times, 'time')} (a list holds {MAX_KINDS} of a site)"
    )


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
    rules = printable(", ".join(one.rules), limit=_RULES)
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
    """Why answers were refused, where it is one reason; several stand below, each with its own."""
    reasons = list(counts.reasons.get(name, ()))
    if name not in ("refused", "unread", "failed") or not reasons:
        return ""
    said = printable(reasons[0], limit=120) if len(reasons) == 1 else f"{len(reasons)} reasons"
    return f": {said}; original passed on"


def short_place(site: str) -> str:
    """``file:line`` as it is seen from the current folder, where it lies below."""
    file, separator, line = site.rpartition(":")
    if not separator:
        file, line = site, ""
    relative = os.path.relpath(file) if Path(file).is_absolute() else file
    return (file if relative.startswith("..") else relative) + separator + line

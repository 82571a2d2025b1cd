"""What adapt did, or saw, in a program, as one HTML file: nothing loaded, everything untrusted
escaped."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from knitbone.adaptation.runtime.instrument.program_report import ProgramReport
from knitbone.adaptation.runtime.summary import Observation, SiteCounts
from knitbone.report.adaptation import often, short_place, unlisted_line, verdict, why_nothing
from knitbone.report.html import render, shown_lines

__all__ = ["adaptation_page"]

_LINES = 200
"""Lines of one answer (ours)."""


def adaptation_page(outcome: ProgramReport, program: Sequence[str], mode: str) -> str:
    """The page, as text.

    Args:
        program: the command that was run.
        mode: ``repair``, ``observe`` or ``strict``.
    """
    answers = {counts.site: counts for counts in outcome.sites}
    command = shlex.join(program)
    return render(
        "adaptation.html.j2",
        program=command,
        mode=mode,
        answers=sum(counts.answers for counts in outcome.sites),
        unfit=sum(counts.answers - _fitting(counts) for counts in outcome.sites),
        mended=sum(one.count for one in outcome.observations if one.after is not None),
        places=len(outcome.executed),
        known=len(outcome.known),
        cases=[_case(one, answers) for one in outcome.observations],
        unlisted=[unlisted_line(more) for more in outcome.unlisted],
        sites=[_site(counts) for counts in outcome.sites],
        untouched={short_place(name): why for name, why in outcome.untouched.items()},
        missing=outcome.missing,
        why=why_nothing(outcome),
        next_step=f"knitbone run {'' if mode == 'observe' else '--mode observe '}-- {command}",
    )


def _fitting(counts: SiteCounts) -> int:
    """Answers that fit, or that nothing was looked for in."""
    return counts.conforming + counts.unknown + counts.unchecked + counts.plain + counts.unfinished


def _case(one: Observation, answers: dict[str, SiteCounts]) -> dict[str, Any]:
    place, separator, expression = one.evidence.partition("  ")
    return {
        "place": short_place(one.site),
        "often": often(one, answers),
        "verdict": verdict(one),
        "good": one.after is not None,
        "requirement": one.requirement,
        "consumer": short_place(place) + separator + expression,
        "changes": one.changes,
        "before": shown_lines(one.before, lines=_LINES),
        "after": None if one.after is None else shown_lines(one.after, lines=_LINES),
    }


def _site(counts: SiteCounts) -> dict[str, Any]:
    return {
        "place": short_place(counts.site),
        "answers": counts.answers,
        "fit": counts.conforming,
        "unfit": counts.answers - _fitting(counts),
        "rest": _fitting(counts) - counts.conforming,
        "milliseconds": None if counts.median_us is None else counts.median_us / 1000,
    }

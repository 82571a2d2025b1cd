"""The order in which findings are worth a look: what a maintainer would act on comes first.

What goes wrong with every answer, or does damage, comes before what is lost without a word, and
that before an error, which shows by itself. One line of code that many sites lead to is one entry.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from knitbone.adaptation.requirements.findings import Severity
from knitbone.adaptation.requirements.records import Confidence
from knitbone.adaptation.requirements.review import JudgedFinding, ReviewedSite

__all__ = ["RankedFinding", "rank_of", "ranked_findings"]

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
_ORDER = (
    "prompt-and-parser-disagree",
    "key-not-in-the-prompt",
    "prompt-and-pattern-disagree",
    "sql-executed-unchecked",
    "splitter-of-size-1",
    "overlap-not-below-size",
    "first-line-only",
    "output-executed-as-it-is",
    "silent-loss",
    "relevance-threshold-0",
    "may-raise",
)
"""Names of findings, the one to act on first at the head."""


class RankedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of code with a finding, and how many sites lead to it."""

    judged: JudgedFinding
    rank: int
    sites: int


def rank_of(judged: JudgedFinding, confidence: Confidence) -> int:
    """Return how much a finding is worth a look, 0 to 100: by severity, then by its name, then by
    how sure it is."""
    name = judged.id
    place = _ORDER.index(name) if name in _ORDER else len(_ORDER)
    levels = len(_SEVERITIES) * (len(_ORDER) + 1) * len(_CONFIDENCES)
    level = _SEVERITIES.index(judged.finding.severity) * (len(_ORDER) + 1) + place
    level = level * len(_CONFIDENCES) + _CONFIDENCES.index(confidence)
    return round(100 * (levels - 1 - level) / (levels - 1))


def ranked_findings(sites: Iterable[ReviewedSite]) -> list[RankedFinding]:
    """Return the findings that nobody has judged, what to act on first at the head; of each line of
    code the first one, since who mends that sees the others."""
    found: dict[tuple[str, int], RankedFinding] = {}
    led: dict[tuple[str, int], set[str]] = {}
    for each in sites:
        for judged in each.remaining:
            place = (judged.finding.file or each.site.file, judged.finding.line or each.site.line)
            led.setdefault(place, set()).add(each.id)
            known = found.get(place)
            rank = rank_of(judged, each.site.confidence)
            if known is None or rank > known.rank:
                found[place] = RankedFinding(judged=judged, rank=rank, sites=1)
    order = sorted(found, key=lambda place: (-found[place].rank, place))
    return [msgspec.structs.replace(found[place], sites=len(led[place])) for place in order]

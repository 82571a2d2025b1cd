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
    confidence: Confidence
    """How sure it is that an answer of a model comes there."""
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
    """Return the findings that nobody has judged, each line of code once, first what to act on."""
    found: dict[tuple[str, str, int], RankedFinding] = {}
    for each in sites:
        for judged in each.remaining:
            file = judged.finding.file or each.site.file
            line = judged.finding.line or each.site.line
            known = found.get((judged.id, file, line))
            confidence = each.site.confidence
            if known is not None:
                confidence = min(known.confidence, confidence, key=_CONFIDENCES.index)
            found[judged.id, file, line] = RankedFinding(
                judged=known.judged if known is not None else judged,
                confidence=confidence,
                sites=1 if known is None else known.sites + 1,
            )

    def place(key: tuple[str, str, int]) -> tuple[int, str, int]:
        return -rank_of(found[key].judged, found[key].confidence), key[1], key[2]

    return [found[key] for key in sorted(found, key=place)]

"""Comparison of learned and analysed requirements: agreed, new, bound to a state, never seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from knitbone.adaptation.learning.conditions import SOMETIMES
from knitbone.adaptation.learning.observed_trees import ObservedSite, SeenCount
from knitbone.adaptation.learning.output_tainting import identity_of
from knitbone.adaptation.reading import read_uses
from knitbone.adaptation.requirements.descriptions import describe
from knitbone.adaptation.requirements.file import kind_of
from knitbone.adaptation.requirements.records import (
    Confidence,
    Requirement,
    ScenarioRequirement,
    Unknown,
)
from knitbone.adaptation.requirements.sites import Site

__all__ = ["LearnedRequirement", "LearnedSite", "compare", "count"]

_CERTAIN = 3
"""Answers below which what was seen may be chance: such requirements are less sure (ours)."""


class LearnedRequirement(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement, and how often its consumer was seen."""

    requirement: Requirement
    seen: SeenCount
    when: str = ""
    """The state in which the consumer was seen, where that was not always."""

    @property
    def words(self) -> str:
        """Return the count in words: ``4 of 7 answers, when self.mode == 'tool'``."""
        counted = f"{self.seen.answers} of {self.seen.of} answers"
        known = self.when and self.when != SOMETIMES
        return f"{counted}, when {self.when}" if known else counted


class LearnedSite(msgspec.Struct, frozen=True, kw_only=True):
    """One site that brought answers."""

    site: Site
    answers: int
    new: tuple[LearnedRequirement, ...] = ()
    """Requirements that the analysis does not have."""
    agreed: tuple[LearnedRequirement, ...] = ()
    """Requirements of the analysis whose consumer was seen."""
    unseen: tuple[Requirement, ...] = ()
    """Requirements of the analysis whose consumer was not."""
    unread: tuple[Unknown, ...] = ()
    """Operations that were seen and say nothing that could be read."""


def compare(sites: Sequence[Site], observed: Mapping[str, ObservedSite]) -> list[LearnedSite]:
    """Return every site that brought an answer, in the order given."""
    found: list[LearnedSite] = []
    for site in sites:
        seen = observed.get(identity_of(site))
        if seen is not None and seen.answers:
            found.append(_compare(site, seen))
    return found


def _compare(site: Site, observed: ObservedSite) -> LearnedSite:
    """Return what was learned of one site."""
    confidence: Confidence = site.confidence if observed.answers >= _CERTAIN else "medium"
    if site.confidence == "low":
        confidence = "low"
    read = read_uses(observed.source, confidence=confidence, kind=site.kind, scenario=frozenset())
    known = [r for r in site.requirements if not isinstance(r, Unknown | ScenarioRequirement)]
    agreed: list[LearnedRequirement] = []
    unseen: list[Requirement] = []
    for requirement in known:
        same = next((r for r in read if _same(requirement, r)), None)
        if same is None:
            unseen.append(requirement)
        else:
            agreed.append(_learned(requirement, same, observed))
    new = [
        _learned(r, r, observed)
        for r in read
        if not isinstance(r, Unknown) and not any(_same(k, r) for k in known)
    ]
    return LearnedSite(
        site=site,
        answers=observed.answers,
        new=tuple(new),
        agreed=tuple(agreed),
        unseen=tuple(unseen),
        unread=tuple(r for r in read if isinstance(r, Unknown)),
    )


def _same(first: Requirement, second: Requirement) -> bool:
    """Return whether two requirements are of one consumer, or say the same."""
    if kind_of(first) != kind_of(second):
        return False
    one, other = first.evidence, second.evidence
    return (one.file, one.line) == (other.file, other.line) or describe(first) == describe(second)


def _learned(
    requirement: Requirement, observed_as: Requirement, observed: ObservedSite
) -> LearnedRequirement:
    """Return a requirement with how often its consumer was seen."""
    evidence = observed_as.evidence
    place = (evidence.file, evidence.line, evidence.expression)
    seen = observed.seen.get(place, SeenCount(answers=observed.answers, of=observed.answers))
    return LearnedRequirement(
        requirement=requirement, seen=seen, when=getattr(observed_as, "when", "")
    )


def count(sites: Iterable[LearnedSite]) -> dict[str, int]:
    """Return the number of requirements of each sort."""
    held = list(sites)
    return {
        "new": sum(len(site.new) for site in held),
        "agreed": sum(len(site.agreed) for site in held),
        "unseen": sum(len(site.unseen) for site in held),
        "conditional": sum(bool(one.when) for site in held for one in (*site.new, *site.agreed)),
    }

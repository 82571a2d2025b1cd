"""The decision on one text: the requirements that it violated, and the outcome of each."""

from __future__ import annotations

from collections.abc import Set
from typing import Literal

import msgspec

from knitbone.adaptation.repair.checks import Defect, Disposition
from knitbone.adaptation.requirements.records import Requirement

__all__ = ["Decision", "RequirementOutcome", "weightiest"]

_BY_WEIGHT: tuple[Disposition, ...] = ("repaired", "refused", "failed")


class RequirementOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement that a value violated, and whether it was repaired."""

    requirement: Requirement
    defect: Defect
    disposition: Literal["repaired", "refused", "failed"]
    before: str
    after: str
    rules: tuple[str, ...] = ()
    reason: str = ""
    demanded: bool = True
    """Whether code demands it; else the scenario does."""
    known: bool = True
    """For a refusal: whether the answer is known to violate it; else it was not read in time."""
    final: bool = True
    """For a refusal: whether no other repair may deliver the answer."""

    @property
    def action(self) -> Literal["repaired", "refused", "unread", "failed"]:
        """The word for the outcome in reports."""
        return self.disposition if self.known else "unread"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's decision on one text under all requirements of its site."""

    text: str
    """The value to deliver: the same object as the input unless it was repaired."""
    outcomes: tuple[RequirementOutcome, ...] = ()
    """The violated requirements, in the order of the stages."""
    checked: bool = True
    """Whether anything looked at the text; where not, that nothing is violated says nothing."""

    @property
    def disposition(self) -> Disposition:
        """``repaired`` where anything was, else ``refused`` where anything was violated."""
        return weightiest({outcome.disposition for outcome in self.outcomes})

    @property
    def final_refusal(self) -> str:
        """The reason why no other repair may deliver the answer; empty: no check refuses it so."""
        for outcome in self.outcomes:
            counts = outcome.disposition == "refused" and outcome.known and outcome.demanded
            if counts and outcome.final:
                return outcome.reason
        return ""

    def withdrawn(self, text: str, reason: str) -> Decision:
        """Return the decision without its repairs, which are refused for this reason."""
        changed = {"disposition": "refused", "after": "", "rules": (), "reason": reason}
        outcomes = tuple(
            msgspec.structs.replace(each, **changed) if each.disposition == "repaired" else each
            for each in self.outcomes
        )
        return Decision(text=text, outcomes=outcomes)


def weightiest(found: Set[Disposition]) -> Disposition:
    """Return the disposition that stands for several: repaired before refused before failed."""
    for weighty in _BY_WEIGHT:
        if weighty in found:
            return weighty
    return "conforming"

"""Unique errors before and after a fix (ToolFuzz, Tables 3 and 8).

An agent that keeps to its documentation makes no call that contradicts it. So of a campaign's
unique errors those matter that a call shows which keeps to every constraint that is written: the
sanity check of §4.1, without a model, by the same reader before and after.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.fixing.constraint_values import values_at
from knitbone.fuzzing.fixing.kinds import KINDS
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.records import Constraint, ErrorCount
from knitbone.fuzzing.records import Campaign
from knitbone.record.events import Json

__all__ = ["count_errors", "keeps"]


def keeps(constraints: Sequence[Constraint], arguments: dict[str, Json]) -> bool:
    """Whether a call contradicts none of the constraints, as far as they say something of it."""
    return not any(_breaks(constraint, arguments) for constraint in constraints)


def _breaks(constraint: Constraint, arguments: dict[str, Json]) -> bool:
    values = values_at(constraint.of, arguments)
    if (above := _ABOVE.get(constraint.kind)) is not None:
        other = arguments.get(constraint.other)
        return any(_are_compared(value, other) and above(value, other) for value in values)
    kind = KINDS[constraint.kind]
    if constraint.kind not in _OF_LISTS:
        # What is said of a list's numbers or words is said of each.
        values = [item for value in values for item in (_items(value) or [value])]
    return any(kind.holds(constraint, value) is False for value in values)


_ABOVE: dict[str, Callable[[Any, Any], bool]] = {"before": operator.ge, "not after": operator.gt}
"""Relations of two arguments, and what breaks them."""
_OF_LISTS = frozenset({"shortest", "longest", "not empty"})


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _are_compared(first: Any, second: Any) -> bool:
    if isinstance(first, bool) or isinstance(second, bool):
        return False
    return any(isinstance(first, kind) and isinstance(second, kind) for kind in (str, (int, float)))


def count_errors(
    campaign: Campaign, calls: Sequence[ObservedCall], constraints: Sequence[Constraint]
) -> ErrorCount:
    """The unique errors of a campaign, and those within what the documentation states.

    Args:
        calls: of the campaign; a finding's own arguments are made small, which may have led them
            out of what is stated.
        constraints: what is read of the documentation that the campaign's tool had.
    """
    shown: Counter[str] = Counter(
        call.failure
        for call in calls
        if call.failure is not None and keeps(constraints, call.arguments)
    )
    counts: list[int] = []
    for finding in campaign.findings:
        times = sum(shown[name] for name in {finding.id, *(v.id for v in finding.variants)})
        if times or keeps(constraints, finding.arguments):
            counts.append(max(times, 1))
    return ErrorCount(
        unique=len(campaign.findings),
        unhandled=sum(finding.counts for finding in campaign.findings),
        within=len(counts),
        calls=campaign.calls,
        chao1=chao1(counts),
    )

"""The failures of one campaign: one for each reason, with what it was worded like otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from knitbone.fuzzing.findings import FailedCall
from knitbone.fuzzing.reasons import WordedFailure, same_reason
from knitbone.fuzzing.records import Variant
from knitbone.record.events import Json

__all__ = ["Reason", "Reasons"]

_VARIANTS = 20
"""Wordings of one reason that are kept; more are counted only."""
_MOST = 400
"""Reasons that new wordings are compared with; a tool that shows more words each call anew."""


class Reason(msgspec.Struct):
    """One reason, as first seen, and how often it came."""

    number: int
    """Of the call that showed it first, from 1."""
    verdict: FailedCall
    arguments: dict[str, Json]
    count: int = 0
    variants: list[Variant] = []

    def holds(self, verdict: FailedCall, arguments: dict[str, Json]) -> bool:
        """Whether another failed call is of this reason, in whatever words."""
        if verdict.id == self.verdict.id:
            return True
        mine, others = self.verdict.said(self.arguments), verdict.said(arguments)
        return _stand_alike(self.verdict, verdict) and same_reason(mine, others)

    def worded_otherwise(self, name: str) -> tuple[Variant, ...]:
        """The wordings but the one of this identifier."""
        first = _variant(self.number, self.verdict, self.arguments)
        return tuple(each for each in (first, *self.variants) if each.id != name)


class Reasons:
    """What failed so far, by reason."""

    def __init__(self) -> None:
        self._by_id: dict[str, Reason] = {}
        self._all: list[tuple[WordedFailure, Reason]] = []
        self._variants: dict[str, int] = {}

    def saw(self, number: int, verdict: FailedCall, arguments: dict[str, Json]) -> Reason | None:
        """Take one failed call in; its reason where that is new."""
        if (known := self._by_id.get(verdict.id)) is not None:
            known.count += 1
            self._count(known, verdict)
            return None
        said = verdict.said(arguments)
        for other, reason in self._all[:_MOST]:
            if _stand_alike(reason.verdict, verdict) and same_reason(other, said):
                self._by_id[verdict.id] = reason
                reason.count += 1
                if len(reason.variants) < _VARIANTS:
                    self._variants[verdict.id] = len(reason.variants)
                    reason.variants.append(_variant(number, verdict, arguments))
                return None
        made = Reason(number, verdict, arguments, count=1)
        self._by_id[verdict.id] = made
        self._all.append((said, made))
        return made

    def __iter__(self) -> Iterator[Reason]:
        """The reasons in the order in which they were found."""
        return (reason for _, reason in self._all)

    def _count(self, reason: Reason, verdict: FailedCall) -> None:
        place = self._variants.get(verdict.id)
        if place is not None:
            variant = reason.variants[place]
            reason.variants[place] = msgspec.structs.replace(variant, count=variant.count + 1)


def _stand_alike(first: FailedCall, second: FailedCall) -> bool:
    return (first.standing, first.weak) == (second.standing, second.weak)


def _variant(number: int, verdict: FailedCall, arguments: dict[str, Json]) -> Variant:
    return Variant(
        id=verdict.id,
        kind=verdict.kind,
        exception=verdict.exception,
        frame=verdict.frame,
        message=verdict.message,
        arguments=arguments,
        call=number,
    )

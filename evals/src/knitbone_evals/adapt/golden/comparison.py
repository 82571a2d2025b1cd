"""Two records of decisions side by side: counts by class, and the ones to look at."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from knitbone_evals.adapt.golden.decisions import Decision, compact

__all__ = ["Difference", "differences", "report"]

_DRAWN = 50
"""Of the differences that are no loss so many are printed, drawn at random (ours: what one reads in
a quarter of an hour)."""
_LINE = 400
"""Characters of a printed text (ours)."""


class Difference(NamedTuple):
    """A decision that is not what it was; one side is ``None`` where the other has no such case."""

    before: Decision | None
    now: Decision | None

    @property
    def group(self) -> str:
        one = self.now or self.before
        assert one is not None
        return one.set

    @property
    def kind(self) -> str:
        """From which disposition to which, or what else is another."""
        if self.before is None or self.now is None:
            return "new" if self.before is None else "gone"
        moved = f"{self.before.disposition} -> {self.now.disposition}"
        if self.before.disposition == self.now.disposition:
            what = ("answer", "delivered", "result", "verdict", "reason")
            first = next(
                each for each in what if getattr(self.before, each) != getattr(self.now, each)
            )
            moved = f"{self.now.disposition}, another {first}"
        if self.before.verdict != self.now.verdict:
            moved += f" ({self.before.verdict or '?'} -> {self.now.verdict or '?'})"
        return moved

    @property
    def is_loss(self) -> bool:
        """Whether it was right, and is not any more; or was missed, and is wrong now."""
        if self.before is None or self.now is None or self.before.answer != self.now.answer:
            return False
        turned = self.before.verdict, self.now.verdict
        return turned in {("right", "missed"), ("right", "wrong"), ("missed", "wrong")}

    def lines(self) -> Iterator[str]:
        """The difference as a person reads it."""
        one = self.now or self.before
        assert one is not None
        yield f"{one.set}  {one.case}  {one.site}: {self.kind}"
        if one.text:
            yield f"    answer  {one.text!r:.{_LINE}}"
        for name, side in (("before", self.before), ("now", self.now)):
            if side is not None:
                made = f" -> {side.delivered!r:.{_LINE}}" if side.delivered else ""
                yield f"    {name:6}  {side.disposition}{made}  {side.reason}"


def differences(before: Iterable[Decision], now: Iterable[Decision]) -> list[Difference]:
    """What differs, in the order of the keys; texts beyond the record's length by their hash."""
    known = {each.key: compact(each) for each in before}
    found = {each.key: each for each in now}
    pairs = [Difference(known.get(key), found.get(key)) for key in sorted({*known, *found})]
    return [pair for pair in pairs if pair.now is None or pair.before != compact(pair.now)]


def report(found: list[Difference], seed: int) -> Iterator[str]:
    """The counts by set and kind, every loss, and some of the others."""
    kinds = Counter((each.group, each.kind) for each in found)
    for (group, kind), number in sorted(kinds.items()):
        yield f"{number:6}  {group:22}  {kind}"
    losses = [each for each in found if each.is_loss]
    yield f"{len(losses)} turned from right to missed or wrong, or from missed to wrong"
    for each in losses:
        yield from each.lines()
    others = [each for each in found if not each.is_loss]
    drawn = random.Random(seed).sample(others, min(_DRAWN, len(others)))
    yield f"{len(drawn)} drawn of the other {len(others)}, seed {seed}"
    for each in sorted(drawn, key=lambda one: (one.group, one.kind)):
        yield from each.lines()

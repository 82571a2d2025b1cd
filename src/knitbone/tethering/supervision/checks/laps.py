"""Laps that undo what they made: hold, price, release; add, look, remove.

What a lap makes has a new identifier each time, so that no two laps are equal to the letter. They
are compared with what was born in them renamed in the order of its appearance, and count only where
the lap also takes back what it made: a queue whose items are done one after another is made of laps
of the same form, and is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.tethering.supervision.call_keys import ReturnedOutcome, digest

__all__ = ["SeenCall", "goes_on", "renamed_lap", "takes_back"]

_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w[\w-]*\w\b")
"""A word with letters and digits."""
_VERBS = """
delete remove release cancel undo revert rollback discard drop clear close unassign unlink detach
withdraw void reset abort destroy
"""
_UNDOING = frozenset(_VERBS.split())


_KEPT = 2_000
"""Characters of arguments and results in which laps are compared; longer ones are told apart by
their keys alone (ours)."""


class SeenCall:
    """A call as the loop check keeps it. What came of it is looked into only where the same call
    comes again."""

    def __init__(
        self, tool: str, asked: str, outcome: ReturnedOutcome, *, waiting: bool, changes: bool
    ) -> None:
        self.tool = tool
        self.asked = asked if len(asked) <= _KEPT else digest(asked).hex()
        """The arguments, as they compare."""
        self.outcome = outcome
        self.waiting = waiting
        """Whether it waits, or says that work is under way."""
        self.changes = changes
        """Whether it may have changed something."""

    @cached_property
    def told(self) -> str:
        """The result, as it compares."""
        return _bounded(self.outcome.quiet())

    @cached_property
    def told_exactly(self) -> str:
        """The same where the numbers of an error are news, too."""
        return _bounded(self.outcome.quiet(numbers=True))

    def same(self, other: SeenCall) -> bool:
        """Whether the same was asked, and nothing new was told."""
        if self.tool != other.tool or self.asked != other.asked:
            return False
        return self.outcome == other.outcome or self.told == other.told


def goes_on(calls: Sequence[SeenCall]) -> bool:
    """Whether a call that is made again at once brings something else, as a debugger's steps do."""
    return any(
        one.tool == other.tool and one.asked == other.asked
        and one.told_exactly != other.told_exactly and not one.same(other)
        for one, other in pairwise(calls)
    )  # fmt: skip


def _bounded(text: str) -> str:
    return text if len(text) <= _KEPT else digest(text).hex()


def renamed_lap(lap: Sequence[SeenCall]) -> tuple[str, ...]:
    """A lap with the identifiers that its results brought renamed; empty where it does not take
    back what it made."""
    names: dict[str, str] = {}
    known: set[str] = set()
    undone = False
    parts: list[str] = []
    for seen in lap:
        words = _IDENTIFIER.findall(seen.asked)
        undone = undone or (takes_back(seen.tool) and any(word in names for word in words))
        known.update(word for word in words if word not in names)
        asked = _renamed(seen.asked, names)
        for word in _IDENTIFIER.findall(seen.told):
            if word not in known:
                names.setdefault(word, f"<{len(names)}>")
        parts.append(f"{seen.tool}\n{asked}\n{_renamed(seen.told, names)}")
    return tuple(parts) if undone else ()


@lru_cache(maxsize=256)
def takes_back(tool: str) -> bool:
    """Whether a tool takes something back, by its name."""
    return bool(_UNDOING & set(words_of(tool)))


def _renamed(text: str, names: dict[str, str]) -> str:
    return _IDENTIFIER.sub(lambda found: names.get(found[0], found[0]), text)

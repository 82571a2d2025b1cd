"""Changes of state for which a later change was refused: an account is closed, and then no check
can be deposited to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.tethering.diagnosis.units import TransitionUnit
from knitbone.tethering.diagnosis.vocabulary import WRITING, participle, words_of

__all__ = ["blocked"]

_REMOVERS = {
    "archive", "cancel", "close", "delete", "discard", "drop", "erase", "kill", "move", "remove",
    "rename", "revoke", "uninstall",
}  # fmt: skip
_GONE = re.compile(
    r"\bnot (?:be )?(?:found|exist)|\b(?:do|does)(?:n't| not) exist|\bno (?:such|longer)\b"
    r"|\b(?:unknown|gone|deleted|removed|inactive|unavailable)\b",
    re.IGNORECASE,
)
"""What errors say of a thing that is no longer there."""
_FEWEST_LETTERS = 3
"""Shorter values stand in too many texts to mean one thing (ours)."""


def blocked(units: Sequence[TransitionUnit]) -> list[tuple[int, int]]:
    """Pairs of a change of state and a later change, of another kind, that was refused for it, by
    ordinals: the refused call or its error names the same thing, and the error says what the
    earlier tool does to things.

    A look at what was changed is no such call: after a deletion "not found" says that all is well.
    A call that goes through later was not refused for good.
    """
    pairs: list[tuple[int, int]] = []
    changes: list[tuple[TransitionUnit, str]] = []
    last = {call.tool: unit.ordinal for unit in units for call in unit.calls if not call.error}
    for unit in units:
        tool = unit.failed_tool
        if tool is not None and unit.side_effect and last.get(tool, -1) < unit.ordinal:
            error = unit.error or ""
            pairs += [
                (change.ordinal, unit.ordinal)
                for change, changer in changes
                if changer != tool and _says(error, changer) and _about_the_same(unit, change)
            ]
        if unit.wrote:
            changes.append((unit, unit.wrote))
    return pairs


def _says(error: str, tool: str) -> bool:
    """Whether an error speaks of what a tool does: "closed" of ``close_account``."""
    verb = next((word for word in words_of(tool) if word in WRITING), "")
    if verb in _REMOVERS and _GONE.search(error):
        return True
    return bool(verb) and participle(verb).search(error) is not None


def _about_the_same(refused: TransitionUnit, change: TransitionUnit) -> bool:
    error = (refused.error or "").lower()
    return any(
        name in refused.used or re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", error)
        for name in change.used
        if len(name) >= _FEWEST_LETTERS
    )

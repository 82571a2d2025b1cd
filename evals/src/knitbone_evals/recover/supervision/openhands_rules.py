"""OpenHands' stuck rules as its documentation states them, written for this comparison.

Source: docs.openhands.dev, "Stuck Detector": the same action with the same observation four times
in a row; the same action with an error three times; three messages of the agent in a row; two
action-observation pairs that alternate over six steps. Context-window errors do not occur here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["first_stuck"]

_SAME, _FAILED, _MESSAGES, _ALTERNATING = 4, 3, 3, 6


def first_stuck(steps: Sequence[Mapping[str, Any]]) -> int | None:
    """The first step after which the rules call the agent stuck."""
    for end in range(1, len(steps) + 1):
        if _is_stuck(steps[:end]):
            return end - 1
    return None


def _is_stuck(steps: Sequence[Mapping[str, Any]]) -> bool:
    if len(steps) >= _MESSAGES and all("tool" not in step for step in steps[-_MESSAGES:]):
        return True
    calls = [step for step in steps if "tool" in step]
    if "tool" not in steps[-1]:
        return False
    actions = [(step["tool"], step["arguments"]) for step in calls]
    pairs = [
        (*action, step["result"], step["error"])
        for action, step in zip(actions, calls, strict=True)
    ]
    if len(pairs) >= _SAME and all(pair == pairs[-1] for pair in pairs[-_SAME:]):
        return True
    failed = calls[-_FAILED:]
    same = all(action == actions[-1] for action in actions[-_FAILED:])
    if len(failed) == _FAILED and same and all(step["error"] is not None for step in failed):
        return True
    tail = pairs[-_ALTERNATING:]
    return len(tail) == _ALTERNATING and tail[-1] != tail[-2] and tail[2:] == tail[:-2]

"""Steps that an output takes on one path of the code and not on another.

``text = match[1] if match else text`` before a parser gives two sequences of steps to one parser.
They are combined to the longer one, with a step of its own where the other path leaves something
out: ``otherwise`` behind a match or a cut, ``perhaps`` before strips. The code that replays the
steps (``adaptation.consumers``) continues with the text as it is where they cannot be taken.
"""

from __future__ import annotations

from knitbone.adaptation.consumers.readers import Step
from knitbone.adaptation.reading.regex_outlines import FENCE

__all__ = ["combine_steps"]

_MATCHES = frozenset({"re.search", "re.match", "re.fullmatch"})
_GROUP_ACCESSES = frozenset({"group", "groups", "getitem"})
"""Accesses to the groups of a match."""
_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_TRIMS = _STRIPS | {"removeprefix", "removesuffix"}


def combine_steps(first: tuple[Step, ...], second: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the longer of two sequences of steps, marked where the other one differs."""
    if len(second) > len(first):
        longer, shorter = second, first
    else:
        longer, shorter = first, second
    return _with_perhaps(first, second) or _with_otherwise(longer, shorter)


def _with_otherwise(longer: tuple[Step, ...], shorter: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the longer of two sequences of steps, with the step ``otherwise`` where the shorter
    one leaves out a match, or a cut at a fence: ``match[1] if match else text``."""
    for start, step in enumerate(longer):
        if step.name not in _MATCHES and not _cuts_fence(step):
            continue
        end = start + 1
        while end < len(longer) and (
            longer[end].name in _GROUP_ACCESSES or _cuts_fence(longer[end])
        ):
            end += 1
        trimmed = end  # what stands inside a fence may be trimmed before both ways meet again
        while _cuts_fence(step) and trimmed < len(longer) and longer[trimmed].name in _TRIMS:
            trimmed += 1
        for behind in range(end, trimmed + 1):
            if (*longer[:start], *longer[behind:]) == shorter:
                return (*longer[:behind], Step("otherwise"), *longer[behind:])
    return longer


def _with_perhaps(first: tuple[Step, ...], second: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """Return the longer of two sequences of steps, with the step ``perhaps`` before the strips that
    the shorter one leaves out: ``if text.startswith("`"): text = text.strip("`")``. ``None``
    where they differ otherwise."""
    plain = [_without_perhaps(way) for way in (first, second)]
    longer = max((way for way, _ in plain), key=len)
    shorter = min((less for _, less in plain), key=len)
    start = next((n for n, each in enumerate(shorter) if longer[n] != each), len(shorter))
    left_out = longer[start : start + len(longer) - len(shorter)]
    if longer[:start] + longer[start + len(left_out) :] != shorter:
        return None
    if not any(step.name in _STRIPS and step.arguments for step in left_out):
        return None
    if not all(step.name in _TRIMS for step in left_out):
        return None
    return (*longer[:start], Step("perhaps", (len(left_out),)), *longer[start:])


def _without_perhaps(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Return the steps without the mark ``perhaps``, and those without what it says may be left
    out."""
    for index, step in enumerate(steps):
        if step.name == "perhaps" and isinstance(count := step.arguments[0], int):
            behind = steps[index + 1 :]
            return steps[:index] + behind, steps[:index] + behind[count:]
    return steps, steps


def _cuts_fence(step: Step) -> bool:
    """Return whether a step splits a text at a fence."""
    mark = step.arguments[0] if step.arguments else None
    return step.name == "split" and isinstance(mark, str) and FENCE in mark

"""How long the consumer's own expression may take on an answer, before it is run.

Python's ``re`` cannot be interrupted, so the latency budget has to be kept by not starting. A
template is one flat record (no nested repetition), which leaves quadratic behaviour: a run of
blanks or digits, or a long line, tried again from each of its positions.
"""

from __future__ import annotations

import re

from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["STEPS_PER_MS", "estimated_steps", "takes_too_long"]

STEPS_PER_MS = 250_000
"""Steps of the matcher in a millisecond, on a slow machine (ours, measured)."""

_RUNS = re.compile(r"\s{64,}|[0-9]{64,}")
_NUMBERS = re.compile(r"[0-9]+")
_SHORT = 2_000
"""Characters; lines up to this length need no estimate."""


def takes_too_long(text: str, template: PositionalTemplate, budget_ms: float) -> bool:
    """Whether reading the answer once may take more than the budget."""
    allowed = budget_ms * STEPS_PER_MS
    # A short text is below the bound whatever it holds: no need to look.
    return len(text) ** 2 > allowed and estimated_steps(text, template) > allowed


def estimated_steps(text: str, template: PositionalTemplate) -> int:
    """An upper estimate, in steps of the matcher, of reading the answer once."""
    steps = len(text) + sum(len(run.group()) ** 2 for run in _RUNS.finditer(text))
    if template.spans_lines:
        steps += len(_NUMBERS.findall(text)) * len(text)
    elif not template.line_start and len(text) > _SHORT:
        steps += sum(len(line) ** 2 for line in text.split("\n") if len(line) > _SHORT)
    return steps

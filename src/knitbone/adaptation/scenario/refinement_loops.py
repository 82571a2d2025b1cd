"""Loops that refine an answer, while they run: a loop ends when an answer repeats the one before.

``instrument/refinement_loop_syntax.py`` finds such loops in the source. Each answer is delivered
with what the iteration before left, and behind the statement the loop asks whether to end.

Source: Comfrey §4.5.2 (external redundancy).
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.decision import RequirementOutcome
from knitbone.adaptation.requirements.records import Evidence, ScenarioRequirement
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.values import find_texts
from knitbone.adaptation.scenario.semantics import repeats

__all__ = ["is_over", "is_repetition", "repetition_outcome"]

HEURISTIC = "semantics.external"
_over: ContextVar[frozenset[int]] = ContextVar("knitbone_loops_over", default=frozenset())


def is_repetition(value: Any, earlier: Any, number: int, invocation: Invocation) -> bool:
    """Return whether an iteration repeats the one before; if so, the loop at the site is to end."""
    if not invocation.uses(HEURISTIC):
        return False
    said, before = find_texts(value), find_texts(earlier)
    if len(said) != 1 or len(before) != 1 or type(value) is not type(earlier):
        return False
    try:
        again = repeats(said[0].text, before[0].text, invocation)
    except TimeoutError:
        return False
    if again and invocation.config.mode != "observe":
        _over.set(_over.get() | {number})
    return again


def is_over(number: int) -> bool:
    """Return whether the statement just executed was the last of its loop; can be asked once."""
    over = _over.get()
    if number in over:
        _over.set(over - {number})
        return True
    return False


def repetition_outcome(value: Any, earlier: Any, site: Site) -> RequirementOutcome:
    """Return the record of a loop that was ended."""
    evidence = Evidence(file=site.file, line=site.line, expression=site.expression)
    return RequirementOutcome(
        requirement=ScenarioRequirement(name="succinct_content", evidence=evidence),
        defect="redundant semantics",
        disposition="repaired",
        before=find_texts(value)[0].text,
        after=find_texts(earlier)[0].text,
        rules=("loop ended: the iteration repeats the one before",),
        demanded=False,
    )

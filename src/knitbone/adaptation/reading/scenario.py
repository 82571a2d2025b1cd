"""The six requirements that arise from the scenario, not from the code (Comfrey §4.2).

A reader of an answer expects text in one language without repetition, a retriever relevant entries,
a splitter intact text: no line of code says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from knitbone.adaptation.requirements.records import (
    TEXT_SCENARIOS,
    Confidence,
    ScenarioName,
    ScenarioRequirement,
)
from knitbone.adaptation.requirements.uses import Use

__all__ = ["ALL_SCENARIOS", "OWN_RANKING", "scenarios_of"]

OWN_RANKING = "own ranking"
"""In the place of a library's retriever: the application ranks the entries itself."""

ALL_SCENARIOS: frozenset[ScenarioName] = frozenset(get_args(ScenarioName))


def scenarios_of(
    source: Use, kind: str, enabled: Iterable[ScenarioName]
) -> tuple[ScenarioRequirement, ...]:
    """Return the scenario requirements of a site, by what it brings."""
    wanted = frozenset(enabled)
    own = source.operation.setting("retriever") == OWN_RANKING
    confidence: Confidence = "medium" if own else "high"
    return tuple(
        ScenarioRequirement(name=name, evidence=source.evidence, confidence=confidence)
        for name in _names(source, kind)
        if name in wanted
    )


def _names(source: Use, kind: str) -> tuple[ScenarioName, ...]:
    """Return the names of the requirements that a site of this kind may have."""
    if kind == "splitter":
        return ("intact_text",)
    if kind == "retriever":
        return ("relevant_content",)
    arguments = source.operation.arguments
    form = arguments[0] if arguments else "text"
    if form == "arguments":
        return ("no_repeated_behaviour",)
    if form not in ("text", "message", "response"):
        return ()
    calls = any(
        use.operation.name == "getattr"
        and use.operation.arguments[:1] in (("tool_calls",), ("function_call",))
        for use in source.walk()
    )
    return (*TEXT_SCENARIOS, "no_repeated_behaviour") if calls else TEXT_SCENARIOS

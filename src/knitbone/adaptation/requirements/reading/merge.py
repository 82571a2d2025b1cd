"""One requirement for each thing that the code demands, in the order of the source."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from knitbone.adaptation.requirements.reading.combined import merge_shapes
from knitbone.adaptation.requirements.records import (
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    StructuredTemplate,
    Unknown,
)

__all__ = ["merged"]


_SHELLS = frozenset({"shell", "powershell", "batch"})
"""Of which the platform chooses one, where one call runs a text in several."""


def merged(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Without duplicates: an expression that several paths reach demands one thing. The scenario
    requirements stand last."""
    kept: dict[object, Requirement] = {}
    for requirement in requirements:
        key = _key(requirement)
        known = kept.get(key)
        kept[key] = requirement if known is None else _both(known, requirement)
    known_places = {_place(r) for r in kept.values() if not isinstance(r, Unknown)}
    found = [r for r in kept.values() if not (isinstance(r, Unknown) and _place(r) in known_places)]
    files = list(dict.fromkeys(r.evidence.file for r in found))
    return tuple(
        sorted(
            found,
            key=lambda r: (
                isinstance(r, ScenarioRequirement),
                files.index(r.evidence.file),
                r.evidence.line,
            ),
        )
    )


def _place(requirement: Requirement) -> tuple[str, int, str]:
    evidence = requirement.evidence
    return evidence.file, evidence.line, evidence.expression


def _key(requirement: Requirement) -> object:
    """What two records of the same demand have in common."""
    start = (type(requirement).__name__, *_place(requirement))
    if isinstance(requirement, StructuredTemplate):
        return (*start, requirement.format, requirement.parser)
    if isinstance(requirement, ParserSyntax):
        shell = requirement.language in _SHELLS
        return (*start, "shell" if shell else requirement.language, requirement.parser)
    if isinstance(requirement, PositionalTemplate):
        return (*start, bool(requirement.separator))
    if isinstance(requirement, ScenarioRequirement):
        return (*start, requirement.name)
    if isinstance(requirement, Unknown):
        return (*start, requirement.reason)
    return start


def _sharpness(template: PositionalTemplate) -> tuple[bool, bool, int]:
    sure = template.confidence == "high"
    return template.reader is not None, sure, len(template.steps)


def _both(first: Requirement, second: Requirement) -> Requirement:
    """Of two ways to one expression the longer, which says what happens to the text."""
    if isinstance(first, Unknown | ScenarioRequirement) or type(first) is not type(second):
        return first
    if isinstance(first, PositionalTemplate) and isinstance(second, PositionalTemplate):
        # Read line by line on one way and as a whole on another: the sharper reading holds.
        return max(first, second, key=_sharpness)
    longer = first
    if not isinstance(second, Unknown | ScenarioRequirement):
        longer = second if len(second.steps) > len(first.steps) else first  # type: ignore[union-attr]
    if isinstance(first, StructuredTemplate) and isinstance(second, StructuredTemplate):
        shape = merge_shapes(first.shape, second.shape)
        return msgspec.structs.replace(longer, shape=shape)
    if isinstance(first, ParserSyntax) and getattr(second, "language", "") != first.language:
        return msgspec.structs.replace(first, language="shell", dialect="")
    return longer

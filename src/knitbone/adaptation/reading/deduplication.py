"""Requirements without duplicates: one for each thing that the code demands, in source order.

Several paths through the code may lead to one parser (``if match: text = match[1]``); the families
then report it once a path. The records are merged, so that a repair accepts a text on either path.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from knitbone.adaptation.reading.optional_steps import combine_steps
from knitbone.adaptation.reading.shape_algebra import merge_shapes
from knitbone.adaptation.requirements.records import (
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    StructuredTemplate,
    Unknown,
)

__all__ = ["merge_duplicates"]

_SHELLS = frozenset({"shell", "powershell", "batch"})
"""Of which the platform chooses one, where one call runs a text in several."""
_PARSED = (ParserSyntax, StructuredTemplate)
_MENDING_STEPS = frozenset({"re.sub", "replace", "strip", "json_repair.repair_json"})
"""Operations by which code mends a text before it tries to parse it again."""


def merge_duplicates(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """Return the requirements without duplicates, those of the scenario last."""
    kept: dict[object, Requirement] = {}
    for requirement in requirements:
        key = _key(requirement)
        known = kept.get(key)
        kept[key] = requirement if known is None else _merge_two(known, requirement)
    known_places = {_place(r) for r in kept.values() if not isinstance(r, Unknown)}
    found = [r for r in kept.values() if not (isinstance(r, Unknown) and _place(r) in known_places)]
    found = _without_retries(found)
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


def _without_retries(requirements: list[Requirement]) -> list[Requirement]:
    """Remove parsers that are tried again on a mended text after the first one failed: the first
    demands the same."""
    tries: dict[object, list[StructuredTemplate]] = {}
    for requirement in requirements:
        if isinstance(requirement, StructuredTemplate) and requirement.alternative:
            tries.setdefault(_attempt_key(requirement), []).append(requirement)
    return [
        requirement
        for requirement in requirements
        if not isinstance(requirement, StructuredTemplate)
        or not any(
            _mends(requirement, first_try) for first_try in tries.get(_attempt_key(requirement), ())
        )
    ]


def _mends(retry: StructuredTemplate, first_try: StructuredTemplate) -> bool:
    """Return whether the text of one parser is that of another with something replaced in it."""
    before = len(first_try.steps)
    added = {step.name for step in retry.steps[before:]}
    return retry.steps[:before] == first_try.steps and bool(added) and added <= _MENDING_STEPS


def _attempt_key(template: StructuredTemplate) -> object:
    """Return what the attempts of one parser have in common."""
    return (
        template.alternative,
        template.evidence.file,
        template.format,
        template.parser,
        template.shape,
        template.when,
    )


def _place(requirement: Requirement) -> tuple[str, int, str]:
    """Return the place of a requirement in the code."""
    evidence = requirement.evidence
    return evidence.file, evidence.line, evidence.expression


def _key(requirement: Requirement) -> object:
    """Return what two records of the same demand have in common."""
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
    """Return a rank: templates that can be replayed, are sure and have more steps come last."""
    sure = template.confidence == "high"
    return template.reader is not None, sure, len(template.steps)


def _merge_two(first: Requirement, second: Requirement) -> Requirement:
    """Return one requirement for two of the same place: the one with more steps, which says what
    happens to the text."""
    if isinstance(first, Unknown | ScenarioRequirement) or type(first) is not type(second):
        return first
    if isinstance(first, PositionalTemplate) and isinstance(second, PositionalTemplate):
        # Read line by line on one way and as a whole on another: the sharper reading holds.
        return max(first, second, key=_sharpness)
    longer = first
    if not isinstance(second, Unknown | ScenarioRequirement):
        longer = second if len(second.steps) > len(first.steps) else first  # type: ignore[union-attr]
    if isinstance(first, _PARSED) and isinstance(second, _PARSED):
        steps = combine_steps(first.steps, second.steps)
        longer = msgspec.structs.replace(longer, steps=steps)
    if isinstance(first, StructuredTemplate) and isinstance(second, StructuredTemplate):
        shape = merge_shapes(first.shape, second.shape)
        return msgspec.structs.replace(longer, shape=shape)
    if isinstance(first, ParserSyntax) and getattr(second, "language", "") != first.language:
        return msgspec.structs.replace(first, language="shell", dialect="")
    return longer

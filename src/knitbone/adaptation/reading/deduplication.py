"""Requirements without duplicates: one for each thing that the code demands, in source order.

Several paths through the code may lead to one parser (``if match: text = match[1]``); the families
then report it once a path. The records are merged, so that a repair accepts a text on either path.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from knitbone.adaptation.consumers.readers import Step
from knitbone.adaptation.reading.regex_outlines import FENCE
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


_PARSED = (ParserSyntax, StructuredTemplate)
_MATCHES = frozenset({"re.search", "re.match", "re.fullmatch"})
_GROUP_ACCESSES = frozenset({"group", "groups", "getitem"})
"""Accesses to the groups of a match."""


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


_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_TRIMS = _STRIPS | {"removeprefix", "removesuffix"}


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


def _without_perhaps(way: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Return the steps without the mark ``perhaps``, and those without what it says may be left
    out."""
    for place, step in enumerate(way):
        if step.name == "perhaps" and isinstance(count := step.arguments[0], int):
            behind = way[place + 1 :]
            return way[:place] + behind, way[:place] + behind[count:]
    return way, way


def _cuts_fence(step: Step) -> bool:
    """Return whether a step splits a text at a fence."""
    mark = step.arguments[0] if step.arguments else None
    return step.name == "split" and isinstance(mark, str) and FENCE in mark


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
        shorter = first if longer is second else second
        steps = _with_perhaps(first.steps, second.steps) or _with_otherwise(
            longer.steps, shorter.steps
        )
        longer = msgspec.structs.replace(longer, steps=steps)
    if isinstance(first, StructuredTemplate) and isinstance(second, StructuredTemplate):
        shape = merge_shapes(first.shape, second.shape)
        return msgspec.structs.replace(longer, shape=shape)
    if isinstance(first, ParserSyntax) and getattr(second, "language", "") != first.language:
        return msgspec.structs.replace(first, language="shell", dialect="")
    return longer

"""Requirements of one output: calls the families of readers on its tree of operations, in turn.

The families look at all consumers of one text together, each at those that the families before it
left: fences, structured data, interpreters, ready-made parsers, named lines, regular
expressions, lines, cuts at marks, compared texts, single values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from knitbone.adaptation.reading.code_fences import read_fences
from knitbone.adaptation.reading.cuts import read_cuts
from knitbone.adaptation.reading.interpreters import read_syntax
from knitbone.adaptation.reading.key_value_lines import read_fields
from knitbone.adaptation.reading.library_parsers import read_parsers
from knitbone.adaptation.reading.lines import read_lines
from knitbone.adaptation.reading.literals import read_literals, read_values, without_escapes
from knitbone.adaptation.reading.optional_cuts import combine_steps, read_optional_cuts
from knitbone.adaptation.reading.prefixes import read_prefixes
from knitbone.adaptation.reading.regexes import read_regexes
from knitbone.adaptation.reading.retrieval import chunk_of, contexts_of
from knitbone.adaptation.reading.scenario import ALL_SCENARIOS, scenarios_of
from knitbone.adaptation.reading.shape_algebra import merge_shapes
from knitbone.adaptation.reading.structured import read_parsed_value, read_structured
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    Text,
    consumers_of,
    lowest_confidence,
)
from knitbone.adaptation.requirements.records import (
    Confidence,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioName,
    ScenarioRequirement,
    StructuredTemplate,
    Unknown,
)
from knitbone.adaptation.requirements.uses import Use

__all__ = ["merge_duplicates", "read_uses"]


# Requirements without duplicates: one for each thing that the code demands, in source order.
#
# Several paths through the code may lead to one parser (``if match: text = match[1]``); the
# families then report it once a path. The records are merged, so that a repair accepts a text on
# either path.

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


_FAMILIES: tuple[Callable[[Sequence[Consumer], ReadOn], FamilyResult], ...] = (
    read_fences,
    read_optional_cuts,
    read_structured,
    read_syntax,
    read_parsers,
    read_fields,
    read_regexes,
    read_lines,
    read_prefixes,
    read_cuts,
    read_literals,
    read_values,
)
"""The families in their order: each sees only what those before it left."""
_MAX_STEPS = 50
"""Operations on the way to a consumer; what lies deeper is not read (ours)."""
_TEXT_FIELDS = frozenset(
    {"content", "text", "page_content", "message", "choices", "output", "arguments"}
)
"""Fields on the way from a message or response to its text."""
_DOCUMENT_TEXTS = frozenset({"page_content", "text", "content", "document"})
"""Fields that hold the text of a retrieved entry."""


def read_uses(
    source: Use,
    *,
    confidence: Confidence,
    kind: str,
    scenario: frozenset[ScenarioName] = ALL_SCENARIOS,
) -> tuple[Requirement, ...]:
    """Return what the code that consumes an output requires of it, in the order of the source.

    Never raises on a tree, however odd. What cannot be read is an ``Unknown`` with the reason.

    Args:
        confidence: that the value is an output of a model, retriever or splitter at all; no
            requirement is surer than that.
        kind: the kind of the site (``sites.SiteKind``).
        scenario: the scenario requirements that are switched on.
    """
    source = _bounded(source)
    found: list[Requirement] = []
    operation = source.operation
    chunk = None
    if kind == "splitter":
        chunk = chunk_of(operation, source.evidence, source, confidence)
    for use in source.walk():
        if use.operation.name == "chunks" and chunk is None:
            chunk = chunk_of(use.operation, use.evidence, use, confidence)
    if chunk is not None:
        found.append(chunk)
    if kind == "retriever":
        found.extend(contexts_of(source, confidence))
    form = operation.arguments[0] if operation.arguments else "text"
    found.extend(_requirements_of_form(source, form, Text(confidence=confidence), kind))
    found.extend(scenarios_of(source, kind, scenario))
    return merge_duplicates(found)


def _bounded(source: Use) -> Use:
    """Return the tree without what lies too deep for the readers."""
    level, depth = list(source.uses), 0
    while level:
        level, depth = [below for use in level for below in use.uses], depth + 1
    return source if depth <= _MAX_STEPS else _cut_off(source, _MAX_STEPS)


def _cut_off(use: Use, depth: int) -> Use:
    """Return the use with at most ``depth`` levels below it."""
    uses = tuple(_cut_off(below, depth - 1) for below in use.uses) if depth > 0 else ()
    return msgspec.structs.replace(use, uses=uses)


def _requirements_of_form(source: Use, form: object, text: Text, kind: str) -> list[Requirement]:
    """Return the requirements of an output that arrives in a form such as ``message`` or
    ``documents``."""
    if form == "object":
        return read_parsed_value(
            source, "json", text, _read_consumers, str(source.operation.setting("parser") or "")
        )
    if form in ("message", "response"):
        direct = _read_consumers(consumers_of(source, text))
        return direct + [
            r for node in _texts_in(source, 0) for r in _read_consumers(consumers_of(node, text))
        ]
    if form in ("documents", "texts"):
        if kind == "splitter":
            return []
        # What an entry holds the application has put there, not the retriever.
        item = text._replace(item=True, confidence=lowest_confidence("medium", text.confidence))
        return [
            r for node in _entry_texts(source, 0) for r in _read_consumers(consumers_of(node, item))
        ]
    return _read_consumers(consumers_of(source, text))


def _texts_in(node: Use, depth: int) -> Iterator[Use]:
    """Find the nodes at which a message or response has been walked to its text."""
    if depth > _MAX_STEPS:
        return
    for use in node.uses:
        name, arguments = use.operation.name, use.operation.arguments
        first = arguments[0] if arguments else None
        if (
            name in ("getattr", "getitem", ".get")
            and isinstance(first, str)
            and first in _TEXT_FIELDS
        ):
            yield use
            yield from _texts_in(use, depth + 1)
        elif name in ("getitem", "iterate", "unpack", "next") and not isinstance(first, str):
            yield from _texts_in(use, depth + 1)


def _entry_texts(node: Use, depth: int) -> Iterator[Use]:
    """Find the nodes at which code takes the text of a retrieved entry."""
    if depth > _MAX_STEPS:
        return
    for use in node.uses:
        name, arguments = use.operation.name, use.operation.arguments
        first = arguments[0] if arguments else None
        if name in ("getattr", "getitem", ".get") and first in _DOCUMENT_TEXTS:
            yield use
        elif name in ("iterate", "unpack", "getitem", "slice", "enumerate", "list", "next"):
            yield from _entry_texts(use, depth + 1)


def _read_consumers(consumers: Sequence[Consumer]) -> list[Requirement]:
    """Return the requirements of one text. A consumer in an exception handler counts only where no
    other consumer reads the text (Comfrey §4.2)."""
    core = [c for c in consumers if c.core]
    found = _call_families(core)
    if len(core) == len(consumers) or any(not isinstance(r, Unknown) for r in found):
        return found
    return found + _call_families([c for c in consumers if not c.core])


def _call_families(consumers: Sequence[Consumer]) -> list[Requirement]:
    """Call every family on the consumers that the families before it did not claim."""
    left = list(consumers)
    found: list[Requirement] = []
    for family in _FAMILIES:
        if not left:
            break
        requirements, claimed = family(left, _read_consumers)
        if family is read_literals:
            requirements = without_escapes(requirements, left, found)
        found.extend(requirements)
        left = [c for index, c in enumerate(left) if index not in claimed]
    return found

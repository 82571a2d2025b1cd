"""Requirements of one output: calls the families of readers on its tree of operations, in turn.

The families look at all consumers of one text together, each at those that the families before it
left: fences, structured data, interpreters, ready-made parsers, named lines, regular
expressions, lines, cuts at marks, compared texts, single values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from knitbone.adaptation.reading.code_fences import read_fences
from knitbone.adaptation.reading.cuts import read_cuts
from knitbone.adaptation.reading.deduplication import merge_duplicates
from knitbone.adaptation.reading.interpreters import read_syntax
from knitbone.adaptation.reading.key_value_lines import read_fields
from knitbone.adaptation.reading.library_parsers import read_parsers
from knitbone.adaptation.reading.lines import read_lines
from knitbone.adaptation.reading.literals import (
    read_literals,
    read_values,
    without_escapes,
)
from knitbone.adaptation.reading.optional_cuts import read_optional_cuts
from knitbone.adaptation.reading.prefixes import read_prefixes
from knitbone.adaptation.reading.regexes import read_regexes
from knitbone.adaptation.reading.retrieval import chunk_of, contexts_of
from knitbone.adaptation.reading.scenario import ALL_SCENARIOS, scenarios_of
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
    Requirement,
    ScenarioName,
    Unknown,
)
from knitbone.adaptation.requirements.uses import Use

__all__ = ["read_uses"]

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

"""Family of readers: ``name: value`` lines that become a dictionary of which code takes known keys.

``fields[name.strip()] = value`` in a loop, ``dict(line.split(": ", 1) for line in lines)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.cut_records import LINE_BREAK, SLOT, mark_of
from knitbone.adaptation.reading.literals import accepted_texts
from knitbone.adaptation.reading.regex_matches import is_regex, pattern_of, texts_of_matches
from knitbone.adaptation.reading.regex_outlines import outline_of
from knitbone.adaptation.reading.split_accesses import parts_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    Text,
    consumers_of,
    first_on_violation,
    first_text,
    lowest_with_texts,
)
from knitbone.adaptation.requirements.operation_names import function_name
from knitbone.adaptation.requirements.records import Element, PositionalTemplate
from knitbone.adaptation.requirements.regex_templates import UnreadablePattern, literal_elements
from knitbone.adaptation.requirements.uses import Use

__all__ = ["read_fields"]

_SPLITS = frozenset({".split", ".partition"})
_FINDS = frozenset({"findall", "finditer"})
_MATCHES = frozenset({"match", "fullmatch", "search"})
_CASE = frozenset({"lower", "upper", "casefold"})
_NAMING = _CASE | {"strip", "lstrip", "rstrip", "replace"}
"""Operations on a name that can be replayed and lose no letter."""
_CHOICES = frozenset({"eq", "in", "index", "construct"})
"""Comparisons that say which words a value may be."""


class _NameAndValue(NamedTuple):
    """A consumer that divides a line into a name and a value."""

    names: tuple[tuple[Use, Text], ...]
    values: tuple[tuple[Use, Text], ...]
    between: tuple[Element, ...]
    """The mark between them."""
    reader: Reader


class _Key(NamedTuple):
    """A key that the code looks for."""

    name: str
    required: bool
    steps: tuple[Step, ...]
    use: Use


def read_fields(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for the keys that code takes of the lines that an
    operation divides."""
    del read_on
    requirements: list[PositionalTemplate] = []
    claimed: set[int] = set()
    for index, consumer in enumerate(consumers):
        parts = _divided(consumer, consumers)
        keys = _keys(parts) if parts is not None else []
        if parts is None or not keys:
            continue
        claimed.add(index)
        claimed |= _tests(consumer, consumers)
        requirements.append(_template(consumer, parts, keys))
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _divided(consumer: Consumer, consumers: Sequence[Consumer]) -> _NameAndValue | None:
    """Return how a consumer divides a line; ``None`` where it does not."""
    if not consumer.text.replayable or consumer.text.nested:
        return None
    if consumer.name in _SPLITS and mark_of(consumer) and consumer.text.lines:
        return _divided_at_mark(consumer, consumers)
    return _divided_by_regex(consumer) if is_regex(consumer) else None


def _divided_at_mark(consumer: Consumer, consumers: Sequence[Consumer]) -> _NameAndValue:
    """Return the name and the value of a line that is split at a mark."""
    mark, text = mark_of(consumer), consumer.text
    nodes = parts_of([consumer]).nodes
    blank = (Element(kind="space", text=" ", options=(" ",)),) if mark.endswith(" ") else ()
    # A cut in two raises where a line has no mark, unless the code asks before.
    passes = consumer.name == ".partition" or bool(_tests(consumer, consumers))
    return _NameAndValue(
        tuple((node, text) for node in nodes.get(0, [])),
        tuple((node, text) for node in nodes.get(1, [])),
        (*literal_elements(mark.strip()), *blank),
        Reader(
            kind="split",
            method="partition" if passes else "split",
            separator=mark,
            steps=text.steps,
        ),
    )


def _divided_by_regex(consumer: Consumer) -> _NameAndValue | None:
    r"""Return the name and the value of a line that an expression with two groups reads:
    ``re.findall(r"(\w+): (.*)", text)``."""
    known, method, text = pattern_of(consumer.use), function_name(consumer.name), consumer.text
    if isinstance(known, str) or method not in (_MATCHES if text.lines else _FINDS):
        return None
    try:
        outline = outline_of(*known)
    except UnreadablePattern:
        return None
    slots = [n for n, element in enumerate(outline.elements) if element.kind == "slot"]
    if outline.groups != 2 or not outline.simple or len(slots) != 2 or slots[1] - slots[0] < 2:
        return None
    if slots[0] != 0 or slots[1] != len(outline.elements) - 1:
        return None
    groups = list(texts_of_matches(consumer.use, method, outline.groups, text))
    return _NameAndValue(
        tuple((node, found) for group, node, found in groups if group == 1),
        tuple((node, found) for group, node, found in groups if group == 2),
        outline.elements[slots[0] + 1 : slots[1]],
        Reader(kind="regex", method=method, pattern=known[0], flags=known[1], steps=text.steps),
    )


def _keys(parts: _NameAndValue) -> list[_Key]:
    """Return the keys, each once; none where the names are changed in a way that cannot be
    followed."""
    found: dict[str, _Key] = {}
    for node, text in parts.names:
        for reader in consumers_of(node, text):
            if reader.name != "key":
                continue
            steps = reader.text.steps[len(text.steps) :]
            if not all(step.name in _NAMING for step in steps):
                return []
            key, required = reader.use.operation.arguments
            known = found.get(key)
            required = required or (known is not None and known.required)
            found[key] = _Key(key, required, steps, reader.use)
    return list(found.values()) if len({key.steps for key in found.values()}) == 1 else []


def _written_name(key: _Key) -> str:
    """Return the name as a model may write it: ``due date`` for the key ``due_date``."""
    name = key.name
    for step in key.steps:
        if step.name == "replace" and step.arguments == (" ", "_"):
            name = name.replace("_", " ")
    return name


def _tests(consumer: Consumer, consumers: Sequence[Consumer]) -> set[int]:
    """Find the tests whether a line holds the mark."""
    mark = first_text(consumer.use.operation) or ""
    return {
        index
        for index, other in enumerate(consumers)
        if other.name == "contains"
        and (first_text(other.use.operation) or "-").strip() == mark.strip()
        and other.use.evidence.file == consumer.use.evidence.file
    }


def _template(consumer: Consumer, parts: _NameAndValue, keys: Sequence[_Key]) -> PositionalTemplate:
    """Return the template: a line for each key."""
    elements: list[Element] = []
    for key in keys:
        slot = _slot(parts, key)
        elements += [*([LINE_BREAK] if elements else []), *literal_elements(_written_name(key))]
        elements += [*parts.between, slot]
    return PositionalTemplate(
        elements=tuple(elements),
        reader=msgspec.structs.replace(parts.reader, name_steps=keys[0].steps),
        keyed=True,
        repeated=True,
        line_start=True,
        ignore_case=any(step.name in _CASE for step in keys[0].steps),
        steps=consumer.text.steps,
        on_violation=first_on_violation(key.use for key in keys if key.required),
        evidence=consumer.use.evidence,
        confidence=lowest_with_texts("high", [consumer]),
        alternative=consumer.text.alternative,
        when=consumer.text.when,
    )


def _slot(parts: _NameAndValue, key: _Key) -> Element:
    """Return the slot of a key, with the type or the words that the code accepts there."""
    readers = list(_readers(parts, key.name))
    if (converted := conversion(reader.use for reader in readers)) is not None:
        return msgspec.structs.replace(converted.slot(SLOT), optional=not key.required)
    exact = [r for r in readers if not r.text.ignore_case and r.name in _CHOICES]
    options = tuple(dict.fromkeys(o for r in exact for o in accepted_texts(r.use.operation)))
    if len(options) > 1:
        return Element(
            kind="words",
            text=options[0],
            options=options,
            captured=True,
            optional=not key.required,
        )
    return msgspec.structs.replace(SLOT, optional=not key.required)


def _readers(parts: _NameAndValue, key: str) -> Iterator[Consumer]:
    """Find what is done with the value under a key."""
    for node, text in parts.values:
        for reader in consumers_of(node, text):
            if reader.name == "field" and reader.use.operation.arguments == (key,):
                yield from consumers_of(reader.use, reader.text)

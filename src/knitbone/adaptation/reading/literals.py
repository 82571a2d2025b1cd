"""Families of readers: texts that code compares with constants, and texts that are a single value.

``if answer == "yes"`` demands one of the words, ``int(answer)`` a number as the whole text.
"""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.adaptation.reading.conversions import DIGIT_TESTS, conversion, type_of
from knitbone.adaptation.reading.cut_records import MARK_TESTS, SEARCHES
from knitbone.adaptation.reading.text_consumers import (
    NEAR,
    Consumer,
    FamilyResult,
    ReadOn,
    are_near,
    first_on_violation,
    items_of,
    lowest_confidence,
    lowest_with_texts,
    unknown,
)
from knitbone.adaptation.requirements.records import (
    Confidence,
    Element,
    PositionalTemplate,
    Requirement,
    ScenarioRequirement,
    Shape,
    Unknown,
)
from knitbone.adaptation.requirements.uses import Computed, Operation

__all__ = ["accepted_texts", "read_literals", "read_values", "without_escapes"]

_WHOLE_COMPARISONS = frozenset({"eq", "ne", "in", "index", "construct"})
"""Comparisons with the whole text."""


def accepted_texts(operation: Operation) -> tuple[str, ...]:
    """Return the texts that a comparison, or an enumeration made of the text (``Colour(text)``),
    names; empty where it names none that is more than a mark."""
    first = operation.arguments[0] if operation.arguments else ()
    values = first.values if isinstance(first, Shape) else items_of(first)
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        return ()
    return tuple(text.strip() for text in texts if any(c.isalnum() for c in text))


def read_literals(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for the comparisons of one text that stand together."""
    del read_on
    claimed: set[int] = set()
    clusters: list[list[Consumer]] = []
    requirements: list[Requirement] = []
    for index, consumer in enumerate(consumers):
        if consumer.name not in _WHOLE_COMPARISONS | MARK_TESTS or consumer.text.nested:
            continue
        claimed.add(index)
        arguments = consumer.use.operation.arguments
        if consumer.name == "in" and arguments and isinstance(arguments[0], Computed):
            requirements.append(unknown(consumer, "the accepted texts are computed at run time"))
        elif (
            accepted_texts(consumer.use.operation)
            and not _is_filter(consumer)
            and not _is_sought(consumer, consumers)
        ):
            if clusters and _belong_together(clusters[-1][-1], consumer):
                clusters[-1].append(consumer)
            else:
                clusters.append([consumer])
    for cluster in clusters:
        requirements.append(_choice(cluster))
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _is_filter(consumer: Consumer) -> bool:
    """Return whether each line or item is only kept or dropped: a filter asks for nothing. Only
    items that are a value of a list as a whole are choices."""
    if consumer.text.lines:
        # A key of a dictionary is no filter: a line that is none of them raises.
        return consumer.name != "index"
    return consumer.text.item and not (
        consumer.name in _WHOLE_COMPARISONS and len(accepted_texts(consumer.use.operation)) > 1
    )


def _is_sought(consumer: Consumer, consumers: Sequence[Consumer]) -> bool:
    """Return whether the same texts are searched for right there, to cut the text: that is no
    answer."""
    return any(
        other.name in SEARCHES
        and other.use.operation.arguments[:1] == consumer.use.operation.arguments[:1]
        and are_near(consumer, other)
        for other in consumers
    )


def without_escapes(
    requirements: Sequence[Requirement],
    consumers: Sequence[Consumer],
    others: Sequence[Requirement],
) -> tuple[Requirement, ...]:
    """Remove what must not be there: ``text != "None"`` before the text is read otherwise."""
    escapes = {c.use.evidence for c in consumers if c.name == "ne"}
    read = [r.evidence for r in others if not isinstance(r, Unknown | ScenarioRequirement)]
    return tuple(
        requirement
        for requirement in requirements
        if isinstance(requirement, ScenarioRequirement)
        or requirement.evidence not in escapes
        or not any(
            place.file == requirement.evidence.file
            and abs(place.line - requirement.evidence.line) <= NEAR
            for place in read
        )
    )


def _belong_together(last: Consumer, this: Consumer) -> bool:
    """Return whether two comparisons stand together and are of one question."""
    before, after = last.use.evidence, this.use.evidence
    same = before.file == after.file and abs(after.line - before.line) <= NEAR
    # A look for a word inside is another question than one for the text or its start.
    inside = (last.name == "contains") != (this.name == "contains")
    apart = inside and before.line != after.line
    return same and not apart and last.text.alternative == this.text.alternative


def _choice(cluster: Sequence[Consumer]) -> Requirement:
    """Return the requirement that the text is one of the words of some comparisons."""
    first = cluster[0]
    if first.text.lost:
        return unknown(first, first.text.lost)
    names = {consumer.name for consumer in cluster}
    ignore_case = any(c.text.ignore_case for c in cluster)
    options = tuple(dict.fromkeys(o for c in cluster for o in accepted_texts(c.use.operation)))
    words = Element(kind="words", text=options[0], options=options, captured=True)
    slot = Element(kind="slot")
    if "contains" in names or {".startswith", ".endswith"} <= names:
        elements: tuple[Element, ...] = (slot, words, slot)
    elif ".startswith" in names:
        elements = (words, slot)
    elif ".endswith" in names:
        elements = (slot, words)
    else:
        elements = (words,)
    # A single comparison, or a search inside the text, may also look for what must not be there.
    whole = (
        names <= _WHOLE_COMPARISONS
        and len(options) > 1
        and not first.text.item
        and not first.text.lines
    )
    # A dictionary may have got further keys where the analysis did not look.
    confidence: Confidence = "high" if whole and "index" not in names else "medium"
    return PositionalTemplate(
        elements=elements,
        repeated=False,
        line_start=elements[0] is words,
        ignore_case=ignore_case,
        steps=first.text.steps,
        on_violation=first_on_violation(c.use for c in cluster),
        evidence=first.use.evidence,
        confidence=lowest_with_texts(confidence, cluster),
        alternative=first.text.alternative,
        when=first.text.when,
    )


def read_values(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement, a slot with a type, for a text that as a whole is a number, a date or
    a boolean."""
    del read_on
    found = [
        (index, consumer)
        for index, consumer in enumerate(consumers)
        if type_of(consumer.name) is not None or consumer.name in DIGIT_TESTS
    ]
    claimed = frozenset(index for index, _ in found)
    whole = [c for _, c in found if not c.text.nested and not _is_part(c)]
    converted = conversion(c.use for c in whole)
    if converted is None:
        return FamilyResult((), claimed)
    first = next(c for c in whole if c.use is converted.use)
    if first.text.lost:
        return FamilyResult((unknown(first, first.text.lost),), claimed)
    certain = type_of(first.name) is not None and not first.text.item
    template = PositionalTemplate(
        elements=(converted.slot(Element(kind="slot", captured=True)),),
        repeated=first.text.lines,
        steps=first.text.steps,
        on_violation=first_on_violation(c.use for c in whole),
        evidence=whole[0].use.evidence,
        confidence=lowest_confidence("high" if certain else "medium", first.text.confidence),
        alternative=first.text.alternative,
        when=first.text.when,
    )
    return FamilyResult((template,), claimed)


def _is_part(consumer: Consumer) -> bool:
    """Return whether only some characters of the text are meant: ``int(text[:2])``."""
    return any(step.name in ("slice", "group", "getitem") for step in consumer.text.steps)

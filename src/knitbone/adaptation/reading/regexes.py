"""Family of readers: regular expressions that read a text, as positional templates.

``regex_outlines.py`` says what an expression matches. Here the elements get the types and words
that the code expects of the groups, and the template its confidence: an expression that the code
only counts or only cuts at, or whose match it may not want, demands nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.reading.conversions import Conversion, conversion
from knitbone.adaptation.reading.literals import accepted_texts
from knitbone.adaptation.reading.regex_matches import LISTS, is_regex, pattern_of, texts_of_matches
from knitbone.adaptation.reading.regex_outlines import Outline, outline_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    Text,
    consumers_of,
    lowest_confidence,
    unknown,
)
from knitbone.adaptation.requirements.operation_names import function_name
from knitbone.adaptation.requirements.records import (
    Confidence,
    Element,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.regex_templates import UnreadablePattern
from knitbone.adaptation.requirements.uses import Use
from knitbone.common.matching import (
    TooCostlyError,
    compiled,
    end_allowance,
    matches_whole,
    start_allowance,
)

__all__ = ["read_regexes"]

_ALL_MATCHES = frozenset({"findall", "finditer"})
_QUESTIONS = frozenset({"search", "match", "fullmatch"})
_COMPARISONS = frozenset({"eq", "ne", "in"})
_SEPARATORS = ",;|/\n"
"""Characters at which a list is usually cut."""
_POSITIONS = frozenset({".start", ".end", ".span"})
"""Methods of a match that give its place."""
_READS = frozenset({".group", ".groups", ".groupdict", "unpack", ".expand"})
"""Methods of a match that give its text."""
_PROSE = ("Well", "well", "The answer", "it is what the text says.")
"""Texts without a value: an expression that matches one of them takes prose for a value."""
_MAX_PROSE_S = 0.01
"""Seconds in which an expression is tried on ``_PROSE`` (ours)."""


def read_regexes(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for each regular expression, and what is read from its groups."""
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for index, consumer in enumerate(consumers):
        if not is_regex(consumer):
            continue
        claimed.add(index)
        requirements.extend(_read_one(consumer, read_on))
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _read_one(consumer: Consumer, read_on: ReadOn) -> list[Requirement]:
    """Return the requirements of one expression.

    The order of the early returns matters: what cannot be read is reported first, then come uses
    that demand nothing, then expressions that demand too little to make a template of.
    """
    text, use = consumer.text, consumer.use
    known = pattern_of(use)
    if isinstance(known, str):
        return [unknown(consumer, known)]
    if text.lost:
        return [unknown(consumer, text.lost)]
    pattern, flags = known
    try:
        outline = outline_of(pattern, flags)
    except UnreadablePattern as error:
        return [unknown(consumer, str(error))]
    method = function_name(consumer.name)
    if method == "split":
        return _read_split(consumer, outline, read_on)
    if _only_positions(use) or (method in _ALL_MATCHES and _is_counted(use)):
        return []
    if text.item and not text.lines and method in _QUESTIONS and not _is_read(use):
        return []  # a filter: each part is kept, dropped or cleaned
    typed, spelled, below = _read_groups(consumer, method, outline, read_on)
    if not typed and not spelled and _takes_anything(outline, method):
        return below
    if not outline.has_fixed_part:
        if below or method != "fullmatch" or _takes_prose(pattern, flags):
            return below or [unknown(consumer, "the pattern has no fixed part")]
        slot = Element(kind="slot", captured=True)
        outline = outline._replace(elements=(slot,), flat=True, spans_lines=False)
    if outline.doubt and not any(c.isalnum() for c in outline.fixed):
        return below or [unknown(consumer, outline.doubt)]
    parsed = any(isinstance(r, StructuredTemplate | ParserSyntax) for r in below)
    template = _template(consumer, outline, typed, (pattern, flags, method))
    elements = _with_words(template.elements, outline.groups, spelled)
    if outline.only_brackets and parsed:
        # What stands between the brackets says the rest, and is what a repair has to mend.
        confidence = lowest_confidence("medium", text.confidence)
        template = msgspec.structs.replace(template, reader=None, confidence=confidence)
    return [msgspec.structs.replace(template, elements=elements), *below]


def _takes_anything(outline: Outline, method: str) -> bool:
    """Return whether an expression matches every text, since all its fixed parts may be missing."""
    optional = all(e.optional or e.kind in ("slot", "space") for e in outline.elements)
    return optional and outline.has_fixed_part and method != "fullmatch"


def _is_read(use: Use) -> bool:
    """Return whether the code reads more of a match than whether there is one."""
    return bool(use.uses) and not _only_asked(use)


def _takes_prose(pattern: str, flags: int) -> bool:
    """Return whether an expression takes words as they stand in sentences for a value."""
    token = start_allowance(_MAX_PROSE_S)
    try:
        expression = compiled(pattern, flags)
        return any(matches_whole(expression, words) for words in _PROSE)
    except (re.error, TooCostlyError):
        return True
    finally:
        end_allowance(token)


class _Groups(NamedTuple):
    """The groups of a match, by their numbers, as the code uses them."""

    typed: dict[int, Conversion]
    spelled: dict[int, tuple[str, ...]]
    """The texts that a group is compared with."""
    below: list[Requirement]
    """The requirements of the texts of the groups."""


def _read_groups(consumer: Consumer, method: str, outline: Outline, read_on: ReadOn) -> _Groups:
    """Return how the code uses the groups of the matches."""
    groups = _Groups({}, {}, [])
    texts = texts_of_matches(consumer.use, method, outline.groups, consumer.text)
    for group, node, found in texts:
        readers = consumers_of(node, found)
        compared = [r for r in readers if r.name in _COMPARISONS]
        readers = [r for r in readers if r.name not in _COMPARISONS]
        options = tuple(dict.fromkeys(o for r in compared for o in accepted_texts(r.use.operation)))
        if len(options) > 1 and group is not None:
            groups.spelled[group] = options
        converted = conversion(reader.use for reader in readers)
        if converted is not None and group is not None:
            groups.typed[group] = converted
        groups.below.extend(read_on(readers))
    return groups


def _only_positions(use: Use) -> bool:
    """Return whether the code only asks where the matches are, to cut the text there: nothing is
    read from them."""
    names = {below.operation.name for below in use.walk()} - {use.operation.name}
    if names & _READS:
        return False
    return bool(names & _POSITIONS)


def _is_counted(use: Use) -> bool:
    """Return whether the code only counts the matches, and takes any number:
    ``len(re.findall(...))``.

    The matches must have no name: what becomes of one that is returned is not known here.
    """
    if len(use.uses) != 1 or any(below.on_violation == "raises" for below in use.walk()):
        return False
    below = use.uses[0]
    within = use.evidence.expression in below.evidence.expression
    if not within or below.evidence.expression == use.evidence.expression:
        return False
    name = below.operation.name
    return name == "len" or (name in LISTS and _is_counted(below))


def _may_be_unwanted(use: Use, outline: Outline) -> bool:
    """Return whether the code only asks for a match, and may as well ask for what must not be
    there."""
    silent = use.on_violation in ("silent", "unknown")
    return silent and not outline.groups and _only_asked(use)


def _only_asked(use: Use) -> bool:
    """Return whether the code asks if there is a match and reads nothing from it."""
    return (
        bool(use.uses)
        and all(b.operation.name in ("truth", "is_none") for b in use.uses)
        and (not any(below.uses for below in use.uses))
    )


def _template(
    consumer: Consumer,
    outline: Outline,
    typed: dict[int, Conversion],
    call: tuple[str, int, str],
) -> PositionalTemplate:
    """Return the template of an expression; ``call`` is pattern, flags and method."""
    text, use = consumer.text, consumer.use
    pattern, flags, method = call
    finds_all = method in _ALL_MATCHES
    only_start = outline.line_start and not outline.multiline and not text.lines
    replayable = _is_replayable(outline, text)
    reader = Reader(kind="regex", method=method, pattern=pattern, flags=flags, steps=text.steps)
    inside = msgspec.structs.replace(reader, steps=())
    return PositionalTemplate(
        elements=_with_types(outline.elements, outline.groups, typed),
        reader=reader if replayable and text.exact else None,
        inside=inside if replayable and not text.exact else None,
        repeated=text.lines or text.item or (finds_all and not only_start),
        line_start=outline.line_start or method in ("match", "fullmatch"),
        spans_lines=outline.spans_lines and not text.lines,
        ignore_case=outline.ignore_case or text.ignore_case,
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=lowest_confidence(
            _confidence(consumer, outline, method, typed), text.confidence
        ),
        alternative=text.alternative,
        when=text.when,
    )


def _is_replayable(outline: Outline, text: Text) -> bool:
    """Return whether the expression can be run again on a repaired text, in bounded time."""
    if not outline.flat or text.lost or text.nested or text.item:
        return False
    slots = sum(element.kind == "slot" for element in outline.elements)
    # Several slots over line breaks take cubic time to replay: not inside a time budget.
    return not (outline.spans_lines and not text.lines and slots > 1)


def _confidence(
    consumer: Consumer, outline: Outline, method: str, typed: dict[int, Conversion]
) -> Confidence:
    """Return how sure it is that the code demands a match."""
    use = consumer.use
    # Marks within a text, as of citations: there may be none.
    marks = method in _ALL_MATCHES and not (consumer.text.lines or outline.line_start)
    may_be_none = marks and use.on_violation in ("silent", "unknown")
    if may_be_none or _may_be_unwanted(use, outline):
        return "medium"
    has_content = bool(typed) or any(element.kind == "slot" for element in outline.elements)
    return "high" if outline.simple and has_content else "medium"


def _with_types(
    elements: tuple[Element, ...], groups: int, typed: dict[int, Conversion]
) -> tuple[Element, ...]:
    """Return the elements with the types that the code converts groups to, where groups and
    captured elements correspond."""
    captured = [index for index, element in enumerate(elements) if element.captured]
    if not typed or len(captured) != groups:
        return elements
    changed = list(elements)
    for group, converted in typed.items():
        if 1 <= group <= len(captured):
            index = captured[group - 1]
            if changed[index].kind == "slot":
                changed[index] = converted.slot(changed[index])
    return tuple(changed)


def _with_words(
    elements: tuple[Element, ...], groups: int, spelled: dict[int, tuple[str, ...]]
) -> tuple[Element, ...]:
    """Return the elements with the words that the code compares groups with."""
    captured = [index for index, element in enumerate(elements) if element.captured]
    if not spelled or len(captured) != groups:
        return elements
    changed = list(elements)
    for group, options in spelled.items():
        if 1 <= group <= groups and changed[captured[group - 1]].kind == "slot":
            words = Element(kind="words", text=options[0], options=options, captured=True)
            changed[captured[group - 1]] = words
    return tuple(changed)


def _read_split(consumer: Consumer, outline: Outline, read_on: ReadOn) -> list[Requirement]:
    """Return the requirements of ``re.split``: what stands between the items, or at the head of
    each."""
    text, use = consumer.text, consumer.use
    below: list[Requirement] = []
    items = text.then("re.split", use.operation.keyword("pattern", 0), item=True, exact=False)
    for node in use.uses:
        if node.operation.name in ("iterate", "getitem", "unpack"):
            below.extend(read_on(consumers_of(node, items)))
    fixed = [e for e in outline.elements if e.kind != "space"]
    blank_only = not fixed
    separator = ""
    if blank_only:
        pattern = str(use.operation.keyword("pattern", 0))
        if "\\n" not in pattern and "\n" not in pattern:
            return below
        separator = "\n"
    elif len(fixed) == 1 and fixed[0].kind == "delimiter":
        options = [o for o in fixed[0].options if o in _SEPARATORS]
        separator = options[0] if options else fixed[0].text
    elif not outline.has_fixed_part or not outline.simple:
        return [*below, unknown(consumer, "the separating pattern has no fixed text")]
    slot = Element(kind="slot", captured=True)
    # With a group the parts alternate between heads and bodies: without a head nothing is read.
    sure: Confidence = "high" if outline.simple and outline.groups and not separator else "medium"
    template = PositionalTemplate(
        elements=(slot,) if separator else (*outline.elements, slot),
        separator=separator,
        line_start=outline.line_start,
        spans_lines=True,
        ignore_case=outline.ignore_case,
        steps=text.steps,
        on_violation=use.on_violation,
        evidence=use.evidence,
        confidence=lowest_confidence(sure, text.confidence),
        alternative=text.alternative,
        when=text.when,
    )
    return [template, *below]

r"""The form of the texts that a regular expression matches: fixed words, numbers, slots.

``r"Step (\d+): (.*)"`` has the outline word, number, delimiter, slot. ``regex_templates.py``
accepts only one flat record, which a repair may replay. Requirements are read from more:
look-around, lazy and named groups, several slots, records over several lines. What is repeated as
a whole, or refers back, counts as content here: a slot.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from knitbone.adaptation.requirements.records import Element
from knitbone.adaptation.requirements.regex_templates import (
    REPEATS,
    UnreadablePattern,
    character_class,
    literal_elements,
    merge_elements,
    parse_pattern,
    read_pattern,
    sre,
)

__all__ = ["BRACKETS", "FENCE", "Outline", "outline_of"]

FENCE = "```"
_SLOT = Element(kind="slot")
_ATOMIC: Any = getattr(sre, "ATOMIC_GROUP", None)
BRACKETS = frozenset("{}[]()<>\"' \n")
"""Characters around data that a parser reads."""


class Outline(NamedTuple):
    """The form of the texts that a pattern matches."""

    elements: tuple[Element, ...]
    line_start: bool
    spans_lines: bool
    ignore_case: bool
    multiline: bool
    groups: int
    flat: bool
    """True if it is one flat record, which can be replayed in bounded time."""
    doubt: str
    """Why a part of it was taken for content; empty where every part was understood."""

    @property
    def simple(self) -> bool:
        """Return whether every part of the pattern was understood."""
        return not self.doubt

    @property
    def fixed(self) -> str:
        """Return the fixed characters, one after another."""
        return "".join(_fixed_text(element) for element in self.elements)

    @property
    def has_fixed_part(self) -> bool:
        """Return whether there is more than slots and blanks."""
        return any(element.kind not in ("space", "slot") for element in self.elements)

    @property
    def only_brackets(self) -> bool:
        """Return whether the pattern only finds the outer brackets of data that is parsed
        afterwards."""
        return self.has_fixed_part and set(self.fixed) <= BRACKETS


@lru_cache(maxsize=512)
def outline_of(pattern: str, flags: int = 0) -> Outline:
    """Return the outline of a pattern.

    Raises:
        UnreadablePattern: it is no valid regular expression, or nested too deeply.
    """
    tokens, all_flags = parse_pattern(pattern, flags)
    try:
        shape = read_pattern(pattern, flags)
        elements, flat, doubt = shape.elements, True, ""
    except UnreadablePattern as not_flat:
        walker = _Walker(all_flags)
        try:
            elements = merge_elements(walker.walk(tokens, captured=False))
        except RecursionError as error:
            raise UnreadablePattern("the pattern is nested too deeply") from error
        flat = False
        doubt = "" if walker.simple else str(not_flat)
    if not any(element.kind == "slot" for element in elements):
        elements = _whole_numbers(elements)
    starts = bool(tokens) and tokens[0][0] is sre.AT and "BEGINNING" in str(tokens[0][1])
    return Outline(
        elements=elements,
        line_start=starts,
        spans_lines=bool(all_flags & sre.SRE_FLAG_DOTALL) or _spans_lines(tokens),
        ignore_case=bool(all_flags & sre.SRE_FLAG_IGNORECASE),
        multiline=bool(all_flags & sre.SRE_FLAG_MULTILINE),
        groups=_count_groups(tokens),
        flat=flat,
        doubt=doubt,
    )


def _whole_numbers(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    r"""Join a sign, digits and decimals into one number: ``-?\d+(\.\d+)?``."""
    found: list[Element] = []
    for element in elements:
        before = found[-1] if found else None
        if element.kind == "number" and before is not None and _is_optional(before, ".-+"):
            found.pop()
            if before.text == "." and found and found[-1].kind == "number":
                found.pop()
        elif before is not None and before.kind == "number" and _is_decimals(element):
            continue
        found.append(element)
    return tuple(found)


def _is_optional(element: Element, marks: str) -> bool:
    """Return whether an element is an optional delimiter among these marks."""
    return element.kind == "delimiter" and element.optional and set(element.options) <= set(marks)


def _is_decimals(element: Element) -> bool:
    r"""Return whether an element is an optional decimal part: ``(\.\d+)?``."""
    return (
        element.kind == "choice"
        and element.optional
        and [e.kind for e in element.alternatives[0]] == ["delimiter", "number"]
        and element.alternatives[0][0].text in (".", ",")
    )


def _spans_lines(tokens: Iterable[tuple[Any, Any]]) -> bool:
    r"""Return whether a class like ``[\s\S]`` takes content over line breaks."""
    for operation, argument in _all_tokens(tokens):
        if operation is sre.IN:
            kinds = {str(value) for op, value in argument if op is sre.CATEGORY}
            if {"CATEGORY_SPACE", "CATEGORY_NOT_SPACE"} <= kinds:
                return True
    return False


def _count_groups(tokens: Iterable[tuple[Any, Any]]) -> int:
    """Return how many groups capture something."""
    return sum(op is sre.SUBPATTERN and arg[0] is not None for op, arg in _all_tokens(tokens))


def _all_tokens(tokens: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return all tokens of a pattern, those inside groups and repetitions included."""
    found: list[tuple[Any, Any]] = []
    pending = list(tokens)
    while pending:
        token = pending.pop()
        found.append(token)
        for inner in _inner(*token):
            pending.extend(inner)
    return found


def _inner(operation: Any, argument: Any) -> list[list[tuple[Any, Any]]]:
    """Return the sequences of tokens inside one token."""
    if operation is sre.SUBPATTERN:
        return [list(argument[3])]
    if operation in REPEATS:
        return [list(argument[2])]
    if operation is sre.BRANCH:
        return [list(branch) for branch in argument[1]]
    if operation in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(argument[1])]
    return [list(argument)] if _ATOMIC is not None and operation is _ATOMIC else []


class _Walker:
    """Converts tokens to elements; ``simple`` turns false where something was taken for content."""

    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.simple = True

    def walk(self, tokens: Iterable[tuple[Any, Any]], *, captured: bool) -> list[Element]:
        """Return the elements of a sequence of tokens."""
        elements: list[Element] = []
        for operation, argument in tokens:
            elements.extend(self._element(operation, argument, captured=captured))
        return elements

    def _element(self, operation: Any, argument: Any, *, captured: bool) -> list[Element]:
        """Return the elements of one token."""
        if operation is sre.LITERAL:
            return [_captured(e, captured=captured) for e in literal_elements(chr(argument))]
        if operation in (sre.AT, sre.ASSERT_NOT):
            return []
        if operation is sre.ASSERT:
            # A look-ahead says where the record ends; a look-behind, what must stand before it.
            return self.walk(argument[1], captured=False) if argument[0] == -1 else []
        if operation is sre.IN:
            return [_captured(character_class(argument), captured=captured)]
        if operation is sre.SUBPATTERN:
            group, _, _, inner = argument
            return self.walk(inner, captured=captured or group is not None)
        if operation in REPEATS:
            return self._repeat(*argument, captured=captured)
        if operation is sre.BRANCH:
            return self._branch(argument[1], captured=captured)
        if _ATOMIC is not None and operation is _ATOMIC:
            return self.walk(argument, captured=captured)
        if operation not in (sre.ANY, sre.NOT_LITERAL):
            self.simple = False
        return [_captured(_SLOT, captured=captured)]

    def _repeat(self, low: int, high: int, inner: Any, *, captured: bool) -> list[Element]:
        """Return the elements of a repetition."""
        elements = list(merge_elements(self.walk(inner, captured=captured)))
        if int(low) == int(high) and int(high) <= 4:
            return elements * int(high) if all(_literal(e) for e in elements) else elements
        if int(high) == 1:
            if len(elements) > 1 and not any(e.kind == "slot" for e in elements):
                return [Element(kind="choice", alternatives=(tuple(elements),), optional=True)]
            return [msgspec.structs.replace(e, optional=e.optional or low == 0) for e in elements]
        if len(elements) == 1 and elements[0].kind != "choice":
            element = elements[0]
            optional = element.optional or (low == 0 and element.kind != "slot")
            return [msgspec.structs.replace(element, optional=optional)]
        if elements:
            self.simple = False
        return [_captured(_SLOT, captured=captured or any(e.captured for e in elements))]

    def _branch(self, branches: Iterable[Any], *, captured: bool) -> list[Element]:
        """Return the elements of alternatives."""
        walked = [merge_elements(self.walk(branch, captured=captured)) for branch in branches]
        sequences = list(dict.fromkeys(sequence for sequence in walked if sequence))
        optional = len(sequences) < len(walked) and not all(walked)
        if not sequences:
            return []
        first = sequences[0][0]
        if all(len(s) == 1 and s[0].kind == first.kind for s in sequences) and _literal(first):
            options = tuple(dict.fromkeys(o for s in sequences for o in s[0].options))
            element = msgspec.structs.replace(first, options=options, optional=optional)
            return [_captured(element, captured=captured)]
        if all(e.kind in ("slot", "space") for sequence in sequences for e in sequence):
            return [_captured(_SLOT, captured=captured)]
        choice = Element(
            kind="choice", alternatives=tuple(sequences), optional=optional, captured=captured
        )
        return [choice]


def _literal(element: Element) -> bool:
    """Return whether an element is fixed text."""
    return element.kind in ("words", "delimiter") and bool(element.options)


def _captured(element: Element, *, captured: bool) -> Element:
    """Return the element, captured if it stands in a group."""
    return msgspec.structs.replace(element, captured=True) if captured else element


def _fixed_text(element: Element) -> str:
    """Return the fixed characters of one element."""
    if element.kind == "choice":
        return "".join(_fixed_text(e) for sequence in element.alternatives for e in sequence)
    if element.kind == "number":
        return "0"
    return "".join(element.options) if element.kind in ("words", "delimiter") else ""

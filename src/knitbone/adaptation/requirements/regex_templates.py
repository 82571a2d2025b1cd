r"""Positional templates from regular expressions, read with Python's own parser of the pattern.

``r"(\d+)\. (.*)"`` becomes number, delimiter ``.``, space, slot. Only patterns that are one flat
record (literals, a number, delimiters, blanks, slots, one level of alternatives) become a template.
Nested repetition, back references and look-behind are left unknown; that is also what keeps
catastrophic patterns away from the verification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from knitbone.adaptation.requirements.records import Element
from knitbone.common.expressions.parsing import sre, sre_parser

__all__ = [
    "BULLETS",
    "REPEATS",
    "UnreadablePattern",
    "character_class",
    "literal_elements",
    "merge_elements",
    "parse_pattern",
    "read_pattern",
    "sre",
]

BULLETS = "-*+•‣◦▪●·–—"  # noqa: RUF001 - dashes that models write
"""Characters that start a list item."""

REPEATS = tuple(
    getattr(sre, name)
    for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
    if hasattr(sre, name)
)
"""Opcodes of repetition; possessive ones exist from Python 3.11 on."""
_MAX_SPELLINGS = 32
"""Spellings of one word that are told apart (ours)."""
_SLOT = Element(kind="slot")
_NUMBER = Element(kind="number")


class UnreadablePattern(ValueError):  # noqa: N818 - says what it is; never leaves the analysis
    """The pattern is not one flat record; the message says why."""


class PatternShape(NamedTuple):
    """The elements of a pattern, and how its flags and anchors bind it to lines."""

    elements: tuple[Element, ...]
    line_start: bool
    spans_lines: bool
    ignore_case: bool
    multiline: bool


def read_pattern(pattern: str, flags: int = 0) -> PatternShape:
    """Return the elements of the record that a pattern describes.

    Raises:
        UnreadablePattern: the pattern is no valid regular expression, or not one flat record.
    """
    tokens, all_flags = parse_pattern(pattern, flags)
    elements = merge_elements(_walk(tokens, all_flags, captured=False))
    if all(element.kind in ("space", "slot") for element in elements):
        raise UnreadablePattern("the pattern has no fixed part")
    starts = bool(tokens) and tokens[0][0] is sre.AT and "BEGINNING" in str(tokens[0][1])
    return PatternShape(
        elements=elements,
        line_start=starts,
        spans_lines=bool(all_flags & re.DOTALL),
        ignore_case=bool(all_flags & re.IGNORECASE),
        multiline=bool(all_flags & re.MULTILINE),
    )


def parse_pattern(pattern: str, flags: int = 0) -> tuple[list[tuple[Any, Any]], int]:
    """Return Python's own parse of the pattern, and all flags that hold.

    Raises:
        UnreadablePattern: the pattern is no valid regular expression.
    """
    try:
        parsed: Any = sre_parser.parse(pattern, flags)
    except (re.error, OverflowError, RecursionError, ValueError, TypeError) as error:
        raise UnreadablePattern(f"not a valid regular expression: {error}") from error
    return list(parsed), int(parsed.state.flags)


def literal_elements(text: str) -> tuple[Element, ...]:
    """Return the elements of a fixed text: words, delimiters, blanks."""
    return merge_elements([_literal(character) for character in text])


def _walk(tokens: Iterable[tuple[Any, Any]], flags: int, *, captured: bool) -> list[Element]:
    """Return the elements of a sequence of tokens."""
    elements: list[Element] = []
    for operation, argument in tokens:
        if operation is sre.AT:
            continue
        if operation is sre.ASSERT and argument[0] == 1:
            continue  # a look-ahead says where the record ends, not what it holds
        elements.extend(_element(operation, argument, flags, captured=captured))
    return elements


def _element(operation: Any, argument: Any, flags: int, *, captured: bool) -> list[Element]:
    """Return the elements of one token."""
    if operation is sre.LITERAL:
        return [_captured(_literal(chr(argument)), captured=captured)]
    if operation is sre.ANY or operation is sre.NOT_LITERAL:
        return [_captured(_SLOT, captured=captured)]
    if operation is sre.IN:
        return [_captured(character_class(argument), captured=captured)]
    if operation is sre.SUBPATTERN:
        group, _, _, inner = argument
        return _walk(inner, flags, captured=captured or group is not None)
    if operation in REPEATS:
        low, high, inner = argument
        return _repeat(low, high, inner, flags, captured=captured)
    if operation is sre.BRANCH:
        return [_branch(argument[1], flags, captured=captured)]
    raise UnreadablePattern(f"{str(operation).lower()} is not read yet")


def _literal(character: str) -> Element:
    """Return the element of a character."""
    if character.isspace():
        return Element(kind="space", text=character, options=(character,))
    kind = "words" if character.isalnum() or character == "_" else "delimiter"
    return Element(kind=kind, text=character, options=(character,))


def character_class(members: Sequence[tuple[Any, Any]]) -> Element:
    """Return the element that a class of characters stands for."""
    if members[0][0] is sre.NEGATE:
        return _SLOT
    characters = [chr(argument) for operation, argument in members if operation is sre.LITERAL]
    described = {str(argument) for operation, argument in members if operation is sre.CATEGORY}
    if characters and len(characters) + ("CATEGORY_SPACE" in described) == len(members):
        return _listed(characters, blank="CATEGORY_SPACE" in described)
    ranges = [argument for operation, argument in members if operation is sre.RANGE]
    if described == {"CATEGORY_DIGIT"} and len(members) == 1:
        return _NUMBER
    if described == {"CATEGORY_SPACE"} and len(members) == 1:
        return Element(kind="space", text=" ")
    if len(ranges) == len(members) and all(low >= 48 and high <= 57 for low, high in ranges):
        return _NUMBER
    return _SLOT


def _listed(characters: list[str], *, blank: bool) -> Element:
    """Return the element of a class that lists its characters: digits, blanks, or the delimiters a
    code accepts."""
    if not blank and all(c.isdigit() for c in characters):
        return _NUMBER
    if all(c.isspace() for c in characters):
        return Element(kind="space", text=characters[0], options=tuple(characters))
    marks = [c for c in characters if not c.isspace()]
    if any(c.isalnum() for c in marks):
        return _SLOT
    if blank or len(marks) < len(characters):
        marks.append(" ")
    return Element(kind="delimiter", text="." if "." in marks else marks[0], options=tuple(marks))


def _repeat(low: int, high: int, inner: Any, flags: int, *, captured: bool) -> list[Element]:
    """Return the elements of a repetition."""
    tokens = list(inner)
    elements = _walk(tokens, flags, captured=captured)
    if high == 1:
        merged = merge_elements(elements)
        if len(merged) > 1 and not any(element.kind == "slot" for element in merged):
            return [Element(kind="choice", alternatives=(merged,), optional=low == 0)]
        return [msgspec.structs.replace(e, optional=e.optional or low == 0) for e in merged]
    if len(elements) != 1 or (tokens and tokens[0][0] in REPEATS):
        raise UnreadablePattern("a repeated group is not read yet")
    (element,) = elements
    if element.kind == "choice":
        raise UnreadablePattern("a repeated alternative is not read yet")
    if tokens[0][0] is sre.SUBPATTERN and next(iter(tokens[0][1][3]))[0] in REPEATS:
        raise UnreadablePattern("nested repetition can take exponential time")
    if element.kind == "words":
        raise UnreadablePattern("a repeated literal is not read yet")
    return [msgspec.structs.replace(element, optional=low == 0 and element.kind != "slot")]


def _branch(branches: Sequence[Any], flags: int, *, captured: bool) -> Element:
    """Return the element of alternatives."""
    walked = (_walk(list(branch), flags, captured=captured) for branch in branches)
    sequences = tuple(merge_elements(elements) for elements in walked)
    if any(element.kind == "slot" for sequence in sequences for element in sequence):
        raise UnreadablePattern("alternatives with content of their own are not read yet")
    if all(len(sequence) == 1 and sequence[0].kind == "words" for sequence in sequences):
        options = tuple(sequence[0].text for sequence in sequences)
        return Element(kind="words", text=options[0], options=options, captured=captured)
    if all(len(sequence) == 1 and sequence[0].kind == "delimiter" for sequence in sequences):
        options = tuple(option for sequence in sequences for option in sequence[0].options)
        return Element(kind="delimiter", text=options[0], options=options, captured=captured)
    if any(not sequence for sequence in sequences):
        raise UnreadablePattern("an empty alternative is not read yet")
    return Element(kind="choice", alternatives=sequences, captured=captured)


def _captured(element: Element, *, captured: bool) -> Element:
    """Return the element, captured if it stands in a group."""
    return msgspec.structs.replace(element, captured=True) if captured else element


def merge_elements(elements: list[Element]) -> tuple[Element, ...]:
    """Merge characters to words, neighbouring slots to one, ``word blank word`` to a phrase."""
    merged: list[Element] = []
    for element in elements:
        last = merged[-1] if merged else None
        if last is not None and _joins(last, element):
            merged[-1] = _joined(last, element)
        else:
            merged.append(element)
    phrases: list[Element] = []
    for element in merged:
        if (
            element.kind == "words"
            and len(phrases) >= 2
            and phrases[-1].kind == "space"
            and phrases[-2].kind == "words"
            and not (element.optional or phrases[-2].optional)
            and len(element.options) == len(phrases[-2].options) == 1
        ):
            phrases.pop()
            first = phrases.pop()
            text = f"{first.text} {element.text}"
            element = msgspec.structs.replace(element, text=text, options=(text,))  # noqa: PLW2901
        phrases.append(element)
    return tuple(phrases)


def _joins(last: Element, element: Element) -> bool:
    """Return whether two neighbours are one element."""
    if last.kind != element.kind or last.optional != element.optional:
        return False
    if element.kind in ("slot", "space"):
        return True
    # Two optional characters are two decisions; a class of characters is not a spelling, but an
    # alternative of words is: the parser of ``re`` takes ``Task|Test`` apart to ``T(?:ask|est)``.
    single = len(last.options) == len(element.options) == 1
    few = len(last.options) * len(element.options) <= _MAX_SPELLINGS
    joins = single or (element.kind == "words" and few)
    return element.kind in ("words", "delimiter") and joins and not element.optional


def _joined(last: Element, element: Element) -> Element:
    """Return two neighbours as one element."""
    captured = last.captured or element.captured
    if element.kind in ("slot", "space"):
        optional = last.optional and element.optional
        return msgspec.structs.replace(last, captured=captured, optional=optional)
    text = last.text + element.text
    options = tuple(before + after for before in last.options for after in element.options)
    return msgspec.structs.replace(last, text=text, options=options, captured=captured)

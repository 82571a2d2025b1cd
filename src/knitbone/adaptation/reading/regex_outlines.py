"""The texts that a regular expression matches, as far as it says what they are.

``regular.read_pattern`` accepts only one flat record, which a repair may replay. Requirements are
read from more: look-around, lazy and named groups, several slots, records over several lines. What
is repeated as a whole, or refers back, is content here: a slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from knitbone.adaptation.requirements.records import Element
from knitbone.adaptation.requirements.regex_templates import (
    UnreadablePattern,
    character_class,
    literal_elements,
    merge_elements,
    parse_pattern,
    read_pattern,
    sre,
)

__all__ = ["BRACKETS", "FENCE", "Outline", "fence_tags", "outline_of"]

FENCE = "```"
_SLOT = Element(kind="slot")
_REPEATS = tuple(
    getattr(sre, name)
    for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
    if hasattr(sre, name)
)
_ATOMIC: Any = getattr(sre, "ATOMIC_GROUP", None)
BRACKETS = frozenset("{}[]()<>\"' \n")
"""Characters around data that a parser reads."""
_MAX_TAGS = 32


class Outline(NamedTuple):
    """The form of the texts that a pattern matches."""

    elements: tuple[Element, ...]
    line_start: bool
    spans_lines: bool
    ignore_case: bool
    multiline: bool
    groups: int
    flat: bool
    """Whether it is one flat record, which can be replayed in bounded time."""
    doubt: str
    """Why a part of it was taken for content; empty where every part was understood."""

    @property
    def simple(self) -> bool:
        """Tell whether every part of it was understood."""
        return not self.doubt

    @property
    def fixed(self) -> str:
        """The fixed characters, one after another."""
        return "".join(_fixed_text(element) for element in self.elements)

    @property
    def has_fixed_part(self) -> bool:
        return any(element.kind not in ("space", "slot") for element in self.elements)

    @property
    def only_brackets(self) -> bool:
        """Tell whether it only finds the outer brackets of something that is parsed afterwards."""
        return self.has_fixed_part and set(self.fixed) <= BRACKETS


@lru_cache(maxsize=512)
def outline_of(pattern: str, flags: int = 0) -> Outline:
    """The outline of a pattern.

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
        flat, doubt = False, "" if walker.simple else str(not_flat)
    if not any(element.kind == "slot" for element in elements):
        elements = _whole_numbers(elements)
    starts = bool(tokens) and tokens[0][0] is sre.AT and "BEGINNING" in str(tokens[0][1])
    return Outline(
        elements=elements,
        line_start=starts,
        spans_lines=bool(all_flags & sre.SRE_FLAG_DOTALL) or _crosses(tokens),
        ignore_case=bool(all_flags & sre.SRE_FLAG_IGNORECASE),
        multiline=bool(all_flags & sre.SRE_FLAG_MULTILINE),
        groups=_count_groups(tokens),
        flat=flat,
        doubt=doubt,
    )


def _whole_numbers(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """``-?\\d+(\\.\\d+)?`` is one number, sign and decimals and all."""
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
    return element.kind == "delimiter" and element.optional and set(element.options) <= set(marks)


def _is_decimals(element: Element) -> bool:
    return (
        element.kind == "choice"
        and element.optional
        and [e.kind for e in element.alternatives[0]] == ["delimiter", "number"]
        and element.alternatives[0][0].text in (".", ",")
    )


def _crosses(tokens: Iterable[tuple[Any, Any]]) -> bool:
    """Tell whether a class like ``[\\s\\S]`` takes content over line breaks."""
    for operation, argument in _all_tokens(tokens):
        if operation is sre.IN:
            kinds = {str(value) for op, value in argument if op is sre.CATEGORY}
            if {"CATEGORY_SPACE", "CATEGORY_NOT_SPACE"} <= kinds:
                return True
    return False


def _count_groups(tokens: Iterable[tuple[Any, Any]]) -> int:
    return sum(op is sre.SUBPATTERN and arg[0] is not None for op, arg in _all_tokens(tokens))


def _all_tokens(tokens: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    pending = list(tokens)
    while pending:
        token = pending.pop()
        found.append(token)
        for inner in _inner(*token):
            pending.extend(inner)
    return found


def _inner(operation: Any, argument: Any) -> list[list[tuple[Any, Any]]]:
    if operation is sre.SUBPATTERN:
        return [list(argument[3])]
    if operation in _REPEATS:
        return [list(argument[2])]
    if operation is sre.BRANCH:
        return [list(branch) for branch in argument[1]]
    if operation in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(argument[1])]
    return [list(argument)] if _ATOMIC is not None and operation is _ATOMIC else []


class _Walker:
    """Tokens to elements; ``simple`` turns false where something was taken for content."""

    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.simple = True

    def walk(self, tokens: Iterable[tuple[Any, Any]], *, captured: bool) -> list[Element]:
        elements: list[Element] = []
        for operation, argument in tokens:
            elements.extend(self._element(operation, argument, captured=captured))
        return elements

    def _element(self, operation: Any, argument: Any, *, captured: bool) -> list[Element]:
        if operation is sre.LITERAL:
            return [_mark(e, captured=captured) for e in literal_elements(chr(argument))]
        if operation in (sre.AT, sre.ASSERT_NOT):
            return []
        if operation is sre.ASSERT:
            # A look-ahead says where the record ends; a look-behind, what must stand before it.
            return self.walk(argument[1], captured=False) if argument[0] == -1 else []
        if operation is sre.IN:
            return [_mark(character_class(argument), captured=captured)]
        if operation is sre.SUBPATTERN:
            group, _, _, inner = argument
            return self.walk(inner, captured=captured or group is not None)
        if operation in _REPEATS:
            return self._repeat(*argument, captured=captured)
        if operation is sre.BRANCH:
            return self._branch(argument[1], captured=captured)
        if _ATOMIC is not None and operation is _ATOMIC:
            return self.walk(argument, captured=captured)
        if operation not in (sre.ANY, sre.NOT_LITERAL):
            self.simple = False
        return [_mark(_SLOT, captured=captured)]

    def _repeat(self, low: int, high: int, inner: Any, *, captured: bool) -> list[Element]:
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
        return [_mark(_SLOT, captured=captured or any(e.captured for e in elements))]

    def _branch(self, branches: Iterable[Any], *, captured: bool) -> list[Element]:
        walked = [merge_elements(self.walk(branch, captured=captured)) for branch in branches]
        sequences = list(dict.fromkeys(sequence for sequence in walked if sequence))
        optional = len(sequences) < len(walked) and not all(walked)
        if not sequences:
            return []
        first = sequences[0][0]
        if all(len(s) == 1 and s[0].kind == first.kind for s in sequences) and _literal(first):
            options = tuple(dict.fromkeys(o for s in sequences for o in s[0].options))
            element = msgspec.structs.replace(first, options=options, optional=optional)
            return [_mark(element, captured=captured)]
        if all(e.kind in ("slot", "space") for sequence in sequences for e in sequence):
            return [_mark(_SLOT, captured=captured)]
        choice = Element(
            kind="choice", alternatives=tuple(sequences), optional=optional, captured=captured
        )
        return [choice]


def _literal(element: Element) -> bool:
    return element.kind in ("words", "delimiter") and bool(element.options)


def _mark(element: Element, *, captured: bool) -> Element:
    return msgspec.structs.replace(element, captured=True) if captured else element


def _fixed_text(element: Element) -> str:
    if element.kind == "choice":
        return "".join(_fixed_text(e) for sequence in element.alternatives for e in sequence)
    if element.kind == "number":
        return "0"
    return "".join(element.options) if element.kind in ("words", "delimiter") else ""


def fence_tags(pattern: str, flags: int = 0) -> tuple[str, ...] | None:
    """The tags that the pattern accepts behind its opening fence, ``""`` for none; an empty tuple
    where any tag is accepted but one must stand there; ``None`` where there is no fence."""
    tokens, _ = parse_pattern(pattern, flags)
    flat = _unfold(tokens)
    for index in range(len(flat) - 2):
        if all(t[0] is sre.LITERAL and t[1] == ord("`") for t in flat[index : index + 3]):
            return _tags(flat[index + 3 :])
    return None


def _unfold(tokens: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Groups opened and exact repetitions written out, at the top of the pattern."""
    flat: list[tuple[Any, Any]] = []
    for operation, argument in tokens:
        if operation is sre.SUBPATTERN:
            flat.extend(_unfold(argument[3]))
        elif operation in _REPEATS and int(argument[0]) == int(argument[1]) <= 4:
            flat.extend(_unfold(argument[2]) * int(argument[1]))
        else:
            flat.append((operation, argument))
    return flat


def _tags(tokens: list[tuple[Any, Any]]) -> tuple[str, ...]:
    done: list[str] = []
    wildcard = _extend(tokens, "", done)
    named = tuple(dict.fromkeys(tag.lower() for tag in done))[:_MAX_TAGS]
    if wildcard == "optional" or (wildcard and "" in done):
        return ("",)
    return () if wildcard == "required" else named


def _extend(tokens: list[tuple[Any, Any]], tag: str, done: list[str]) -> str:
    """Add the tags that the tokens spell; says whether a class of letters stands for any tag."""
    for index, (operation, argument) in enumerate(tokens):
        rest = tokens[index + 1 :]
        if operation is sre.LITERAL and not chr(argument).isspace() and argument != ord("`"):
            tag += chr(argument)
            continue
        if operation is sre.SUBPATTERN:
            return _extend([*argument[3], *rest], tag, done)
        if operation is sre.BRANCH:
            return max((_extend([*b, *rest], tag, done) for b in argument[1]), key=_WILD.index)
        if operation in _REPEATS and int(argument[1]) == 1:
            taken = _extend([*argument[2], *rest], tag, done)
            return max(taken, _extend(rest, tag, done), key=_WILD.index)
        if operation is sre.IN and (letter := _in_either_case(argument)):
            tag += letter
            continue
        if operation in _REPEATS and not tag and _before_a_tag(argument, rest):
            continue
        if operation in _REPEATS and not tag and _is_letters(list(argument[2])):
            return "optional" if int(argument[0]) == 0 else "required"
        break
    done.append(tag)
    return ""


_WILD = ("", "required", "optional")


def _in_either_case(members: Iterable[tuple[Any, Any]]) -> str:
    """The letter of a class like ``[Ss]``; empty for any other class."""
    letters = {chr(v).lower() if op is sre.LITERAL else "" for op, v in members}
    return letters.pop() if len(letters) == 1 else ""


def _before_a_tag(repeat: Any, rest: Sequence[tuple[Any, Any]]) -> bool:
    """Tell whether letters that may be missing stand before a tag that is spelled out, as in
    ``[\\w\\s]*python``."""
    low, _, inner = repeat
    if int(low) or len(inner) != 1 or inner[0][0] is not sre.IN or not rest:
        return False
    kinds = {str(value) for op, value in inner[0][1] if op is sre.CATEGORY}
    words = "CATEGORY_WORD" in kinds or any(op is sre.RANGE for op, _ in inner[0][1])
    operation, argument = rest[0]
    return words and operation is sre.LITERAL and chr(argument).isalnum()


def _is_letters(tokens: list[tuple[Any, Any]]) -> bool:
    """A class that spells tags: ``\\w``, ``[a-z]``, ``[^\\n]``; not one of blanks only."""
    if len(tokens) != 1:
        return False
    operation, argument = tokens[0]
    if operation is sre.NOT_LITERAL:
        return argument == ord("\n")
    if operation is not sre.IN:
        return False
    kinds = {str(value) for op, value in argument if op is sre.CATEGORY}
    if "CATEGORY_SPACE" in kinds:
        return False
    if argument[0][0] is sre.NEGATE:
        return any(op is sre.LITERAL and v == ord("\n") for op, v in argument)
    return bool(kinds) or any(
        op is sre.RANGE or (op is sre.LITERAL and chr(v).isalnum()) for op, v in argument
    )

"""Patterns for one line, taken apart: what each group captures, and the fixed text between groups.

Where ``regex_templates`` tells what elements a pattern holds, this keeps what each group accepts,
so that ``loose_lines.py`` can read a line with the same slots but other marks between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from knitbone.adaptation.requirements.regex_templates import (
    UnreadablePattern,
    character_class,
    parse_pattern,
    sre,
)

__all__ = ["Gap", "LinePattern", "Piece", "read_pieces"]

_MAX_OPTIONS = 64
"""Texts that one group may name (ours)."""
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
_CLASSES = {
    f"CATEGORY_{negation}{name}": letter.upper() if negation else letter
    for name, letter in (("DIGIT", r"\d"), ("SPACE", r"\s"), ("WORD", r"\w"))
    for negation in ("", "NOT_")
}


class Gap(NamedTuple):
    """The fixed text before the first group, between two, or behind the last."""

    source: str
    """An expression for what the code accepts."""
    text: str
    """As a repair writes it."""


class Piece(NamedTuple):
    """The texts that one group accepts."""

    source: str
    """An expression for it, without groups."""
    options: tuple[str, ...] = ()
    """The only texts that it takes, where the pattern names them."""
    free: bool = True
    """Whether it takes blanks and marks too, so that it does not end by itself."""
    digits: bool = False
    """Whether it begins and ends with a digit, and holds no letter."""
    compound: bool = False
    """Whether it is digits with marks between them: a time, a date."""


class LinePattern(NamedTuple):
    """``gaps[n]`` stands before ``slots[n]``; the last one behind all of them."""

    gaps: tuple[Gap, ...]
    slots: tuple[Piece, ...]


def read_pieces(pattern: str, flags: int = 0) -> LinePattern:
    """Return the groups of a pattern, and the fixed texts between them.

    Raises:
        UnreadablePattern: it is not marks and groups in turn, each group taken always.
    """
    tokens, all_flags = parse_pattern(pattern, flags)
    if all_flags & (re.IGNORECASE | re.DOTALL | re.ASCII):
        raise UnreadablePattern("the flags change what a group takes")
    while tokens and tokens[0][0] is sre.AT and "BEGINNING" in str(tokens[0][1]):
        tokens.pop(0)
    while tokens and tokens[-1][0] is sre.AT and "END" in str(tokens[-1][1]):
        tokens.pop()
    gaps: list[Gap] = []
    slots: list[Piece] = []
    fixed: list[tuple[Any, Any]] = []
    for token in tokens:
        if token[0] is not sre.SUBPATTERN:
            fixed.append(token)
            continue
        group, added, removed, inner = token[1]
        if group is None or added or removed:
            raise UnreadablePattern("a group that is not captured")
        gaps.append(_gap(fixed))
        slots.append(_slot(list(inner)))
        fixed = []
    return LinePattern((*gaps, _gap(fixed)), tuple(slots))


def _gap(tokens: Sequence[tuple[Any, Any]]) -> Gap:
    """Return the fixed text between two groups."""
    written: list[str] = []
    for place, (operation, argument) in enumerate(tokens):
        low, inner = 1, (operation, argument)
        if operation in _REPEATS:
            low, _, (inner,) = argument[0], argument[1], _single(argument[2])
        text = _mark(inner)
        # A blank that may be missing is written behind a mark, not before it.
        supplied = low or (text == " " and place > 0 and place + 1 == len(tokens))
        written.append(text * (low or int(supplied)))
    return Gap(_source(tokens), "".join(written))


def _mark(token: tuple[Any, Any]) -> str:
    """Return the mark or blank that a token stands for."""
    operation, argument = token
    if operation is sre.LITERAL:
        text = chr(argument)
    elif operation is sre.IN and (element := character_class(argument)).kind in (
        *("delimiter", "space"),
    ):
        text = element.text
    else:
        raise UnreadablePattern("content that is not captured")
    if text.isalnum() or text in "_\n":
        raise UnreadablePattern("words between the groups")
    return " " if text.isspace() else text


def _slot(tokens: list[tuple[Any, Any]]) -> Piece:
    """Return what a group accepts."""
    source = _source(tokens)
    options = _options(tokens)
    if options is not None and len(options) > 1:
        return Piece(source, options, free=False)
    kinds = [character for token in tokens for character in _characters(token)]
    if not kinds:
        raise UnreadablePattern("an empty group")
    digits = kinds[0] == kinds[-1] == "digit" and set(kinds) <= {"digit", "mark"}
    return Piece(
        source,
        free=not set(kinds) <= {"digit", "mark", "letter"},
        digits=digits,
        compound=digits and "mark" in kinds,
    )


def _options(tokens: Sequence[tuple[Any, Any]]) -> tuple[str, ...] | None:
    """Return the texts that a group takes, where they are named. The parser of ``re`` takes
    ``test|task`` apart to ``t(?:est|ask)``, and makes a class of single characters."""
    texts = ("",)
    for operation, argument in tokens:
        if operation is sre.LITERAL:
            more = (chr(argument),)
        elif operation is sre.IN and all(member is sre.LITERAL for member, _ in argument):
            more = tuple(chr(character) for _, character in argument)
        elif operation is sre.BRANCH:
            each = [_options(list(branch)) for branch in argument[1]]
            if any(texts is None for texts in each):
                return None
            more = tuple(text for texts in each for text in texts or ())
        else:
            return None
        texts = tuple(before + after for before in texts for after in more)
        if len(texts) > _MAX_OPTIONS:
            return None
    return texts


def _characters(token: tuple[Any, Any]) -> list[str]:
    """Return what each place of a token takes: ``digit``, ``letter``, a ``mark``, or ``any``."""
    operation, argument = token
    if operation in _REPEATS:
        return [kind for inner in argument[2] for kind in _characters(inner)]
    if operation is sre.SUBPATTERN:
        return [kind for inner in argument[3] for kind in _characters(inner)]
    if operation is sre.LITERAL:
        character = chr(argument)
        return ["mark" if not character.isalnum() and not character.isspace() else "any"]
    if operation is not sre.IN:
        return ["any"]
    return [_kind(argument)]


def _kind(members: Sequence[tuple[Any, Any]]) -> str:
    """Return the same of a class of characters."""
    if character_class(members).kind == "number":
        return "digit"
    # Marks in a class end a word as often as they are part of it: ``[\w.-]+``.
    letters = all(
        (operation is sre.CATEGORY and str(argument) in ("CATEGORY_WORD", "CATEGORY_DIGIT"))
        or (operation is sre.RANGE and all(chr(c).isalnum() for c in argument))
        for operation, argument in members
    )
    return "letter" if letters else "any"


def _source(tokens: Sequence[tuple[Any, Any]]) -> str:
    """Return an expression for some tokens, without groups."""
    return "".join(_token_source(operation, argument) for operation, argument in tokens)


def _token_source(operation: Any, argument: Any) -> str:
    """Return an expression for one token."""
    if operation is sre.LITERAL:
        return re.escape(chr(argument))
    if operation is sre.NOT_LITERAL:
        return f"[^{re.escape(chr(argument))}]"
    if operation is sre.ANY:
        return r"[^\n]"
    if operation is sre.IN:
        return f"[{''.join(_member(*member) for member in argument)}]"
    if operation in _REPEATS:
        low, high, inner = argument
        body = f"(?:{_source(list(inner))})" if (low, high) == (0, 1) else _source(_single(inner))
        most = "" if high is sre.MAXREPEAT else int(high)
        return f"{body}{{{int(low)},{most}}}{'?' * (operation is sre.MIN_REPEAT)}"
    if operation is sre.BRANCH:
        return f"(?:{'|'.join(_source(list(branch)) for branch in argument[1])})"
    if operation is sre.SUBPATTERN and argument[0] is None:
        return f"(?:{_source(list(argument[3]))})"
    raise UnreadablePattern(f"{str(operation).lower()} is not read here")


def _single(inner: Any) -> list[tuple[Any, Any]]:
    """Return the one character that is repeated: repeated groups may take exponential time."""
    tokens = list(inner)
    single = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)
    if len(tokens) != 1 or tokens[0][0] not in single:
        raise UnreadablePattern("a repeated group")
    return tokens


def _member(operation: Any, argument: Any) -> str:
    """Return one member of a class of characters."""
    if operation is sre.NEGATE:
        return "^"
    if operation is sre.LITERAL:
        return re.escape(chr(argument))
    if operation is sre.RANGE:
        return "-".join(re.escape(chr(bound)) for bound in argument)
    return _CLASSES[str(argument)]

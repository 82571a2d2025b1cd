"""Tags of Markdown code fences that a regular expression accepts.

Code finds fences with expressions such as ```` ```(?:json)?(.*?)``` ````. A repair has to know
whether ``json`` must stand behind the opening fence, may stand there, or whether any word may.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from knitbone.adaptation.requirements.regex_templates import REPEATS, parse_pattern, sre

__all__ = ["fence_tags"]

_MAX_TAGS = 32
"""Tags of one fence that are told apart (ours)."""
_WILD = ("", "required", "optional")
"""A class of letters stands for no tag, for any tag that must be there, or that may be there."""


def fence_tags(pattern: str, flags: int = 0) -> tuple[str, ...] | None:
    """Return the tags that the pattern accepts behind its opening fence, ``""`` for none; an empty
    tuple where any tag is accepted but one must stand there; ``None`` where there is no fence."""
    tokens, _ = parse_pattern(pattern, flags)
    flat = _flattened(tokens)
    for index in range(len(flat) - 2):
        if all(t[0] is sre.LITERAL and t[1] == ord("`") for t in flat[index : index + 3]):
            return _tags(flat[index + 3 :])
    return None


def _flattened(tokens: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return the tokens with groups opened and exact repetitions written out, at the top of the
    pattern."""
    flat: list[tuple[Any, Any]] = []
    for operation, argument in tokens:
        if operation is sre.SUBPATTERN:
            flat.extend(_flattened(argument[3]))
        elif operation in REPEATS and int(argument[0]) == int(argument[1]) <= 4:
            flat.extend(_flattened(argument[2]) * int(argument[1]))
        else:
            flat.append((operation, argument))
    return flat


def _tags(tokens: list[tuple[Any, Any]]) -> tuple[str, ...]:
    """Return the tags that the tokens behind the three backticks accept."""
    done: list[str] = []
    wildcard = _spell_tags(tokens, "", done)
    named = tuple(dict.fromkeys(tag.lower() for tag in done))[:_MAX_TAGS]
    if wildcard == "optional" or (wildcard and "" in done):
        return ("",)
    return () if wildcard == "required" else named


def _spell_tags(tokens: list[tuple[Any, Any]], tag: str, done: list[str]) -> str:
    """Add the tags that the tokens spell; return whether a class of letters stands for any tag."""
    for index, (operation, argument) in enumerate(tokens):
        rest = tokens[index + 1 :]
        if operation is sre.LITERAL and not chr(argument).isspace() and argument != ord("`"):
            tag += chr(argument)
            continue
        if operation is sre.SUBPATTERN:
            return _spell_tags([*argument[3], *rest], tag, done)
        if operation is sre.BRANCH:
            return max((_spell_tags([*b, *rest], tag, done) for b in argument[1]), key=_WILD.index)
        if operation in REPEATS and int(argument[1]) == 1:
            taken = _spell_tags([*argument[2], *rest], tag, done)
            return max(taken, _spell_tags(rest, tag, done), key=_WILD.index)
        if operation is sre.IN and (letter := _in_either_case(argument)):
            tag += letter
            continue
        if operation in REPEATS and not tag and _before_a_tag(argument, rest):
            continue
        if operation in REPEATS and not tag and _is_letters(list(argument[2])):
            return "optional" if int(argument[0]) == 0 else "required"
        break
    done.append(tag)
    return ""


def _in_either_case(members: Iterable[tuple[Any, Any]]) -> str:
    """Return the letter of a class like ``[Ss]``; empty for any other class."""
    letters = {chr(v).lower() if op is sre.LITERAL else "" for op, v in members}
    return letters.pop() if len(letters) == 1 else ""


def _before_a_tag(repeat: Any, rest: Sequence[tuple[Any, Any]]) -> bool:
    r"""Return whether letters that may be missing stand before a tag that is spelled out, as in
    ``[\w\s]*python``."""
    low, _, inner = repeat
    if int(low) or len(inner) != 1 or inner[0][0] is not sre.IN or not rest:
        return False
    kinds = {str(value) for op, value in inner[0][1] if op is sre.CATEGORY}
    words = "CATEGORY_WORD" in kinds or any(op is sre.RANGE for op, _ in inner[0][1])
    operation, argument = rest[0]
    return words and operation is sre.LITERAL and chr(argument).isalnum()


def _is_letters(tokens: list[tuple[Any, Any]]) -> bool:
    r"""Return whether a class spells tags: ``\w``, ``[a-z]``, ``[^\n]``; not one of blanks only."""
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

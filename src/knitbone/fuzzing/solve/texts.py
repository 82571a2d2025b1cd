"""Texts that a regular expression matches, drawn from its syntax tree."""

from __future__ import annotations

import importlib
import random
import re
import warnings
from typing import Any, cast

from knitbone.fuzzing.trace.terms import Term

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    parser: Any = importlib.import_module("re._parser")

__all__ = ["draw_matching", "draw_slow", "pattern_and_flags"]

_MOST = 4
"""Repetitions beyond the least that are drawn."""
_DEPTH = 20
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcxyzABC019_",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_DIGIT": "aZ-",
    "CATEGORY_NOT_WORD": "-.,;",
    "CATEGORY_NOT_SPACE": "aB7-",
}
_ANY = "ab1 -"
_PRINTABLE = "".join(map(chr, range(32, 127)))


_FLAGS_AT = {"re.split": 3, "re.sub": 4, "re.subn": 4}
"""Position of the flags among the arguments of functions of ``re``; for the others it is 2."""


def pattern_and_flags(term: Term) -> tuple[Any, int]:
    """The expression that a call of a function of ``re`` uses, as it was written, and its flags."""
    pattern: Any = term.args[0]
    if isinstance(pattern, re.Pattern):
        return cast("Any", pattern).pattern, pattern.flags
    positional = len(term.args) - len(term.names)
    named = dict(zip(term.names, term.args[positional:], strict=True))
    given = (*term.args[:positional], *[0] * 5)
    flags: Any = named.get("flags", given[_FLAGS_AT.get(term.op, 2)])
    return pattern, flags if isinstance(flags, int) else 0


def draw_matching(pattern: str, rng: random.Random, flags: int = 0) -> str | None:
    """A text that the whole pattern matches, mostly: look-arounds are passed over. ``None`` where
    it cannot be read."""
    try:
        tree: Any = parser.parse(pattern, flags & ~int(re.DEBUG))
        return _draw(tree, rng, {}, 0)
    except (re.error, RecursionError, OverflowError, IndexError, ValueError):
        return None


def draw_slow(pattern: Any, rng: random.Random, flags: int = 0) -> str | None:
    """A text that a pattern with a repetition inside of a repetition nearly matches, in very many
    ways; ``None`` where there is no such repetition."""
    try:
        tree: Any = parser.parse(pattern, flags & ~int(re.DEBUG))
        return _pumped(tree, rng)
    except (TypeError, re.error, RecursionError, OverflowError, IndexError, ValueError):
        return None


def _pumped(tree: Any, rng: random.Random) -> str | None:
    before = ""
    for op, value in tree:
        if str(op) in _REPEATS and value[1] == parser.MAXREPEAT and _repeats(value[2], 0):
            once = _draw(value[2], rng, {}, 0) or "a"
            return before + once[0] * _PUMPED + "\x01"
        if str(op) == "SUBPATTERN" and (inner := _pumped(value[-1], rng)) is not None:
            return before + inner
        before += _draw_one(str(op), value, rng, {}, 0)
    return None


_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_PUMPED = 40
"""Characters: two to this power ways."""


def _repeats(tree: Any, depth: int) -> bool:
    """Whether something that may come any number of times, or one of several alternatives, lies
    within."""
    if depth > _DEPTH:
        return False
    for op, value in tree:
        if str(op) in _REPEATS and value[1] == parser.MAXREPEAT:
            return True
        if str(op) == "SUBPATTERN" and _repeats(value[-1], depth + 1):
            return True
        if str(op) == "BRANCH":
            return True
    return False


def _draw(tree: Any, rng: random.Random, groups: dict[int, str], depth: int) -> str:
    if depth > _DEPTH:
        return ""
    return "".join(_draw_one(str(op), value, rng, groups, depth) for op, value in tree)


def _draw_one(op: str, value: Any, rng: random.Random, groups: dict[int, str], depth: int) -> str:
    match op:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return next(c for c in _ANY + "cd" if ord(c) != value)
        case "ANY":
            return rng.choice(_ANY)
        case "IN":
            return _draw_class(value, rng)
        case "BRANCH":
            return _draw(rng.choice(value[1]), rng, groups, depth + 1)
        case "SUBPATTERN":
            text = _draw(value[-1], rng, groups, depth + 1)
            if value[0] is not None:
                groups[value[0]] = text
            return text
        case "GROUPREF":
            return groups.get(value, "")
        case "ATOMIC_GROUP":
            return _draw(value, rng, groups, depth + 1)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, inner = value
            most = low + _MOST if high == parser.MAXREPEAT else min(int(high), low + _MOST)
            count = rng.randint(int(low), int(most))
            return "".join(_draw(inner, rng, groups, depth + 1) for _ in range(min(count, 200)))
        case _:
            return ""  # anchors and look-arounds take no room


def _draw_class(parts: Any, rng: random.Random) -> str:
    negated = bool(parts) and str(parts[0][0]) == "NEGATE"
    found: list[str] = []
    for op, value in parts:
        match str(op):
            case "LITERAL":
                found.append(chr(value))
            case "RANGE":
                low, high = value
                found.extend(chr(c) for c in range(low, min(high, low + 300) + 1))
            case "CATEGORY":
                found.extend(_CATEGORIES.get(str(value), "a"))
            case _:
                pass
    if negated:
        left = [c for c in _PRINTABLE if c not in found]
        return rng.choice([c for c in left if c.isalnum()] or left or ["a"])
    return rng.choice(found) if found else ""

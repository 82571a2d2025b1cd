"""Constraints in words, as short as a documentation likes them and as ``reading.py`` reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from knitbone.common.printable import printable
from knitbone.fuzzing.fixing.kinds import FORMS
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ConstraintKind

__all__ = ["format_of_date", "is_showable", "is_whole", "naming_sentence", "quoted", "sentence"]

_LETTERS = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%H": "HH", "%M": "MM", "%S": "SS"}
_SHOWN = 60
"""Characters of a value; a longer one is no value that anybody types."""


def sentence(constraints: Sequence[Constraint], *, unit: str = "characters") -> str:
    """The constraints of one value in one sentence, as in the entry of its argument: ``From 1 to
    10.``

    Args:
        constraints: all of the same ``of``, at least one.
        unit: what its length counts.
    """
    phrases = _phrases(constraints, unit)
    of = constraints[0].of
    if of.is_part or of.path:
        return f"{_subject(of)} {_said(phrases)}."
    said = _listing(sorted(phrases, key=lambda phrase: phrase.startswith("not ")))
    return f"{said[:1].upper()}{said[1:]}."


def naming_sentence(constraints: Sequence[Constraint], *, unit: str = "characters") -> str:
    """The same where nothing around it says which argument it is about."""
    said = _said(_phrases(constraints, unit))
    of = constraints[0].of
    if of.is_part or of.path:
        subject = _subject(of)
        return f"`{of.argument}`: {subject[:1].lower()}{subject[1:]} {said}."
    return f"`{of.argument}` {said}."


def quoted(value: Any) -> str:
    """A value as it is typed: a text in quotation marks that nothing in it can close."""
    if not isinstance(value, str):
        return str(value)
    shown = printable(value, limit=_SHOWN)
    return f'"{shown}"' if '"' not in shown else f"`{shown}`"


def is_showable(constraint: Constraint) -> bool:
    """Whether its words would hold all of it: a value that is cut, escaped or not to be quoted
    would be another one."""
    value: Any = constraint.value
    items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    texts = [item for item in items if isinstance(item, str)]
    texts += [text for text in (constraint.of.separator,) if text is not None]
    return all(map(is_whole, texts))


def is_whole(text: str) -> bool:
    """Whether ``quoted`` shows a text as it is."""
    return len(text) <= _SHOWN and printable(text) == text and not {'"', "`"} <= set(text)


def format_of_date(pattern: str) -> str:
    """``YYYY-MM-DD`` of ``%Y-%m-%d``; the pattern itself where letters cannot say it."""
    made = re.sub("%[A-Za-z]", lambda m: _LETTERS.get(m[0], m[0]), pattern)
    return pattern if "%" in made else made


def _subject(of: ConcernedValue) -> str:
    names = [f"`{step}`" for step in of.path if step != "*"]
    if of.separator is not None:
        return f'Part {of.part + 1} (separated by "{printable(of.separator)}")'
    if of.pattern is not None:
        return f"Part {of.part}"
    return ".".join(names) if names else "Each item"


def _listing(phrases: Sequence[str]) -> str:
    return ", ".join([*phrases[:-2], " and ".join(phrases[-2:])])


def _phrases(constraints: Sequence[Constraint], unit: str) -> list[str]:
    """A phrase each, lower and upper bounds together."""
    kinds = {constraint.kind: constraint for constraint in constraints}
    said: list[str] = []
    for low, high, counted in (("minimum", "maximum", ""), ("shortest", "longest", f" {unit}")):
        if low in kinds and high in kinds:
            first, last = _number(kinds.pop(low)), _number(kinds.pop(high))
            said.append(
                f"exactly {first}{counted}" if first == last else f"from {first} to {last}{counted}"
            )
    return [*said, *(_phrase(constraint, unit) for constraint in kinds.values())]


def _said(phrases: Sequence[str]) -> str:
    """What something must be: what it must not be comes last."""
    ordered = sorted(phrases, key=lambda phrase: phrase.startswith("not "))
    if all(phrase.startswith("not ") for phrase in ordered):
        return f"must not be {_listing([phrase.removeprefix('not ') for phrase in ordered])}"
    return f"must be {_listing(ordered)}"


def _phrase(constraint: Constraint, unit: str) -> str:
    return _PHRASES[constraint.kind](constraint, unit)


def _number(constraint: Constraint) -> str:
    """A bound as people write it: without a fraction that is none."""
    value: Any = constraint.value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _of_values(constraint: Constraint, _unit: str) -> str:
    listed = [quoted(item) for item in cast("list[Any]", constraint.value)]
    case = ", in any case" if constraint.any_case else ""
    if len(listed) == 1:
        return f"always {listed[0]}{case}"
    return f"one of {', '.join(listed[:-1])} or {listed[-1]}{case}"


def _of_affixes(constraint: Constraint, _unit: str) -> str:
    how = "beginning" if constraint.kind == "prefix" else "ending"
    return f"a text {how} with {' or '.join(map(quoted, cast('list[Any]', constraint.value)))}"


def _of_parts(constraint: Constraint, _unit: str) -> str:
    separator, count = cast("list[Any]", constraint.value)
    return f"{count} parts separated by {quoted(separator)}"


_PHRASES: dict[ConstraintKind, Callable[[Constraint, str], str]] = {
    "values": _of_values,
    "minimum": lambda c, _: f"at least {_number(c)}",
    "above": lambda c, _: f"greater than {_number(c)}",
    "maximum": lambda c, _: f"at most {_number(c)}",
    "below": lambda c, _: f"less than {_number(c)}",
    "shortest": lambda c, unit: f"at least {c.value} {unit}",
    "longest": lambda c, unit: f"at most {c.value} {unit}",
    "not empty": lambda _, __: "not empty",
    "not zero": lambda _, __: "not zero",
    "whole number": lambda _, __: "a whole number",
    "number": lambda _, __: "a number",
    "date": lambda c, _: f"in the format {format_of_date(str(c.value))}",
    "form": lambda c, _: FORMS[str(c.value)].words,
    "pattern": lambda c, _: f"a text that matches {quoted(c.value)}",
    "prefix": _of_affixes,
    "suffix": _of_affixes,
    "parts": _of_parts,
    "existing": lambda c, _: "one that exists" + (f", in the form {c.value}" if c.value else ""),
    "before": lambda c, _: f"less than `{c.other}`",
    "not after": lambda c, _: f"at most `{c.other}`",
}
"""What a value must be, behind ``must be``."""

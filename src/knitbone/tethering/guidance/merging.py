"""Directives that overlap become one, and the nearest to the turning point come first.

Overlapping are those on one tool that do not contradict each other: that an argument is missing and
that the call shall not be repeated is one thing to do otherwise, said in one line. General advice
(read the error, check first) is said by the special one on the same tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from knitbone.tethering.guidance.records import (
    ConstraintClass,
    Directive,
    ExpectedCall,
    RepairEntry,
)

__all__ = ["carried_along", "merged"]

_SPECIAL: tuple[ConstraintClass, ...] = (
    "call not asked for", "required argument", "argument value", "order", "missing step", "rule",
    "unresolved error", "unread value", "repetition", "completion", "check first",
)  # fmt: skip
"""What says more comes first; of two equally near directives, too."""
_OF_ARGUMENTS: frozenset[ConstraintClass] = frozenset({"required argument", "argument value"})
"""They say what the error of the call said."""


def merged(directives: Iterable[Directive]) -> list[Directive]:
    """The directives without overlaps, the nearest to the turning point first."""
    ordered = sorted(directives, key=lambda one: (_SPECIAL.index(one.constraint), one.distance))
    kept: list[Directive] = []
    for directive in ordered:
        place = next((k for k, one in enumerate(kept) if _overlap(one, directive)), None)
        if place is None:
            kept.append(directive)
        else:
            kept[place] = _joined(kept[place], directive)
    return sorted(kept, key=lambda one: (one.distance, _SPECIAL.index(one.constraint)))


def _subject(directive: Directive) -> str:
    """The tool, or the kind of action, that a directive is about: the second part of its name."""
    return directive.id.split(":")[1]


def _overlap(one: Directive, other: Directive) -> bool:
    """Whether ``other``, which is no more special, can be said together with ``one``."""
    if one.id == other.id:
        return True
    if _subject(one) != _subject(other) or "completion" in (one.constraint, other.constraint):
        return False
    free = not any(
        mine and its and mine != its
        for mine, its in zip(_sentences(one), _sentences(other), strict=True)
    )
    return free or _is_said_by(one, other)


def _is_said_by(one: Directive, other: Directive) -> bool:
    """Whether ``other`` is general advice, which ``one`` makes unnecessary: an error that is not
    quoted, or that is about the arguments that ``one`` names; repetition; care."""
    if other.constraint == "unresolved error":
        return not other.do_first or one.constraint in _OF_ARGUMENTS
    return other.constraint in ("repetition", "check first")


def _sentences(directive: Directive) -> tuple[str, str, str]:
    return directive.do_first, directive.do, directive.do_not


def _joined(one: Directive, other: Directive) -> Directive:
    """Two directives in the words of the first, and those of the second that add something."""
    general = other.constraint != "repetition" and _is_said_by(one, other)
    more = Directive(id="", family="", constraint="check first") if general else other
    return msgspec.structs.replace(
        one,
        do_first=one.do_first or more.do_first,
        do=one.do or more.do,
        do_not=one.do_not or more.do_not,
        expectation=_both(one.expectation, other.expectation),
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))),
        distance=min(one.distance, other.distance),
    )


def _both(one: ExpectedCall | None, other: ExpectedCall | None) -> ExpectedCall | None:
    if one is None or other is None or one.tool != other.tool:
        return one or other
    return ExpectedCall(
        tool=one.tool,
        arguments=tuple(dict.fromkeys((*one.arguments, *other.arguments))),
        changed={**other.changed, **one.changed},
        after=tuple(dict.fromkeys((*one.after, *other.after))),
        changes_state=one.changes_state or other.changes_state,
    )


def carried_along(fresh: Sequence[Directive], memory: Iterable[RepairEntry]) -> list[Directive]:
    """The directives of this run and, behind them, those of earlier attempts: first what came back
    or was never put right, then what was, so that it stays right."""
    known = {directive.id for directive in fresh}
    left = [entry for entry in memory if entry.directive.id not in known]
    order = {"regressed": 0, "unresolved": 1, "fixed": 2}
    left.sort(key=lambda entry: (order[entry.state], entry.directive.distance))
    return [*fresh, *(entry.directive for entry in left)]

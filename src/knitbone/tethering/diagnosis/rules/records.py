"""A rule about steps, and a step that breaks it."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["FORM", "RuleKind", "StepRule", "Violation"]

RuleKind = Literal[
    "missing argument",
    "unknown argument",
    "wrong type",
    "value not allowed",
    "write before confirmation",
    "write before identification",
    "wrong state",
    "called again",
    "several calls at once",
    "call beside an answer",
    "argument never observed",
]


FORM: frozenset[RuleKind] = frozenset({"several calls at once", "call beside an answer"})
"""Demands on the form of a step. Breaking one is shown; it leads no run astray, so that it does
not count in the plane's score."""


class StepRule(msgspec.Struct, frozen=True, kw_only=True):
    """One demand that the application makes of a step."""

    kind: RuleKind
    evidence: str
    """The sentence of the policy, or the place in the schema, that says so; cut to 300
    characters."""
    source: Literal["policy", "schema", "run"]
    """``run``: no text says so, the run's own values do."""
    tools: tuple[str, ...] = ()
    """The tools it speaks of."""
    field: str = ""
    """The argument or the field of a record that it constrains."""
    allowed: tuple[str, ...] = ()
    """The values that the field may have."""


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """One step that breaks one rule."""

    rule: StepRule
    ordinal: int
    """Of the unit."""
    text: str
    """What the step did; names of tools and fields, no values."""
    tool: str = ""
    """The tool whose call breaks the rule, among those of the step; empty where the rule is about
    the step as a whole."""
    field: str = ""
    """The argument that breaks it, where it is one."""

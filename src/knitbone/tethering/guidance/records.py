"""What guidance is: directives, what would show that each was followed, and where the text goes.

Made after a failed run by ``builder.py``; read by the next attempt, by its supervisor and by the
repair memory. Everything here is data that a store keeps as JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = [
    "ConstraintClass",
    "Directive",
    "DirectiveEvidence",
    "Disclosure",
    "ExpectedCall",
    "Guidance",
    "InjectionPlace",
    "InjectionPlan",
    "RepairEntry",
    "RepairState",
]

Disclosure = Literal["family", "constraint", "values"]
"""How much guidance tells: the kind of action; also the class of constraint with the names of tools
and arguments; also values of the failed run. In the first two no value of run, expected solution or
environment appears."""

ConstraintClass = Literal[
    "required argument",
    "argument value",
    "order",
    "missing step",
    "repetition",
    "unresolved error",
    "unread value",
    "rule",
    "completion",
    "check first",
    "call not asked for",
]
"""Which kind of thing the failed run did not keep."""

InjectionPlace = Literal["first user turn", "system text"]


class ExpectedCall(msgspec.Struct, frozen=True, kw_only=True):
    """What a later run shows when it follows a directive, told from names and hashes alone."""

    tool: str
    """Name of the tool that must be called; the call counts when it returned without an error."""
    arguments: tuple[str, ...] = ()
    """Names of arguments that the call must carry."""
    changed: dict[str, str] = {}
    """Argument name → hash of the value that failed: the call must carry another one."""
    after: tuple[str, ...] = ()
    """Tools that must have returned without an error before."""
    changes_state: bool = False
    """Whether the tool changes state: once it is done, supervision falls silent but for loops."""


class DirectiveEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What in the failed run a directive rests on."""

    run: str
    step: int
    """As the diagnosis counts steps."""
    kind: str
    """The finding or claim, such as ``missing argument``."""
    text: str = ""
    """In words, for people who look at the record; it may hold values and is never injected."""


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do otherwise."""

    id: str
    """Stable: the same advice on the same tool has the same identifier in every run."""
    family: str
    """The kind of action, in words, such as ``deposit check``."""
    constraint: ConstraintClass
    do: str = ""
    """A sentence; so are the next two. At least one of the three is there."""
    do_not: str = ""
    do_first: str = ""
    expectation: ExpectedCall | None = None
    evidence: tuple[DirectiveEvidence, ...] = ()
    distance: int = 0
    """Steps between what it is about and the turning point; the nearest come first."""


class InjectionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Where the text of the guidance enters the next run's context, so that it is read early."""

    place: InjectionPlace = "first user turn"


class Guidance(msgspec.Struct, frozen=True, kw_only=True):
    """What the next attempt is told, and how."""

    task: str
    """Key of the task, as the repair memory has it."""
    run: str
    """The failed run that it was made from; empty for one made by hand."""
    calls: int = 0
    """Tool calls of that run; 0 where nobody counted them."""
    disclosure: Disclosure = "constraint"
    directives: tuple[Directive, ...] = ()
    left_out: int = 0
    """Directives that the bounds on number and length left out."""
    text: str = ""
    """What is injected; empty where there is nothing to say."""
    plan: InjectionPlan = InjectionPlan()


RepairState = Literal["unresolved", "fixed", "regressed"]
"""``fixed``: the last attempt that was told it followed it, or succeeded; ``regressed``: it had
been fixed, and was needed again."""


class RepairEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the repair memory knows of one directive of one task."""

    task: str
    """The task's key (``hashing.task_key``)."""
    directive: Directive
    """As it was last told; its evidence without words of the run."""
    state: RepairState = "unresolved"
    shown: int = 0
    """Attempts that were told it."""
    followed: int = 0
    """Of those, the ones that did what it expects."""
    first_run: str = ""
    """The failed run that it was first made from."""
    last_run: str = ""
    """The last run that was told it, else the last one that it was made from."""
    judged_run: str = ""
    """The last run of which is known how it ended."""
    updated_ns: int = 0
    """UTC nanoseconds."""

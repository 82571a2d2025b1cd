"""How the fault of a planted tool is described."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = [
    "SECOND_CATEGORIES",
    "Category",
    "Fault",
    "Planted",
    "Sound",
    "answers",
    "raised",
    "target_of",
]

Category = Literal[
    "undocumented enumeration",
    "hidden format",
    "length or range limit",
    "relation between arguments",
    "numeric boundary",
    "empty input",
    "permission",
    "long output",
    "wrong example",
    "nested model",
    "async",
    "underspecified purpose",
    "state between calls",
    "non-determinism",
    "hang",
    "output type",
    "error as text",
]
"""Of the first set; the second one has two more, see ``SECOND_CATEGORIES``."""
SECOND_CATEGORIES = ("memory", "embedded document")
Kind = Literal["raised", "returned text", "hang", "output type", "nondeterminism"]
Specification = Literal["under", "over", "ill"]
"""The paper's kinds (§3), as far as a failing call shows them.

``under``: crucial details are left implicit; nothing written forbids the call that fails.
``ill``: a sentence is wrong: it promises what the tool does not do, or its example fails.
``over``: a narrow way of use is demanded although the tool needs less; the demanded one fails.
"""
_PACKAGE = "knitbone_evals.fuzz.planted"
Arguments = dict[str, Any]


class Fault(msgspec.Struct, frozen=True):
    """How a failure is recognised; empty fields match everything."""

    kind: Kind
    exception: str = ""
    """Name of the exception's type, or of one it derives from."""
    function: str = ""
    """Function of the innermost frame in the tool's own module. Empty where it is a comprehension,
    whose name depends on the version of Python."""
    fragment: str = ""
    """Part of the message or of the returned text."""

    def matches(self, kind: str, exceptions: tuple[str, ...], function: str, text: str) -> bool:
        """Whether a failure is this one; ``exceptions`` are the names along the type's bases."""
        return (
            kind == self.kind
            and (not self.exception or self.exception in exceptions)
            and (not self.function or self.function == function)
            and self.fragment in text
        )


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """A tool with one fault."""

    target: str
    category: Category | Literal["memory", "embedded document"]
    fault: Fault
    also: tuple[Fault, ...] = ()
    """Other faces of the same fault, with other arguments or under other ways of calling."""
    specification: Specification
    sentence: str = ""
    """What the documentation says and the fault contradicts, verbatim; for ``ill`` and ``over``."""
    lacks: str = ""
    """What the documentation does not say; for ``under``."""
    witness: Arguments
    """Arguments that trigger the fault."""
    before: tuple[Arguments, ...] = ()
    """Calls that lead to it, in the same process; for faults that lie in the state."""
    steps: tuple[tuple[str, Arguments], ...] = ()
    """Calls of several tools (target and arguments) that lead to it, in place of ``before``."""
    setup: tuple[tuple[str, Arguments], ...] = ()
    """Calls of other tools that ``normal`` needs before it."""
    normal: Arguments
    """Arguments that work."""
    more: tuple[Arguments, ...] = ()
    """Further ordinary calls, which work after ``normal`` in a fresh process."""
    hard: Literal["", "document", "state"] = ""
    """What makes the fault hard to reach: a document inside an argument, or an order of calls."""
    deep: bool = False
    """Behind several conditions on one path."""
    refusals: tuple[Fault, ...] = ()
    """Failures that the documentation announces: correct behaviour, no findings."""


class Sound(msgspec.Struct, frozen=True, kw_only=True):
    """A tool without a fault: whatever is found in it, except its refusals, is a false finding."""

    target: str
    accepted: tuple[Arguments, ...]
    refused: tuple[Arguments, ...] = ()
    refusals: tuple[Fault, ...] = ()
    companion: bool = False
    """Only there to change the state of a planted tool."""


def raised(exception: str, function: str = "", fragment: str = "") -> Fault:
    """An exception that leaves the tool."""
    return Fault("raised", exception, function, fragment)


def answers(fragment: str) -> Fault:
    """An error that is returned as text."""
    return Fault("returned text", fragment=fragment)


def target_of(theme: str, name: str) -> str:
    """``module:name`` of a planted tool."""
    return f"{_PACKAGE}.{theme}:{name}"

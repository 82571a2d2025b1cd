"""What a task is, and what is said of an attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["KITS", "Attempt", "Benchmark", "Call", "Kit", "Level", "Split", "Task", "Verdict"]

Benchmark = Literal["FMB", "GHB"]
Kit = Literal["terminal", "files", "github"]
Split = Literal["validation", "test", "all"]
Level = Literal["single step", "several steps", "conditional"]

KITS: Mapping[Benchmark, tuple[Kit, ...]] = {"FMB": ("terminal", "files"), "GHB": ("github",)}
"""The tool kits that the tasks of a benchmark can be solved with."""


@dataclass(frozen=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Attempt:
    """A way to go about a task that is known to be right, or known to be wrong.

    Attributes:
        name: ``reference``, ``no-op``, or what is wrong: ``step missing``, ``wrong name``, ...
        calls: tool kit -> its calls, in order.
    """

    name: str
    calls: Mapping[Kit, tuple[Call, ...]]


@dataclass(frozen=True)
class Task:
    """One task of a benchmark.

    Attributes:
        name: unique, stable over seeds: ``law-school-3``.
        category: GHB: ``comment``, ``update``, ``pull request``, ``create``, ``delete`` or
            ``branch``; FMB: the kind of the first change.
        request: what the user asks for; all that an agent is told.
        initial: the state before: of FMB path -> text, of GHB a ``Repository``.
        expected: the state after, in the same form.
        reference: calls that solve the task.
        wrong: three attempts, each wrong in another way.
    """

    benchmark: Benchmark
    name: str
    domain: str
    category: str
    level: Level
    request: str
    initial: Any
    expected: Any
    reference: Attempt
    wrong: tuple[Attempt, ...]

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The reference, the no-op, then the wrong ones."""
        nothing = Attempt("no-op", dict.fromkeys(KITS[self.benchmark], ()))
        return (self.reference, nothing, *self.wrong)


@dataclass(frozen=True)
class Verdict:
    """Whether an attempt succeeded; true or false like the attribute ``passed``."""

    passed: bool
    reason: str
    """The first differences, one a line; empty where there are none."""

    def __bool__(self) -> bool:
        return self.passed

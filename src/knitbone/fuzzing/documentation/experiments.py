"""Calls that the search makes itself: the same input again, and one argument changed.

Every one begins in a fresh process; what a tool draws by chance is other in the sandbox that
repeats than in the one that the agent works with (``fuzzing/stability.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.documentation.runs import failure_of
from knitbone.fuzzing.documentation.steps import Steps
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.stability import masked
from knitbone.record.events import Json

__all__ = ["Experiments", "RepeatedCalls", "SandboxExperiments", "TriedCall"]

Arguments = dict[str, Json]


class TriedCall(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one call."""

    output: str
    failure: str
    """How the tool said that it could not do it; empty where it could."""


class RepeatedCalls(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the same calls, made twice."""

    same: bool
    """Both came to the same, letter by letter."""
    same_but_for_times: bool
    """Both came to the same when times and identifiers are left out."""


class Experiments(Protocol):
    """Calls of the tool under test."""

    def repeat(self, calls: Sequence[Arguments]) -> RepeatedCalls:
        """Make the same calls twice, each time from the beginning."""
        ...

    def attempt(self, arguments: Arguments) -> TriedCall:
        """Make one call from the beginning."""
        ...


class SandboxExperiments:
    """Experiments in two sandboxes.

    Args:
        by_chance: opens the sandbox with other chance; the first one serves if not given.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        index: int,
        *,
        by_chance: Callable[[], Sandbox] | None,
        timeout_s: float,
        steps: Steps,
    ) -> None:
        self._tool = SandboxedTool(sandbox, index, timeout_s=timeout_s)
        self._roots = sandbox.tools[index].roots
        self._by_chance = by_chance
        self._timeout_s = timeout_s
        self._steps = steps
        self._other: Sandbox | None = None

    def repeat(self, calls: Sequence[Arguments]) -> RepeatedCalls:
        """Make the calls in both sandboxes.

        Raises:
            SandboxError: a sandbox cannot be started or kept.
        """

        def both() -> RepeatedCalls:
            first = self._made(self._tool, calls)
            second = self._made(self._second(), calls)
            return RepeatedCalls(
                same=first == second,
                same_but_for_times=[masked(text) for text in first]
                == [masked(text) for text in second],
            )

        return self._steps.take("stability", list(calls), RepeatedCalls, both)

    def attempt(self, arguments: Arguments) -> TriedCall:
        """Make one call.

        Raises:
            SandboxError: the sandbox cannot be kept.
        """

        def once() -> TriedCall:
            self._tool.forget()
            reply = self._tool.call(arguments)
            failure = failure_of(reply.text, reply.error, arguments, roots=self._roots)
            return TriedCall(output=reply.text, failure=failure)

        return self._steps.take("experiments", arguments, TriedCall, once)

    def close(self) -> None:
        """End the sandbox that was opened for other chance."""
        if self._other is not None:
            self._other.close()
            self._other = None

    def _second(self) -> SandboxedTool:
        if self._by_chance is None:
            return self._tool
        if self._other is None:
            self._other = self._by_chance()
        return SandboxedTool(self._other, 0, timeout_s=self._timeout_s)

    @staticmethod
    def _made(tool: SandboxedTool, calls: Sequence[Arguments]) -> list[str]:
        tool.forget()
        return [tool.call(arguments).text for arguments in calls]

"""Which expectations of the guidance a run has satisfied, told from names and hashes alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

from knitbone.record.events import Json
from knitbone.tethering.diagnosis.error_reports import error_in
from knitbone.tethering.guidance.hashing import value_hash
from knitbone.tethering.guidance.records import Directive, ExpectedCall
from knitbone.tethering.supervision.records import ReturnedCall

__all__ = ["ExpectedCalls", "Shortfall", "expected_tool", "followed_directives", "went_well"]

Shortfall = Literal["argument missing", "value that failed", "too early", "returned an error"]
"""Why a call of the expected tool does not satisfy the expectation."""


class ExpectedCalls:
    """The expectations of some directives over one run.

    Args:
        directives: those without an expectation are left aside.
        task: the key that hashes of values are made with.
    """

    def __init__(self, directives: Iterable[Directive], *, task: str) -> None:
        self._task = task
        self._expected = {d.id: d for d in directives if d.expectation is not None}
        self._satisfied: set[str] = set()
        self._returned: set[str] = set()
        self.state_changed = False
        """Whether an expected action that changes state was done."""

    @property
    def open(self) -> tuple[Directive, ...]:
        """What is still to be done, the nearest to the turning point first."""
        left = [d for key, d in self._expected.items() if key not in self._satisfied]
        return tuple(sorted(left, key=lambda directive: directive.distance))

    @property
    def all_done(self) -> bool:
        """Whether there were expectations, and none is open."""
        return bool(self._expected) and len(self._satisfied) == len(self._expected)

    def followed(self) -> dict[str, bool]:
        """By directive, whether its expectation was satisfied."""
        return {key: key in self._satisfied for key in self._expected}

    def around(self, tool: str) -> Directive | None:
        """The directive that expects calls of a tool, the nearest one; an open one goes first."""
        of_tool = [d for d in self._expected.values() if _expectation(d).tool == tool]
        return min(of_tool, key=lambda d: (d.id in self._satisfied, d.distance), default=None)

    def observe(self, call: ReturnedCall) -> tuple[tuple[Directive, Shortfall], ...]:
        """Take a call in.

        Returns:
            The open directives that expect calls of this tool and that it does not satisfy.
        """
        short: list[tuple[Directive, Shortfall]] = []
        for directive in self.open:
            expected = _expectation(directive)
            if expected.tool != call.tool:
                continue
            why = self._shortfall(call, directive)
            if why is None:
                self._satisfied.add(directive.id)
                self.state_changed = self.state_changed or expected.changes_state
            else:
                short.append((directive, why))
        if went_well(call):
            self._returned.add(call.tool)
        return tuple(short)

    def _shortfall(self, call: ReturnedCall, directive: Directive) -> Shortfall | None:
        expected = _expectation(directive)
        given = _arguments(call.arguments)
        needed = {*expected.arguments, *expected.changed}
        # A call that goes well without an argument shows that the tool does not require it.
        if any(given.get(name) is None for name in needed) and not went_well(call):
            return "argument missing"
        # What a tool refused and takes now was not at fault; what nothing had shown it took before.
        if not went_well(call) or directive.constraint == "unread value":
            for name, failed in expected.changed.items():
                if name in given and value_hash(self._task, given[name]) == failed:
                    return "value that failed"
        if not set(expected.after) <= self._returned:
            return "too early"
        return None if went_well(call) else "returned an error"


def followed_directives(
    directives: Iterable[Directive], calls: Sequence[ReturnedCall], *, task: str
) -> dict[str, bool]:
    """By directive with an expectation, whether the calls of a run satisfied it."""
    expected = ExpectedCalls(directives, task=task)
    for call in calls:
        expected.observe(call)
    return expected.followed()


def went_well(call: ReturnedCall) -> bool:
    """Whether a call returned without an error, said or raised."""
    return call.error is None and error_in(call.result, tool=call.tool) is None


def expected_tool(directive: Directive) -> str:
    """The tool that a directive with an expectation wants called."""
    return _expectation(directive).tool


def _expectation(directive: Directive) -> ExpectedCall:
    return cast("ExpectedCall", directive.expectation)


def _arguments(arguments: Json) -> dict[str, Any]:
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}

"""The calls of a campaign as they are made, with what the tool decided in each."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import msgspec

from knitbone.fuzzing.engine import directed
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.generate.types import ArgumentProposal, Generator
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.returned_errors import reads_as_error
from knitbone.fuzzing.trace.terms import CallTrace, unpack
from knitbone.record.events import Json

__all__ = ["Observations", "ObservedCall", "is_accepted", "promised_errors"]

_MOST = 2_000
"""Calls that are kept."""
_QUOTED = re.compile(r"([\"'`])([^\"'`]{3,200})\1")


class ObservedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the campaign and what came of it."""

    arguments: dict[str, Json]
    accepted: bool | None
    """``None``: it was not run, or its text only may be an error."""
    failure: str | None = None
    """Names the failure, as findings and their variants are named."""
    trace: CallTrace


class Observations:
    """Collects the calls of each tool; ``generator`` is what ``fuzz`` is given as its maker."""

    def __init__(
        self,
        *,
        examples: Sequence[dict[str, Json]] = (),
        seen_as: Callable[[ToolUnderTest], ToolUnderTest] | None = None,
    ) -> None:
        """Args:
        examples: calls that each campaign begins with.
        seen_as: the tool as its documentation is to be, where the tool itself has another.
        """
        self._examples = examples
        self._seen_as = seen_as
        self._calls: dict[str, list[ObservedCall]] = {}

    def generator(self, tool: ToolUnderTest, seed: int, paths: Sequence[str]) -> Generator:
        """The generator of users' campaigns, overheard."""
        seen = tool if self._seen_as is None else self._seen_as(tool)
        return _Overheard(
            directed(seen, seed, paths, examples=self._examples),
            tool,
            self._calls.setdefault(tool.target, []),
        )

    def of(self, tool: ToolUnderTest) -> tuple[ObservedCall, ...]:
        """The calls of one tool, in order."""
        return tuple(self._calls.get(tool.target, ()))


class _Overheard:
    """A generator whose calls are noted down."""

    def __init__(self, inner: Generator, tool: ToolUnderTest, calls: list[ObservedCall]) -> None:
        self._inner, self._tool, self._calls = inner, tool, calls
        self._promised = promised_errors(tool)

    def propose(self, call: int) -> ArgumentProposal:
        return self._inner.propose(call)

    def observe(
        self, arguments: dict[str, Json], outcome: CallOutcome, failure: str | None
    ) -> None:
        self._inner.observe(arguments, outcome, failure)
        if len(self._calls) < _MOST:
            accepted = is_accepted(outcome, arguments, self._tool.roots, self._promised)
            self._calls.append(
                ObservedCall(
                    arguments=arguments,
                    accepted=accepted,
                    failure=failure,
                    trace=unpack(outcome.trace or {}),
                )
            )

    def behaviours(self) -> tuple[str, ...]:
        return self._inner.behaviours()


def promised_errors(tool: ToolUnderTest) -> frozenset[str]:
    """The labels of errors that the documentation shows as results, such as ``Error`` of *The room,
    or "Error: not found"*: who checks or looks up is given what fails."""
    shown = (text for _, text in _QUOTED.findall(tool.documentation) if reads_as_error(text))
    return frozenset(_label(text) for text in shown)


def _label(text: str) -> str:
    return text.lstrip().partition(":")[0].casefold()


def is_accepted(
    outcome: CallOutcome,
    arguments: dict[str, Json],
    roots: tuple[str, ...],
    promised: Collection[str] = (),
) -> bool | None:
    """Whether the tool took the arguments; ``None`` where that cannot be told.

    Args:
        promised: labels of errors that the tool returns as its documentation says.
    """
    if outcome.status == "denied" or (outcome.status == "ok" and _label(outcome.text) in promised):
        return None
    if outcome.status == "rejected":
        return False
    verdict = judge(outcome, arguments, roots=roots)
    if verdict is None:
        return True if outcome.status == "ok" else None
    return None if verdict.weak or verdict.standing == "not run" else False

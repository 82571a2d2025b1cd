"""One tool's campaign: call, judge, group; then minimise and confirm what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from knitbone.config import FuzzConfig
from knitbone.fuzzing.baseline import with_fingerprints
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.calls import CampaignCalls
from knitbone.fuzzing.confirmation import Confirmation, new_finding
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.generate.bounded import BoundedGenerator, CannotGenerateError
from knitbone.fuzzing.generate.types import Generator
from knitbone.fuzzing.grouping import Reason, Reasons
from knitbone.fuzzing.orders import CallSequences, Proposing, SequenceStep
from knitbone.fuzzing.records import (
    Attempt,
    CallFinished,
    CallOutcome,
    Campaign,
    Finding,
    FindingFound,
    FuzzEvent,
    ToolUnderTest,
)
from knitbone.fuzzing.returned import NormalResults
from knitbone.fuzzing.sequences import CallHistory
from knitbone.fuzzing.stability import Sample
from knitbone.record.events import Json

__all__ = ["Runner"]

_HUNG_SHARE = 1 / 20
"""A tool that keeps hanging gets ever less time for a call, but never less than this share of what
is allowed: the failure is known, and the other calls matter more."""
_MOST_ATTEMPTS = 50
"""Distinct refusals that a campaign tells of: each path of a tool that is told paths is one."""
_GOES_ON = frozenset({"ok", "raised", "rejected", "denied"})
"""Ends of a companion's call after which the process, and what is kept in it, goes on."""
_SEARCH_SHARE = 0.8
"""Of the wall clock; the rest is for minimising and confirming what was found."""


class Runner:
    """One tool's campaign: ``search``, then ``conclude``."""

    def __init__(self, calls: CampaignCalls, config: FuzzConfig, options: str) -> None:
        self._calls = calls
        self._tool = calls.tool
        self._config = config
        self._options = options
        self.budget = CampaignBudget(config, elapsed=calls.now)
        self._behaviours: tuple[str, ...] = ()
        self._reasons = Reasons()
        self._history = CallHistory()
        self._orders: CallSequences | None = None
        self._companion_calls: Counter[str] = Counter()
        self._not_run = 0
        self._statuses: Counter[str] = Counter()
        self._attempts: dict[tuple[str, str], Attempt] = {}
        self._sample = Sample()
        self._normal = NormalResults()
        self._hangs = 0
        self._stopped: str | None = None
        self._rejection = ""

    def search(
        self, make: Callable[[ToolUnderTest], Generator], calls: int, seed: int
    ) -> Iterator[FuzzEvent]:
        """Call the tool, and companions where it has some, and collect its unique failures.

        Args:
            make: makes the generator of a tool's arguments.
        """
        try:
            own = Proposing(BoundedGenerator(make, self._tool, time_s=self._config.time_s))
            if self._calls.companions:
                self._orders = CallSequences(
                    self._tool,
                    own,
                    self._calls.companions,
                    make=make,
                    seed=seed,
                    time_s=self._config.time_s,
                )
            yield from self._search(own, calls)
        except CannotGenerateError as reason:
            self._stopped = str(reason)

    def _search(self, own: Proposing, calls: int) -> Iterator[FuzzEvent]:
        for number in range(1, calls + 1):
            step = None if self._orders is None else self._orders.step()
            if step is not None and step.tool:
                outcome = self._call_companion(number, step)
            else:
                arguments = own.propose() if step is None else step.arguments
                outcome = self._call(number, arguments, step)
                yield from self._judged(number, arguments, outcome, own.generator)
            unique = sum(reason.verdict.standing == "unhandled" for reason in self._kept())
            yield CallFinished(
                call=number, status=outcome.status, unique=unique, tool=self._tool.target
            )
            self._hangs += outcome.status == "hang"
            if self._must_stop():
                break
        self._behaviours = own.generator.behaviours()

    def _call(
        self, number: int, arguments: dict[str, Json], step: SequenceStep | None
    ) -> CallOutcome:
        # Campaigns of other tools may have gone before in the same process.
        fresh = self._begin(number, step) or (number == 1 and self._orders is not None)
        outcome = self._calls.call(arguments, timeout_s=self._timeout(), trace=True, fresh=fresh)
        self._history.add(arguments)
        self._statuses[outcome.status] += 1
        if outcome.status == "rejected":
            self._rejection = self._rejection or outcome.message
        return outcome

    def _call_companion(self, number: int, step: SequenceStep) -> CallOutcome:
        """A call of another tool: what is wrong with it, its own campaign tells."""
        assert self._orders is not None  # noqa: S101 - they made the step
        self._begin(number, step)
        outcome = self._calls.call(
            step.arguments,
            timeout_s=self._timeout(),
            trace=True,
            fresh=step.fresh,
            companion=step.tool,
        )
        self._history.add((step.tool, step.arguments))
        self._companion_calls[step.tool] += 1
        failed = judge(outcome, step.arguments, roots=self._tool.roots)
        well = outcome.status == "ok" and failed is None
        self._orders.observe(step.tool, step.arguments, outcome, well=well)
        if outcome.status not in _GOES_ON:
            self._orders.drop(step.tool)
        return outcome

    def _begin(self, number: int, step: SequenceStep | None) -> bool:
        """Note where a process or a sequence begins; whether it is a process."""
        if step is not None and step.begins:
            self._history.begin(number, fresh=step.fresh)
        return step is not None and step.fresh

    def _judged(
        self, number: int, arguments: dict[str, Json], outcome: CallOutcome, generator: Generator
    ) -> Iterator[FuzzEvent]:
        """Take in what came of a call of the tool itself; its failure, where it is a new one."""
        verdict = judge(outcome, arguments, roots=self._tool.roots)
        well = verdict is None and outcome.status == "ok"
        generator.observe(arguments, outcome, None if verdict is None else verdict.id)
        if self._orders is not None:
            self._orders.observe("", arguments, outcome, well=well)
        for attempt in outcome.attempts:
            self._attempts.setdefault((attempt.action, attempt.object), attempt)
        if well:
            self._normal.saw(outcome.text, arguments)
        if verdict is None:
            self._sample.saw(number, arguments, outcome)
            return
        self._not_run += verdict.standing == "not run" and outcome.status != "denied"
        is_new = self._reasons.saw(number, verdict, arguments) is not None
        if is_new and not verdict.weak and verdict.standing != "not run":
            found = new_finding(self._tool, verdict, arguments, number, options=self._options)
            yield FindingFound(finding=found, tool=self._tool.target)

    def conclude(self, seed: int) -> Campaign:
        """Minimise and verify what was found."""
        confirmation = Confirmation(
            self._calls,
            self._config,
            self._history,
            in_order=self._orders is not None,
            hang_timeout_s=self._timeout(),
            options=self._options,
        )
        findings: list[Finding] = []
        not_run: list[Finding] = []
        for reason in self._kept():
            if reason.verdict.standing == "not run":
                not_run.append(confirmation.as_seen(reason))
            elif (found := confirmation.confirmed(reason)) is not None:
                findings.append(found)
        findings.extend(confirmation.unstable(self._sample))
        return Campaign(
            tool=self._tool,
            seed=seed,
            calls=len(self._history),
            companion_calls=dict(self._companion_calls),
            findings=with_fingerprints(self._tool, findings),
            rejected=self._statuses["rejected"],
            rejection=self._rejection,
            denied=self._statuses["denied"] + self._not_run,
            attempts=tuple(self._attempts.values())[:_MOST_ATTEMPTS],
            minimisation_calls=confirmation.extra,
            chao1=None,
            normal=self._normal.count,
            not_run=with_fingerprints(self._tool, not_run),
            stopped=self._stopped,
            confinement=self._calls.confinement,
            behaviours=self._behaviours,
            spent=self.budget.spent(),
        )

    def normal_calls(self) -> list[dict[str, Json]]:
        """Calls that the tool took, each of another behaviour."""
        return [arguments for _, arguments in self._sample.calls()]

    def _must_stop(self) -> bool:
        if self._hangs >= self._config.max_hangs:
            self._stopped = f"{self._hangs} calls hung"
        elif self._calls.elapsed >= self._config.time_s * _SEARCH_SHARE:
            self._stopped = f"its {self._config.time_s:g} s were used up"
        return self._stopped is not None

    def _kept(self) -> list[Reason]:
        """Failures in the order they were found. A text that only may be an error is one where
        the tool has shown that its normal results look otherwise."""
        return [reason for reason in self._reasons if self._is_failure(reason)]

    def _is_failure(self, reason: Reason) -> bool:
        verdict = reason.verdict
        if verdict.weak:
            return self._normal.show_as_error(verdict.message, times=reason.count)
        if verdict.kind != "returned":
            return True
        return not self._normal.show_as_label(verdict.message, times=reason.count)

    def _timeout(self) -> float:
        full = self._config.call_timeout_s
        return max(full / 2**self._hangs, full * _HUNG_SHARE)

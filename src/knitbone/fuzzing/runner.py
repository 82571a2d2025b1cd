"""One tool's campaign: call, judge, group; then minimise and confirm what was found."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.baseline import with_fingerprints
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.calls import CampaignCalls
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.generate.bounded import BoundedGenerator, CannotGenerateError
from knitbone.fuzzing.generate.types import Generator
from knitbone.fuzzing.grouping import Reason, Reasons
from knitbone.fuzzing.minimise import minimise
from knitbone.fuzzing.orders import CallSequences, Proposing, SequenceStep, renamed
from knitbone.fuzzing.records import (
    Attempt,
    CallBefore,
    CallFinished,
    CallOutcome,
    Campaign,
    Finding,
    FindingFound,
    FuzzEvent,
    ToolUnderTest,
)
from knitbone.fuzzing.returned import NormalResults
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.fuzzing.sequences import find_earlier, joined, split_call
from knitbone.fuzzing.stability import Sample, draws_lots, instability
from knitbone.record.events import Json

__all__ = ["Runner"]

_QUICK = frozenset({"raised", "returned"})
"""Failures that cost no process and no waiting, and so may be minimised thoroughly."""
_SLOWED = frozenset({"hang"})
"""Failures that our own watching may cause: rewritten modules compute ten times as slowly. They are
confirmed where nothing is watched."""
_HUNG_SHARE = 1 / 20
"""A tool that keeps hanging gets ever less time for a call, but never less than this share of what
is allowed: the failure is known, and the other calls matter more."""
_REFUSED_SHARE = 4
"""What is refused on purpose is told in a word: its arguments get this part of the calls."""
_MOST_ATTEMPTS = 50
"""Distinct refusals that a campaign tells of: each path of a tool that is told paths is one."""
_SEQUENCES = 80
"""Sequences of calls that are run to find what a failure needs to have happened before."""
_SERVER_SHARE = 4
"""A server takes a second to start anew: this part of them is run."""
_RENAMINGS = 6
"""Names that calls of a sequence returned, tried in place of the one that the last is given."""
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
        self._history: list[CallBefore] = []
        self._begins: list[tuple[int, int]] = []
        """For each call, the numbers of those that its process and its sequence began with."""
        self._begun = (1, 1)
        self._orders: CallSequences | None = None
        self._companion_calls: Counter[str] = Counter()
        self._not_run = 0
        self._statuses: Counter[str] = Counter()
        self._attempts: dict[tuple[str, str], Attempt] = {}
        self._sample = Sample()
        self._normal = NormalResults()
        self._hangs = 0
        self._extra = 0
        self._stopped: str | None = None

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
        self._history.append(arguments)
        self._begins.append(self._begun)
        self._statuses[outcome.status] += 1
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
        self._history.append((step.tool, step.arguments))
        self._begins.append(self._begun)
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
            self._begun = (number if step.fresh else self._begun[0], number)
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
            found = self._finding(verdict, arguments, number)
            yield FindingFound(finding=found, tool=self._tool.target)

    def conclude(self, seed: int) -> Campaign:
        """Minimise and verify what was found."""
        findings: list[Finding] = []
        not_run: list[Finding] = []
        for reason in self._kept():
            if reason.verdict.standing == "not run":
                not_run.append(self._as_seen(reason))
            elif (
                found := self._smallest(reason)
            ).kind not in _SLOWED or found.replays is not False:
                findings.append(found)
        findings.extend(self._unstable())
        return Campaign(
            tool=self._tool,
            seed=seed,
            calls=len(self._history),
            companion_calls=dict(self._companion_calls),
            findings=with_fingerprints(self._tool, findings),
            rejected=self._statuses["rejected"],
            denied=self._statuses["denied"] + self._not_run,
            attempts=tuple(self._attempts.values())[:_MOST_ATTEMPTS],
            minimisation_calls=self._extra,
            chao1=None,
            normal=self._normal.count,
            not_run=with_fingerprints(self._tool, not_run),
            stopped=self._stopped,
            confinement=self._calls.confinement,
            behaviours=self._behaviours,
            spent=self.budget.spent(),
        )

    def _unstable(self) -> Iterator[Finding]:
        """The first normal call of which two repetitions differ."""
        if draws_lots(self._tool.documentation):
            return
        for number, arguments in self._sample.calls():
            if self._is_late():
                return
            self._extra += 2
            if (verdict := instability(arguments, self._repeat, self._by_chance)) is not None:
                yield self._finding(verdict, arguments, number)
                return

    def _repeat(self, arguments: dict[str, Json]) -> CallOutcome:
        return self._calls.call(arguments, timeout_s=self._config.call_timeout_s, fresh=True)

    def _by_chance(self, arguments: dict[str, Json]) -> CallOutcome:
        limit = self._config.call_timeout_s
        return self._calls.call(arguments, timeout_s=limit, fresh=True, by_chance=True)

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

    def _as_seen(self, reason: Reason) -> Finding:
        """What was not run, as it is: trying it again says nothing more."""
        made = self._finding(
            reason.verdict, reason.arguments, reason.number, count=reason.count, replays=None
        )
        return msgspec.structs.replace(made, variants=tuple(reason.variants))

    def _smallest(self, reason: Reason) -> Finding:
        found = self._minimised(reason)
        return msgspec.structs.replace(
            found, count=reason.count, variants=reason.worded_otherwise(found.id)
        )

    def _minimised(self, reason: Reason) -> Finding:
        number, verdict, arguments = reason.number, reason.verdict, reason.arguments
        quick = verdict.kind in _QUICK
        budget = self._config.minimise_calls if quick else self._config.minimise_calls // 10
        if verdict.standing == "refused":
            budget = max(budget // _REFUSED_SHARE, 1)
        timeout = self._config.call_timeout_s if verdict.kind != "hang" else self._timeout()
        seen: dict[str, FailedCall] = {}

        def fails(candidate: dict[str, Json], *, fresh: bool = False) -> bool:
            if self._is_late():
                return False
            limit = self._config.call_timeout_s if fresh else timeout
            alone = fresh and verdict.kind in _SLOWED
            self._extra += 1
            outcome = self._calls.call(candidate, timeout_s=limit, fresh=fresh, by_chance=alone)
            again = judge(outcome, candidate, roots=self._tool.roots)
            if again is None or not reason.holds(again, candidate):
                return False
            seen[repr(candidate)] = again
            return True

        needs_earlier = self._orders is not None and quick and not fails(arguments, fresh=True)
        if needs_earlier and (found := self._in_order(reason)) is not None:
            return found
        smallest = minimise(arguments, fails=fails, budget=budget)
        for candidate in (smallest, arguments):
            if fails(candidate, fresh=True):
                found = self._looked_into(seen[repr(candidate)], candidate)
                return self._finding(found, candidate, number)
        if self._is_late():
            # What was found in a worker that had made other calls before; nothing more is known.
            verdict, arguments, replays = seen.get(repr(smallest), verdict), smallest, None
        elif not needs_earlier and (earlier := self._earlier(number, verdict, arguments)):
            return self._finding(verdict, arguments, number, before=earlier)
        else:
            replays = False
        return self._finding(verdict, arguments, number, replays=replays)

    def _in_order(self, reason: Reason) -> Finding | None:
        """The failure with the earlier calls that it needs, of other tools too; the arguments of
        all of them are as simple as those of one."""
        earlier = self._earlier(reason.number, reason.verdict, reason.arguments)
        if not earlier:
            return None
        calls = [split_call(call) for call in (*earlier, reason.arguments)]
        names = [f"{place:03}" for place in range(len(calls))]
        tools = dict(zip(names, (tool for tool, _ in calls), strict=True))
        found: dict[str, FailedCall] = {}

        def fails(candidate: dict[str, Json]) -> bool:
            if names[-1] not in candidate:
                return False
            sequence = [joined(tools[name], made) for name, made in sorted(candidate.items())]
            again = self._last_of(sequence)
            if again is None or not reason.holds(again, candidate[names[-1]]):
                return False
            found[repr(candidate)] = again
            return True

        whole: dict[str, Json] = dict(zip(names, (made for _, made in calls), strict=True))
        if fails(whole):
            # What the first calls made will do as well as what a later one made.
            renamings = renamed(whole, whole[names[-1]], self._returned[:-1])
            whole = next(filter(fails, islice(renamings, _RENAMINGS)), whole)
        refused = reason.verdict.standing == "refused"
        budget = 0 if refused else self._sequences(reason.verdict) // 2
        smallest = minimise(whole, fails=fails, budget=budget)
        verdict = found.get(repr(smallest), reason.verdict)
        *before, last = [joined(tools[name], made) for name, made in sorted(smallest.items())]
        arguments = split_call(last)[1]
        verdict = self._looked_into(verdict, arguments, before)
        return self._finding(verdict, arguments, reason.number, before=tuple(before))

    def _looked_into(
        self, verdict: FailedCall, arguments: dict[str, Json], before: Sequence[CallBefore] = ()
    ) -> FailedCall:
        """The verdict, unless an answer only looks like an error: nothing was raised for it."""
        out_of_sight = self._tool.framework == "mcp"
        if verdict.kind != "returned" or verdict.standing != "unhandled" or out_of_sight:
            return verdict
        self._last_of(before)
        self._extra += 1
        limit = self._config.call_timeout_s
        outcome = self._calls.call(arguments, timeout_s=limit, fresh=not before, exceptions=True)
        if outcome.status != "ok" or outcome.repeats is not False:
            return verdict
        because = "an ordinary answer: nothing was raised for it"
        return msgspec.structs.replace(verdict, standing="refused", because=because)

    def _earlier(
        self, number: int, verdict: FailedCall, arguments: dict[str, Json]
    ) -> tuple[CallBefore, ...]:
        """The earlier calls that the failure needs, where the tool keeps something of them."""
        if verdict.kind not in _QUICK:
            return ()

        def fails(sequence: Sequence[CallBefore]) -> bool:
            again = self._last_of(sequence)
            return again is not None and again.id == verdict.id

        begun, sequence = self._begins[number - 1]
        history = self._history[begun - 1 : number - 1]
        near = 0 if self._orders is None else number - sequence
        budget = self._sequences(verdict)
        return find_earlier(history, arguments, fails=fails, budget=budget, near=near) or ()

    def _sequences(self, verdict: FailedCall) -> int:
        """Sequences that may be run for one failure."""
        if self._orders is None:
            return _SEQUENCES
        is_server, refused = self._tool.framework == "mcp", verdict.standing == "refused"
        return (
            _SEQUENCES // (_SERVER_SHARE if is_server else 1) // (_REFUSED_SHARE if refused else 1)
        )

    def _last_of(self, sequence: Sequence[CallBefore]) -> FailedCall | None:
        """The failure of the last of these calls, which begin in a fresh process."""
        if self._is_late():
            return None
        outcome, arguments = None, dict[str, Json]()
        self._returned: list[str] = []
        for index, call in enumerate(sequence):
            tool, arguments = split_call(call)
            self._extra += 1
            outcome = self._calls.call(
                arguments,
                timeout_s=self._config.call_timeout_s,
                fresh=index == 0,
                companion=tool,
            )
            self._returned.append(outcome.text)
        return outcome and judge(outcome, arguments, roots=self._tool.roots)

    def _is_late(self) -> bool:
        """Whether the wall clock of this tool has run out, as of the last call."""
        return self._calls.elapsed >= self._config.time_s

    def _finding(
        self,
        verdict: FailedCall,
        arguments: dict[str, Json],
        number: int,
        *,
        count: int = 1,
        before: tuple[CallBefore, ...] = (),
        replays: bool | None = True,
    ) -> Finding:
        calls = [*before, arguments] if before else arguments
        return Finding(
            id=verdict.id,
            kind=verdict.kind,
            exception=verdict.exception,
            frame=verdict.frame,
            message=verdict.message,
            reason=verdict.reason,
            standing=verdict.standing,
            because=verdict.because,
            origin=verdict.origin,
            arguments=arguments,
            call=number,
            count=count,
            before=before,
            replays=replays,
            reproducer=(
                f"knitbone fuzz {shlex.quote(self._tool.target)} "
                f"--replay {shlex.quote(to_text(calls))} --expect {verdict.id}{self._options}"
            ),
        )

    def _timeout(self) -> float:
        full = self._config.call_timeout_s
        return max(full / 2**self._hangs, full * _HUNG_SHARE)

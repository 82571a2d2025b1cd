"""The confirmation of failures: smallest arguments, the earlier calls they need, and repeats.

Every call of the tool here goes beyond those of the search; a tool whose time has run out is not
called again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.calls import CampaignCalls
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.grouping import Reason
from knitbone.fuzzing.minimise import minimise
from knitbone.fuzzing.orders import renamed
from knitbone.fuzzing.records import CallBefore, CallOutcome, Finding, ToolUnderTest
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.fuzzing.sequences import CallHistory, find_earlier, joined, split_call
from knitbone.fuzzing.stability import Sample, draws_lots, instability
from knitbone.fuzzing.trials import Trials
from knitbone.record.events import Json

__all__ = ["Confirmation", "new_finding", "trials_of"]

_QUICK = frozenset({"raised", "returned"})
"""Failures that cost no process and no waiting, and so may be minimised thoroughly."""
_SLOWED = frozenset({"hang"})
"""Failures that our own watching may cause: rewritten modules compute ten times as slowly. They are
confirmed where nothing is watched."""
_REFUSED_SHARE = 4
"""What is refused on purpose is told in a word: its arguments get this part of the calls."""
_SEQUENCES = 80
"""Sequences of calls that are run to find what a failure needs to have happened before."""
_SERVER_SHARE = 4
"""A server takes a second to start anew: this part of them is run."""
_RENAMINGS = 6
"""Names that calls of a sequence returned, tried in place of the one that the last is given."""


class Confirmation:
    """Confirms what one tool's search found.

    Args:
        history: the calls of the search.
        in_order: whether the search made sequences of calls, of other tools too.
        hang_timeout_s: seconds that a call may take which is expected to hang.
        options: of the command that replays a finding.
    """

    def __init__(
        self,
        calls: CampaignCalls,
        config: FuzzConfig,
        history: CallHistory,
        *,
        in_order: bool,
        hang_timeout_s: float,
        options: str,
    ) -> None:
        self._calls = calls
        self._tool = calls.tool
        self._config = config
        self._history = history
        self._in_order = in_order
        self._hang_timeout_s = hang_timeout_s
        self._finding = partial(new_finding, calls.tool, options=options)
        self._returned: list[str] = []
        self.extra = 0
        """Calls beyond those of the search."""

    def confirmed(self, reason: Reason) -> Finding | None:
        """A failure with the smallest arguments that bring it about; ``None`` where only our own
        watching had made the tool that slow."""
        found = self._minimised(reason)
        found = msgspec.structs.replace(
            found, count=reason.count, variants=reason.worded_otherwise(found.id)
        )
        return None if found.kind in _SLOWED and found.replays is False else found

    def as_seen(self, reason: Reason) -> Finding:
        """Give what was not run as it is: trying it again says nothing more."""
        made = self._finding(
            reason.verdict, reason.arguments, reason.number, count=reason.count, replays=None
        )
        return msgspec.structs.replace(made, variants=tuple(reason.variants))

    def unstable(self, sample: Sample) -> Iterator[Finding]:
        """The first normal call of which two repetitions differ."""
        if draws_lots(self._tool.documentation):
            return
        for number, arguments in sample.calls():
            if self._is_late():
                return
            self.extra += 2
            if (verdict := instability(arguments, self._repeat, self._by_chance)) is not None:
                yield self._finding(verdict, arguments, number)
                return

    def _repeat(self, arguments: dict[str, Json]) -> CallOutcome:
        return self._calls.call(arguments, timeout_s=self._config.call_timeout_s, fresh=True)

    def _by_chance(self, arguments: dict[str, Json]) -> CallOutcome:
        limit = self._config.call_timeout_s
        return self._calls.call(arguments, timeout_s=limit, fresh=True, by_chance=True)

    def _minimised(self, reason: Reason) -> Finding:
        number, verdict, arguments = reason.number, reason.verdict, reason.arguments
        quick = verdict.kind in _QUICK
        budget = self._config.minimise_calls if quick else self._config.minimise_calls // 10
        if verdict.standing == "refused":
            budget = max(budget // _REFUSED_SHARE, 1)
        timeout = self._config.call_timeout_s if verdict.kind != "hang" else self._hang_timeout_s
        seen: dict[str, FailedCall] = {}

        def fails(candidate: dict[str, Json], *, fresh: bool = False) -> bool:
            if self._is_late():
                return False
            limit = self._config.call_timeout_s if fresh else timeout
            alone = fresh and verdict.kind in _SLOWED
            self.extra += 1
            outcome = self._calls.call(candidate, timeout_s=limit, fresh=fresh, by_chance=alone)
            again = judge(outcome, candidate, roots=self._tool.roots)
            if again is None or not reason.holds(again, candidate):
                return False
            seen[repr(candidate)] = again
            return True

        needs_earlier = self._in_order and quick and not fails(arguments, fresh=True)
        if needs_earlier and (found := self._with_earlier(reason)) is not None:
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

    def _with_earlier(self, reason: Reason) -> Finding | None:
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
        self.extra += 1
        limit = self._config.call_timeout_s
        outcome = self._calls.call(arguments, timeout_s=limit, fresh=not before, exceptions=True)
        if outcome.status != "ok" or outcome.repeats is not False:
            return verdict
        because = "an ordinary answer: nothing was raised for it that the author did not foresee"
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

        history, in_sequence = self._history.before(number)
        near = in_sequence if self._in_order else 0
        budget = self._sequences(verdict)
        return find_earlier(history, arguments, fails=fails, budget=budget, near=near) or ()

    def _sequences(self, verdict: FailedCall) -> int:
        """Sequences that may be run for one failure."""
        if not self._in_order:
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
        self._returned = []
        for index, call in enumerate(sequence):
            tool, arguments = split_call(call)
            self.extra += 1
            outcome = self._calls.call(
                arguments,
                timeout_s=self._config.call_timeout_s,
                fresh=index == 0,
                companion=tool,
            )
            self._returned.append(outcome.text)
        return outcome and judge(outcome, arguments, roots=self._tool.roots)

    def _is_late(self) -> bool:
        """Tell that the wall clock of this tool has run out, as of the last call."""
        return self._calls.elapsed >= self._config.time_s


def new_finding(
    tool: ToolUnderTest,
    verdict: FailedCall,
    arguments: dict[str, Json],
    number: int,
    *,
    count: int = 1,
    before: tuple[CallBefore, ...] = (),
    replays: bool | None = True,
    options: str = "",
) -> Finding:
    """A failed call as a finding.

    Args:
        number: of the call, from 1 on.
        before: earlier calls that it needs.
        replays: whether it failed again; ``None``: not tried.
        options: of the command that replays it.
    """
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
            f"knitbone fuzz {shlex.quote(tool.target)} "
            f"--replay {shlex.quote(to_text(calls))} --expect {verdict.id}{options}"
        ),
    )


def trials_of(
    calls: CampaignCalls, config: FuzzConfig, taken: Sequence[dict[str, Json]], finding: Finding
) -> Trials:
    """What calls the tool again to find out what a finding depends on, after the calls that it
    needs; journaled, and within what may be spent on making its arguments smaller."""

    # A server takes too long to start for each: it goes on, as where ``fix`` tries something.
    is_server = calls.tool.framework == "mcp"

    def trial(arguments: dict[str, Json]) -> CallOutcome:
        limit = config.call_timeout_s
        for index, call in enumerate(finding.before):
            tool, given = split_call(call)
            calls.call(given, timeout_s=limit, fresh=index == 0, companion=tool)
        return calls.call(arguments, timeout_s=limit, fresh=not (finding.before or is_server))

    most = config.minimise_calls // (_SERVER_SHARE if is_server else 1)
    return Trials(
        trial,
        roots=calls.tool.roots,
        most=most // (len(finding.before) + 1),
        is_late=lambda: calls.elapsed >= config.time_s,
        taken=taken,
    )

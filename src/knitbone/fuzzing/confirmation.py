"""The confirmation of failures: smallest arguments, the earlier calls they need, and repeats.

Every call of the tool here goes beyond those of the search; a tool whose time has run out is not
called again.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.calls import CampaignCalls
from knitbone.fuzzing.findings import FailedCall, judge
from knitbone.fuzzing.grouping import Reason
from knitbone.fuzzing.orders import renamed
from knitbone.fuzzing.places import Codec, Path, at, places, replaced
from knitbone.fuzzing.records import CallBefore, CallOutcome, Finding, ToolUnderTest, json_text
from knitbone.fuzzing.sequences import CallHistory, find_earlier, joined, split_call
from knitbone.fuzzing.stability import Sample, draws_lots, instability
from knitbone.fuzzing.trials import Trials
from knitbone.record.events import Json

__all__ = ["Confirmation", "minimise", "new_finding", "simplicity", "trials_of"]


# How simple a value is: what minimising goes down, so that it ends at one value and not another.
#
# Fewer parts are simpler than shorter texts, and these than plainer characters; of texts of one
# length the one whose characters come first is the simplest, as in shortlex order.

PLAINEST = "a01 A"
"""Characters that stand for the others of their kind, the plainest first."""
_COMPARED = 10_000
"""Characters of a text by which it is told from another of its length."""
_ASCII = list(map(chr, range(128)))
_ORDER = str.maketrans(
    {
        character: chr(rank)
        for rank, character in enumerate(
            sorted(_ASCII, key=lambda c: (PLAINEST.find(c) % 128, not c.isalnum(), c))
        )
    }
)

Simplicity = tuple[int, int, list[str]]
"""Parts, length of texts and numbers, and what they are made of."""


def plainness(character: str) -> str:
    """What to compare characters by, the least being the plainest."""
    return character.translate(_ORDER)


def simplicity(value: Any) -> Simplicity:
    """What to compare values by, the least being the simplest."""
    leaves: list[str] = []
    parts, length = _measure(value, leaves)
    return parts, length, leaves


def _measure(value: Any, leaves: list[str]) -> tuple[int, int]:
    """Parts and length; what is no container is added to ``leaves``."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return _sum(fields.values(), leaves, len(fields), sum(map(len, fields)))
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return _sum(items, leaves, len(items), 0)
    if isinstance(value, str):
        leaves.append(value[:_COMPARED].translate(_ORDER))
        return 0, len(value)
    if isinstance(value, bool) or value is None:
        leaves.append("1" if value else "0")
        return 0, 0
    digits = repr(abs(value))
    leaves.append(("-" if value < 0 else "+") + f"{len(digits):06d}" + digits)
    return 0, len(digits) if value else 0


def _sum(values: Any, leaves: list[str], parts: int, length: int) -> tuple[int, int]:
    for value in values:
        more, longer = _measure(value, leaves)
        parts, length = parts + more, length + longer
    return parts, length


# The simplest arguments that fail the same way. Deterministic: no lot is drawn.
#
# Greedy descent by passes, as Hypothesis shrinks and delta debugging does: leave out, shorten, put
# plainer characters and smaller numbers, each at one place or at all places that hold the same.
# What a pass can search by halves it searches so, since every try is a call of the tool.

_PIECES = 16
"""Pieces of one size that are left out on trial: a text that needs each of its characters would
take all of the budget (ours)."""
_CHARACTERS = 32
"""Characters of a text that are made plainer one by one."""
_EXACT = 2**53
"""Below, every whole number is a float."""
Arguments = dict[str, Json]


def minimise(arguments: Arguments, *, fails: Callable[[Arguments], bool], budget: int) -> Arguments:
    """The simplest arguments found within ``budget`` calls of ``fails``.

    The result fails, and is the same for whatever arguments it began with, where the budget lasts
    and leaving out parts one by one leads there.
    """
    descent = _Descent(arguments, fails, budget)
    before: Arguments | None = None
    while descent.left > 0 and descent.best is not before:
        before = descent.best
        _at_each_place(descent, _leave_out)
        _at_each_place(descent, _rewrite)
        for paths in _twins(descent.best):
            _simplify(descent, paths)
        _at_each_place(descent, _simplify)
    return descent.best


class _Descent:
    """The simplest that failed so far."""

    def __init__(self, arguments: Arguments, fails: Callable[[Arguments], bool], left: int) -> None:
        self.best: Arguments = arguments
        self.left = left
        self._fails = fails
        self._simplicity = simplicity(arguments)
        self._tried = {repr(arguments)}

    def here(self, paths: Sequence[Path]) -> Any:
        """What stands at the first of the places.

        Raises:
            LookupError, TypeError, ValueError: there is no such place any more.
        """
        return at(self.best, paths[0])

    def put(self, paths: Sequence[Path], value: Any) -> bool:
        """Go on with this value at the places if that is simpler and still fails."""
        made: Any = self.best
        try:
            for path in paths:
                made = replaced(made, path, value)
        except (LookupError, TypeError, ValueError):
            return False
        key = repr(made)
        if self.left <= 0 or key in self._tried or (found := simplicity(made)) >= self._simplicity:
            return False
        self._tried.add(key)
        self.left -= 1
        if not self._fails(made):
            return False
        self.best, self._simplicity = made, found
        return True


_Pass = Callable[[_Descent, Sequence[Path]], None]


def _at_each_place(descent: _Descent, do: _Pass) -> None:
    """Each place in turn, of what the places before it left; the arguments as a whole first."""
    index = 0
    paths: list[Path] = [()]
    while index < len(paths) and descent.left > 0:
        do(descent, paths[index : index + 1])
        index += 1
        paths = [(), *(path for path, _ in places(descent.best))]


def _twins(arguments: Arguments) -> list[list[Path]]:
    """Places that hold the same text or number: what compares them fails only while they do."""
    groups: dict[str, list[Path]] = {}
    for path, value in places(arguments):
        is_leaf = isinstance(value, str | int | float) and not isinstance(value, bool)
        if value and is_leaf and not any(isinstance(step, Codec) for step in path):
            groups.setdefault(repr(value), []).append(path)
    return [paths for paths in groups.values() if len(paths) > 1]


def _leave_out(descent: _Descent, paths: Sequence[Path]) -> None:
    """Fields of a mapping, items of a list."""
    value = descent.here(paths)
    if isinstance(value, dict):
        for key in list(cast("dict[str, Any]", value)):
            rest = cast("dict[str, Any]", descent.here(paths))
            descent.put(paths, {name: part for name, part in rest.items() if name != key})
    elif isinstance(value, list):
        _shorten(descent, paths)


def _rewrite(descent: _Descent, paths: Sequence[Path]) -> None:
    """A document in a text without what its writer need not write."""
    path = paths[0]
    if path and isinstance(path[-1], Codec):
        descent.put(paths, descent.here(paths))


def _simplify(descent: _Descent, paths: Sequence[Path]) -> None:
    """A text or a number."""
    value = descent.here(paths)
    if isinstance(value, bool):
        descent.put(paths, value=False)
    elif isinstance(value, str):
        if not descent.put(paths, ""):
            descent.put(paths, PLAINEST[0] * len(value))
            _shorten(descent, paths)
            _plainer(descent, paths)
    elif isinstance(value, int | float):
        _lower(descent, paths)


def _shorten(descent: _Descent, paths: Sequence[Path]) -> None:
    """Leave out the end, the beginning, then ever smaller pieces of a list or a text."""
    if not descent.here(paths) or descent.put(paths, descent.here(paths)[:0]):
        return
    _trim(descent, paths, lambda items, count: items[: len(items) - count])
    _trim(descent, paths, lambda items, count: items[count:])
    size = len(descent.here(paths)) // 2
    while size:
        end, tries = len(descent.here(paths)), 0
        while end > 0 and tries < _PIECES:
            items = descent.here(paths)
            tries += 1
            descent.put(paths, items[: max(end - size, 0)] + items[end:])
            end -= size
        size //= 2


def _trim(descent: _Descent, paths: Sequence[Path], without: Callable[[Any, int], Any]) -> None:
    """As much as can go at one end: twice as much while that goes well, then by halves."""
    items = descent.here(paths)
    gone, step = 0, 1
    while gone + step < len(items) and descent.put(paths, without(items, gone + step)):
        gone, step = gone + step, step * 2
    while step > 1:
        step //= 2
        if gone + step < len(items) and descent.put(paths, without(items, gone + step)):
            gone += step


def _plainer(descent: _Descent, paths: Sequence[Path]) -> None:
    """Plainer characters: everywhere in the text, then one by one."""
    text = cast("str", descent.here(paths))
    for character in dict.fromkeys(text):
        for plain in _plainer_than(character):
            now = cast("str", descent.here(paths))
            if now.count(character) > 1 and descent.put(paths, now.replace(character, plain)):
                break
    for index, character in enumerate(text[:_CHARACTERS]):
        for plain in _plainer_than(character):
            now = cast("str", descent.here(paths))
            if now[index] == character and descent.put(
                paths, now[:index] + plain + now[index + 1 :]
            ):
                break


def _plainer_than(character: str) -> list[str]:
    """What may stand for a character, the plainest first."""
    below = "23456789"[: max(int(character) - 2, 0)] if character in "0123456789" else ""
    others = PLAINEST + below + ("" if character.isascii() else "\x80é")
    return [plain for plain in others if plainness(plain) < plainness(character)]


def _lower(descent: _Descent, paths: Sequence[Path]) -> None:
    """A number nearer to zero, a positive and a whole one where that will do."""
    kind = float if isinstance(descent.here(paths), float) else int
    for small in (0, 1, -1):
        if descent.put(paths, kind(small)):
            return
    value = descent.here(paths)
    if value < 0:
        descent.put(paths, -value)
    if kind is float and not _round(descent, paths):
        return
    value = descent.here(paths)
    sign = -1 if value < 0 else 1

    def put(number: int) -> bool:
        return descent.put(paths, kind(sign * number))

    # The length first: a large limit is found in hardly more calls than a small one.
    _least(1, _bits(value) - 1, lambda bits: put(2**bits))
    value = abs(int(descent.here(paths)))
    _least(2 ** (_bits(value - 1) - 1) + 1, value - 1, put)


def _bits(value: float) -> int:
    return max(int(abs(value)).bit_length(), 1)


def _least(low: int, high: int, holds: Callable[[int], bool]) -> None:
    """Ask for the least number from ``low`` to ``high`` that holds, if all above it do."""
    while low <= high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle - 1
        else:
            low = middle + 1


def _round(descent: _Descent, paths: Sequence[Path]) -> bool:
    """Whether a float is a whole number, or was made one that is not too large."""
    value = cast("float", descent.here(paths))
    if not math.isfinite(value):
        return False
    if not value.is_integer():
        for digits in range(3):
            if descent.put(paths, round(value, digits)):
                break
    value = cast("float", descent.here(paths))
    return value.is_integer() and abs(value) < _EXACT


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
            f"--replay {shlex.quote(json_text(calls))} --expect {verdict.id}{options}"
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

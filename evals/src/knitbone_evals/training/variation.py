"""Benign variation: other ways in which the same task succeeds.

Agents differ in what they look at first, look at more than they need, ask for several things at
once, and recover from a failed call. Each variant is executed, and kept only where every call of
the reference solution still gets its answer and the simulator ends in the same state.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from knitbone.tethering.diagnosis.artifacts import artifacts_of_value
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool, is_state_changing
from knitbone_evals.training.plans import PlannedCall, ReplayedPlan, SolvedTask, Turn, replay

__all__ = ["successful_runs"]

_Turns = tuple[Turn, ...]
_Calls = list[PlannedCall]


def successful_runs(
    task: SolvedTask, *, count: int, seed: int
) -> Iterator[tuple[_Turns, ReplayedPlan]]:
    """The reference solution's run, then up to ``count`` distinct variants of it.

    Nothing where the reference itself meets an error: it would teach errors as normal.
    """
    reference = replay(task, task.turns, identity=f"{task.id}/0", seed=seed)
    if any(answer.error for answer in reference.answers.values()):
        return
    yield task.turns, reference
    seen = [task.turns]
    for number in range(1, count + 1):
        choose = random.Random(f"{seed} {task.id} {number}")
        turns = _vary(task, choose)
        varied = replay(task, turns, identity=f"{task.id}/{number}", seed=seed + number)
        if turns not in seen and _same_success(reference, varied):
            seen.append(turns)
            yield turns, varied


def _same_success(reference: ReplayedPlan, varied: ReplayedPlan) -> bool:
    return varied.state == reference.state and all(
        varied.answers.get(key) == answer for key, answer in reference.answers.items()
    )


def _vary(task: SolvedTask, choose: random.Random) -> _Turns:
    """One to three kinds of variation, each where it fits."""
    kinds: list[Callable[[SolvedTask, _Calls, random.Random], _Calls]] = [
        _reorder_reads, _extra_read, _recovered_retry, _second_look, _ask_together,
    ]  # fmt: skip
    chosen = choose.sample(kinds, choose.randint(1, 3))
    turns: list[Turn] = []
    for number, turn in enumerate(task.turns):
        calls = list(turn.calls)
        for vary in kinds:  # in a fixed order: calls are asked for together at the very end
            if vary in chosen and calls and choose.random() < 0.6:
                calls = vary(task, calls, choose)
        renamed = [_unique(call, number, place) for place, call in enumerate(calls)]
        turns.append(msgspec.structs.replace(turn, calls=tuple(renamed)))
    return tuple(turns)


def _unique(call: PlannedCall, turn: int, place: int) -> PlannedCall:
    """Added calls get a key of their own; those of the reference keep theirs."""
    if not call.key.startswith("+"):
        return call
    return msgspec.structs.replace(call, key=f"{call.key}{turn}.{place}")


def _reads(call: PlannedCall) -> bool:
    return not is_state_changing(intent_of_tool(call.tool))


def _reorder_reads(_: SolvedTask, calls: _Calls, choose: random.Random) -> _Calls:
    """Two neighbouring reads change places."""
    places = [k for k in range(len(calls) - 1) if _reads(calls[k]) and _reads(calls[k + 1])]
    if not places:
        return calls
    k = choose.choice(places)
    return [*calls[:k], calls[k + 1], calls[k], *calls[k + 2 :]]


def _extra_read(task: SolvedTask, calls: _Calls, choose: random.Random) -> _Calls:
    """A look at something that the solution did not need."""
    known = {call.tool for turn in task.turns for call in turn.calls}
    tools = [tool for tool in task.start().reads() if tool not in known]
    if not tools:
        return calls
    extra = PlannedCall(key="+look", tool=choose.choice(tools), arguments={})
    if task.start().call(extra.tool, {}).error:
        return calls
    k = choose.randint(0, len(calls))
    return [*calls[:k], extra, *calls[k:]]


def _second_look(task: SolvedTask, calls: _Calls, choose: random.Random) -> _Calls:
    """A read again after a write, to check what it did."""
    earlier = [call for turn in task.turns for call in turn.calls]
    writes = [k for k, call in enumerate(calls) if not _reads(call)]
    if not writes:
        return calls
    k = choose.choice(writes)
    before = [c for c in earlier[: earlier.index(calls[k])] if _reads(c)] if (
        calls[k] in earlier
    ) else []  # fmt: skip
    if not before:
        return calls
    again = msgspec.structs.replace(choose.choice(before), key="+check", joined=False)
    return [*calls[: k + 1], again, *calls[k + 1 :]]


def _recovered_retry(task: SolvedTask, calls: _Calls, choose: random.Random) -> _Calls:
    """A call that fails for a wrong or missing argument, followed by the right one."""
    k = choose.randrange(len(calls))
    arguments = dict(calls[k].arguments)
    names = [n for n, value in arguments.items() if isinstance(value, (str, int, float))]
    if not names:
        return calls
    name = choose.choice(names)
    if choose.random() < 0.4:
        del arguments[name]
    else:
        arguments[name] = _mistyped(arguments[name], choose)
    failed = PlannedCall(key="+retry", tool=calls[k].tool, arguments=arguments)
    tried = [*calls[:k], failed, *calls[k:]]
    if not _fails(task, calls, tried, k):
        return calls
    return tried


def _fails(task: SolvedTask, calls: _Calls, tried: _Calls, place: int) -> bool:
    """Whether the added call fails where it stands."""
    environment = task.start()
    for turn in task.turns:
        own = {call.key for call in turn.calls} & {call.key for call in calls}
        for k, call in enumerate(tried if own else turn.calls):
            answer = environment.call(call.tool, call.arguments)
            if own and k == place:
                return answer.error is not None
    return False


def _mistyped(value: Any, choose: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return -value - choose.randint(1, 9)
    text = str(value)
    k = choose.randrange(len(text) + 1)
    return text[:k] + choose.choice("xqz_7") + text[k + 1 :]


def _ask_together(task: SolvedTask, calls: _Calls, choose: random.Random) -> _Calls:
    """Neighbouring calls in one message, where none needs what another brings."""
    answers = replay(task, task.turns, identity="", seed=0).answers
    joined: _Calls = []
    for call in calls:
        before = joined[-1] if joined else None
        plain = before and not call.key.startswith("+") and not before.key.startswith("+")
        if before and plain and choose.random() < 0.5 and not before.joined:
            brought = artifacts_of_value(answers[before.key].text)
            if not brought & artifacts_of_value(call.arguments):
                joined.append(msgspec.structs.replace(call, joined=True))
                continue
        joined.append(call)
    return joined

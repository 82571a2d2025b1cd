"""A real small model on forty tasks of at most three gold calls: first attempts, and one repair of
each that fails, blind and with ``full``.

python -m knitbone_evals.recover.real_model      # replays what is recorded
python -m knitbone_evals.recover.real_model --record http://127.0.0.1:8092/v1  # goes on

Both arms share the first attempt and the seed of the second one's sampling.
"""

from __future__ import annotations

import argparse
import functools
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import openai

import knitbone
from knitbone.record.events import Intervention, Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.recovery.made_calls import made_calls
from knitbone.tethering.supervision.expected_calls import followed_directives
from knitbone_evals.recover.environments import Call, Environment
from knitbone_evals.recover.real_tables import ArmResult, TaskResult, print_results
from knitbone_evals.recover.real_wire import RecordedWire
from knitbone_evals.recover.running import close, goal_of, without_agentdojo
from knitbone_evals.recover.small_tasks import GROUNDS, ToolTask, small_tasks

__all__ = ["ARMS", "MODEL", "RECORDED", "results"]

MODEL = "qwen2.5-coder-1.5b-instruct"
RECORDED = Path(__file__).parent / "data" / "real_model" / f"{MODEL}.jsonl"
ARMS = ("blind", "full")
_SYSTEM = (
    "You are an assistant that works with tools. Do what the user asks: call the tools that it "
    "takes, one after the other, with values that you read. When all is done, say so in one "
    "sentence."
)
_STEPS = 5
"""Model calls of one attempt."""
_MAX_TOKENS = 128
_TEMPERATURE = 0.7
_RESULT = 1_200
"""Characters of a tool's result that the agent is shown."""
_REASON = "The task is not done: what the user wanted is not what was left behind."


class _Attempt(msgspec.Struct, kw_only=True):
    """One run of the agent, as ``Goal`` looks at it."""

    environment: Environment
    calls: list[Any] = []
    answered: bool = False


class _MadeCall(msgspec.Struct, frozen=True):
    reply: Any


def _attempt(client: openai.OpenAI, given: ToolTask, seed: int, attempt: _Attempt) -> None:
    """Let the agent work: a plain loop over the client, as users write them."""
    messages: list[Any] = [
        {"role": "system", "content": _SYSTEM},
        {"role": "user", "content": given.task.words},
    ]
    for _ in range(_STEPS):
        answer = client.chat.completions.create(
            model=MODEL, messages=messages, tools=list(given.tools), temperature=_TEMPERATURE,
            seed=seed, max_tokens=_MAX_TOKENS,
        )  # fmt: skip
        message = answer.choices[0].message
        if not message.tool_calls:
            attempt.answered = True
            return
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            reply = attempt.environment.call(Call(call.function.name, arguments))
            attempt.calls.append(_MadeCall(reply))
            messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": reply.text[:_RESULT]}
            )


def _arm(
    wire: RecordedWire, given: ToolTask, arm: str, *, repairs: int = 1
) -> tuple[Any, list[Run | None], float]:
    """One recovery with at most one repair; its runs, and what the model took for the last one."""
    task = given.task
    client = openai.OpenAI(
        base_url="http://model.test/v1", api_key="none", max_retries=0,
        http_client=httpx.Client(transport=wire),
    )  # fmt: skip
    attempts: list[_Attempt] = []

    def agent(_: str) -> _Attempt:
        attempts.append(_Attempt(environment=task.start()))
        wire.begin(f"{task.id}/{arm if len(attempts) > 1 else 'first'}")
        _attempt(client, given, len(attempts) - 1, attempts[-1])
        return attempts[-1]

    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "runs.db")
        recovery = knitbone.recover(
            agent, task.words, functools.partial(_judged, given), max_repairs=repairs,
            strategy=arm, reset=lambda: None, key=task.id, store=store,
            journals=Path(folder) / "journals",
        )  # fmt: skip
        runs = [store.get(each.run) if each.run else None for each in recovery.attempts]
        store.close()
    for attempt in attempts:
        close(attempt.environment)
    return recovery, runs, wire.seconds


def _judged(given: ToolTask, attempt: Any) -> knitbone.Judgement:
    reached = goal_of(given.task).reached(attempt)
    return knitbone.Judgement(success=reached, reason="" if reached else _REASON)


def _result(wire: RecordedWire, given: ToolTask) -> TaskResult | None:
    """Both arms on one task; ``None`` where answers are lacking."""
    wire.lacking = False
    arms: dict[str, ArmResult] = {}
    made = {arm: _arm(wire, given, arm) for arm in ARMS}
    if wire.lacking:
        return None
    first = made[ARMS[0]][0].attempts[0]
    told = made["full"][0].attempts[-1].guidance
    for arm, (recovery, runs, seconds) in made.items():
        if len(recovery.attempts) > 1:
            arms[arm] = _arm_result(recovery.attempts[-1], runs[-1], told, seconds)
    return TaskResult(
        task=given.task.id, ground=given.task.ground, first=bool(first.success),
        first_reason=first.reason, tokens=first.tokens, steps=first.steps, arms=arms,
    )  # fmt: skip


def _arm_result(attempt: Any, run: Run | None, told: Guidance | None, seconds: float) -> ArmResult:
    calls = made_calls(run) if run is not None else []
    wanted = told.directives if told is not None else ()
    followed = followed_directives(wanted, calls, task=told.task if told is not None else "")
    said = [e for e in run.events if isinstance(e, Intervention) and e.content] if run else []
    return ArmResult(
        success=bool(attempt.success), reason=attempt.reason, tokens=attempt.tokens,
        steps=attempt.steps, seconds=round(seconds, 1),
        guidance=attempt.guidance.text if attempt.guidance is not None else "",
        expected=len(followed), followed=sum(followed.values()),
        said=[f"{event.trigger}: {event.signal}" for event in said],
    )  # fmt: skip


def results(
    wire: RecordedWire, tasks: Sequence[ToolTask], *, ends: float = float("inf")
) -> Iterator[TaskResult]:
    """What came of the tasks that are recorded, or can be asked about until ``ends``."""
    for given in tasks:
        if time.time() < ends and wire.knows(f"{given.task.id}/first"):
            found = _result(wire, given)
            if found is not None:
                yield found


def _said(show: Callable[..., None], found: TaskResult) -> TaskResult:
    show(json.dumps(msgspec.to_builtins(found), ensure_ascii=False), flush=True)
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", metavar="URL")
    parser.add_argument("--grounds", nargs="+", choices=GROUNDS, default=list(GROUNDS))
    parser.add_argument("--tasks", type=int, help="the first ones only")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of recording")
    parser.add_argument("--rows", action="store_true", help="print what came of each task")
    options = parser.parse_args()
    logging.getLogger("knitbone").setLevel(logging.ERROR)
    without_agentdojo()
    wire = RecordedWire(RECORDED, options.record)
    tasks = small_tasks(options.grounds)[: options.tasks]
    ends = time.time() + options.seconds
    if options.record:  # all first attempts, then the repairs: a part of it is of use, too
        for given in tasks:
            if time.time() < ends:
                _arm(wire, given, ARMS[0], repairs=0)
                print(given.task.id, round(wire.seconds), flush=True)
    found = results(wire, tasks, ends=ends)
    if options.rows or options.record:
        found = (_said(print, each) for each in found)
    print_results(list(found))
    print(f"{wire.stale} answers to requests that were others when they were recorded")
    sys.stdout.flush()
    os._exit(0)  # the portal of the servers' sessions would be waited for


if __name__ == "__main__":
    main()

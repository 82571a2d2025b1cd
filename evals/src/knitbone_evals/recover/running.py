"""First attempts, repairs by arm, and fault-free runs; each result is written down at once."""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

import knitbone
from knitbone.record.events import Intervention, Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.detect import offline
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor
from knitbone_evals import training
from knitbone_evals.lines import lines_of
from knitbone_evals.recover.agent import SimulatedAgent, Trajectory
from knitbone_evals.recover.arms import ARMS, strategy_of
from knitbone_evals.recover.candidates import Pool
from knitbone_evals.recover.environments import RecoveryTask
from knitbone_evals.recover.preference import Fit, Weighing
from knitbone_evals.recover.reading import Likeness

__all__ = [
    "AnotherDrawError",
    "Goal",
    "Ground",
    "Journal",
    "draw_of",
    "goal_of",
    "unguided",
    "without_agentdojo",
]

MAX_REPAIRS = 3
"""Γ of AgentTether §IV.A."""
POLLS = 3
"""Times that the first gold call is made once more in a polling run, each with another answer."""
_DRAW = "made with"
_REASON = "The task is not done: what the user wanted is not what was left behind."


class Goal:
    """What a task's gold actions leave, and what they read where they change nothing."""

    def __init__(self, task: RecoveryTask) -> None:
        world = task.start()
        before = world.state()
        replies = [world.call(call).text for call in task.gold]
        self._state = world.state()
        self._read = set(replies) if self._state == before else set[str]()
        close(world)

    def reached(self, attempt: Trajectory) -> bool:
        """Whether a run left the same world. A task that changes nothing is done when the agent has
        read what the gold actions read: its answer could not be right otherwise."""
        same = attempt.environment.state() == self._state
        seen = {made.reply.text for made in attempt.calls}
        return same and attempt.answered and self._read <= seen


def close(world: Any) -> None:
    """Remove what a world keeps on disk."""
    if hasattr(world, "close"):
        world.close()


_goals: dict[str, Goal] = {}


def goal_of(task: RecoveryTask) -> Goal:
    """The goal of a task, found once."""
    if task.id not in _goals:
        _goals[task.id] = Goal(task)
    return _goals[task.id]


def without_agentdojo() -> None:
    """Have runs judged by the offline detector that was trained without agentdojo's tasks.

    Raises:
        MissingExtraError: it has not been trained here.
    """
    model = training.without_agentdojo()
    offline.score_run = functools.partial(offline.score_run, model=model)


class AnotherDrawError(Exception):
    """A journal holds results of other numbers or settings than are asked for."""


class Journal:
    """Results, one line each; what is there is not made again.

    The first line says what they were made with: results of two draws are not to be compared, so
    the second one is refused (``made_with``).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        found: list[dict[str, Any]] = [json.loads(line) for line in lines_of(path)]
        self._draw = next((line[_DRAW] for line in found if _DRAW in line), None)
        self.lines = [line for line in found if _DRAW not in line]
        self._known = {self._name(line) for line in self.lines}

    def made_with(self, draw: Mapping[str, Any]) -> None:
        """Say what the results to come are made with; the first to say so settles it.

        Raises:
            AnotherDrawError: What is there was made with something else, or does not say with what.
        """
        if self._draw == dict(draw):
            return
        if self._draw is None and not self.lines:
            self._draw = dict(draw)
            self._append({_DRAW: self._draw})
            return
        known = self._draw or {}
        names = sorted(name for name in {*known, *draw} if known.get(name) != draw.get(name))
        said = "; ".join(
            f"{name}: {known.get(name, 'not said')} there, {draw.get(name, 'none')} now"
            for name in names
        )
        raise AnotherDrawError(
            f"{self.path} holds results that were made otherwise ({said}). Name an empty folder "
            "(--results DIR), or go on with what they were made with (--fit FILE)."
        )

    def __contains__(self, name: tuple[str, str, int]) -> bool:
        return name in self._known

    def get(self, what: str, task: str, seed: int) -> dict[str, Any] | None:
        """A result that is there already."""
        name = (what, task, seed)
        return next((line for line in self.lines if self._name(line) == name), None)

    def add(self, line: dict[str, Any]) -> None:
        """Write a result down."""
        self.lines.append(line)
        self._known.add(self._name(line))
        self._append(line)

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    @staticmethod
    def _name(line: dict[str, Any]) -> tuple[str, str, int]:
        return line["what"], line["task"], line["seed"]


def draw_of(fit: Fit, ground: str) -> dict[str, Any]:
    """All that makes two results of one task and seed different: the agent's numbers, without
    those for other grounds, and how often is repaired. The seed stands in each result."""
    numbers = msgspec.to_builtins(fit)
    numbers["skills"] = {ground: fit.skills.get(ground)}
    digest = hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
    return {"ground": ground, "agent": fit.model, "fit": digest[:12], "repairs": MAX_REPAIRS}


class Ground:
    """All tasks of a ground with agents of one seed."""

    def __init__(
        self, tasks: Sequence[RecoveryTask], fit: Fit, seed: int, journal: Journal
    ) -> None:
        self.tasks = tasks
        self._fit = fit
        self._seed = seed
        self._journal = journal
        self._likeness = Likeness()
        suites = {task.suite for task in tasks}
        self._pools = {
            suite: Pool([task for task in tasks if task.suite == suite]) for suite in suites
        }

    def agent(self, task: RecoveryTask, *, fading: bool = True) -> SimulatedAgent:
        """The agent of a task."""
        weighing = Weighing(self._fit, self._likeness, fading=fading)
        return SimulatedAgent(task, self._pools[task.suite], self._fit, weighing, self._seed)

    def first(self, task: RecoveryTask) -> bool:
        """The first attempt, which all arms share; whether it succeeds."""
        known = self._journal.get("first", task.id, self._seed)
        if known is None:
            made = self.agent(task).attempt(0, None)
            success = goal_of(task).reached(made)
            close(made.environment)
            self._write("first", task, success=success, steps=made.steps, path=_path(made))
            return success
        return known["success"]

    def again(self, task: RecoveryTask, number: int) -> bool:
        """A repetition that is told nothing; whether it succeeds."""
        made = self.agent(task).attempt(number, None)
        success = goal_of(task).reached(made)
        close(made.environment)
        return success

    def repair(self, task: RecoveryTask, name: str, listener: Callable[..., None]) -> None:
        """One arm on a task whose first attempt fails."""
        if (name, task.id, self._seed) in self._journal:
            return
        arm = ARMS[name]
        goal_of(task)  # its gold calls are not to be recorded as calls of the agent
        agent = self.agent(task, fading=arm.fading)
        attempts: list[Trajectory] = []

        def work(_: str, supervision: Any) -> Trajectory:
            attempts.append(agent.attempt(len(attempts), supervision))
            return attempts[-1]

        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            store = SqliteStore(Path(folder) / "runs.db")
            recovery = knitbone.recover(
                work, task.words, functools.partial(_judged, task), max_repairs=MAX_REPAIRS,
                strategy=strategy_of(arm, foreign=self._foreign(task), seed=task.id),
                reset=lambda: None, key=task.id, remember=arm.remember, store=store,
                journals=Path(folder) / "journals",
            )  # fmt: skip
            runs = [store.get(a.run) if a.run else None for a in recovery.attempts]
            store.close()
        taken = time.perf_counter() - began
        lines = [
            _line(attempt, made, run)
            for attempt, made, run in zip(recovery.attempts, attempts, runs, strict=True)
        ]
        for made in attempts:
            close(made.environment)
        self._write(
            name, task, ending=recovery.ending, reason=recovery.reason, attempts=lines,
            seconds=round(taken, 2),
        )  # fmt: skip
        listener(name, task.id, recovery.ending, round(taken, 1))

    def fault_free(self, task: RecoveryTask, polls: int) -> None:
        """The gold actions under a supervisor, which has nothing to say of them."""
        name = "gold, polling" if polls else "gold"
        if (name, task.id, self._seed) in self._journal:
            return
        supervisor = Supervisor(task.words, None, mode="on")
        with supervised(None, supervisor) as supervision:
            made = self.agent(task).gold(supervision, polls)
        decisions = [d for d in supervisor.decisions if d.action != "silence"]
        close(made.environment)
        self._write(
            name, task, interventions=[[d.action, d.step, d.reason] for d in decisions],
            checks=[sorted({s.check for s in d.signals}) for d in decisions], steps=made.steps,
        )  # fmt: skip

    def fault_free_guided(self, task: RecoveryTask) -> None:
        """The gold actions in a repair, with guidance of the failed attempt before."""
        name = "gold, guided"
        if (name, task.id, self._seed) in self._journal:
            return
        agent = self.agent(task)
        attempts: list[Trajectory] = []

        def work(_: str, supervision: Any) -> Trajectory:
            made = agent.gold(supervision) if attempts else agent.attempt(0, supervision)
            made.answered = True
            attempts.append(made)
            return made

        with tempfile.TemporaryDirectory() as folder:
            store = SqliteStore(Path(folder) / "runs.db")
            recovery = knitbone.recover(
                work, task.words, functools.partial(_judged, task), max_repairs=1,
                strategy="full", reset=lambda: None, key=task.id, store=store,
                journals=Path(folder) / "journals",
            )  # fmt: skip
            runs = [store.get(a.run) if a.run else None for a in recovery.attempts]
            store.close()
        for made in attempts:
            close(made.environment)
        last = _line(recovery.attempts[-1], attempts[-1], runs[-1])
        self._write(name, task, ending=recovery.ending, **last)

    def _foreign(self, task: RecoveryTask) -> str:
        """Guidance that the arm post-run gave for another failed task of the suite."""
        suites = {other.id: other.suite for other in self.tasks}
        found = sorted(
            line["attempts"][1]["guidance"]
            for line in self._journal.lines
            if line["what"] == "post-run"
            and line["seed"] == self._seed
            and line["task"] != task.id
            and suites.get(line["task"]) == task.suite
            and len(line["attempts"]) > 1
        )
        return found[len(task.id) % len(found)] if found else ""

    def _write(self, what: str, task: RecoveryTask, **fields: Any) -> None:
        self._journal.add(
            {"what": what, "task": task.id, "ground": task.ground, "seed": self._seed, **fields}
        )


def _judged(task: RecoveryTask, made: Trajectory) -> knitbone.Judgement:
    reached = goal_of(task).reached(made)
    return knitbone.Judgement(success=reached, reason="" if reached else _REASON)


def _line(attempt: Any, made: Trajectory, run: Run | None) -> dict[str, Any]:
    events = [e for e in run.events if isinstance(e, Intervention)] if run else []
    said = [event for event in events if event.content]
    return {
        "success": bool(attempt.success), "steps": made.steps, "path": _path(made),
        "guidance": attempt.guidance.text if attempt.guidance else "",
        "interventions": attempt.interventions,
        "signals": [[event.trigger, event.signal] for event in said],
        "seconds": attempt.seconds,
    }  # fmt: skip


def _path(made: Trajectory) -> list[list[Any]]:
    """Kind and tool of each call; for the tables only."""
    return [[call.kind, call.call.tool, int(call.reply.error is not None)] for call in made.calls]


def unguided(
    tasks: Sequence[RecoveryTask], fit: Fit, seed: int, *, repairs: int = 0
) -> tuple[int, int]:
    """Count first attempts that fail, and those of them that succeed when repeated without a word;
    nothing is written down."""
    failed = repaired = 0
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(tasks, fit, seed, Journal(Path(folder) / "first.jsonl"))
        for task in tasks:
            if ground.first(task):
                continue
            failed += 1
            repaired += any(ground.again(task, number) for number in range(1, repairs + 1))
    return failed, repaired

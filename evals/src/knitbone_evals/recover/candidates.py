"""What an agent could do next: the call that the task needs, and calls that people see agents make.

Each is drawn by a seed of task and place, so the same agent meets the same temptations each time
it tries. What a candidate is (its ``kind``) serves the agent's own bookkeeping and the seeding of
its preference; what weighs it against a text is given the call alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from knitbone_evals.recover.environments import Call, RecoveryTask, canonical

__all__ = ["KINDS", "Candidate", "Pool", "candidates", "same", "sentence_of"]

Kind = Literal["needed", "omission", "value", "order", "skip", "repeat", "end", "other", "settled"]
KINDS: tuple[Kind, ...] = (
    "needed", "omission", "value", "order", "skip", "repeat", "end", "other", "settled",
)  # fmt: skip
_OTHERS = 2
"""Calls of other tasks that are candidates at each step (ours)."""
_VALUE = 60
"""Characters of a value that a sentence shows (ours)."""


class Candidate(msgspec.Struct, frozen=True):
    """A possible next step; a call of ``None`` is an answer to the user."""

    call: Call | None
    kind: Kind


class Pool:
    """The gold calls of a suite: other tasks' calls, and values that stand at an argument."""

    def __init__(self, tasks: Sequence[RecoveryTask]) -> None:
        self._calls = [(task.id, call) for task in tasks for call in task.gold]
        self._values: dict[str, dict[str, Any]] = {}
        for _, call in self._calls:
            for name, value in call.arguments.items():
                self._values.setdefault(name, {})[canonical(value)] = value

    def others(self, task: RecoveryTask, rng: random.Random) -> list[Call]:
        """Calls of other tasks, of tools that this one may need as well."""
        own = {canonical(call) for call in map(msgspec.to_builtins, task.gold)}
        found = [
            call
            for owner, call in self._calls
            if owner != task.id and canonical(msgspec.to_builtins(call)) not in own
        ]
        return rng.sample(found, min(_OTHERS, len(found)))

    def value_beside(self, name: str, value: Any, seen: str, rng: random.Random) -> Any:
        """Another value of the environment for an argument; ``None`` where there is none."""
        known = self._values.get(name, {})
        shape = _shape(value)
        near = [other for text, other in sorted(known.items()) if text != canonical(value)]
        alike = [other for other in near if _shape(other) == shape]
        words = sorted({w for w in re.findall(r"[\w@.#-]{3,40}", seen) if _shape(w) == shape})
        words = [word for word in words if word != value]
        drawn = alike or words or near
        return rng.choice(drawn) if drawn else None


def _shape(value: Any) -> str:
    """Kind of a value: its type, and of a text where digits stand."""
    if not isinstance(value, str):
        return type(value).__name__
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", value))


def same(first: Call | None, second: Call | None) -> bool:
    """Whether two steps do the same."""
    if first is None or second is None:
        return first is second
    return first.tool == second.tool and canonical(first.arguments) == canonical(second.arguments)


def candidates(
    task: RecoveryTask,
    pool: Pool,
    *,
    pending: Sequence[Call],
    settled: Sequence[Call],
    last: Call | None,
    seen: str,
    seed: str,
) -> list[Candidate]:
    """All that may come next, each step once.

    Args:
        pending: gold calls that the agent knows it has still to make.
        settled: gold calls that it takes for done, or for not needed.
        last: the call before.
        seen: what the tools returned so far.
    """
    place = f"{seed}|{task.id}|{len(task.gold) - len(pending)}"
    rng = random.Random(place)
    needed = pending[0] if pending else None
    drawn = [Candidate(needed, "needed")]
    if needed is not None:
        drawn += _spoilt(needed, pool, seen, rng)
        if len(pending) > 1:
            drawn.append(Candidate(pending[1], rng.choice(("order", "skip"))))
        drawn.append(Candidate(None, "end"))
    if last is not None:
        drawn.append(Candidate(last, "repeat"))
    drawn += [Candidate(call, "other") for call in pool.others(task, rng)]
    drawn += [Candidate(call, "settled") for call in settled]
    kept: list[Candidate] = []
    for candidate in drawn:
        if not any(same(candidate.call, other.call) for other in kept):
            kept.append(candidate)
    return kept


def _spoilt(needed: Call, pool: Pool, seen: str, rng: random.Random) -> list[Candidate]:
    """The needed call without an argument, and with a value of another thing."""
    if not needed.arguments:
        return []
    names = sorted(needed.arguments)
    left_out, changed = rng.choice(names), rng.choice(names)
    rest = {name: value for name, value in needed.arguments.items() if name != left_out}
    spoilt = [Candidate(Call(needed.tool, rest), "omission")]
    value = pool.value_beside(changed, needed.arguments[changed], seen, rng)
    if value is not None:
        spoilt.append(Candidate(Call(needed.tool, {**needed.arguments, changed: value}), "value"))
    return spoilt


def sentence_of(call: Call | None, made: Sequence[Call] = ()) -> str:
    """A step in words, as a person would say it: what is compared with a text."""
    if call is None:
        return "answer the user now, no further tool call"
    again = " again" if any(same(call, other) for other in made) else ""
    parts = [f"{_spaced(name)} {_short(value)}" for name, value in call.arguments.items()]
    return f"call {_spaced(call.tool)}{again}" + (f" with {', '.join(parts)}" if parts else "")


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else canonical(value)
    return " ".join(text.split())[:_VALUE]


def by_kind(values: Mapping[str, float], kind: Kind) -> float:
    """The value of a kind; one that was never measured has the mean of the others."""
    if kind in values:
        return values[kind]
    others = [value for name, value in values.items() if name != "needed"]
    return sum(others) / len(others) if others else 0.0

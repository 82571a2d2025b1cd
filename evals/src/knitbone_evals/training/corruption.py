"""Seeded corruptions of successful runs: what the detector is measured on, never trained on.

A corrupted plan is executed again in the simulator, so that the run is what an agent with that
fault would have met: errors and other answers follow where the simulator gives them, and the
rest of the plan goes on as before.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal, cast

import msgspec

from knitbone.tethering.diagnosis.artifacts import artifacts_of_text, artifacts_of_value
from knitbone_evals.training.plans import PlannedCall, ReplayedPlan, SolvedTask, Turn, replay

__all__ = ["KINDS", "Corrupted", "Kind", "ValuePool", "corrupt"]

Kind = Literal["wrong argument", "dropped step", "repeated call", "swapped order"]
KINDS: tuple[Kind, ...] = ("wrong argument", "dropped step", "repeated call", "swapped order")

ValuePool = dict[tuple[str, str], list[Any]]
"""Values that other tasks pass, by tool and argument."""

_Turns = tuple[Turn, ...]
_TRIES = 12


class Corrupted(msgspec.Struct, frozen=True, kw_only=True):
    """A run with one fault, and the event whose unit is to be found."""

    replay: ReplayedPlan
    kind: Kind
    detail: str
    event: str
    """Wrong argument: the call. Repeated call: the second one. Swapped order: the one that now
    comes too early. Dropped step: the first later unit that used what only the missing call
    brings or got another answer than before; where there is none, the unit in its place."""


def corrupt(
    task: SolvedTask, turns: _Turns, twin: ReplayedPlan, kind: Kind, *, pool: ValuePool, seed: int
) -> Corrupted | None:
    """One corruption of a successful run; ``None`` where none of the tries makes a difference.

    Args:
        turns: the plan of ``twin``, the successful run.
        pool: where wrong values of other tasks come from.
    """
    choose = random.Random(f"{seed} {twin.run.id} {kind}")
    for attempt in range(_TRIES):
        changed = _CHANGES[kind](turns, twin, pool, choose)
        if changed is None:
            continue
        planned, key, detail = changed
        name = f"{twin.run.id}/{kind.replace(' ', '-')}/{seed}.{attempt}"
        run = replay(task, planned, identity=name, seed=_seed_of(twin))
        if not _matters(kind, key, turns, twin, run):
            continue
        event = _first_harm(key, turns, planned, twin, run) if kind == "dropped step" else None
        event = event or run.events.get(key)
        if event:
            return Corrupted(replay=run, kind=kind, detail=detail, event=event)
    return None


def _seed_of(twin: ReplayedPlan) -> int:
    """What decided the closing words: only the fault may differ."""
    return int(twin.run.id.rsplit("/", 1)[1])


_Change = tuple[_Turns, str, str]
"""The changed plan, the key of the call it is about, and a word on how."""


def _wrong_argument(
    turns: _Turns, twin: ReplayedPlan, pool: ValuePool, choose: random.Random
) -> _Change | None:
    t, k = _pick(turns, choose)
    call = turns[t].calls[k]
    names = [n for n, value in call.arguments.items() if _leaf(value) is not None]
    if not names:
        return None
    name = choose.choice(names)
    value = _leaf(call.arguments[name])
    detail = choose.choice(("value of the run", "value of another task", "slip"))
    if detail == "value of the run":
        others = _values_of_run(turns, twin)
    elif detail == "value of another task":
        others = pool.get((call.tool, name), [])
    else:
        others = [_slip(value, choose)]
    others = [v for v in others if type(v) is type(value) and _plain(v) != _plain(value)]
    if not others:
        return None
    wrong = choose.choice(others)
    wrong = [wrong, *call.arguments[name][1:]] if isinstance(call.arguments[name], list) else wrong
    changed = msgspec.structs.replace(call, arguments={**call.arguments, name: wrong})
    return _with(turns, t, _put(turns[t].calls, k, [changed])), call.key, detail


def _dropped_step(
    turns: _Turns, _twin: ReplayedPlan, _pool: ValuePool, choose: random.Random
) -> _Change | None:
    t, k = _pick(turns, choose)
    calls = _put(turns[t].calls, k, [])
    if k < len(calls) and calls[k].joined and not turns[t].calls[k].joined:
        calls = _put(calls, k, [msgspec.structs.replace(calls[k], joined=False)])
    return _with(turns, t, calls), turns[t].calls[k].key, "dropped"


def _repeated_call(
    turns: _Turns, _twin: ReplayedPlan, _pool: ValuePool, choose: random.Random
) -> _Change | None:
    t, k = _pick(turns, choose)
    call = turns[t].calls[k]
    again = msgspec.structs.replace(call, key=f"={call.key}", joined=False)
    place = choose.randint(k + 1, min(len(turns[t].calls), k + 3))
    while place < len(turns[t].calls) and turns[t].calls[place].joined:
        place += 1
    calls = (*turns[t].calls[:place], again, *turns[t].calls[place:])
    return _with(turns, t, calls), again.key, "at once" if place == k + 1 else "later"


def _swapped_order(
    turns: _Turns, _twin: ReplayedPlan, _pool: ValuePool, choose: random.Random
) -> _Change | None:
    places = [
        (t, k)
        for t, turn in enumerate(turns)
        for k in range(len(turn.calls) - 1)
        if not any(call.joined or call.key.startswith("+") for call in turn.calls[k : k + 2])
    ]
    if not places:
        return None
    t, k = choose.choice(places)
    first, second = turns[t].calls[k : k + 2]
    calls = (*turns[t].calls[:k], second, first, *turns[t].calls[k + 2 :])
    return _with(turns, t, calls), second.key, "swapped"


_CHANGES = {
    "wrong argument": _wrong_argument,
    "dropped step": _dropped_step,
    "repeated call": _repeated_call,
    "swapped order": _swapped_order,
}


def _pick(turns: _Turns, choose: random.Random) -> tuple[int, int]:
    """A call of the reference solution: spoiling an added one would change nothing."""
    return choose.choice(
        [
            (t, k)
            for t, turn in enumerate(turns)
            for k, call in enumerate(turn.calls)
            if not call.key.startswith("+")
        ]
    )


def _matters(kind: Kind, key: str, turns: _Turns, twin: ReplayedPlan, run: ReplayedPlan) -> bool:
    """Whether the change is a fault: it costs an answer, the end state, or a needed value."""
    if kind == "repeated call":
        return True
    differs = run.state != twin.state or any(
        answer != twin.answers[k] for k, answer in run.answers.items() if k in twin.answers
    )
    if kind == "dropped step":
        asked = [turn for turn in turns if [call.key for call in turn.calls] == [key]]
        return differs or bool(asked) or bool(_consumers(key, turns, twin))
    if kind == "swapped order":
        places = [call.key for turn in turns for call in turn.calls]
        return differs or key in _consumers(places[places.index(key) - 1], turns, twin)
    return differs


def _consumers(key: str, turns: _Turns, twin: ReplayedPlan) -> list[str]:
    """Later calls that pass a value which only this call's answer had brought until then."""
    known: set[str] = set()
    brought: frozenset[str] = frozenset()
    found: list[str] = []
    for turn in turns:
        known |= artifacts_of_text(turn.message)
        for call in turn.calls:
            used = artifacts_of_value(call.arguments)
            if used & brought:
                found.append(call.key)
            produced = artifacts_of_value(twin.answers[call.key].text)
            if call.key == key:
                brought = produced - known - used
            else:
                known |= produced
                brought -= produced
            known |= used
    return found


def _first_harm(key: str, old: _Turns, new: _Turns, twin: ReplayedPlan, run: ReplayedPlan) -> str:
    order = [call.key for turn in new for call in turn.calls]
    consumers = _consumers(key, old, twin)
    for other in order:
        if other in consumers or run.answers[other] != twin.answers[other]:
            return run.events[other]
    t, k = next(
        (t, k) for t, turn in enumerate(old) for k, call in enumerate(turn.calls) if call.key == key
    )
    after = new[t].calls[k:]
    return run.events[after[0].key] if after else run.replies[t]


def _with(turns: _Turns, t: int, calls: Sequence[PlannedCall]) -> _Turns:
    return (
        *turns[:t], msgspec.structs.replace(turns[t], calls=tuple(calls)), *turns[t + 1 :],
    )  # fmt: skip


def _put(calls: tuple[PlannedCall, ...], k: int, new: list[PlannedCall]) -> tuple[PlannedCall, ...]:
    return (*calls[:k], *new, *calls[k + 1 :])


def _leaf(value: Any) -> Any:
    """The value, or the first of a list; ``None`` for what has no plain value."""
    if isinstance(value, list) and value:
        value = cast("list[Any]", value)[0]
    return value if isinstance(value, (str, int, float)) else None


def _plain(value: Any) -> str:
    return str(value).strip().lower()


def _values_of_run(turns: _Turns, twin: ReplayedPlan) -> list[Any]:
    values: list[Any] = [
        _leaf(value) for turn in turns for call in turn.calls for value in call.arguments.values()
    ]
    found = frozenset[str]().union(
        *(artifacts_of_value(answer.text) for answer in twin.answers.values()),
        *(artifacts_of_text(turn.message) for turn in turns),
    )
    for text in sorted(found):
        values.append(text)
        plain = text.replace(".", "", 1)
        if plain.isdigit():
            values.append(float(text) if "." in text else int(text))
    return [value for value in values if value is not None]


def _slip(value: Any, choose: random.Random) -> Any:
    """A wrong digit or letter, as one that is copied from memory has."""
    if isinstance(value, bool):
        return not value
    text = str(value)
    places = [k for k, sign in enumerate(text) if sign.isalnum()]
    if not places:
        return value
    k = choose.choice(places)
    signs = "123456789" if text[k].isdigit() else "aeinorst"
    text = text[:k] + choose.choice(signs.replace(text[k], "")) + text[k + 1 :]
    return type(value)(text) if not isinstance(value, str) else text

"""Treatments that ask the model again, with a simulated model.

There is no model here to ask; what it would say is drawn. Each row of the table says so.

- *Retry*: when the application raises, and only then, the model is asked again, twice at most. An
  answer is as the natural ones are: with the rate at which they fail a plain consumer (36 %) it is
  one of this application's faulty cases, drawn at random, otherwise it conforms. What is wrong
  without an exception is not noticed.
- *Reflexion*: the same, three times at most, and since the error is told to the model, each answer
  fails half as often as the one before. The half is an assumption in its favour.
- *Schema prompting*: at sites that read JSON no fault of form or syntax happens, but an answer
  that is cut off is cut off. No model reaches that: it is an upper bound.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec

from knitbone_evals.adapt.bare import Result
from knitbone_evals.adapt.cases import UNCHANGED
from knitbone_evals.adapt.measure import Note, Scored

__all__ = ["FAULT_RATE", "reflexion", "retry", "schema_prompting"]

FAULT_RATE = 0.36
"""Of the 351 natural answers, those that fail a plain consumer."""
_RETRIES, _REFLECTIONS = 2, 3


def retry(scored: Sequence[Scored], seed: int) -> tuple[list[Scored], float]:
    """Ask again after an exception.

    Args:
        scored: all cases of one application; only their bare results are used.

    Returns:
        The same cases, and model calls per case.
    """
    return _asking_again(scored, seed, _RETRIES, lambda _attempt: FAULT_RATE)


def reflexion(scored: Sequence[Scored], seed: int) -> tuple[list[Scored], float]:
    """The same with the error told."""
    return _asking_again(
        scored, seed, _REFLECTIONS, lambda attempt: FAULT_RATE / 2 ** (attempt + 1)
    )


def schema_prompting(scored: Sequence[Scored], reads_json: bool) -> tuple[list[Scored], float]:
    """No fault of form where JSON is read."""
    done: list[Scored] = []
    for each in scored:
        of_form = bool(each.case.defects) and set(each.case.defects) <= {"template", "syntax"}
        cut_off = any("cut off" in fault for fault in each.case.faults)
        if reads_json and of_form and not cut_off:
            done.append(_answered(each, _right_result(each), right=True, said="schema"))
        else:
            done.append(_untouched(each))
    return done, 1.0


def _asking_again(
    scored: Sequence[Scored], seed: int, attempts: int, rate: Callable[[int], float]
) -> tuple[list[Scored], float]:
    rng = random.Random(seed)
    faulty = [each for each in scored if each.case.defects]
    done: list[Scored] = []
    calls = 0
    for each in scored:
        now = _untouched(each)
        calls += 1
        if each.raw.error is not None:
            now = _noticed(each)
            for attempt in range(attempts):
                calls += 1
                if rng.random() >= rate(attempt):
                    now = _answered(each, _right_result(each), right=True, said="asked again")
                    break
                drawn = rng.choice(faulty) if faulty else each
                if drawn.raw.error is None:
                    # A fault that nobody notices; if it is harmless, the answer is right.
                    right = drawn.bare_right and drawn.case.expected != UNCHANGED
                    now = _answered(each, drawn.raw, right=right, said="asked again")
                    break
        done.append(now)
    return done, calls / max(1, len(scored))


def _right_result(each: Scored) -> Result:
    """What a conforming answer gives; where the case does not say, its value does not matter."""
    known = each.case.expected != UNCHANGED
    return Result(value=each.case.expected if known else "(a conforming answer's)")


def _untouched(each: Scored) -> Scored:
    return msgspec.structs.replace(
        each, right=each.bare_right, changed=False, delivered=False, result=each.raw, notes=()
    )


def _noticed(each: Scored) -> Scored:
    note = Note("", "noticed", "the application raised")
    return msgspec.structs.replace(_untouched(each), notes=(note,))


def _answered(each: Scored, result: Result, *, right: bool, said: str) -> Scored:
    return msgspec.structs.replace(
        each,
        right=right,
        changed=True,
        delivered=True,
        result=result,
        notes=(Note("", "repaired", said),),
    )

"""Asks a real model: ``python -m knitbone_evals.fix.tasks.run --record URL --model NAME``.

Task by task, all arms of a task together, each answer written down at once: a run that is cut off
leaves pairs, and goes on where it was. Without ``--record`` everything is replayed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from knitbone_evals.fix.tasks.attempts import Attempt, Words, attempt, locked
from knitbone_evals.fix.tasks.study import ARMS, MAX_TOKENS, MODELS, PILOT, SAMPLE, Case, drawn
from knitbone_evals.real_model.recorder import Replay, real_model

__all__ = ["HERE", "attempts", "replay_of", "words_of_arms"]

HERE = Path(__file__).parent
UNRECORDED = "no answer of"
"""So an attempt ends that was cut off while it was recorded."""
_WHOLE_CALL = re.compile(r" Example: \{.*\}$", re.DOTALL)


def words_of_arms() -> dict[str, dict[str, Words]]:
    """Arm -> tool -> its words; ``original`` has none of its own."""
    path = HERE / "words.json"
    if not path.exists():
        return {"original": {}}
    kept = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, Words]])
    return {"original": {}, **kept, "without call": _without_calls(kept["patched"])}


def _without_calls(words: Mapping[str, Words]) -> dict[str, Words]:
    """Each tool's words without the whole call that ends them."""
    return {
        tool: Words(
            description=_WHOLE_CALL.sub("", said.description), arguments=dict(said.arguments)
        )
        for tool, said in words.items()
    }


def replay_of(model: str, url: str | None = None) -> Replay:
    """The recorded answers of a model, and the model where it is served."""
    real = None
    if url is not None:
        real = real_model(url, model, max_tokens=MAX_TOKENS, temperature=0)
    return Replay(HERE / "answers" / f"{model}.jsonl", model, real)


def attempts(
    cases: Sequence[Case],
    model: Replay,
    words: Mapping[str, Mapping[str, Words]],
    *,
    arms: Sequence[str] = ARMS,
    lock: Path | None = None,
    ends: float = float("inf"),
) -> Iterator[Attempt]:
    """All attempts that are recorded, or can be made until ``ends``."""
    for case in cases:
        names = {arm: f"{case.task.name}/{case.kit}/{arm}" for arm in arms if arm in words}
        with contextlib.nullcontext() if lock is None else locked(lock):
            for arm, name in names.items():
                if time.time() < ends and model.knows(name):
                    model.begin(name)
                    made = attempt(case, arm, words[arm], model)[0]
                    if not made.ended.startswith(UNRECORDED):
                        yield made


def main() -> None:
    """Ask or replay, and say what came of each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", metavar="URL")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    parser.add_argument("--pilot", action="store_true", help="tasks for validation, as they are")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    parser.add_argument("--lock", type=Path, help="of those who use the same server")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of recording")
    options = parser.parse_args()
    cases = drawn("validation", PILOT) if options.pilot else drawn("test", SAMPLE)
    model = replay_of(options.model, options.record)
    began = time.time()
    for made in attempts(
        cases, model, words_of_arms(), arms=["original"] if options.pilot else options.arms,
        lock=options.lock, ends=began + options.seconds,
    ):  # fmt: skip
        line = json.dumps(msgspec.to_builtins(made) | {"at": round(time.time() - began)})
        print(line, flush=True)
    print(f"{model.stale} answers to requests that were others")


if __name__ == "__main__":
    main()

"""Prepare the success-only corpus and its held-out, corrupted part:

    python -m knitbone_evals.training.prepare FOLDER

Writes ``successful.jsonl`` and ``corrupted.jsonl``; the same packages and seed give the same
bytes, for which the command starts itself again with ``PYTHONHASHSEED=0``: the simulators print
sets, and lists made of sets, in the order of their hashes. Tasks are split, never runs: all
variants of a task stay on one side, and two environments are seen in the test part only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from knitbone.record.events import Run
from knitbone_evals.training import agentdojo_source, bfcl_source
from knitbone_evals.training.corruption import KINDS, Kind, ValuePool, corrupt
from knitbone_evals.training.plans import SolvedTask
from knitbone_evals.training.variation import successful_runs

__all__ = [
    "SEED",
    "CorruptedRun",
    "Split",
    "SuccessfulRun",
    "main",
    "read_corpus",
    "with_fixed_hashes",
]

SEED = 42
VARIANTS = 6
"""Variants of a task's reference solution, at most."""
CORRUPTIONS = 2
"""Corruptions of one kind for a task, at most."""
UNSEEN = frozenset({"TicketAPI", "banking"})
"""Environments that training never sees: one of bfcl-eval, one of agentdojo."""

_Record = TypeVar("_Record", "SuccessfulRun", "CorruptedRun")

Split = Literal["train", "validation", "test"]


class SuccessfulRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of the corpus."""

    task: str
    source: str
    unseen: bool
    """Its environment is in the test part only."""
    split: Split
    run: Run


class CorruptedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A held-out run with one seeded fault."""

    task: str
    source: str
    unseen: bool
    split: Split
    kind: Kind
    detail: str
    event: str
    """The event whose unit is to be found."""
    twin: str
    """The successful run it was made from."""
    run: Run


def split_of(task: SolvedTask, seed: int = SEED) -> tuple[str, bool, Split]:
    """The task's name without its variant, whether its environment is unseen, and its part."""
    source, number = task.id.split("/")[:2]
    name = f"{source}/{number}" if source == bfcl_source.SOURCE else task.id
    if UNSEEN & set(task.domains):
        return name, True, "test"
    share = int(hashlib.sha256(f"{seed} {name}".encode()).hexdigest()[:8], 16) / 16**8
    return name, False, "test" if share < 0.2 else "validation" if share < 0.35 else "train"


def prepare(tasks: Iterable[SolvedTask], folder: Path, *, seed: int = SEED) -> dict[str, int]:
    """Write the corpus of these tasks; returns how many runs of what were written."""
    everything = list(tasks)
    pool = _pool(everything)
    counts: Counter[str] = Counter()
    folder.mkdir(parents=True, exist_ok=True)
    with (
        (folder / "successful.jsonl").open("wb") as successful,
        (folder / "corrupted.jsonl").open("wb") as corrupted,
    ):
        for task in everything:
            name, unseen, split = split_of(task, seed)
            runs = list(successful_runs(task, count=VARIANTS, seed=seed))
            for _, replayed in runs:
                record = SuccessfulRun(
                    task=name, source=task.source, unseen=unseen, split=split, run=replayed.run
                )
                successful.write(msgspec.json.encode(record) + b"\n")
                counts[f"{split}, {task.source}, successful"] += 1
            if split == "train" or not any(turn.calls for turn in task.turns):
                continue
            for kind in KINDS:
                for number in range(min(CORRUPTIONS, len(runs))):
                    turns, twin = runs[number * (len(runs) - 1)]
                    made = corrupt(task, turns, twin, kind, pool=pool, seed=seed + number)
                    if made is None:
                        continue
                    record = CorruptedRun(
                        task=name, source=task.source, unseen=unseen, split=split, kind=kind,
                        detail=made.detail, event=made.event, twin=twin.run.id,
                        run=made.replay.run,
                    )  # fmt: skip
                    corrupted.write(msgspec.json.encode(record) + b"\n")
                    counts[f"{split}, {task.source}, {kind}"] += 1
    return dict(sorted(counts.items()))


def _pool(tasks: Iterable[SolvedTask]) -> ValuePool:
    pool: ValuePool = {}
    for task in tasks:
        for turn in task.turns:
            for call in turn.calls:
                for name, value in call.arguments.items():
                    pool.setdefault((call.tool, name), []).append(value)
    return pool


def read_corpus(folder: Path) -> tuple[list[SuccessfulRun], list[CorruptedRun]]:
    """What ``prepare`` wrote."""
    return (
        list(_records(folder / "successful.jsonl", SuccessfulRun)),
        list(_records(folder / "corrupted.jsonl", CorruptedRun)),
    )


def _records(path: Path, kind: type[_Record]) -> Iterator[_Record]:
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as lines:
        for line in lines:
            yield decoder.decode(line)


def with_fixed_hashes(module: str) -> None:
    """Go on in this process only if its sets have the same order each time; else start over.

    Args:
        module: what ``python -m`` starts, with the arguments of this process.
    """
    if sys.flags.hash_randomization:
        command = [sys.executable, "-m", module, *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, "PYTHONHASHSEED": "0"})


def main() -> None:
    """The command."""
    with_fixed_hashes("knitbone_evals.training.prepare")
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    tasks = [*bfcl_source.tasks(), *agentdojo_source.tasks()]
    counts = prepare(tasks, options.folder, seed=options.seed)
    digests = {
        name: hashlib.sha256((options.folder / name).read_bytes()).hexdigest()
        for name in ("successful.jsonl", "corrupted.jsonl")
    }
    summary = {
        "seed": options.seed,
        "packages": {name: metadata.version(name) for name in ("bfcl-eval", "agentdojo")},
        "runs": counts,
        "sha256": digests,
    }
    text = json.dumps(summary, indent=2)
    (options.folder / "summary.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

"""Damage to everything that knitbone reads: ``python -m knitbone_evals.damage [--files N] [--seed
N]``.

Half of the files are run stores that a recorder wrote (bits flipped, blocks and pages zeroed,
swapped or replaced by others, files cut off, write-ahead logs lost or damaged, rows edited); the
other half files of every other reader (bytes damaged the same way, values replaced by hostile
ones). Each is read by everything that reads it. Counted are tracebacks, and what is silent: what
comes back otherwise than it was written, or not at all, without a word about it.
"""

from __future__ import annotations

import argparse
import platform
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knitbone.errors import KnitboneError
from knitbone_evals.damage import stores
from knitbone_evals.damage.readers import readers
from knitbone_evals.paths import RESULTS, write_result

FILES, SEED = 10_000, 16
_STRIDE = 1_000_003
"""Between the seeds of two searches, so that they share no file."""


class Tally:
    """What came of the files."""

    def __init__(self) -> None:
        self.rows: dict[str, Counter[str]] = defaultdict(Counter)
        self.failures: list[str] = []

    def take(self, name: str, how: str, judge: Callable[[], list[str]]) -> None:
        """Read one file, and count what came of it."""
        row = self.rows[name]
        row["files"] += 1
        row[how] += 1
        try:
            wrong = judge()
        except KnitboneError as error:
            row["messages"] += 1
            if not error.next_step:
                wrong = [f"a message without a next step: {error}"]
            else:
                return
        except Exception as error:  # noqa: BLE001 - what is looked for
            row["tracebacks"] += 1
            self.failures.append(f"{name}, {how}: traceback {type(error).__name__}: {error}"[:300])
            return
        for kind in {each.partition(":")[0] for each in wrong}:
            row["silent: " + kind] += 1
        self.failures += [f"{name}, {how}: {each}"[:300] for each in wrong]


def search(files: int, seed: int) -> Tally:
    """Damage and read that many files."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="knitbone-damage-") as made:
        folder = Path(made)
        (folder / "good").mkdir()
        all_readers = readers(folder / "good")
        source = stores.written(folder, random.Random(seed))
        for number in range(files):
            rng = random.Random(seed * _STRIDE + number)
            path = folder / "read"
            path.mkdir(exist_ok=True)
            if number % 2 == 0:
                _one_store(tally, source, path / "runs.sqlite", rng)
                continue
            reader = all_readers[number // 2 % len(all_readers)]
            file = path / reader.file
            how = reader.damaged(file, rng)
            tally.take(reader.name, how, lambda file=file, reader=reader: reader.read(file, None))
            file.unlink()
    return tally


def _one_store(tally: Tally, source: stores.Written, path: Path, rng: random.Random) -> None:
    how = stores.damage(source, path, rng)
    tally.take(f"store: {how}", how, lambda: stores.judge(source, path))


def good_files() -> list[str]:
    """What is wrong with files that were not damaged: nothing, or the figures are void."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="knitbone-damage-") as made:
        for reader in readers(Path(made)):
            path = Path(made, "whole", reader.file)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(reader.data)
            wrong += [f"{reader.name}: {each}" for each in reader.read(path, None)]
            path.unlink()
    return wrong


def record(tally: Tally, files: int, seed: int, seconds: float) -> dict[str, Any]:
    names = ("files", "messages", "tracebacks", "silent")
    table: dict[str, dict[str, int]] = {}
    for name, row in sorted(tally.rows.items()):
        silent = sum(count for kind, count in row.items() if kind.startswith("silent"))
        table[name] = {n: silent if n == "silent" else row[n] for n in names}
    totals = {n: sum(row[n] for row in table.values()) for n in names}
    return {
        "files": files, "seed": seed, "seconds": round(seconds),
        "versions": {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version},
        "totals": totals, "table": table, "failures": tally.failures[:50],
    }  # fmt: skip


def markdown(result: dict[str, Any]) -> str:
    totals = result["totals"]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    lines = [
        "# Damaged files",
        "",
        f"`python -m knitbone_evals.damage --files {result['files']} --seed {result['seed']}`:"
        f" {totals['files']:,} damaged files, {totals['tracebacks']:,} tracebacks,"
        f" {totals['silent']:,} with something altered or missing without a word"
        f" (95 % upper bound of a rate of 0 in {totals['files']:,}:"
        f" {3 / max(totals['files'], 1):.2%}); {result['seconds']} s; {versions}.",
        "",
        "A message is an error that says what is wrong and what to do; of a store only those count"
        " as one that stop everything, not what is said of single runs. `log` is the write-ahead"
        " log. A run without an end of which the last events are gone with a lost log is shown as"
        " open, which counts as said.",
        "",
        "| read | files | messages | tracebacks | silent |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, row in result["table"].items():
        lines.append(
            f"| {name} | {row['files']} | {row['messages']} | {row['tracebacks']} |"
            f" {row['silent']} |"
        )
    lines += ["", *(f"- {each}" for each in result["failures"])]
    return "\n".join(lines).rstrip() + "\n"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args(argv)
    if wrong := good_files():
        sys.stderr.write("Files that are whole are misread: " + "; ".join(wrong) + "\n")
        return 2
    started = time.monotonic()
    tally = search(chosen.files, chosen.seed)
    result = record(tally, chosen.files, chosen.seed, time.monotonic() - started)
    write_result(RESULTS / "damage.json", result)
    (RESULTS / "damage.md").write_text(markdown(result), encoding="utf-8")
    print(markdown(result))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())

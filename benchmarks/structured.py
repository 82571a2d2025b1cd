"""How fast broken JSON is mended: ``python -m benchmarks.structured``.

Documents of 500 characters to 1 MB with seeded faults, read by ``knitbone.repair`` and by
``json_repair.loads``, in turns in the same run. Milliseconds are medians over rounds; the ratio is
the median of the rounds' own ratios; both are processor time. How many faults a document has
decides, so it is told.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import json_repair

import knitbone

SIZES = (500, 1_000, 10_000, 100_000, 1_000_000)
PEER_LIMIT = 1_000_000
"""Larger documents are not given to the peer."""
RECORD = {
    "name": "item {n}",
    "minutes": 5,
    "needs": ["a ladder", "two hands"],
    "note": "some text about the item, long enough to be a sentence",
}
FAULTS: tuple[Callable[[str], str], ...] = (
    lambda record: record[:-1] + ",}",
    lambda record: record.replace('"minutes"', "minutes"),
    lambda record: record.replace('"a ladder"', "'a ladder'"),
    lambda record: record.replace('"a ladder", ', '"a ladder" '),
    lambda record: record.replace("long enough", '"long" enough'),
    lambda record: record.replace('"minutes": 5', '"minutes": 5 // at least\n'),
)
DIALECT = (FAULTS[0], FAULTS[1], FAULTS[2], FAULTS[5])
"""What a notation of its own makes in every record; two slips in one document are refused."""
DENSITIES = {"one fault in a document": 0, "one in 1 KB": 1_000, "one in each record": 1}


def document(size: int, every: int, seed: int) -> tuple[str, int]:
    """A list of records with faults, and how many: one for ``every`` characters."""
    chooser = random.Random(seed)
    records: list[str] = []
    written = faults = 0
    while written < size:
        record = json.dumps(RECORD).replace("{n}", str(len(records)))
        if (every and written >= faults * every) or (not every and not faults):
            record = chooser.choice(DIALECT if every else FAULTS)(record)
            faults += 1
        records.append(record)
        written += len(record) + 2
    return "[" + ", ".join(records) + "]", faults


def mend(text: str) -> Any:
    return knitbone.repair(text).unwrap()


def seconds(function: Callable[[str], Any], text: str) -> float:
    """Of the processor: what else runs on the machine does not count."""
    began = time.process_time()
    function(text)
    return time.process_time() - began


def row(name: str, size: int, rounds: int, seed: int) -> dict[str, Any]:
    text, faults = document(size, DENSITIES[name], seed)
    same = mend(text) == json_repair.loads(text) if size <= PEER_LIMIT else None
    mend(text)
    pairs = [(seconds(mend, text), seconds(json_repair.loads, text)) for _ in range(rounds)]
    return {
        "faults": name,
        "characters": len(text),
        "number_of_faults": faults,
        "rounds": rounds,
        "knitbone_ms": round(statistics.median(a for a, _ in pairs) * 1e3, 3),
        "json_repair_ms": round(statistics.median(b for _, b in pairs) * 1e3, 3),
        "ratio_median": round(statistics.median(b / a for a, b in pairs), 1),
        "ratio_min": round(min(b / a for a, b in pairs), 1),
        "ratio_max": round(max(b / a for a, b in pairs), 1),
        "same_value": same,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in DENSITIES:
        for size in SIZES:
            rounds = options.rounds if size < PEER_LIMIT else max(3, options.rounds // 5)
            rows.append(found := row(name, size, rounds, options.seed))
            print(
                f"{name:24} {found['characters']:>9} characters, {found['number_of_faults']:>5}"
                f" faults: {found['knitbone_ms']:>9.3f} ms, json-repair"
                f" {found['json_repair_ms']:>9.3f} ms, ratio {found['ratio_median']:>5.1f}"
                f" ({found['ratio_min']} to {found['ratio_max']}, n = {rounds})"
            )
    report = {
        "seed": options.seed,
        "versions": {"python": platform.python_version(), "json-repair": version("json-repair")},
        "rows": rows,
    }
    path = Path(__file__).parent / "results" / "json_repair.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"written to {path.name}")


if __name__ == "__main__":
    main()

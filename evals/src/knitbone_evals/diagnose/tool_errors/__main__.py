"""How many failed results are seen, and how many good ones are accused: ``python -m
knitbone_evals.diagnose.tool_errors [--data DIR]``.

Three sets: drawn results (``results.py``); results that a tester wrote by hand to be hard, without
having read the detector (``hand.jsonl``); and with DIR (``tau_airline``, ``agentrx``,
``who_and_when``) the real tool results of runs known to have succeeded.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from random import Random

from knitbone.errors import InputFormatError
from knitbone.tethering.diagnosis.error_reports import error_in
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_file
from knitbone_evals.diagnose.tool_errors.results import failed, good

DRAWN, SEED = 10_000, 20261126
_BY_HAND = Path(__file__).with_name("hand.jsonl")
_SETS = ("tau_airline", "agentrx", "who_and_when")


def drawn() -> None:
    """Print recall and false alarms over drawn results."""
    rng = Random(SEED)
    bad = [failed(rng) for _ in range(DRAWN)]
    said = [error_in(each.result) for each in bad]
    seen = sum(words is not None for words in said)
    quoted = sum(each.words in (words or "") for each, words in zip(bad, said, strict=True))
    print(f"failed results: {seen:,} of {DRAWN:,} seen, {quoted:,} quoted in their own words")
    accused = Counter(
        each.kind.split(",")[0]
        for each in (good(rng) for _ in range(DRAWN))
        if error_in(each.result)
    )
    print(f"good results: {accused.total():,} of {DRAWN:,} accused {dict(accused) or ''}")


def by_hand() -> None:
    """Print recall and false alarms over the tester's results."""
    rows = [json.loads(line) for line in _BY_HAND.read_text(encoding="utf-8").splitlines()]
    for kind, name in ((True, "failed"), (False, "good")):
        those = [row for row in rows if row["failed"] is kind]
        found = sum(error_in(row["result"], tool=row["tool"]) is not None for row in those)
        print(f"by hand, {name}: {found} of {len(those)} count as failed")


def recorded(data: Path) -> None:
    """Print how many real results of successful runs count as failed, and 30 of them."""
    results, found = 0, list[str]()
    for path in sorted(file for name in _SETS for file in (data / name).rglob("*.json")):
        try:
            items = import_file(path)
        except InputFormatError:  # labels
            continue
        for run in (item.run for item in items if item.run.outcome and item.run.outcome.success):
            calls = [call for unit in build_units(run) for call in unit.calls]
            results += len(calls)
            found += [f"{path.name} {call.tool}: {call.error}" for call in calls if call.error]
    print(f"results in successful runs: {len(found):,} of {results:,} count as failed")
    for line in found[:30]:
        print(f"  {line[:200]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    drawn()
    by_hand()
    if given.data is not None:
        recorded(given.data)

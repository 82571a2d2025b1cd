"""Count what the adapter does to answers where a careless repair would do harm.

    python -m knitbone_evals.adapt.harm [--json FILE] [--app apps_x:function]

The cases (cases.jsonl.gz) were written by an author who had read nothing of the adapter. A first
pass in a process of its own, with KNITBONE_DISABLED=1, tells what plain code does; the second one
runs the same cases here, with the adapter.
"""

import argparse
import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from knitbone_evals.lines import lines_of
from knitbone_evals.paths import RESULTS, write_result

CASES = Path(__file__).with_name("cases.jsonl")
COLUMNS = ("n", "right", "repaired", "left alone", "WRONG", "CHANGED", "missed")


def judge(case, plain, got):
    """The column of one case: got and plain are {"ok": whether a value came, "text": its repr}."""
    plain_right = plain["ok"] and plain["text"] in case["accept"]
    if got["ok"] and got["text"] in case["accept"]:
        return "right" if plain_right else "repaired"
    if plain_right:
        return "CHANGED"
    if not got["ok"] or got == plain:
        return "left alone"
    return "WRONG"


def was_opened_last(app):
    """Whether an application belongs to the part that nobody looked at until the end."""
    return hashlib.md5(app.encode(), usedforsecurity=False).digest()[0] % 4 == 3


def count(cases, plain, outcomes):
    """Rows by class (and "all", "last"), and the cases that are WRONG or CHANGED."""
    rows, wrong = {}, []
    for case, before, after in zip(cases, plain, outcomes, strict=True):
        column = judge(case, before, after)
        last = ("last",) if was_opened_last(case["app"]) else ()
        for row in (case["class"], "all", *last):
            counts = rows.setdefault(row, Counter())
            counts["n"] += 1
            counts[column] += 1
            counts["WRONG"] += column == "CHANGED"
            counts["missed"] += column == "left alone" and not case["refuse_ok"]
        if column in ("WRONG", "CHANGED"):
            wrong.append({**case, "verdict": column, "plain": before["text"], "got": after["text"]})
    return {row: rows[row] for row in sorted(rows, key=str)}, wrong


def show(rows, wrong, stale):
    print("class  " + "  ".join(f"{column:>10}" for column in COLUMNS))
    for row, counts in rows.items():
        print(f"{row:>5}  " + "  ".join(f"{counts[column]:>10}" for column in COLUMNS))
    print("last: the part that was opened last, included in all.")
    print("WRONG includes CHANGED; missed: left alone, though a repair is expected.")
    for case in wrong:
        print(f"\n{case['verdict']} class {case['class']} {case['app']}: {case['note']}")
        print(f"    answer {case['answer']!r}")
        print(f"    plain  {case['plain']}")
        print(f"    got    {case['got']}")
        print(f"    accept {case['accept']}")
    if stale:
        print(f"\n{len(stale)} cases whose recorded plain result is not what plain code does:")
        for case in stale:
            print(f"    {case['app']} {case['answer']!r}: recorded {case['plain']}")


parser = argparse.ArgumentParser(prog="python -m knitbone_evals.adapt.harm")
parser.add_argument("--json", metavar="FILE", help="write the counts and the wrong cases")
parser.add_argument("--app", help="only the cases of this application or module")
parser.add_argument("--outcomes-only", action="store_true", help=argparse.SUPPRESS)
options = parser.parse_args()

cases = [json.loads(line) for line in lines_of(CASES)]
if options.app:
    cases = [case for case in cases if options.app in (case["app"], case["app"].split(":")[0])]

plain_outcomes = []
if not options.outcomes_only:
    command = [sys.executable, "-m", "knitbone_evals.adapt.harm", "--outcomes-only"]
    command += ["--app", options.app] if options.app else []
    first = subprocess.run(
        command,
        env={**os.environ, "KNITBONE_DISABLED": "1"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        encoding="utf-8",
    )
    plain_outcomes = json.loads(first.stdout)

# At the top level, not in a function: the adapter may read the functions that wait for the answer.
outcomes = []
for case in cases:
    module_name, function_name = case["app"].split(":")
    module = importlib.import_module(f"knitbone_evals.adapt.harm.{module_name}")
    module.ANSWER[0] = case["answer"]
    try:
        outcomes.append({"ok": True, "text": repr(getattr(module, function_name)())})
    except Exception as error:  # noqa: BLE001 - any failure of the application counts
        outcomes.append({"ok": False, "text": type(error).__name__})

if options.outcomes_only:
    print(json.dumps(outcomes))
    sys.exit()

class_rows, wrong_cases = count(cases, plain_outcomes, outcomes)
stale_cases = [c for c, p in zip(cases, plain_outcomes, strict=True) if c["plain"] != p["text"]]
show(class_rows, wrong_cases, stale_cases)
if options.json:
    report = {"classes": {str(row): dict(c) for row, c in class_rows.items()}, "wrong": wrong_cases}
    write_result(Path(options.json), report)
known = json.loads((RESULTS / "harm.json").read_text("utf-8"))["classes"]["all"]["WRONG"]
if len(wrong_cases) > known:
    print(f"\n{known} wrong ones are on record (results/harm.json): more have come.")
sys.exit(bool(len(wrong_cases) > known or stale_cases))

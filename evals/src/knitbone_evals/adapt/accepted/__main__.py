"""Answers that plain code reads, plain and adapted: ``python -m knitbone_evals.adapt.accepted``.

Consumers come from grammars whose authors had read no part of this library; ``held_back`` was not
looked at while the library was mended, but for one program. Printed: pairs, how many adapt changed,
and the consumers.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from knitbone_evals.adapt.accepted.search import Pair, search
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "adapt_accepted.json"
GRAMMARS = ("scalars", "structures", "shapes", "held_back")


def main() -> int:
    """Search, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grammar", choices=GRAMMARS, action="append")
    parser.add_argument("--rounds", type=int, default=10, help="variations of each template")
    parser.add_argument("--answers", type=int, default=30, help="drawn for each variation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="templates whose name holds this")
    parser.add_argument("--mode", choices=("repair", "strict"), default="repair")
    parser.add_argument("--verbose", type=int, default=0, help="changed pairs printed of each")
    parser.add_argument("--quick", action="store_true", help="nothing is written")
    options = parser.parse_args()
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    os.environ["KNITBONE_ADAPT_QUIET"] = "1"  # of prose nothing is required
    tables: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        sys.path.insert(0, name)
        first = 0
        for grammar in options.grammar or GRAMMARS:
            table, first = _table(grammar, Path(name), options, first)
            tables[grammar] = table
            print(_shown(grammar, table), flush=True)
    if not options.quick and options.mode == "repair":
        result = {
            "seed": options.seed,
            "rounds": options.rounds,
            "answers": options.answers,
            "versions": {"knitbone": version("knitbone"), "python": sys.version.split()[0]},
            "grammars": tables,
        }
        write_result(RESULT, result)
        RESULT.with_suffix(".md").write_text(_page(result), encoding="utf-8")
    return int(any(table["changed"] for table in tables.values()))


def _table(
    grammar: str, folder: Path, options: argparse.Namespace, first: int
) -> tuple[dict[str, Any], int]:
    consumers = importlib.import_module(
        f"knitbone_evals.adapt.accepted.{grammar}.consumers"
    ).consumers

    def chosen(random: Any) -> Any:
        return (each for each in consumers(random) if options.only in each.name)

    kinds, changed, shown = Counter[str](), Counter[str](), Counter[str]()
    handled = Counter[bool]()
    settings = {
        "rounds": options.rounds,
        "answers": options.answers,
        "seed": options.seed,
        "mode": options.mode,
    }
    for pair in search(chosen, folder, **settings, first=first):
        if pair.handled:
            handled[pair.changed] += 1
            if pair.changed and options.verbose:
                print(_told(pair, at_length=True), flush=True)
            continue
        kinds[pair.consumer.kind] += 1
        if pair.changed:
            changed[pair.consumer.kind] += 1
            shown[pair.consumer.name] += 1
            if shown[pair.consumer.name] <= options.verbose:
                print(_told(pair, shown[pair.consumer.name] == 1), flush=True)
    table = {
        "pairs": kinds.total(),
        "changed": changed.total(),
        "kinds": {kind: [number, changed[kind]] for kind, number in sorted(kinds.items())},
        "templates changed": dict(sorted(shown.items())),
        "behind a handler": [handled.total(), handled[True]],
    }
    return table, first + 100_000


def _page(result: dict[str, Any]) -> str:
    pairs = sum(table["pairs"] for table in result["grammars"].values())
    changed = sum(table["changed"] for table in result["grammars"].values())
    lines = [
        "# Answers that plain code reads, plain and adapted",
        "",
        f"{pairs:,} pairs of a program and an answer, {changed} changed. Seed {result['seed']}, "
        f"{result['rounds']} variations of each template, {result['answers']} answers each; "
        f"Python {result['versions']['python']}. Of `held_back` one program was looked at, after "
        "23,348 pairs of which none was changed.",
        "",
        "Where the code catches an exception of its own reader and goes on with something else, it "
        "has not read the answer: such pairs are counted apart, *behind a handler*.",
    ]
    for name, table in result["grammars"].items():
        lines += ["", f"## {name}: {table['pairs']:,} pairs, {table['changed']} changed", ""]
        apart, repaired = table["behind a handler"]
        if apart:
            lines += [f"Beside them, behind a handler: {apart:,}, {repaired} repaired.", ""]
        lines += ["| consumers | pairs | changed |", "| --- | --- | --- |"]
        lines += [f"| {kind} | {n} | {bad} |" for kind, (n, bad) in table["kinds"].items()]
    return "\n".join(lines) + "\n"


def _told(pair: Pair, at_length: bool) -> str:
    source = f"--- {pair.consumer.name} ({pair.consumer.kind})\n{pair.consumer.source}\n"
    return (
        f"{source if at_length else ''}answer  {pair.answer[:1_000]!r}\n"
        f"plain   {pair.plain}\nadapted {pair.adapted}"
    )


def _shown(grammar: str, table: dict[str, Any]) -> str:
    apart, repaired = table["behind a handler"]
    lines = [
        f"{grammar}: {table['pairs']} pairs, {table['changed']} changed; "
        f"behind a handler {apart}, {repaired} repaired"
    ]
    for kind, (number, changed) in table["kinds"].items():
        lines.append(f"  {changed:5} of {number:6}  {kind}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

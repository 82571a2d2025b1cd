"""Faults and errors that the fuzzer finds, beside a Hypothesis strategy made from the types.

``python -m knitbone_evals.fuzz --library-python PYTHON`` measures everything and writes the result
files; PYTHON is an interpreter that has knitbone and ``library_requirements.txt``, such as
``make bench-fuzz`` makes.
``python -m knitbone_evals.fuzz --planted --calls 200 --seeds 0`` runs the fuzzer on the planted
tools and prints what it finds; ``--library`` does so with the tools of langchain-community.
``--planted --split third --beside`` measures one set beside Hypothesis, 200 and 2,000 calls, and
writes ``results/fuzz_third``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from knitbone_evals.fuzz import library_table, planted_table, render, results
from knitbone_evals.fuzz.plan import SPLITS, Run, Runner, library_tools, planted_targets
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.replaying import replay
from knitbone_evals.fuzz.running import TREATMENTS
from knitbone_evals.fuzz.scoring import Scored, score
from knitbone_evals.paths import RESULTS, write_result

__all__ = ["main"]

_RESULTS = RESULTS


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--planted", action="store_true", help="only the planted and sound tools")
    one.add_argument("--library", action="store_true", help="only the tools of langchain-community")
    parser.add_argument("--seeds", type=int, nargs="+", help="0 for one set, 0 1 2 for everything")
    parser.add_argument("--library-seeds", type=int, nargs="+", help="where they are others")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--library-python", help="interpreter that has the library tools")
    parser.add_argument("--runs", type=Path, help="folder that keeps reports, and gives them back")
    part = parser.add_argument_group("with --planted or --library")
    part.add_argument("--calls", type=int, default=results.FEW)
    part.add_argument("--only", default="", help="tools whose target contains this")
    part.add_argument("--split", choices=sorted(SPLITS), default="", help="a half of the themes")
    part.add_argument("--beside", action="store_true", help="with --split: beside Hypothesis")
    part.add_argument("--treatment", choices=sorted(TREATMENTS), default="knitbone")
    part.add_argument("--generator", choices=("taint", "schema"), default="")
    part.add_argument("--verbose", action="store_true", help="say what was found in each tool")
    options = parser.parse_args()
    if options.beside and not options.split:
        parser.error("--beside needs --split")
    if options.library and options.library_python is None:
        parser.error(
            "--library needs --library-python: see evals/src/knitbone_evals/fuzz/library.py"
        )
    return options


def _planted(options: argparse.Namespace, runner: Runner, seeds: list[int]) -> None:
    tools = planted_targets(split=options.split, only=options.only)
    known = registry.by_target()
    scores = list[list[Scored]]()
    for seed in seeds:
        run = Run(options.treatment, options.calls, seed, options.generator)
        seen = runner.run(tools, run)
        scores.append([score(known[report.target], report) for report in seen])
        for line in planted_table.listing(scores[-1], every=options.verbose):
            print(line, flush=True)
    print(f"\n{'':28}{'tools':>6}  found (one seed each)     median   median call")
    for row in planted_table.table(scores):
        found = " ".join(f"{number:>4}" for number in row["found"])
        print(f"{row['group']:28}{row['tools']:>6}  {found:24}{row['median found']:>8}", end="")
        print(f"{row['median call'] or '-':>14}")
    for name, numbers in planted_table.summary(scores).items():
        print(f"{name:28}{'':>6}  " + " ".join(f"{number!s:>4}" for number in numbers))


def _beside(options: argparse.Namespace, runner: Runner, seeds: list[int]) -> None:
    """One set of planted tools, both sides, into result files of its own."""
    tools = planted_targets(split=options.split)
    result = {
        "title": f"What the fuzzer finds in the {options.split} set, beside Hypothesis",
        "seeds": seeds,
        **results.provenance(None),
        "planted": results.planted(runner, tools, seeds),
    }
    _write(result, f"fuzz_{options.split}")


def _write(result: dict[str, Any], name: str) -> None:
    text = render.markdown(result)
    write_result(_RESULTS / f"{name}.json", result)
    (_RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)


def _library(options: argparse.Namespace, runner: Runner, seeds: list[int], folder: Path) -> None:
    tools = library_tools(folder, only=options.only)
    for seed in seeds:
        run = Run(options.treatment, options.calls, seed, options.generator)
        seen = runner.run(tools, run)
        for report in seen:
            name = report.target.rpartition(":")[2]
            print(f"{name:28}{report.calls:>6} calls {report.seconds:>8.1f} s  {report.problem}")
            for (_, kind, key), one in library_table.errors_of([report]).items():
                if options.verbose:
                    print(
                        f"  {one.call:>5} {kind:14}{key}"
                        + "  (no valid call)" * (not one.conforming)
                    )
        print(library_table.side(seen))


def _everything(options: argparse.Namespace, seeds: list[int], folder: Path) -> None:
    kept, processes = options.runs, options.processes
    runner = Runner(processes=processes, folder=kept)
    result: dict[str, Any] = {
        "title": "What the fuzzer finds, beside Hypothesis",
        "seeds": seeds,
        **results.provenance(options.library_python),
    }
    tools = planted_targets()
    result["planted"] = results.planted(runner, tools, seeds)
    first = runner.run(tools, Run("knitbone", results.FEW, seeds[0]))
    result["planted"]["reproducers"] = replay(first, processes=processes)
    if options.library_python is None:
        print("library tools: passed over, they need --library-python", file=sys.stderr)
    else:
        runner = Runner(processes=processes, folder=kept, python=options.library_python)
        others = options.library_seeds or seeds
        result["library"] = results.library(runner, library_tools(folder), others)
    _write(result, "fuzz")


def main() -> None:
    """Run what the command line asks for."""
    options = _options()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="library-tools-") as folder:
        if options.planted:
            runner = Runner(processes=options.processes, folder=options.runs)
            if options.beside:
                _beside(options, runner, options.seeds or [0, 1, 2])
            else:
                _planted(options, runner, options.seeds or [0])
        elif options.library:
            runner = Runner(
                processes=options.processes, folder=options.runs, python=options.library_python
            )
            _library(options, runner, options.seeds or [0], Path(folder))
        else:
            _everything(options, options.seeds or [0, 1, 2], Path(folder))
    print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()

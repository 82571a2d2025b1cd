"""What ``knitbone fix`` does to documentations: ``python -m knitbone_evals.fix``.

Without an option: five tools of other people that findings of ``knitbone_evals.fuzz`` name, from
the
folder that ``--packages`` names (``requirements.txt`` says how it is made). Each patch is applied
by ``git apply`` to a copy of the package's file in a repository of its own; unique errors are
counted before and after. ``--planted`` holds what is stated of the planted tools against their
known faults. ``--docs --data DIR`` counts the constraints that are read of the TMDB and ToolBench
documentations in ``DIR/tool_docs``, as found and as DRAFT rewrote them; no tool is called.
``--tasks`` replays what small real models did on FMB's tasks with each arm's documentation (half a
minute; ``tasks/study.py`` says what is measured, ``tasks/run.py`` records).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from knitbone import __version__
from knitbone_evals.fix.documentations import count_documentations
from knitbone_evals.fix.planted import state_planted
from knitbone_evals.fix.real_tools import fix_real_tools
from knitbone_evals.fix.tasks.table import replayed, table
from knitbone_evals.paths import RESULTS, write_result


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m knitbone_evals.fix")
    parser.add_argument("--packages", type=Path, help="folder of the tools' packages")
    parser.add_argument(
        "--planted", action="store_true", help="the planted tools of evals/src/knitbone_evals/fuzz"
    )
    parser.add_argument("--split", choices=["dev", "held", "second", "third"], default="held")
    parser.add_argument("--docs", action="store_true", help="documentations of --data")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tasks", action="store_true", help="recorded attempts at FMB's tasks")
    options = parser.parse_args()
    if options.docs:
        if options.data is None:
            parser.error("--docs needs --data DIR")
        return _keep("fix_docs", count_documentations(options.data / "tool_docs"))
    if options.tasks:
        return _tasks()
    if options.planted:
        return _keep(f"fix_planted_{options.split}", state_planted(options.split))
    if options.packages is None:
        parser.error(
            "--packages FOLDER is needed, see requirements.txt; or --planted, --docs, --tasks"
        )
    folder = str(options.packages.resolve())
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder
    return _keep("fix", fix_real_tools())


def _tasks() -> int:
    found = replayed()
    _write("fix_tasks", found)
    print(table(found))
    return 0


def _write(name: str, figures: dict[str, object]) -> None:
    write_result(RESULTS / f"{name}.json", {"version": __version__, **figures})


def _keep(name: str, figures: dict[str, object]) -> int:
    _write(name, figures)
    shown = {key: value for key, value in figures.items() if key != "tools"}
    print(json.dumps(shown, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

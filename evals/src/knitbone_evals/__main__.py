"""How good knitbone is: ``python -m knitbone_evals list`` and ``run NAME [ARGUMENTS]``.

``run --quick`` runs what takes seconds and writes nothing; it ends with 1 where one of them fails.
``run NAME`` hands all further arguments to the task; ``run NAME --help`` lists them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from knitbone_evals.tasks import TASKS, Task

_DATA = "; `--data DIR`"


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m knitbone_evals", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="what each task measures, and on what data")
    run = commands.add_parser("run", help="one task, or --quick", add_help=False)
    run.add_argument("name", help="a task of the list, or --quick", nargs="?")
    run.add_argument("--quick", action="store_true")
    options, rest = parser.parse_known_args(arguments)
    if options.command == "list":
        print(table())
        return 0
    if options.quick and options.name is None:
        return _run_quick()
    task = next((task for task in TASKS if task.name == options.name), None)
    if task is None:
        names = ", ".join(task.name for task in TASKS)
        run.error(f"{options.name!r} is no task. Known are: {names}")
    return _run(task, [*(["--quick"] if options.quick else []), *rest])


def table() -> str:
    """The tasks, one line each."""
    lines = ["| task | measures | data |", "| --- | --- | --- |"]
    lines += [
        f"| `{task.name}` | {task.measures} | {task.data}{_DATA if task.public else ''} |"
        for task in TASKS
    ]
    return "\n".join(lines)


def _run_quick() -> int:
    failed: list[str] = []
    for task in TASKS:
        if task.quick is not None:
            print(f"== {task.name}", flush=True)
            began = time.monotonic()
            if _run(task, list(task.quick)):
                failed.append(task.name)
            print(f"== {task.name}: {time.monotonic() - began:.0f} s", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "all ended well")
    return 1 if failed else 0


def _run(task: Task, arguments: list[str]) -> int:
    command = [sys.executable, "-m", f"knitbone_evals.{task.name}", *arguments]
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())

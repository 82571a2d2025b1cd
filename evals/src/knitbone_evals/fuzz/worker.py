"""One tool under Hypothesis, in a process of its own; the report goes to standard output as JSON.

The process loads the tool and nothing of the descriptions of its fault (see
``planted.registry``). Every tool gets the number of calls that it is given, or fewer if the
strategy has no more examples; a call that takes too long is ended and counted as a hang.
"""

from __future__ import annotations

import contextlib
import copy
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import hypothesis
import msgspec
from hypothesis.configuration import set_hypothesis_home_dir

from knitbone_evals.fuzz.calling import Call, load, observe, own_modules
from knitbone_evals.fuzz.reports import Found, Report, Task
from knitbone_evals.fuzz.strategies import arguments_of

__all__ = ["run"]

_MEMORY = 4 << 30
_FILE_SIZE = 64 << 20
_LONGEST_ARGUMENTS = 400
_AFTER_HANG = 0.1
"""Part of the time that a call is given once the tool has hung: more hangs say nothing more."""

_CONFIRMED = 10
"""Times the limit that the first hang gets in a second try: a busy machine is no hang."""


@dataclass
class _Counts:
    calls: int = 0
    rejected: int = 0
    hangs: int = 0
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)


class _Enough(BaseException):
    pass


def run(task: Task) -> Report:
    """Draw arguments and call the tool until the calls are used up."""
    tool = load(task.target)
    own = own_modules(tool)
    found: dict[tuple[str, str], Found] = {}
    counts = _Counts()
    begin = time.monotonic()

    def _seen(arguments: dict[str, Any], *, after_hang: bool) -> Call:
        if after_hang:
            return observe(tool, arguments, timeout=task.timeout * _AFTER_HANG, own=own)
        seen = observe(tool, copy.deepcopy(arguments), timeout=task.timeout, own=own)
        if seen.failure is not None and seen.failure.kind == "hang":
            return observe(tool, arguments, timeout=task.timeout * _CONFIRMED, own=own)
        return seen

    @hypothesis.seed(task.seed)
    @hypothesis.settings(
        max_examples=task.calls,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(arguments_of(tool))
    def one(arguments: dict[str, Any]) -> None:
        if counts.calls == task.calls:
            raise _Enough
        counts.calls += 1
        seen = _seen(arguments, after_hang=bool(counts.hangs))
        counts.rejected += seen.rejected
        if seen.failure is None:
            return
        counts.hangs += seen.failure.kind == "hang"
        key = seen.failure.kind, seen.failure.key
        counts.failures[key] += 1
        if key not in found:
            text = ascii(arguments)[:_LONGEST_ARGUMENTS]
            passed = round(time.monotonic() - begin, 3)
            found[key] = Found(seen.failure, counts.calls, text, seconds=passed)

    with contextlib.suppress(_Enough):
        one()
    return Report(
        target=task.target,
        calls=counts.calls,
        rejected=counts.rejected,
        seconds=round(time.monotonic() - begin, 2),
        findings=tuple(
            msgspec.structs.replace(one, count=counts.failures[key]) for key, one in found.items()
        ),
    )


def main() -> None:
    """Read a task from the argument, write the report to what was standard output."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    # Hypothesis takes constants from local modules, but none from test files. These modules
    # stand where a user's test file stands, and their words would only thin out the tool's own.
    for name in ("calling", "reports", "strategies"):
        del sys.modules[f"knitbone_evals.fuzz.{name}"]
    output = os.dup(1)
    # What a tool prints must not get into the report; what it reads is empty.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_SIZE, _FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        if task.files:
            shutil.copytree(task.files, folder, dirs_exist_ok=True)
        os.chdir(folder)
        tempfile.tempdir = folder
        set_hypothesis_home_dir(folder)
        report = run(task)
        os.chdir("/")
    os.write(output, msgspec.json.encode(report))


if __name__ == "__main__":
    main()

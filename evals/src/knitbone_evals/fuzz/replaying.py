"""Reproducers, run as a user would: the command that a finding gives, in a shell's words."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from knitbone_evals.fuzz.reports import Report

__all__ = ["replay"]

_SECONDS = 120


def replay(
    reports: Iterable[Report], *, processes: int = 1, python: str = sys.executable
) -> dict[str, int]:
    """How many commands there are, and how many of them show the same failure again.

    Args:
        python: Interpreter beside which ``knitbone`` is installed.
    """
    commands = [found.reproducer for report in reports for found in report.findings]
    program = str(Path(python).with_name("knitbone"))
    with ThreadPoolExecutor(processes) as pool:
        done = list(pool.map(lambda command: _same(program, command), commands))
    return {"commands": len(commands), "same failure": sum(done)}


def _same(program: str, command: str) -> bool:
    name, *arguments = shlex.split(command)
    assert name == "knitbone", command
    try:
        ended = subprocess.run(
            [program, *arguments], capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0

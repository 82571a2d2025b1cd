"""Expressions of public lists that take exponential time: nothing hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_nothing_hangs_that_did_not_hang_before():
    """The benchmark in small; forked children need a process without threads."""
    command = [sys.executable, "-m", "knitbone_evals.adapt.catastrophic", "--every", "20"]
    for consumer in ("match", "label", "field"):
        command += ["--consumer", consumer]
    root = Path(__file__).parents[3]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "| conforming | 15 |" in ended.stdout

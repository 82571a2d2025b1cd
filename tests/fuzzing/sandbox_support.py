"""Looking for what a sandbox left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

HOSTILE = Path(__file__).parents[1] / "samples" / "hostile_tools.py"


def hostile(name: str) -> str:
    return f"{HOSTILE}:{name}"


def processes_within(folder: Path) -> list[int]:
    """Living processes that work in ``folder`` or were started with it in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            # A listing of /proc is no proof of life: a zombie has neither.
            here = os.readlink(entry / "cwd").startswith(str(folder))
            told = str(folder).encode() in (entry / "environ").read_bytes()
        except OSError:
            continue
        if here or told:
            found.append(int(entry.name))
    return found


def wait_until_gone(folder: Path, *, patience_s: float = 5.0) -> None:
    """Fail when anything of a sandbox in ``folder`` outlives it."""
    deadline = time.monotonic() + patience_s
    while (left := processes_within(folder)) or any(folder.iterdir()):
        if time.monotonic() > deadline:
            pytest.fail(f"left behind: processes {left}, entries {list(folder.iterdir())}")
        time.sleep(0.02)

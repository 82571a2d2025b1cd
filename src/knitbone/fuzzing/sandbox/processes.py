"""The processes below a tool: which there are, what memory they use, and their end.

Reads /proc; without it no processes are found.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

__all__ = [
    "children",
    "descendants",
    "is_alive",
    "kill_below",
    "memory_bytes",
    "own_memory_bytes",
    "parent_of",
    "reap",
    "thread_count",
]

_PAGE = os.sysconf("SC_PAGE_SIZE")
_PATIENCE_S = 10.0
"""Longest fight against a tree of processes that keeps growing."""


def thread_count(pid: int) -> int:
    """Threads of a process; 0 when it is gone."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208 - the hot path
    except OSError:
        return 0


def children(pid: int) -> list[int]:
    """Living children of a process (not the ones that ended and wait to be reaped)."""
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - the hot path
            text = Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii")
            found.extend(int(word) for word in text.split())
    except FileNotFoundError:
        # The process is gone, or the kernel was built without this file.
        if Path(f"/proc/{pid}").exists():
            found = [child for child, parent, _ in _table() if parent == pid]
    except OSError:
        return []
    return [child for child in found if is_alive(child)]


def parent_of(pid: int) -> int:
    """The process that started ``pid``; 0 when it is gone, or there is no /proc."""
    row = _read(pid)
    return 0 if row is None else row[0]


def is_alive(pid: int) -> bool:
    """Whether a process runs, or could; one that ended and waits to be reaped does not."""
    row = _read(pid)
    return row is not None and row[1] not in ("Z", "X")


def descendants(pid: int) -> set[int]:
    """All living processes below ``pid``, at any depth."""
    by_parent: dict[int, list[int]] = {}
    for child, parent, state in _table():
        if state not in ("Z", "X"):
            by_parent.setdefault(parent, []).append(child)
    below: set[int] = set()
    queue = [pid]
    while queue:
        for child in by_parent.get(queue.pop(), []):
            if child not in below:
                below.add(child)
                queue.append(child)
    return below


def memory_bytes(pids: Collection[int]) -> int:
    """Resident memory of the processes, added up (shared pages count for each)."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
            total += int(text.split()[1]) * _PAGE
    return total


def own_memory_bytes(pids: Collection[int]) -> int:
    """Memory of the processes together, each shared page counted once. Slow: walks their maps."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
            share = next(line for line in text.splitlines() if line.startswith("Pss:"))
            total += int(share.split()[1]) * 1024
        except (OSError, ValueError, IndexError, StopIteration):
            total += memory_bytes([pid])
    return total


def kill_below(pid: int, *, keep: Collection[int] = ()) -> None:
    """Kill everything below ``pid`` but ``keep`` and reap what is ours.

    Processes are stopped before they are killed, so that a tree that grows as fast as it is cut
    down ends all the same.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while targets := descendants(pid).difference(keep):
        for kind in (signal.SIGSTOP, signal.SIGKILL):
            for target in targets:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(target, kind)
        reap(targets)
        if time.monotonic() > deadline:
            return
        time.sleep(0.001)


def reap(pids: Collection[int]) -> None:
    """Collect the exit status of those of ``pids`` that are our children and have ended."""
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _table() -> list[tuple[int, int, str]]:
    rows: list[tuple[int, int, str]] = []
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - the hot path
    except OSError:
        return rows
    for name in names:
        if name.isdigit() and (row := _read(int(name))) is not None:
            rows.append((int(name), row[0], row[1]))
    return rows


def _read(pid: int) -> tuple[int, str] | None:
    """Parent and state of one process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name in the middle may hold anything, parentheses included.
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), fields[0]

"""What one process is told about the tool that it calls, and what it says of it, as JSON.

The same for the fuzzer and for the baseline, so that one rule counts the errors of both.
"""

from __future__ import annotations

import msgspec

from knitbone_evals.fuzz.calling import Failure

__all__ = ["Found", "Report", "Task"]


class Task(msgspec.Struct, frozen=True):
    """What a worker is told."""

    target: str
    calls: int = 2000
    seed: int = 0
    timeout: float = 1.0
    """Seconds allowed to one call."""
    generator: str = ""
    """Which generator the fuzzer uses; its own choice if empty. Nothing to the baseline."""
    files: str = ""
    """Folder whose copy the tool works in; an empty one, or the fuzzer's own, without."""
    allow_hosts: tuple[str, ...] = ()
    """Hosts that the fuzzer's sandbox lets the tool connect to; the baseline has no sandbox."""


class Found(msgspec.Struct, frozen=True):
    """A unique error, and the number of the call at which it was first seen, from 1."""

    failure: Failure
    call: int
    arguments: str
    count: int = 1
    """Calls that failed like this."""
    seconds: float = 0.0
    """From the first call to this one."""
    replays: bool | None = None
    """Whether it came again in a fresh process; None where nobody tried."""
    conforming: bool | None = None
    """Whether the arguments meet the tool's schema; None where they do by construction."""
    reproducer: str = ""
    """A command that is said to replay it."""
    standing: str = ""
    """How the fuzzer has it: ``unhandled``, ``refused`` or ``not run``; empty where none tells."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker saw in one tool."""

    target: str
    calls: int
    rejected: int
    """Calls whose arguments the tool's own schema refused."""
    seconds: float
    """From the first call to the last one."""
    findings: tuple[Found, ...]
    extra_calls: int = 0
    """Calls beyond ``calls``: for smaller arguments and for trying again."""
    denied: int = 0
    """Calls that failed because the sandbox refused the tool something."""
    problem: str = ""
    """Why the worker could not go on: it died, or the tool could not be loaded."""

"""A generator within bounds of time and memory: what it works with is somebody else's.

Schemas are bounded when they are read and terms before they are computed; this is the net below
both. It interrupts by the timer of the process, which the matcher of expressions heeds as well, and
refuses memory beyond what the process had; both are possible in the main thread only.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable
from collections.abc import Generator as Yielding
from pathlib import Path
from types import FrameType
from typing import TypeVar

import msgspec

from knitbone.fuzzing.generate.types import ArgumentProposal, Generator
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.schema_bounds import without_patterns
from knitbone.record.events import Json

try:
    import resource
except ImportError:  # not on Windows
    resource = None

__all__ = ["BoundedGenerator", "CannotGenerateError"]

_LONGEST_S = 5.0
"""One proposal: a hundred times what the slowest of the benchmark's tools takes."""
_SHARE = 0.1
"""Of the campaign's wall clock: so much may be lost for one proposal."""
_MEMORY = 512 << 20
"""Bytes beyond those that the process has when its generator is made."""
_FAILURES = 3
"""Proposals in a row that came to nothing, before the campaign ends."""

_Result = TypeVar("_Result")


class CannotGenerateError(Exception):
    """No more arguments can be made of this schema; the message says why."""


class _OverError(BaseException):
    """The time is over. No ``Exception``: nothing on the way may take it for its own."""


class BoundedGenerator:
    """``Generator`` around another one, which is made within the same bounds.

    Args:
        make: makes it for a tool, whose schema may be one with less than it had.
        time_s: wall clock of the campaign.

    Raises:
        CannotGenerateError: it cannot be made.
    """

    def __init__(
        self, make: Callable[[ToolUnderTest], Generator], tool: ToolUnderTest, *, time_s: float
    ) -> None:
        self._make, self._tool = make, tool
        self._seconds = min(_LONGEST_S, time_s * _SHARE)
        self._most = _used_bytes() + _MEMORY
        self._failed = 0
        self._inner = self._made()

    def propose(self, call: int) -> ArgumentProposal:
        """As ``Generator``; no arguments at all where the proposal took too much.

        Raises:
            CannotGenerateError: several in a row did.
        """
        made, reason = self._within(lambda: self._inner.propose(call))
        if made is not None:
            self._failed = 0
            return made
        self._failed += 1
        if self._failed >= _FAILURES:
            raise CannotGenerateError(f"its schema asks for too much: {reason}")
        if self._failed == 1 and self._drop_patterns():
            self._inner = self._made()
        return ArgumentProposal(arguments={}, conforming=False)

    def _made(self) -> Generator:
        made, reason = self._within(lambda: self._make(self._tool))
        if made is None and self._drop_patterns():
            made, reason = self._within(lambda: self._make(self._tool))
        if made is None:
            raise CannotGenerateError(f"no arguments can be made of its schema: {reason}")
        return made

    def _drop_patterns(self) -> bool:
        """Go on without the expressions of the schema: one of them may be what never ends."""
        before = self._tool.schema
        self._tool = msgspec.structs.replace(self._tool, schema=without_patterns(before))
        return self._tool.schema != before

    def observe(
        self, arguments: dict[str, Json], outcome: CallOutcome, failure: str | None
    ) -> None:
        """As ``Generator``; a call that cannot be learned from in time is not learned from."""
        self._within(lambda: self._inner.observe(arguments, outcome, failure))

    def behaviours(self) -> tuple[str, ...]:
        """As ``Generator``."""
        made, _ = self._within(self._inner.behaviours)
        return made or ()

    def _within(self, work: Callable[[], _Result]) -> tuple[_Result | None, str]:
        """What comes of ``work``, or ``None`` and why nothing did."""
        try:
            with _time(self._seconds), _memory(self._most):
                return work(), ""
        except _OverError:
            return None, f"more than {self._seconds:g} s for one call"
        except MemoryError:
            return None, f"more than {_MEMORY >> 20} MB for one call"
        except RecursionError:
            return None, "it is nested too deeply"
        except Exception as error:  # noqa: BLE001 - one call is lost, and no campaign
            return None, f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def _time(seconds: float) -> Yielding[None]:
    """Interrupts after ``seconds``, where nothing else uses the timer."""
    usable = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )
    if not usable:
        yield
        return
    before = signal.signal(signal.SIGALRM, _over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _over(_number: int, _frame: FrameType | None) -> None:
    raise _OverError


@contextlib.contextmanager
def _memory(most: int) -> Yielding[None]:
    """Refuses memory beyond ``most`` bytes; only while no other thread would be refused it too."""
    if resource is None or threading.active_count() > 1:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft != resource.RLIM_INFINITY:
        yield
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _used_bytes() -> int:
    """Private memory of this process, by the kernel's count for its limit."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 1 << 30

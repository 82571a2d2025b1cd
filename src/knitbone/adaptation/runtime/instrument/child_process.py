"""A child process that stands in for this one: signals are passed on, and its end becomes our
end."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

__all__ = ["end_like", "run_child"]

_FROM_KERNEL = 0x80
"""``SI_KERNEL``: the terminal sent the signal, to all processes in front of it."""
_FORWARDED = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def run_child(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a program to its end, with our standard streams; signals that we get are passed on.

    Returns:
        Its exit code; minus the number of the signal that ended it.

    Raises:
        OSError: the program cannot be started.
    """
    forwarded = {getattr(signal, name) for name in _FORWARDED}
    watched = forwarded | {signal.SIGCHLD}
    # Where it is ignored, which is inherited, the system tells of no end and keeps no exit code.
    handler = signal.signal(signal.SIGCHLD, _ignore_signal)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        # What Python ignores for itself is not ignored in the program.
        pid = os.posix_spawnp(
            command[0],
            list(command),
            dict(environment),
            setsigmask=before,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        threading.Thread(
            target=_signal_waiter, args=(pid, threading.get_ident()), daemon=True
        ).start()
        while True:
            number, from_terminal = _next_signal(watched)
            if number == signal.SIGCHLD:
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    return os.waitstatus_to_exitcode(status)
            elif not from_terminal:
                os.kill(pid, number)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGCHLD, handler)


def _ignore_signal(_number: int, _frame: FrameType | None) -> None:
    """Do nothing with a signal that is only waited for."""


def _signal_waiter(pid: int, waiting: int) -> None:
    """Signal the waiting thread once the program has ended.

    The system's own signal goes to any thread that does not block it, and is lost there.
    """
    with suppress(ChildProcessError):  # the system's signal has come, and the program is gone
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    signal.pthread_kill(waiting, signal.SIGCHLD)


def _next_signal(watched: set[Any]) -> tuple[int, bool]:
    """Wait for the next signal; return it, and whether the terminal has sent it to the program
    too."""
    if sys.platform == "darwin":
        number = signal.sigwait(watched)
        return number, number in (signal.SIGINT, signal.SIGQUIT)
    information = signal.sigwaitinfo(watched)
    return information.si_signo, information.si_code == _FROM_KERNEL


def end_like(code: int) -> NoReturn:
    """End this process as the program ended: with the same exit code or by the same signal."""
    if code >= 0:
        sys.exit(code)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the program has left its own
    sys.stdout.flush()
    sys.stderr.flush()
    if -code not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    sys.exit(128 - code)

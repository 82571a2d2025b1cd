"""The processes that run the user's code, as the keeper holds them: a template and its worker.

Where importing the target started threads, the template is its own worker.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
import traceback
from typing import NoReturn

from knitbone.fuzzing.sandbox.output import Output
from knitbone.fuzzing.sandbox.processes import kill_below, parent_of, reap, thread_count
from knitbone.fuzzing.sandbox.watch import Watched
from knitbone.fuzzing.sandbox.wire import Message, receive
from knitbone.fuzzing.sandbox.worker import SPAWN, run_template
from knitbone.fuzzing.tools.mcp import is_mcp_target

__all__ = ["Family", "ParentGoneError", "load_error"]

_MOST_DESCRIPTORS = 4096
"""Far more than the keeper ever has."""


class ParentGoneError(Exception):
    """Nobody waits for answers any more."""


class Family:
    """At most one template and at most one worker, replaced when they die.

    Args:
        parent: the channel to whoever asks; closed in the children.
        output: what the children print goes there.
        work: the directory they work in.
        job: what the template is told.
        timeout_s: wall clock allowed to the import.
    """

    def __init__(
        self, parent: socket.socket, output: Output, work: str, job: Message, timeout_s: float
    ) -> None:
        self._parent = parent
        self._output = output
        self._work = work
        self._job = job
        self._timeout_s = timeout_s
        self._control: socket.socket | None = None
        self._template = 0
        self._own = Watched(os.getpid())
        self.worker: Watched | None = None
        """The process that answers calls, while there is one."""
        self.channel: socket.socket | None = None
        """Where it answers."""

    @property
    def is_forked(self) -> bool:
        """Whether the worker can be replaced without importing anew."""
        return self.worker is not None and self.worker.pid != self._template

    def start_template(self) -> Message:
        """Import the target in a new template; its tools, or the error."""
        control, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            _close_all_but(theirs.fileno(), self._output.write_end)
            _become_template(theirs, self._output.write_end, self._work, self._job)
        theirs.close()
        self._control, self._template = control, pid
        deadline = time.monotonic() + self._timeout_s
        while time.monotonic() < deadline:
            waiting = [control, self._output.read_end, self._parent]
            ready, _, _ = select.select(waiting, [], [], 0.5)
            if self._parent in ready:
                raise ParentGoneError
            self._output.drain()
            if control in ready:
                message = receive(control)
                if message is not None:
                    return message
                ended = "ended the process while it was imported"
                return load_error(f"The target {self._job['target']!r} {ended}.")
        done = "start and answer" if is_mcp_target(self._job["target"]) else "import"
        took = f"took longer than {self._timeout_s:g} s to {done}"
        return load_error(f"The target {self._job['target']!r} {took}.")

    def start_worker(self) -> None:
        """Have a worker with a channel.

        Raises:
            RuntimeError: the tool could be imported before, and cannot any more.
        """
        for _ in range(2):
            if self._template == 0:
                loaded = self.start_template()
                if "tools" not in loaded:
                    raise RuntimeError(f"the tool could not be imported again: {loaded}")
            assert self._control is not None  # noqa: S101 - set by start_template
            ours, theirs = socket.socketpair()
            # Processes that a tool has stopped, or keeps busy, answer nothing.
            for channel in (ours, self._control):
                channel.settimeout(self._timeout_s)
            message = ready = None
            with contextlib.suppress(OSError):
                with theirs:
                    socket.send_fds(self._control, [SPAWN], [theirs.fileno()])
                message = receive(self._control)
                # Its first words: from here on what it opens is the tool's.
                ready = receive(ours)
            pid = self._worker_told(message)
            if pid is not None and ready is not None:
                self.channel, self.worker = ours, Watched(pid)
                return
            ours.close()
            self._drop_template()  # killed by a tool that found it
        raise RuntimeError("no worker could be started")

    def stop_worker(self) -> None:
        """End the worker and everything below it but the template."""
        if self.channel is not None:
            self.channel.close()
            self.channel = None
        keep = {self._template}
        if self.worker is not None:
            if not self.is_forked:
                keep.clear()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.worker.pid, signal.SIGKILL)
            if self.death(5.0) is None:
                keep.clear()
            self._forget_worker()
        kill_below(os.getpid(), keep=keep)
        if not keep or self._template == 0 or thread_count(self._template) == 0:
            self._drop_template()

    def death(self, timeout_s: float) -> int | None:
        """Wait status of the worker, as told by the template or seen on the template itself."""
        assert self._control is not None  # noqa: S101 - a template was started
        if self.is_forked:
            ready, _, _ = select.select([self._control], [], [], timeout_s)
            if not ready:
                return None
            message = receive(self._control)
            self._forget_worker()
            status = None if message is None else message.get("died")
            return status if isinstance(status, int) else signal.SIGKILL
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            pid, status = os.waitpid(self._template, os.WNOHANG)
            if pid:
                self._template = 0
                self._forget_worker()
                return status
            time.sleep(0.005)
        return None

    def orphans(self) -> list[int]:
        """Living children of this process but the template: left behind by a call."""
        return self._own.children(but=self._template)

    def _worker_told(self, message: Message | None) -> int | None:
        """The process that the template says is the worker. The tool's code runs in it: a number
        of another process, which would be killed later, is not believed."""
        pid = None if message is None else message.get("pid")
        if not isinstance(pid, int) or isinstance(pid, bool) or pid < 1:
            return None
        return pid if pid == self._template or parent_of(pid) == self._template else None

    def _forget_worker(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None

    def _drop_template(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        kill_below(os.getpid())
        if self._template:
            reap([self._template])
        self._template = 0


def load_error(message: str) -> Message:
    """What is answered when the target cannot be loaded."""
    return {"error": {"message": message, "next_step": "Import it by hand to see what it does."}}


def _close_all_but(*kept: int) -> None:
    """Nothing of the keeper's is within reach of the tool: its channel, its view of processes."""
    start = 3
    for descriptor in sorted(kept):
        os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, _MOST_DESCRIPTORS)


def _become_template(control: socket.socket, output: int, work: str, job: Message) -> NoReturn:
    """In the forked child: run the template, and never return."""
    status = 70
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        run_template(control, output, work, job)
        status = 0
    except BaseException:  # noqa: BLE001 - the traceback goes to the keeper's tail
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(status)

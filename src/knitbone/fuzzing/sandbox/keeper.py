"""The keeper: owns the private directory, the clock and the end of every process below it.

It runs no code of the user's. When the user's process ends, however it ends, the keeper sees its
channel close, kills what is left and deletes the directory.
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
from types import FrameType
from typing import NoReturn

from knitbone.fuzzing.sandbox.directory import Workplace
from knitbone.fuzzing.sandbox.limits import Limits, become_subreaper
from knitbone.fuzzing.sandbox.processes import (
    children,
    descendants,
    kill_below,
    memory_bytes,
    reap,
    thread_count,
)
from knitbone.fuzzing.sandbox.wire import FrameReader, Message, receive, send
from knitbone.fuzzing.sandbox.worker import SPAWN, run_template

__all__ = ["main"]

_WATCH_S = 0.05
"""How often a running call is looked at."""
_GRACE_S, _SHORT_GRACE_S = 0.5, 0.05
"""How long children of a finished call may take to end: the first time, and once the tool is known
to leave some behind."""
_TAIL = 8 * 1024
"""Bytes kept of what a call printed, to find the frame of a crash."""
_RETIRE_FDS = 64
"""Descriptors that a worker may collect over its calls before it is replaced."""


class _ParentGoneError(Exception):
    pass


class _Output:
    """The pipe that holds what the tool prints: counted, its end kept, the rest dropped."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.count, self.tail = 0, b""

    def drain(self, *, at_most: int = 1 << 22) -> None:
        taken = 0
        while taken < at_most:
            try:
                data = os.read(self.read_end, 1 << 16)
            except BlockingIOError:
                return
            taken += len(data)
            self.count += len(data)
            self.tail = (self.tail + data)[-_TAIL:]

    def clear(self) -> None:
        self.drain()
        self.count, self.tail = 0, b""


class _Keeper:
    def __init__(self, parent: socket.socket, job: Message, place: Workplace) -> None:
        self._parent = parent
        self._job = job
        self._limits = Limits(**job["limits"])
        self._place = place
        self._output = _Output()
        self._control: socket.socket | None = None
        self._template = 0
        self._worker = 0
        self._channel: socket.socket | None = None
        self._first_descriptors = 0
        self._grace_s = _GRACE_S

    def serve(self) -> None:
        send(self._parent, {"base": self._place.base, **self._start_template()})
        while (message := receive(self._parent)) is not None:
            send(self._parent, self._run(message))

    def _run(self, message: Message) -> Message:
        if message["fresh"]:
            self._stop_worker()
        for _ in range(2):
            if self._channel is None:
                self._start_worker()
            self._output.clear()
            assert self._channel is not None  # noqa: S101 - set by _start_worker
            try:
                send(self._channel, message)
                break
            except OSError:
                self._stop_worker()  # it died between calls, by the hand of an earlier one
        outcome = self._await(message["timeout_s"])
        self._tidy(outcome)
        return outcome

    # -- one call -----------------------------------------------------------------------------

    def _await(self, timeout_s: float) -> Message:
        """Wait for the worker's answer, and step in when it takes too much of anything."""
        assert self._channel is not None  # noqa: S101 - a worker was started
        reader = FrameReader()
        deadline = time.monotonic() + timeout_s
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return {"status": "hang", "message": f"no answer within {timeout_s:g} s"}
            ready, _, _ = select.select(
                [self._channel, self._output.read_end, self._parent],
                [],
                [],
                min(remaining, _WATCH_S),
            )
            if self._parent in ready:
                raise _ParentGoneError
            if self._output.read_end in ready:
                self._output.drain()
            if self._output.count > self._limits.output_mb << 20:
                return {"status": "output", "message": self._flood("printed")}
            if self._channel in ready:
                try:
                    data = self._channel.recv(min(reader.missing, 1 << 20))
                except ConnectionError:
                    data = b""
                if not data:
                    return self._autopsy(deadline)
                if (reply := reader.feed(data)) is not None:
                    if int(reply.get("length", 0)) > self._limits.output_mb << 20:
                        return {"status": "output", "message": self._flood("returned")}
                    return reply
                if reader.broken:
                    return {"status": "crash", "message": "the worker's channel was corrupted"}
            elif not ready and (excess := self._excess()) is not None:
                return excess

    def _flood(self, verb: str) -> str:
        return f"{verb} more than {self._limits.output_mb} MB in one call"

    def _excess(self) -> Message | None:
        pids = descendants(self._worker)
        if len(pids) > self._limits.processes:
            text = f"more than {self._limits.processes} processes at a time"
            return {"status": "processes", "message": text}
        if memory_bytes({*pids, self._worker}) > (self._limits.memory_mb << 20) * 1.25:
            text = f"more than {self._limits.memory_mb} MB of memory"
            return {"status": "memory", "message": text}
        if self._place.used_bytes() > self._place.size + (self._limits.file_size_mb << 22):
            text = f"more than {self._limits.file_size_mb * 4} MB written"
            return {"status": "disk", "message": text}
        return None

    def _autopsy(self, deadline: float) -> Message:
        """The worker closed its channel without an answer: find out how it ended."""
        self._output.drain()
        status = self._death(max(deadline - time.monotonic(), 0.5))
        tail = self._output.tail.decode("utf-8", "replace")
        if status is None:
            return {"status": "hang", "message": "the tool cut itself off and went on running"}
        if os.WIFEXITED(status):
            code = os.WEXITSTATUS(status)
            return {"status": "exit", "message": f"the process ended itself with status {code}"}
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            text = f"more than {self._limits.cpu_s} s of processor time"
            return {"status": "hang", "message": text}
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        return {"status": "crash", "message": f"killed by {name}", "tail": tail}

    def _death(self, timeout_s: float) -> int | None:
        """Wait status of the worker, as told by the template or seen on the template itself."""
        assert self._control is not None  # noqa: S101 - a template was started
        if self._worker != self._template:
            ready, _, _ = select.select([self._control], [], [], timeout_s)
            if not ready:
                return None
            message = receive(self._control)
            self._worker = 0
            return signal.SIGKILL if message is None else int(message.get("died", 0))
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            pid, status = os.waitpid(self._template, os.WNOHANG)
            if pid:
                self._worker = self._template = 0
                return status
            time.sleep(0.005)
        return None

    # -- between calls ------------------------------------------------------------------------

    def _tidy(self, outcome: Message) -> None:
        """Leave nothing of a call for the next one."""
        answered = outcome["status"] in ("ok", "raised", "rejected", "denied", "exit")
        if not answered or self._worker == 0:
            self._stop_worker()
        else:
            leaked = self._leaked()
            if leaked:
                outcome["leaked"] = leaked
            if leaked or self._is_worn():
                self._stop_worker()
        self._output.clear()
        self._place.reset()

    def _leaked(self) -> int:
        """Processes that outlived the call, after a moment to end."""
        end = time.monotonic() + self._grace_s
        while count := len(children(self._worker)) + len(self._orphans()):
            if time.monotonic() > end:
                self._grace_s = _SHORT_GRACE_S
                return count
            time.sleep(0.01)
        return 0

    def _orphans(self) -> list[int]:
        return [pid for pid in children(os.getpid()) if pid != self._template]

    def _is_worn(self) -> bool:
        """Whether the worker carries something over: threads, descriptors, memory, time."""
        if self._worker == self._template:
            return False  # replacing means importing anew; only death is worth that
        if thread_count(self._worker) > 1:
            return True
        descriptors = _count_descriptors(self._worker)
        if memory_bytes([self._worker]) > self._limits.memory_mb << 19:
            return True
        if _cpu_seconds(self._worker) > self._limits.cpu_s / 2:
            return True
        return descriptors > self._first_descriptors + _RETIRE_FDS

    # -- processes ----------------------------------------------------------------------------

    def _start_template(self) -> Message:
        control, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            control.close()
            self._parent.close()
            os.close(self._output.read_end)
            _become_template(theirs, self._output.write_end, self._place.work, self._job)
        theirs.close()
        self._control, self._template = control, pid
        deadline = time.monotonic() + self._limits.load_timeout_s
        while time.monotonic() < deadline:
            waiting = [control, self._output.read_end, self._parent]
            ready, _, _ = select.select(waiting, [], [], 0.5)
            if self._parent in ready:
                raise _ParentGoneError
            self._output.drain()
            if control in ready:
                message = receive(control)
                if message is not None:
                    self._place.reset()
                    return message | {"paths": self._place.paths()}
                ended = "ended the process while it was imported"
                return _load_error(f"The target {self._job['target']!r} {ended}.")
        took = f"took longer than {self._limits.load_timeout_s:g} s to import"
        return _load_error(f"The target {self._job['target']!r} {took}.")

    def _start_worker(self) -> None:
        for _ in range(2):
            if self._template == 0:
                loaded = self._start_template()
                if "tools" not in loaded:
                    raise RuntimeError(f"the tool could not be imported again: {loaded}")
            assert self._control is not None  # noqa: S101 - set by _start_template
            ours, theirs = socket.socketpair()
            message = None
            with theirs, contextlib.suppress(OSError):
                socket.send_fds(self._control, [SPAWN], [theirs.fileno()])
                message = receive(self._control)
            if message is not None and "pid" in message:
                self._channel, self._worker = ours, int(message["pid"])
                self._first_descriptors = _count_descriptors(self._worker)
                return
            ours.close()
            self._drop_template()  # killed by a tool that found it
        raise RuntimeError("no worker could be started")

    def _stop_worker(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        keep = {self._template} if self._template != self._worker else set[int]()
        if self._worker:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._worker, signal.SIGKILL)
            if self._death(5.0) is None:
                keep.clear()
            self._worker = 0
        kill_below(os.getpid(), keep=keep)
        if not keep or not _is_running(self._template):
            self._drop_template()

    def _drop_template(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        kill_below(os.getpid())
        if self._template:
            reap([self._template])
        self._template = 0


def main(descriptor: int) -> None:
    """Serve the sandbox whose channel is ``descriptor``; returns when the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    become_subreaper()
    parent = socket.socket(fileno=descriptor)
    job = receive(parent)
    if job is None:
        return
    try:
        place = Workplace(job["temporary"], job["files"])
    except OSError as error:
        send(parent, _load_error(f"The private directory cannot be prepared: {error}."))
        return
    try:
        os.environ["HOME"] = os.environ["TMPDIR"] = place.work
        _Keeper(parent, job, place).serve()
    except (_ParentGoneError, BrokenPipeError, ConnectionResetError):
        pass  # nobody is left to answer
    except Exception:  # noqa: BLE001 - a fault of ours: the other side reports it
        with contextlib.suppress(OSError):
            send(parent, {"fatal": traceback.format_exc()})
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        kill_below(os.getpid())
        place.remove()


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


def _leave(_number: int, _frame: FrameType | None) -> None:
    raise _ParentGoneError


def _load_error(message: str) -> Message:
    return {"error": {"message": message, "next_step": "Import it by hand to see what it does."}}


def _is_running(pid: int) -> bool:
    return pid > 0 and thread_count(pid) > 0


def _count_descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - the hot path
    except OSError:
        return 0


def _cpu_seconds(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

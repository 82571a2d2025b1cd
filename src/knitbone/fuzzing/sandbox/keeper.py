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
import time
import traceback
from types import FrameType

from knitbone.fuzzing.sandbox.directory import Workplace
from knitbone.fuzzing.sandbox.family import Family, ParentGoneError, load_error
from knitbone.fuzzing.sandbox.limits import Limits, become_subreaper, tasks_of_user
from knitbone.fuzzing.sandbox.namespaces import own_processes
from knitbone.fuzzing.sandbox.output import Output
from knitbone.fuzzing.sandbox.processes import (
    descendants,
    kill_below,
    memory_bytes,
    own_memory_bytes,
)
from knitbone.fuzzing.sandbox.replies import checked_reply, is_silent, new_number
from knitbone.fuzzing.sandbox.residue import Residue
from knitbone.fuzzing.sandbox.wire import FrameReader, Message, receive, send
from knitbone.fuzzing.tools.mcp import is_mcp_target, preload_sdk

__all__ = ["main"]

_WATCH_S = 0.05
"""How often a running call is looked at."""
_ANSWERED = frozenset({"ok", "raised", "rejected", "denied", "exit"})
"""Ends of a call after which the worker may go on."""


class _Keeper:
    def __init__(self, parent: socket.socket, job: Message, place: Workplace) -> None:
        self._parent = parent
        self._limits = Limits(**job["limits"])
        self._has_reset = job["reset"] is not None
        self._place = place
        self._output = Output()
        self._family = Family(
            parent, self._output, place.work, job | place.told(), self._limits.load_timeout_s
        )
        self._residue = Residue(self._family, self._limits)

    def serve(self) -> None:
        loaded = self._family.start_template()
        self._place.reset()
        send(self._parent, {"base": self._place.base, "paths": self._place.paths(), **loaded})
        while (message := receive(self._parent)) is not None:
            send(self._parent, self._run(message))

    def _run(self, message: Message) -> Message:
        if message["fresh"] and self._family.worker is not None:
            # Where nothing was called yet, what runs is fresh: a server that the import started.
            self._family.stop_worker()
        outcome = self._once(message)
        if outcome["status"] in _ANSWERED and self._family.worker is not None:
            outcome.update(self._residue.left_by(lambda: self._again(message)))
        else:
            self._family.stop_worker()
        self._settle(outcome)
        return outcome

    def _once(self, message: Message) -> Message:
        """Hand the call to a worker and wait for what comes of it."""
        number = new_number()
        for _ in range(2):
            if self._family.channel is not None and not is_silent(self._family.channel):
                self._family.stop_worker()  # an earlier call speaks for later ones
            if self._family.channel is None:
                self._family.start_worker()
                self._residue.begin()
            self._output.clear()
            assert self._family.channel is not None  # noqa: S101 - set by start_worker
            try:
                send(self._family.channel, message | {"number": number})
                break
            except OSError:
                self._family.stop_worker()  # it died between calls, by the hand of an earlier one
        if self._has_reset:
            ready = self._await(self._limits.load_timeout_s)
            if ready.get("ready") != number:
                return {"status": "unready", "message": str(ready.get("message"))[:2_000]}
        reply = self._await(message["timeout_s"])
        return reply if "number" not in reply else self._believed(reply, number)

    def _believed(self, reply: Message, number: str) -> Message:
        """What the worker said, as far as it may be believed."""
        reply = checked_reply(reply, number)
        if reply.get("length", 0) > self._limits.output_mb << 20:
            return {"status": "output", "message": self._flood("returned")}
        return reply

    def _again(self, message: Message) -> bool:
        """Make the same call again in the same worker; whether it ended well."""
        self._settle({})
        outcome = self._once(message | {"collect": True})
        if outcome["status"] in _ANSWERED and self._family.worker is not None:
            return True
        self._family.stop_worker()
        return False

    def _settle(self, outcome: Message) -> None:
        """Leave nothing of a call for the next one."""
        self._output.clear()
        if (lost := self._place.reset()) and "status" in outcome:
            outcome.setdefault("attempts", []).extend(
                {"action": "home", "object": name} for name in lost
            )

    # -- one call -----------------------------------------------------------------------------

    def _await(self, timeout_s: float) -> Message:
        """Wait for the worker's answer, and step in when it takes too much of anything."""
        channel = self._family.channel
        assert channel is not None  # noqa: S101 - a worker was started
        reader = FrameReader()
        waiting = [channel, self._output.read_end, self._parent]
        deadline = time.monotonic() + timeout_s
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return {"status": "hang", "message": f"no answer within {timeout_s:g} s"}
            ready, _, _ = select.select(waiting, [], [], min(remaining, _WATCH_S))
            if self._parent in ready:
                raise ParentGoneError
            if self._output.read_end in ready:
                self._output.drain()
            if self._output.count > self._limits.output_mb << 20:
                return {"status": "output", "message": self._flood("printed")}
            if channel in ready:
                try:
                    data = channel.recv(min(reader.missing, 1 << 20))
                except ConnectionError:
                    data = b""
                if not data:
                    return self._autopsy(deadline)
                if (reply := reader.feed(data)) is not None:
                    return {"number": "", **reply}
                if reader.broken:
                    return {"status": "crash", "message": "the worker's channel was corrupted"}
            elif not ready and (excess := self._excess()) is not None:
                return excess

    def _flood(self, verb: str) -> str:
        return f"{verb} more than {self._limits.output_mb} MB in one call"

    def _excess(self) -> Message | None:
        assert self._family.worker is not None  # noqa: S101 - it is answering a call
        pid = self._family.worker.pid
        pids = descendants(pid)
        if len(pids) > self._limits.processes:
            text = f"more than {self._limits.processes} processes at a time"
            return {"status": "processes", "message": text}
        most = (self._limits.memory_mb << 20) * 1.25
        # Forked processes share most of what they have, and a crowd of them is no memory blow-up.
        if memory_bytes({*pids, pid}) > most and own_memory_bytes({*pids, pid}) > most:
            text = f"more than {self._limits.memory_mb} MB of memory"
            return {"status": "memory", "message": text}
        if self._place.used_bytes() > self._place.size + (self._limits.file_size_mb << 22):
            text = f"more than {self._limits.file_size_mb * 4} MB written"
            return {"status": "disk", "message": text}
        return None

    def _autopsy(self, deadline: float) -> Message:
        """The worker closed its channel without an answer: find out how it ended."""
        self._output.drain()
        status = self._family.death(max(deadline - time.monotonic(), 0.5))
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


def main(descriptor: int) -> None:
    """Serve the sandbox whose channel is ``descriptor``; returns when the other side is gone."""
    running = tasks_of_user()
    set_apart = own_processes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    become_subreaper()
    parent = socket.socket(fileno=descriptor)
    job = receive(parent)
    if job is None:
        return
    job["running"], job["set_apart"] = running, set_apart
    if set_apart:
        job["protected"] = []  # numbers of processes that are out of sight
    try:
        place = Workplace(job["temporary"], job["files"])
    except OSError as error:
        send(parent, load_error(f"The private directory cannot be prepared: {error}."))
        return
    try:
        if is_mcp_target(job["target"]):
            preload_sdk()
        os.environ["HOME"], os.environ["TMPDIR"] = place.home, place.work
        _Keeper(parent, job, place).serve()
    except (ParentGoneError, BrokenPipeError, ConnectionResetError):
        pass  # nobody is left to answer
    except Exception:  # noqa: BLE001 - a fault of ours: the other side reports it
        with contextlib.suppress(OSError):
            send(parent, {"fatal": traceback.format_exc()})
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        kill_below(os.getpid())
        place.remove()


def _leave(_number: int, _frame: FrameType | None) -> None:
    raise ParentGoneError

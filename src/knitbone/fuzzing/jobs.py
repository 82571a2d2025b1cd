"""Several tools at a time: a process each, the same results in the same order as one at a time.

Each tool's campaign runs in a Python process of its own (``python -c``, so that the user's main
module needs no guard), which reads its job from standard input and writes its events to a pipe.
``ray_jobs.py`` runs the same jobs on a Ray cluster.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from knitbone import errors
from knitbone.config import FuzzConfig, load_config
from knitbone.errors import KnitboneError, SandboxError
from knitbone.fuzzing.engine import fuzz, limits_of
from knitbone.fuzzing.generate.examples import chosen
from knitbone.fuzzing.journal import Journals
from knitbone.fuzzing.records import CampaignFinished, CampaignStarted, FuzzEvent
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import die_with_parent

__all__ = [
    "Job",
    "Tell",
    "decode_told",
    "encode_told",
    "fuzz_all",
    "in_order",
    "jobs_of",
    "run_job",
]

_BOOT = (
    "import json, sys\n"
    "sys.path[:] = json.loads(sys.argv[1])\n"
    "from knitbone.fuzzing.jobs import main\n"
    "main()\n"
)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be fuzzed, and how; complete, so that another process can do it."""

    target: str
    calls: int | None = None
    seed: int | None = None
    config: FuzzConfig = FuzzConfig()
    files: str | None = None
    allow_hosts: tuple[str, ...] = ()
    reset: str | None = None
    env: tuple[str, ...] = ()
    setup: str | None = None
    examples: tuple[tuple[str | None, dict[str, Any]], ...] = ()
    """Arguments of calls to begin with, and the name of their tool where it was given."""
    journal: str | None = None
    """Folder of the journals."""
    resume: bool = False
    models: bool = False
    """Whether the models may be used that are configured where the job runs."""
    of: int = 1
    """How many tools the user's own target names."""


def fuzz_all(jobs: Sequence[Job], *, at_a_time: int = 1) -> Iterator[FuzzEvent]:
    """Fuzz all tools of all targets.

    With several at a time, the events of different tools take turns (``tool`` tells them apart);
    the campaigns still finish in the order in which they are named.

    Raises:
        TargetError: as ``fuzz``, once the campaigns before it are told; so the others.
        SandboxError: a sandbox, or a process of ours, cannot be started or kept.
    """
    if at_a_time == 1:
        for job in jobs:
            yield from run_job(job)
        return
    single = [tool for job in jobs for tool in jobs_of(job)]
    yield from in_order(len(single), _Processes(single, at_a_time).run)


def jobs_of(job: Job) -> list[Job]:
    """A job for each tool that the job's target names."""
    files = None if job.files is None else Path(job.files)
    with Sandbox(
        job.target,
        limits=limits_of(job.config),
        files=files,
        allow_hosts=job.allow_hosts,
        reset=job.reset,
        env=job.env,
        setup=job.setup,
    ) as sandbox:
        beginnings = chosen(job.examples, sandbox.tools)
        return [
            msgspec.structs.replace(
                job,
                target=tool.target,
                of=len(sandbox.tools),
                examples=tuple((None, arguments) for arguments in beginnings[index]),
            )
            for index, tool in enumerate(sandbox.tools)
        ]


def run_job(job: Job) -> Iterator[FuzzEvent]:
    """Do one job in this process."""
    for event in fuzz(
        job.target,
        calls=job.calls,
        seed=job.seed,
        config=job.config,
        files=None if job.files is None else Path(job.files),
        allow_hosts=job.allow_hosts,
        reset=job.reset,
        env=job.env,
        setup=job.setup,
        examples=job.examples,
        models=load_config() if job.models else None,
        journals=None if job.journal is None else Journals(Path(job.journal), resume=job.resume),
    ):
        if isinstance(event, CampaignStarted) and job.of > event.of:
            yield msgspec.structs.replace(event, of=job.of)
        else:
            yield event


Told = FuzzEvent | KnitboneError | None
"""An event, why a job failed, or ``None`` at its end."""
Tell = Callable[[int, Told], None]
"""Told by number of the job."""


def in_order(
    count: int, run: Callable[[Tell], contextlib.AbstractContextManager[None]]
) -> Iterator[FuzzEvent]:
    """The events of jobs that run side by side; what finishes a job waits for those before it.

    Args:
        run: starts the jobs, which then tell what happens; leaving its context ends them.
    """
    told: queue.Queue[tuple[int, Told]] = queue.Queue()
    held: list[list[FuzzEvent | KnitboneError]] = [[] for _ in range(count)]
    over = [False] * count
    following = 0
    with run(lambda number, what: told.put((number, what))):
        while following < count:
            number, what = told.get()
            if what is None:
                over[number] = True
            elif isinstance(what, (CampaignFinished, KnitboneError)):
                held[number].append(what)
            else:
                yield what
            while following < count and over[following]:
                for event in held[following]:
                    if isinstance(event, KnitboneError):
                        raise event
                    yield event
                following += 1


class _Processes:
    """Runs jobs in processes of their own, a few at a time."""

    def __init__(self, jobs: Sequence[Job], at_a_time: int) -> None:
        self._jobs = list(enumerate(jobs))
        self._at_a_time = min(at_a_time, len(jobs))
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()
        self._stopped = False

    @contextlib.contextmanager
    def run(self, tell: Tell) -> Generator[None]:
        waiting = queue.SimpleQueue[tuple[int, Job]]()
        for job in self._jobs:
            waiting.put(job)
        threads = [
            threading.Thread(target=self._work, args=(waiting, tell), daemon=True)
            for _ in range(self._at_a_time)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._stopped = True
                for process in self._running.values():
                    process.terminate()
            for thread in threads:
                thread.join()

    def _work(self, waiting: queue.SimpleQueue[tuple[int, Job]], tell: Tell) -> None:
        while True:
            try:
                number, job = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._one(number, job, tell)
            except KnitboneError as error:
                tell(number, error)
            except Exception as error:  # noqa: BLE001 - raised again where the events are waited for
                tell(number, SandboxError(f"A process for {job.target!r} failed: {error!r}."))
            tell(number, None)

    def _one(self, number: int, job: Job, tell: Tell) -> None:
        with self._lock:
            if self._stopped:
                return
            process = self._running[number] = _start()
        try:
            with process:
                assert process.stdin is not None  # noqa: S101 - asked for by _start
                assert process.stdout is not None  # noqa: S101 - as above
                process.stdin.write(_encode(msgspec.to_builtins(job)))
                process.stdin.close()
                ended = False
                for line in process.stdout:
                    if not line.endswith(b"\n"):
                        break  # it was killed in the middle
                    what = decode_told(line)
                    if what is None:
                        ended = True
                    else:
                        tell(number, what)
            if not ended and not self._stopped:
                raise SandboxError(
                    f"The process that fuzzed {job.target!r} ended unexpectedly "
                    f"(status {process.returncode}).",
                    next_step="Run it alone, without --jobs, to see more.",
                )
        finally:
            with self._lock:
                del self._running[number]


def main() -> None:
    """In a process of its own: do the job on standard input, write events to standard output."""
    die_with_parent()
    # Whatever else writes to standard output must not come between the events.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        job = msgspec.convert(json.loads(sys.stdin.buffer.read()), Job)
        _report(job, out)


def _report(job: Job, out: BinaryIO) -> None:
    try:
        for event in run_job(job):
            out.write(encode_told(event))
            out.flush()
    except KnitboneError as error:
        out.write(encode_told(error))
    out.write(encode_told(None))


def _start() -> subprocess.Popen[bytes]:
    path = json.dumps([str(Path(entry or ".").resolve()) for entry in sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", _BOOT, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def encode_told(what: Told) -> bytes:
    """One line of JSON that ``decode_told`` reads back in another process."""
    if what is None:
        return _encode({"type": "end"})
    if isinstance(what, KnitboneError):
        record = [type(what).__name__, what.message, what.next_step]
        return _encode({"type": "error", "error": record})
    return _encode(msgspec.to_builtins(what))


def decode_told(line: bytes) -> Told:
    """What a process told."""
    record = json.loads(line)
    if record["type"] == "end":
        return None
    if record["type"] == "error":
        name, message, next_step = record["error"]
        kind = getattr(errors, name, KnitboneError)
        return kind(message, next_step=next_step)
    return msgspec.convert(record, FuzzEvent)


def _encode(record: dict[str, Any]) -> bytes:
    # Not msgspec: arguments may hold lone surrogates, infinities and integers of any size.
    return json.dumps(record).encode("ascii") + b"\n"

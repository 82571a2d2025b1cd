"""The same jobs on a Ray cluster (extra ``ray``): one task a tool.

Each task runs where Ray puts it, so knitbone and the tools must be installed there and paths must
mean the same; a journal is written on that machine. Progress within a tool is not told: a task
hands its events back when it is done.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import msgspec

from knitbone.errors import KnitboneError, SandboxError, import_extra
from knitbone.fuzzing.jobs import Job, Tell, decode_told, encode_told, in_order, jobs_of, run_job
from knitbone.fuzzing.records import FuzzEvent

__all__ = ["fuzz_on_ray"]


def fuzz_on_ray(jobs: Sequence[Job], *, at_a_time: int = 1) -> Iterator[FuzzEvent]:
    """As ``jobs.fuzz_all``, on the cluster that ``RAY_ADDRESS`` names, or on a local one.

    Raises:
        MissingExtraError: ray is not installed.
        TargetError: as ``fuzz``, once the campaigns before it are told; so the others.
        SandboxError: a sandbox, or a task, cannot be started or kept.
    """
    ray: Any = import_extra("ray", extra="ray", purpose="--engine ray")
    single = [tool for job in jobs for tool in jobs_of(job)]
    yield from in_order(len(single), _Tasks(ray, single, at_a_time).run)


def _do(job: bytes) -> list[bytes]:
    """In the task: every event of the job, then why it failed, if it did."""
    told: list[bytes] = []
    try:
        told.extend(encode_told(event) for event in run_job(msgspec.json.decode(job, type=Job)))
    except KnitboneError as error:
        told.append(encode_told(error))
    return told


class _Tasks:
    """Runs jobs as tasks of a cluster, a few at a time."""

    def __init__(self, ray: Any, jobs: Sequence[Job], at_a_time: int) -> None:
        self._ray = ray
        self._jobs = jobs
        self._at_a_time = at_a_time
        self._stopped = threading.Event()

    @contextlib.contextmanager
    def run(self, tell: Tell) -> Generator[None]:
        started = not self._ray.is_initialized()
        if started:
            self._ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        thread = threading.Thread(target=self._work, args=(tell,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            thread.join()
            if started:
                self._ray.shutdown()

    def _work(self, tell: Tell) -> None:
        try:
            self._run(tell)
        except Exception as error:  # noqa: BLE001 - raised again where the events are waited for
            for number in range(len(self._jobs)):
                tell(number, SandboxError(f"Ray failed: {error!r}."))
                tell(number, None)

    def _run(self, tell: Tell) -> None:
        do = self._ray.remote(_do)
        waiting = list(enumerate(self._jobs))[::-1]
        running: dict[Any, int] = {}
        while (waiting or running) and not self._stopped.is_set():
            while waiting and len(running) < self._at_a_time:
                number, job = waiting.pop()
                running[do.remote(msgspec.json.encode(job))] = number
            ready, _ = self._ray.wait(list(running), timeout=0.2)
            for task in ready:
                number = running.pop(task)
                self._collect(task, number, tell)
        for task in running:
            self._ray.cancel(task, force=True)

    def _collect(self, task: Any, number: int, tell: Tell) -> None:
        try:
            for line in self._ray.get(task):
                tell(number, decode_told(line))
        except self._ray.exceptions.RayError as error:
            target = self._jobs[number].target
            tell(number, SandboxError(f"The Ray task that fuzzed {target!r} failed: {error}"))
        tell(number, None)

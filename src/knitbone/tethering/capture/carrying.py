"""A run follows into the threads that its code starts.

Tasks and ``asyncio.to_thread`` copy the context of themselves; threads and thread pools start
with an empty one. Only our own variables are carried: what else the application keeps in context
variables stays as it would be.

The workers of a pool outlive the run that made the pool start them, so they carry nothing: each
job brings the run of whoever submitted it. ``multiprocessing.pool.ThreadPool`` has no such place:
what its workers do belongs to no run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from knitbone.record.recorder import carry
from knitbone.tethering.capture.calls import carry_cause
from knitbone.tethering.capture.patching import Patch

__all__ = ["patches"]

_POOLS = frozenset({"concurrent.futures.thread", "multiprocessing.pool"})


def patches(module: ModuleType) -> Iterable[Patch]:
    """What is replaced in ``threading`` and in ``concurrent.futures.thread``."""
    if module.__name__ == "threading":
        yield Patch(module.Thread, "start", _starting)
    else:
        yield Patch(module.ThreadPoolExecutor, "submit", _submitting)


def _carried(function: Callable[..., Any]) -> Callable[..., Any]:
    return carry(carry_cause(function))


def _starting(original: Any) -> Any:
    @functools.wraps(original)
    def start(self: Any) -> Any:
        run = self.run
        target = getattr(self, "_target", None)
        carried = run if getattr(target, "__module__", "") in _POOLS else _carried(run)
        if carried is run or "run" in vars(self):
            return original(self)

        def once() -> None:
            self.__dict__.pop("run", None)  # the thread's own method stands there again
            carried()

        self.run = once
        try:
            return original(self)
        except BaseException:
            self.__dict__.pop("run", None)
            raise

    return start


def _submitting(original: Any) -> Any:
    @functools.wraps(original)
    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return original(self, _carried(fn), *args, **kwargs)

    return submit

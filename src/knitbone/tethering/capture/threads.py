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
from functools import partial
from types import ModuleType
from typing import Any, cast

from knitbone.loading.patching import Patch
from knitbone.record.recorder import carry
from knitbone.tethering.capture.calls import carry_cause

__all__ = ["carrying_patches", "patches"]

_Carry = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A function, to be called in another thread with what this code has now."""

_POOLS = frozenset({"concurrent.futures.thread", "multiprocessing.pool"})


def patches(module: ModuleType) -> Iterable[Patch]:
    """What is replaced in ``threading`` and in ``concurrent.futures.thread``."""
    return carrying_patches(module, _carried)


def carrying_patches(module: ModuleType, bring: _Carry) -> Iterable[Patch]:
    """The same, for whoever carries something else."""
    if module.__name__ == "threading":
        yield Patch(module.Thread, "start", partial(_starting, bring))
    else:
        yield Patch(module.ThreadPoolExecutor, "submit", partial(_submitting, bring))


def _carried(function: Callable[..., Any]) -> Callable[..., Any]:
    return carry(carry_cause(function))


_ABSENT: Any = object()


def _starting(bring: _Carry, original: Any) -> Any:
    @functools.wraps(original)
    def start(self: Any) -> Any:
        run = self.run
        target = getattr(self, "_target", None)
        carried = run if getattr(target, "__module__", "") in _POOLS else bring(run)
        if carried is run:
            return original(self)
        # The object's own: the application's, or that of another who carries something.
        own: Any = cast("dict[str, Any]", vars(self)).get("run", _ABSENT)

        def once() -> None:
            _put_back(self, own)
            carried()

        self.run = once
        try:
            return original(self)
        except BaseException:
            _put_back(self, own)
            raise

    return start


def _put_back(thread: Any, own: Any) -> None:
    """Let a thread have the method that it had."""
    if own is _ABSENT:
        thread.__dict__.pop("run", None)
    else:
        thread.run = own


def _submitting(bring: _Carry, original: Any) -> Any:
    @functools.wraps(original)
    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return original(self, bring(fn), *args, **kwargs)

    return submit

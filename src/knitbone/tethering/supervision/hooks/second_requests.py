"""Asking a model again in place of an answer that is sent back; judging from asynchronous code."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol, TypeVar

from knitbone.tethering.supervision.active import Supervised
from knitbone.tethering.supervision.hooks.turn import ModelTurn

__all__ = ["accepted", "accepted_async", "judged_aside"]

_Result = TypeVar("_Result")


class WholeRequest(Protocol):
    """A request that is answered whole."""

    @property
    def turn(self) -> ModelTurn:
        """What is put into it."""
        ...

    def is_sent_back(self, value: Any) -> bool | None:
        """Whether to ask again in place of this answer."""
        ...


def accepted(request: WholeRequest, value: Any, again: Callable[[], Any]) -> Any:
    """The answer that the application gets: this one, or one that took its place. An error of a
    further request is not the application's: the answer before it is a good one."""
    while request.is_sent_back(value):
        try:
            value = again()
        except Exception:  # noqa: BLE001 - see above
            request.turn.given_up()
            break
    return value


async def accepted_async(
    request: WholeRequest, value: Any, again: Callable[[], Awaitable[Any]]
) -> Any:
    """The same of an asynchronous call."""
    run = request.turn.run
    while await judged_aside(run, partial(request.is_sent_back, value)):
        try:
            value = await again()
        except Exception:  # noqa: BLE001 - see above
            request.turn.given_up()
            break
    return value


async def judged_aside(run: Supervised, judge: Callable[[], _Result]) -> _Result:
    """What ``judge`` gives; in a thread where the supervisor may wait for a model of its own, so
    that other tasks go on."""
    if not getattr(run.supervisor, "waits", False):
        return judge()
    aside: Any = importlib.import_module("anyio.to_thread")  # the clients bring it
    return await aside.run_sync(judge)

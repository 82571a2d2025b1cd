"""Calls of the caller's own code (agent, success check, reset): at once, awaited, or with an end.

The flow of recovery is one generator, which yields such a call and is sent what came of it. So it
is written once, and an agent may be a function or a coroutine function.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from knitbone.errors import KnitboneError

__all__ = ["Answered", "HostCall", "call_awaited", "call_now"]


_CANCELLED_S = 5.0
"""Longest wait for a cancelled coroutine to end (ours)."""


class HostCall(NamedTuple):
    """A call that is to be made."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    seconds: float | None = None
    """Longest wait for it. A function that does not return in time goes on in a thread of its own,
    since nobody can stop it; a coroutine is cancelled."""


class Answered(NamedTuple):
    """What came of it."""

    value: Any = None
    error: Exception | None = None
    late: bool = False
    """It did not return in time."""
    running: bool = False
    """And it may still be at work."""


def call_now(call: HostCall) -> Answered:
    """Make the call in this thread; with a bound on its time in one of its own.

    Raises:
        KnitboneError: it is a coroutine, and an event loop runs here already.
    """
    if call.seconds is None or inspect.iscoroutinefunction(call.function):
        return _called(call)
    return _called_beside(call)


def _called(call: HostCall) -> Answered:
    try:
        value = call.function(*call.arguments)
    except Exception as error:  # noqa: BLE001 - the host's error is a result
        return Answered(error=error)
    return _run(value, call.seconds) if inspect.isawaitable(value) else Answered(value)


def _run(awaitable: Any, seconds: float | None) -> Answered:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(awaitable, seconds))
    if inspect.iscoroutine(awaitable):
        awaitable.close()
    raise KnitboneError(
        "The agent is a coroutine function, and an event loop runs here.",
        next_step="Write: await knitbone.recover_async(...).",
    )


async def _awaited(awaitable: Any, seconds: float | None) -> Answered:
    task = asyncio.ensure_future(awaitable)
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if not done:
        task.cancel()
        _, stubborn = await asyncio.wait({task}, timeout=_CANCELLED_S)
        return Answered(late=True, running=bool(stubborn))
    try:
        return Answered(task.result())
    except Exception as error:  # noqa: BLE001 - the host's error is a result
        return Answered(error=error)


def _called_beside(call: HostCall) -> Answered:
    """The call in a thread, which is left alone when its time is up."""
    answers: list[Answered] = []
    done = threading.Event()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            answers.append(context.run(_called, call))
        except BaseException as error:  # noqa: BLE001 - a thread's exit is an error to its caller
            answers.append(Answered(error=RuntimeError(f"{type(error).__name__}: {error}")))
        finally:
            done.set()

    threading.Thread(target=work, name="knitbone-recover", daemon=True).start()
    if not done.wait(call.seconds):
        return Answered(late=True, running=True)
    return answers[0]


async def call_awaited(call: HostCall) -> Answered:
    """Make the call; what it gives is awaited where that can be."""
    if call.seconds is not None and not inspect.iscoroutinefunction(call.function):
        return await asyncio.to_thread(_called_beside, call)
    try:
        value = call.function(*call.arguments)
    except Exception as error:  # noqa: BLE001 - the host's error is a result
        return Answered(error=error)
    return await _awaited(value, call.seconds) if inspect.isawaitable(value) else Answered(value)

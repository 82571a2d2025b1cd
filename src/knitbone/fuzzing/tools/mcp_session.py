"""One session with an MCP server, spoken to by the official SDK, for synchronous callers.

The SDK is asynchronous and wants a session opened and closed by the same task. So a loop of our own
holds one such task and runs while a request is waited for. A server over stdio is a child of this
process, hence inside the sandbox, and ends with it.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import IO, Any

from knitbone.errors import KnitboneError, import_extra

__all__ = ["McpSession", "Transport"]

Transport = Callable[[IO[str]], Any]
"""Makes the SDK's transport, given the file for what the server writes to its standard error."""

_KEPT = 256 * 1024
"""Characters kept of the end of a server's standard error."""
_NO_SERVER = (FileNotFoundError, PermissionError, ImportError, KnitboneError, TimeoutError)
"""A session that failed by these fails in any mode: nothing answered."""


class McpSession:
    """Opened when first asked; in a forked process, opened anew there."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0
        self._client: Any = None
        self._ended: asyncio.Task[None] | None = None
        self._closing: asyncio.Event | None = None
        self._end: float | None = None
        # Appending, so that it can be emptied while the server holds it open.
        self._log = tempfile.TemporaryFile("a+", encoding="utf-8", errors="replace")  # noqa: SIM115 - lives on

    def allow(self, within_s: float | None) -> None:
        """Bound all requests from now on together; ``None`` bounds none."""
        self._end = None if within_s is None else time.monotonic() + within_s

    def ask(self, request: Callable[[Any], Awaitable[Any]]) -> Any:
        """What the server answers to ``request``, which is given the SDK's ``Client``.

        Raises:
            TimeoutError: the time is used up; it says what was asked.
            MCPError: the server answered with an error.
            ConnectionError: the server ended, or closed the connection.
            OSError: its program cannot be started.
        """
        loop = self._opened()
        self._log.seek(0)
        self._log.truncate()
        return loop.run_until_complete(self._answer(request))

    def close(self) -> None:
        """End the session, and the server where it is a process of ours."""
        if self._loop is None or self._closing is None or self._ended is None:
            return
        self._closing.set()
        loop, self._loop = self._loop, None
        loop.run_until_complete(asyncio.wait([self._ended]))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    def log(self) -> str:
        """The end of what the server wrote to its standard error during the last request."""
        self._log.seek(0)
        return "\n".join(line.rstrip() for line in self._log.read()[-_KEPT:].splitlines())

    def _opened(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._pid != os.getpid():
            self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
            self._loop.run_until_complete(self._open())
        return self._loop

    async def _open(self) -> None:
        failed = await self._opened_in("auto")
        # Servers of early SDKs end at the request by which newer versions are asked for, and
        # answer the one that was the first in their days.
        if failed is not None and not isinstance(failed, _NO_SERVER):
            failed = failed if await self._opened_in("legacy") is not None else None
        if failed is not None:
            self._loop = None
            raise failed

    async def _opened_in(self, mode: str) -> BaseException | None:
        """Open the session; why it did not open, if it did not."""
        self._closing = asyncio.Event()
        ready: asyncio.Event = asyncio.Event()
        self._ended = asyncio.create_task(self._hold(ready, self._closing, mode))
        waiter = asyncio.create_task(ready.wait())
        await self._first([self._ended, waiter], "the first request of MCP")
        waiter.cancel()
        return _innermost(self._ended.exception()) if self._ended.done() else None

    async def _hold(self, ready: asyncio.Event, closing: asyncio.Event, mode: str) -> None:
        mcp: Any = import_extra("mcp", extra="mcp", purpose="Speaking with an MCP server")
        async with mcp.Client(self._transport(self._log), cache=None, mode=mode) as client:
            self._client = client
            ready.set()
            await closing.wait()

    async def _answer(self, request: Callable[[Any], Awaitable[Any]]) -> Any:
        assert self._ended is not None  # noqa: S101 - set by _open
        answer = asyncio.ensure_future(request(self._client))
        await self._first([answer, self._ended], "a request for what it offers")
        if not answer.done():
            answer.cancel()
            raise ConnectionError("the session with the server ended")
        error = answer.exception()
        if error is not None:
            raise _innermost(error)
        return answer.result()

    async def _first(self, tasks: list[asyncio.Future[Any]], asked: str) -> None:
        """Wait for the first of these, as long as is allowed."""
        left = None if self._end is None else max(self._end - time.monotonic(), 0)
        done, _ = await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            tasks[0].cancel()
            raise TimeoutError(asked)


def _innermost(error: BaseException | None) -> BaseException:
    """What went wrong, without the groups that task groups wrap it in."""
    while error is not None and (inner := getattr(error, "exceptions", None)):
        error = inner[0]
    return error if error is not None else ConnectionError("the session with the server ended")

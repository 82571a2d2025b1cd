"""One session with an MCP server, spoken to by the official SDK, for synchronous callers.

The SDK is asynchronous and wants a session opened and closed by the same task. So a loop of our own
holds one such task and runs while a request is waited for. A server over stdio is a child of this
process, hence inside the sandbox, and ends with it.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Any

from knitbone.errors import KnitboneError, import_extra

__all__ = ["Session", "Transport", "cause_in", "raised_by"]

Transport = Callable[[IO[str]], Any]
"""Makes the SDK's transport, given the file for what the server writes to its standard error."""

_KEPT = 256 * 1024
"""Characters kept of the end of a server's standard error."""
_TRACEBACK, _CAUSED = "Traceback (most recent call last", "The above exception was the direct cause"
_EXCEPTION = re.compile(
    r"^ *([A-Za-z_][\w.]{0,200}(?:Error|Exception)\b(?::[^\n]{0,500})?) *$", re.MULTILINE
)
_PLACE = re.compile(r"(?:File \"|\u2502 )([^\"\n\u2502]{1,1000}\.py)(?:\", line |:)(\d{1,7}),? in ")
"""A frame as Python writes it, and as rich does, which the SDK's servers log with."""
_WHILE = "During handling of the above exception"
_CODE = re.compile(
    r'^ *File "[^"\n]{1,1000}", line \d{1,7}, in [^\n]{1,300}\n +(\S[^\n]*)'
    r"|\u2771 *\d{1,7} *\u2502? *(\S[^\n\u2502]*)",
    re.MULTILINE,
)
"""The line of code below a place, as Python writes it; behind its number, as rich does."""
_RAISES = re.compile(r"(?:raise|assert)\b")
_NO_SERVER = (FileNotFoundError, PermissionError, ImportError, KnitboneError)
"""A session that failed by these fails in any mode: nothing answered."""
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d")


class Session:
    """Opened when first asked; in a forked process, opened anew there."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0
        self._client: Any = None
        self._ended: asyncio.Task[None] | None = None
        self._closing: asyncio.Event | None = None
        # Appending, so that it can be emptied while the server holds it open.
        self._log = tempfile.TemporaryFile("a+", encoding="utf-8", errors="replace")  # noqa: SIM115 - lives on

    def ask(self, request: Callable[[Any], Awaitable[Any]]) -> Any:
        """What the server answers to ``request``, which is given the SDK's ``Client``.

        Raises:
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
        await asyncio.wait([self._ended, waiter], return_when=asyncio.FIRST_COMPLETED)
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
        await asyncio.wait([answer, self._ended], return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise ConnectionError("the session with the server ended")
        error = answer.exception()
        if error is not None:
            raise _innermost(error)
        return answer.result()


def cause_in(log: str) -> str:
    """The exception that a server reported on its standard error, and where; else nothing.

    The SDK tells the client of an unexpected exception only that there was one.
    """
    _, found, report = log.partition(_TRACEBACK)
    report = report.partition(_CAUSED)[0]
    told = _EXCEPTION.findall(report)
    if not found or not told:
        return ""
    own = [place for place in _PLACE.findall(report) if not _LIBRARY.search(place[0])]
    return f"{told[-1]} ({Path(own[-1][0]).name}:{own[-1][1]})" if own else told[-1]


def raised_by(log: str) -> str | None:
    """Who raised the exception that ``cause_in`` tells of: by the last line of code in the report.

    Returns:
        ``tool`` or ``library`` where that is a ``raise``, ``operation`` where it is none, and
        nothing where the report shows no code.
    """
    _, _, report = log.partition(_TRACEBACK)
    report = report.partition(_CAUSED)[0].partition(_WHILE)[0]
    lines: list[tuple[str, str]] = _CODE.findall(report)
    places: list[tuple[str, str]] = _PLACE.findall(report)
    if not lines or not places:
        return None
    plain, rich = lines[-1]
    if not _RAISES.match(plain or rich):
        return "operation"
    file = places[-1][0]
    if "-packages" in file:
        return "library"
    return "operation" if _LIBRARY.search(file) else "tool"


def _innermost(error: BaseException | None) -> BaseException:
    """What went wrong, without the groups that task groups wrap it in."""
    while error is not None and (inner := getattr(error, "exceptions", None)):
        error = inner[0]
    return error if error is not None else ConnectionError("the session with the server ended")

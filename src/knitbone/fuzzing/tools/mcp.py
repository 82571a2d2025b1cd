"""MCP servers as targets: every tool, and every resource template as a tool of its variables.

``mcp:stdio:COMMAND`` starts the server inside the sandbox, in its private directory;
``mcp:http:URL`` speaks to one that runs elsewhere, over streamable HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import msgspec

from knitbone.errors import KnitboneError, TargetError, import_extra
from knitbone.fuzzing.complaints import reads_as_bug, reads_as_key
from knitbone.fuzzing.sandbox.audit import MARK, SandboxDenied
from knitbone.fuzzing.tools.adapter_calls import checked_against, error_result, violation_of
from knitbone.fuzzing.tools.types import (
    ArgumentsRejectedError,
    OutputTypeError,
    ProcessEndedError,
    Tool,
    Wrap,
)

__all__ = ["Transport", "is_mcp_target", "load_mcp_tools", "preload_sdk", "report_in"]


# One session with an MCP server, spoken to by the official SDK, for synchronous callers.
#
# The SDK is asynchronous and wants a session opened and closed by the same task. So a loop of our
# own holds one such task and runs while a request is waited for. A server over stdio is a child of
# this process, hence inside the sandbox, and ends with it.

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


# The exception that a Python server reported in its log, read from whole reports.
#
# A report is what ``traceback`` prints, or what rich draws, which the SDK's servers log with:
# frames, the exception with a message of any number of lines, and chains and groups of such. It is
# read by its structure, as a message may hold anything, another report included.

_SHOWN = 500
"""Characters kept of a message."""
_PLAIN = re.compile(
    r"(?P<margin>[ |]*(?:\+ )?)(?:Exception Group )?Traceback \(most recent call last\):$"
)
_RICH = re.compile(r"(?P<margin>[^\u256d]*)\u256d\u2500+ Traceback \(most recent call last\) ")
_SUB_PLAIN = re.compile(r" *\+-\+-{10,} 1 -{10,}$")
_SUB_RICH = re.compile(r"(?P<margin>[^\u256d]*)\u256d\u2500+ Sub-exception #1 ")
_NEXT_RICH = re.compile(r"(?P<margin>[^\u256d]*)\u256d\u2500+ Sub-exception #\d+ ")
_BLANK = 3
"""Empty lines, at most, before the words that link two reports; Python and rich write one."""
_LINKS = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_FRAME = re.compile(r'  File "([^"\n]+)", line (\d+)(?:, in (.+))?$')
_RICH_FRAME = re.compile(r"(\S.*):(\d+) in (\S+)$")
_RICH_CODE = re.compile(r"\u2771 *\d+ [\u2502 ]*(.*)$")
_EXCEPTION = re.compile(r"([A-Za-z_][\w.]*(?:<locals>[\w.]*)?)(?:: ?(.*))?$")
_RECORD = re.compile(
    r"\[?\d{2,4}[-/]\d{1,2}[-/]\d|\[?\d\d:\d\d:\d\d\b"
    r"|(?:\S+[ :|-]+){0,2}(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"
)
"""How the next entry of a log begins, in the usual formats: a time, or a level near the start."""
_RAISES = re.compile(r"(?:raise|assert)\b")
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d")
_SDK = re.compile(r"-packages[/\\](?:mcp|fastmcp)[/\\]")


class _LoggedFrame(msgspec.Struct, frozen=True):
    file: str
    line: str
    function: str
    code: str = ""


class _Raised(msgspec.Struct, frozen=True):
    """One exception of a chain."""

    kind: str
    message: str
    frames: tuple[_LoggedFrame, ...]
    inner: _Raised | None = None
    """The first one of a group."""

    @property
    def by(self) -> str | None:
        """Who raised it, as in ``sandbox/exception_origins.py``: by the last line of code shown."""
        if not self.frames or not self.frames[-1].code:
            return None
        if not _RAISES.match(self.frames[-1].code):
            return "operation"
        file = self.frames[-1].file
        if "-packages" in file:
            return "library"
        return "operation" if _LIBRARY.search(file) else "tool"

    @property
    def is_of_sdk(self) -> bool:
        """Whether the SDK raised it, around what the tool raised."""
        return bool(self.frames) and _SDK.search(self.frames[-1].file) is not None


class LoggedFailure(msgspec.Struct, frozen=True):
    """What a server's log says of the exception that a call ended in."""

    exception: str
    """Type and message."""
    message: str
    place: str
    """File and line in the server's own code, ``""`` where the report shows none."""
    by: str | None
    """``tool`` or ``library`` where it was raised on purpose, ``operation`` where not; ``None``
    where the report shows no code."""
    is_of_output: bool
    """Whether the SDK raised it while it held the result against the output schema."""

    @property
    def line(self) -> str:
        """The exception, and where it was raised."""
        return f"{self.exception} ({self.place})" if self.place else self.exception


def report_in(log: str, told: str) -> LoggedFailure | None:
    """The exception that a call ended in: the last one reported whose message the answer repeats,
    otherwise the last one.

    Args:
        log: what the server wrote during the call.
        told: the text of the answer.
    """
    reports = [_report(chain) for chain in _chains(log.splitlines())]
    repeated = [each for each in reports if each.message and each.message in told]
    return next(reversed(repeated or reports), None)


def _report(chain: Sequence[_Raised]) -> LoggedFailure:
    """The last exception of a chain that is not the SDK's own, looked into where a library only
    groups others."""
    tools = [each for each in chain if not each.is_of_sdk] or [chain[0]]
    raised = tools[-1]
    while raised.inner is not None and raised.by != "tool":
        raised = raised.inner
    by = raised.by
    before = tools[-2] if len(tools) > 1 else None
    if by in ("tool", "library") and before is not None and _is_passed_on(before, raised):
        by = "operation"
    own = [frame for frame in raised.frames if not _LIBRARY.search(frame.file)]
    own = [frame for frame in own if not frame.file.startswith("<")]
    message = raised.message[:_SHOWN].rstrip()
    return LoggedFailure(
        exception=f"{raised.kind}: {message}" if message else raised.kind,
        message=message,
        place=f"{Path(own[-1].file).name}:{own[-1].line}" if own else "",
        by=by,
        is_of_output=any(
            frame.function == "convert_result" and _SDK.search(frame.file)
            for frame in raised.frames
        ),
    )


def _is_passed_on(cause: _Raised, raised: _Raised) -> bool:
    """Whether an exception only repeats what an operation failed with, of which no caller can make
    sense."""
    said = cause.message
    tells_nobody = reads_as_bug(said) or reads_as_key(said)
    return cause.by == "operation" and tells_nobody and said in raised.message


def _chains(lines: Sequence[str]) -> Iterator[list[_Raised]]:
    """Every report in a log, from the innermost cause on."""
    place = 0
    while place < len(lines):
        chain: list[_Raised] = []
        while (found := _exception(lines, place)) is not None:
            raised, place = found
            chain.append(raised)
            if (following := _linked(lines, place)) is None:
                break
            place = following
        if chain:
            yield chain
        else:
            place += 1


def _exception(lines: Sequence[str], place: int) -> tuple[_Raised, int] | None:
    """The exception whose report begins at a line, and the line behind it."""
    if (start := _PLAIN.match(lines[place])) is not None:
        margin = start["margin"].replace("+", "|")
        frames, place = _plain_frames(lines, place + 1, margin)
    elif (start := _RICH.match(lines[place])) is not None:
        margin = " " * len(start["margin"])
        frames, place = _rich_frames(lines, place + 1, len(margin))
    else:
        return None
    return _worded(lines, place, margin, frames)


def _worded(
    lines: Sequence[str], place: int, margin: str, frames: tuple[_LoggedFrame, ...]
) -> tuple[_Raised, int] | None:
    """Type, message and notes, which follow the frames, and the first exception of a group."""
    first = _within(lines, place, margin)
    named = None if first is None else _EXCEPTION.match(first)
    if named is None:
        return None
    said = [named[2] or ""]
    place += 1
    while (text := _within(lines, place, margin)) is not None:
        ends = _SUB_PLAIN.match(lines[place]) or _SUB_RICH.match(lines[place])
        if ends or _linked(lines, place) is not None or _RECORD.match(lines[place]):
            break
        said.append(text)
        place += 1
    inner, place = _first_of_group(lines, place)
    return _Raised(named[1], "\n".join(said).strip(), frames, inner), place


def _first_of_group(lines: Sequence[str], place: int) -> tuple[_Raised | None, int]:
    """The first exception of a group, where one begins at a line, and the line behind the group."""
    line = lines[place] if place < len(lines) else ""
    if _SUB_PLAIN.match(line) is not None:
        column = line.index("+") + 2
        margin = " " * column + "| "
        found = _exception(lines, place + 1) if place + 1 < len(lines) else None
        found = found or _worded(lines, place + 1, margin, ())
        place += 1
        while place < len(lines) and re.match(rf" {{{column},}}[|+]", lines[place]):
            place += 1
        return (None if found is None else found[0]), place
    if (start := _SUB_RICH.match(line)) is None:
        return None, place
    inside, place = _panel(lines, place + 1, len(start["margin"]))
    found = (_exception(inside, 0) or _worded(inside, 0, "", ())) if inside else None
    while place + 1 < len(lines) and (start := _NEXT_RICH.match(lines[place + 1])) is not None:
        _, place = _panel(lines, place + 2, len(start["margin"]))
    return (None if found is None else found[0]), place


def _panel(lines: Sequence[str], place: int, column: int) -> tuple[list[str], int]:
    """What stands in a panel of rich, without its borders, and the line behind it."""
    inside: list[str] = []
    while place < len(lines) and lines[place][column : column + 1] == "\u2502":
        text = lines[place][column + 1 :].rstrip().removesuffix("\u2502").rstrip()
        inside.append(text.removeprefix(" "))
        place += 1
    return inside, place + 1


def _within(lines: Sequence[str], place: int, margin: str) -> str | None:
    """A line without the margin of its report; nothing where it is not of the report."""
    if place >= len(lines):
        return None
    line = lines[place]
    if line.startswith(margin):
        return line[len(margin) :]
    return "" if line.strip() in ("", margin.strip()) else None


def _linked(lines: Sequence[str], place: int) -> int | None:
    """Where the next report of a chain begins, if the lines from here on say that one follows."""
    seen = 0
    while place < len(lines) and lines[place].strip(" |") == "" and seen < _BLANK:
        place, seen = place + 1, seen + 1
    if place >= len(lines) or lines[place].strip(" |") not in _LINKS or not seen:
        return None
    place += 1
    while place < len(lines) and lines[place].strip(" |") == "":
        place += 1
    starts = place < len(lines) and (_PLAIN.match(lines[place]) or _RICH.match(lines[place]))
    return place if starts else None


def _plain_frames(
    lines: Sequence[str], place: int, margin: str
) -> tuple[tuple[_LoggedFrame, ...], int]:
    frames: list[_LoggedFrame] = []
    while (text := _within(lines, place, margin)) is not None and text.startswith("  "):
        if (found := _FRAME.match(text)) is not None:
            frames.append(_LoggedFrame(found[1], found[2], found[3] or ""))
        elif frames and not frames[-1].code and text.startswith("    "):
            frames[-1] = msgspec.structs.replace(frames[-1], code=text.strip())
        place += 1
    return tuple(frames), place


def _rich_frames(
    lines: Sequence[str], place: int, column: int
) -> tuple[tuple[_LoggedFrame, ...], int]:
    frames: list[_LoggedFrame] = []
    rows, place = _panel(lines, place, column)
    for text in map(str.strip, rows):
        if (found := _RICH_FRAME.match(text)) is not None:
            frames.append(_LoggedFrame(found[1], found[2], found[3]))
        elif frames and (found := _RICH_CODE.match(text)) is not None:
            frames[-1] = msgspec.structs.replace(frames[-1], code=found[1].strip())
    return tuple(frames), place


_SYNTAX = "Write it as mcp:stdio:COMMAND or mcp:http:URL, with #tool after it for one tool."
_SCRIPTS = frozenset({".py", ".js", ".mjs", ".cjs", ".ts"})
_MOST_PAGES = 100
_NO_SUCH_METHOD = -32601
"""Of JSON-RPC 2.0."""
_TAIL = 8 * 1024
"""Characters of a server's log that go with its end."""
_WIDE = {"COLUMNS": "240"}
"""So that no exception in a server's log is broken into lines."""
_INVALID_PARAMS, _CONNECTION_CLOSED = -32602, -32000
_RESOURCE_NOT_FOUND = -32002
"""JSON-RPC codes of the MCP specification; the last one until its version of 2025-11-25."""
_REFUSAL = re.compile(
    r"(?:MCP error -32602|Input validation error\b|Invalid arguments\b"
    r"|Error executing tool [^:\n]{1,200}: \d+ validation errors? for \w+Arguments\b)"
)
"""How the servers of the SDKs begin, when they refuse arguments in the text of a result."""
_OUTPUT = re.compile(
    r"Invalid structured content returned by tool [^:\n]*: (?P<client>[^\n]*)"
    r"|Tool .* has an output schema but did not return structured content"
    r"|(?:MCP error -?\d+: )?(?:Error executing tool [^:\n]{1,200}: )?"
    r"(?:Output validation error|validating tool output|output validation failed)\b"
    r":? ?(?P<server>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""How the SDK says that a result is not what the server's output schema declares, and how the
servers of the SDKs say it themselves, where they look before they answer."""
_BROKEN_SCHEMA = re.compile(r"Invalid schema for tool [^:\n]*: ")
_OWN_OUTPUT = re.compile(r"\d+ validation errors? for (\w+)\n(.*)", re.DOTALL)
"""How pydantic begins, which makes the output of a Python server what its schema declares."""
_DENIED = re.compile(
    r"\bEACCES\b|\[Errno 13\]|\bos error 13\b|\bEROFS\b|\[Errno 30\]|\bos error 30\b|"
    r"\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH)\b"
    r"|^fetch failed$|getaddrinfo|name resolution|Name or service not known"
)
"""What servers say when the kernel refuses them a file outside, or the network."""


class McpError(Exception):
    """The server answered with a JSON-RPC error."""


def is_mcp_target(target: str) -> bool:
    """Whether ``target`` names an MCP server."""
    return target.startswith("mcp:")


def preload_sdk() -> None:
    """Import the SDK where processes are forked that need it: it takes a second, the rest far less.

    Without the SDK nothing happens; whoever needs it says so.
    """
    with contextlib.suppress(ImportError):
        importlib.import_module("mcp")


def load_mcp_tools(
    target: str, *, directory: str, within_s: float | None = None
) -> tuple[list[Tool], list[Callable[[], Tool]]]:
    """Connect to the server that ``target`` names and adapt what it offers: the tools that are
    named, and makers of the others.

    A server over stdio stays: its session belongs to this process, which must not fork. One over
    HTTP is connected to anew at the first call.

    Args:
        directory: what the names of programs and scripts in a command refer to.
        within_s: seconds in which the server must have told what it offers.

    Raises:
        TargetError: the target is malformed, or the server cannot be started, reached or
            understood, does not answer, or lacks the tool.
    """
    address, _, pick = target.partition("#")
    _, kind, rest = (*address.split(":", 2), "", "")[:3]
    transport: Transport
    if kind == "stdio":
        transport = _stdio(rest, target, directory)
    elif kind == "http" and urlsplit(rest).hostname:
        transport = _http(rest)
    else:
        raise TargetError(f"{target!r} is not an MCP server.", next_step=_SYNTAX)
    session = McpSession(transport)
    session.allow(within_s)
    try:
        offered = dict(_offered(session))
        if pick and pick not in offered:
            raise TargetError(
                f"The server has no tool {pick!r}.",
                next_step=f"It has: {', '.join(offered) or 'none'}.",
            )
        tools = [make() for name, make in offered.items() if pick in ("", name)]
        others = [make for name, make in offered.items() if pick not in ("", name)]
    except KnitboneError:
        session.close()
        raise
    except TimeoutError as error:
        raise _silent(target, within_s, error, session) from error
    except Exception as error:  # whatever the server, the network and the SDK may come up with
        raise _unreachable(target, error, session) from error
    if not tools:
        raise TargetError(f"The server of {target!r} offers no tools.", next_step=_SYNTAX)
    session.allow(None)
    if kind == "http":
        session.close()
    return tools, others


class McpTool:
    """One tool of a server, or one of its resource templates."""

    def __init__(
        self,
        session: McpSession,
        name: str,
        documentation: str,
        schema: dict[str, Any],
        request: Callable[[Any, dict[str, Any]], Any],
        *,
        output: dict[str, Any] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """
        Args:
            output: the output schema, where the server declares one.
            notes: of the server's list of tools.
        """
        self._session = session
        self._name = name
        self._documentation = documentation
        self._schema = schema
        self._request = request
        self._output = output
        self._notes = notes
        self._arguments = checked_against(schema, name)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self._name,
            "documentation": self._documentation,
            "schema": self._schema,
            "roots": (),  # the code is in another process
            "framework": "mcp",
            "notes": tuple(self._notes),
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        try:  # what no JSON text can carry, no agent can send
            json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode("utf-8")
        except (ValueError, RecursionError) as error:
            raise ArgumentsRejectedError(f"no JSON can carry them: {error}") from error
        return arguments

    def call(self, prepared: dict[str, Any]) -> Any:
        try:
            answer = self._session.ask(lambda client: self._request(client, prepared))
        except ConnectionError as error:
            raise self._ended(error) from None
        except ArgumentsRejectedError:
            raise
        except Exception as error:
            code = getattr(error, "code", None)
            if code == _CONNECTION_CLOSED:
                raise self._ended(error) from None
            text = str(error)
            self._check_output(text, None)
            if code in (_INVALID_PARAMS, _RESOURCE_NOT_FOUND):
                raise ArgumentsRejectedError(text) from error
            if (broken := _BROKEN_SCHEMA.match(text)) is not None:
                said = text[broken.end() :].partition("\n")[0]
                raise OutputTypeError(f"the output schema is broken: {said}") from None
            if type(error).__name__ == "ValidationError":  # of the SDK, of what the protocol is
                raise OutputTypeError(f"the result is none of the protocol: {text}") from None
            if code is None or not isinstance(code, int):
                raise
            self._check(text, prepared)
            raise McpError(f"{text} (code {code})") from None
        text, is_error = _text(answer)
        if not is_error:
            self._check_structured(answer)
            return text
        report = report_in(self._session.log(), text)
        self._check_output(text, report)
        self._check(text, prepared)
        self._check("" if report is None else report.exception, prepared)
        result = error_result(text)
        if report is not None:
            result["stderr"] = report.line
            result.by = report.by
        return result

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # what refuses arguments says so by its own type

    def owns(self, file: str) -> bool:  # noqa: ARG002 - the protocol
        return False

    def attach(self, wrap: Wrap) -> None:
        """Nothing to attach to: the code is in another process."""

    def _check(self, text: str, arguments: dict[str, Any]) -> None:
        """Tell an error of the tool apart from a refusal, by its server or by the sandbox."""
        if _REFUSAL.match(text):
            raise ArgumentsRejectedError(text)
        self._arguments(arguments)
        if _DENIED.search(text):
            raise SandboxDenied(13, f"{text[:500]}: {MARK}")

    def _check_structured(self, answer: Any) -> None:
        """Hold a result against the output schema: the SDK does so only for tools that it listed in
        this session, on the first page."""
        if self._output is None or not hasattr(answer, "structured_content"):
            return
        if answer.structured_content is None:
            raise OutputTypeError("no structured content")
        if (violation := violation_of(self._output, answer.structured_content)) is not None:
            raise OutputTypeError(violation)

    def _check_output(self, text: str, report: LoggedFailure | None) -> None:
        """Tell apart that the server's output is not what its own schema declares."""
        if (said := _OUTPUT.match(text)) is not None:
            told = said["client"] or said["server"] or "no structured content"
            raise OutputTypeError(told.strip())
        if self._output is None:
            return
        own = {f"{self._name}Output", f"{self._name}DictModel", self._output.get("title")}
        told = text.partition(": ")[2]
        if (said := _OWN_OUTPUT.match(told)) is not None and said[1] in own:
            raise OutputTypeError(" ".join(said[2].split()))
        if report is not None and report.is_of_output:
            raise OutputTypeError(" ".join(report.message.split()))

    def _ended(self, error: Exception) -> ProcessEndedError:
        log = self._session.log()
        report = report_in(log, "")
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        told = next((line for line in lines if re.match(r"\S*(Error|Exception|panic)\b", line)), "")
        reason = (report and report.line) or told or (lines[-1] if lines else str(error))
        return ProcessEndedError(
            f"the server ended during the call: {reason[:500]}", tail=log[-_TAIL:]
        )


def _offered(session: McpSession) -> Iterator[tuple[str, Callable[[], Tool]]]:
    """Name and maker of each tool; made only where wanted: one odd schema spoils no other tool."""
    notes: list[str] = []  # more come while the pages are read
    for tool in _pages(session, "list_tools", "tools", notes):
        schema: dict[str, Any] = tool.input_schema
        yield (
            tool.name,
            lambda tool=tool, schema=schema: McpTool(
                session,
                tool.name,
                tool.description or tool.title or "",
                schema,
                lambda client, arguments: client.call_tool(tool.name, arguments),
                output=tool.output_schema,
                notes=notes,
            ),
        )
    capabilities = session.ask(_capabilities)
    if capabilities.resources is not None:
        for template in _templates(session, notes):
            yield (
                f"resource:{template.name}",
                lambda template=template: _resource(session, template),
            )


def _templates(session: McpSession, notes: list[str]) -> list[Any]:
    """The resource templates; a server with resources need not know of any."""
    try:
        return list(_pages(session, "list_resource_templates", "resource_templates", notes))
    except Exception as error:
        if getattr(error, "code", None) != _NO_SUCH_METHOD:
            raise
        return []


async def _capabilities(client: Any) -> Any:
    return client.server_capabilities


def _pages(session: McpSession, method: str, field: str, notes: list[str]) -> Iterator[Any]:
    """What a server lists, each name once. A list without an end is left where it repeats itself,
    or where the pages or the time are used up; ``notes`` gets where."""
    cursor: str | None = None
    names: set[str] = set()
    cursors: set[str] = set()
    for number in range(1, _MOST_PAGES + 1):
        try:
            page = session.ask(lambda client, cursor=cursor: getattr(client, method)(cursor=cursor))
        except TimeoutError:
            if not names:
                raise
            notes.append(_left(field, names, number - 1, "the next page did not come in time"))
            return
        new = [item for item in getattr(page, field) if item.name not in names]
        names.update(item.name for item in new)
        yield from new
        cursor = page.next_cursor
        if cursor is None:
            return
        why = "" if new else "it brought nothing new"
        if cursor in cursors:
            why = f"it names the cursor {cursor[:80]!r} again"
        elif number == _MOST_PAGES:
            why = "there are still more"
        if why:
            notes.append(_left(field, names, number, why))
            return
        cursors.add(cursor)


def _left(field: str, names: Collection[str], page: int, why: str) -> str:
    what = field.replace("_", " ")
    return f"the list of {what} was left after page {page}, with {len(names)} of them: {why}"


def _resource(session: McpSession, template: Any) -> Tool:
    mcp: Any = import_extra("mcp", extra="mcp", purpose="Speaking with an MCP server")
    name, pattern = f"resource:{template.name}", template.uri_template
    try:
        uri = mcp.UriTemplate.parse(pattern)
    except mcp.InvalidUriTemplate as error:
        raise TargetError(
            f"The resource template {name!r} is not one of RFC 6570 that can be filled in: "
            f"{pattern!r}: {error}.",
            next_step="Correct it, or name one tool of the server with #tool.",
        ) from error
    optional = uri.query_variable_names
    schema = {
        "type": "object",
        "properties": {variable: {"type": "string"} for variable in uri.variable_names},
        "required": [variable for variable in uri.variable_names if variable not in optional],
    }
    documentation = "\n\n".join(filter(None, (template.description, f"Reads {pattern}")))
    check = checked_against(schema, name)

    async def read(client: Any, arguments: dict[str, Any]) -> Any:
        check(arguments)  # else it is nothing that could be put into an address
        return await client.read_resource(uri.expand(arguments))

    return McpTool(session, name, documentation, schema, read)


def _text(result: Any) -> tuple[str, bool]:
    """What an agent is shown of a result, and whether it is marked as an error."""
    parts: list[str] = []
    for item in getattr(result, "content", None) or getattr(result, "contents", None) or ():
        body = getattr(item, "resource", item)
        text = getattr(body, "text", None)
        data = getattr(body, "data", None) or getattr(body, "blob", None) or ""
        kind = getattr(body, "mime_type", None) or getattr(item, "type", "data")
        parts.append(text if isinstance(text, str) else f"[{kind}, {len(data)} characters]")
    structured = getattr(result, "structured_content", None)
    if not parts and structured is not None:
        parts.append(json.dumps(structured, ensure_ascii=False))
    return "\n".join(parts), bool(getattr(result, "is_error", False))


def _stdio(command: str, target: str, directory: str) -> Transport:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TargetError(f"{target!r}: the command is malformed: {error}.", next_step=_SYNTAX)  # noqa: B904
    if not words:
        raise TargetError(f"{target!r} names no command.", next_step=_SYNTAX)
    words = [_absolute(word, directory, is_program=not place) for place, word in enumerate(words)]
    if shutil.which(words[0]) is None:
        raise TargetError(
            f"There is no program {words[0]!r} (target {target!r}).",
            next_step="Install the server and name its program, such as mcp-server-time or "
            "node path/to/index.js; a launcher that downloads it would be refused the network.",
        )
    mcp: Any = import_extra("mcp", extra="mcp", purpose="Speaking with an MCP server")

    def start(log: IO[str]) -> Any:
        parameters = mcp.StdioServerParameters(
            command=words[0], args=words[1:], env={**os.environ, **_WIDE}, cwd=Path.cwd()
        )
        return mcp.stdio_client(parameters, errlog=log)

    return start


def _absolute(word: str, directory: str, *, is_program: bool) -> str:
    """Programs with a path and scripts are the user's; other files are in the private directory."""
    path = Path(directory, word)
    wanted = os.sep in word if is_program else path.suffix in _SCRIPTS
    return str(path.absolute()) if wanted and path.is_file() else word


def _http(url: str) -> Transport:
    client: Any = import_extra(
        "mcp.client.streamable_http", extra="mcp", purpose="Speaking with an MCP server"
    )
    return lambda _log: client.streamable_http_client(url)


def _silent(
    target: str, within_s: float | None, error: TimeoutError, session: McpSession
) -> TargetError:
    log = session.log().strip()
    told = f" Its standard error ends: {log[-1_000:]}" if log else ""
    return TargetError(
        f"The server of {target!r} started, and did not answer {error} within "
        f"{within_s or 0:g} s.{told}",
        next_step="Start it by hand and send it that request; a server that waits for the network, "
        "a key or a person never answers here.",
    )


def _unreachable(target: str, error: Exception, session: McpSession) -> TargetError:
    seen: BaseException | None = error
    while seen is not None:
        if MARK in str(seen.args):
            return TargetError(
                f"{target!r} cannot be reached: {seen}.",
                next_step="Allow its host: --allow-host HOST.",
            )
        seen = seen.__cause__ or seen.__context__
    log = session.log().strip()
    told = f" Its standard error ends: {log[-1_000:]}" if log else ""
    return TargetError(
        f"The server of {target!r} cannot be used: {type(error).__name__}: {error}.{told}",
        next_step="Start it by hand to see whether it speaks MCP; here it has no network and "
        "writes in its own folder only (--allow-host 127.0.0.1 lets it listen).",
    )

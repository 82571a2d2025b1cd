"""MCP servers as targets: every tool, and every resource template as a tool of its variables.

``mcp:stdio:COMMAND`` starts the server inside the sandbox, in its private directory;
``mcp:http:URL`` speaks to one that runs elsewhere, over streamable HTTP.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from knitbone.errors import KnitboneError, TargetError, import_extra
from knitbone.fuzzing.sandbox.audit import MARK, SandboxDenied
from knitbone.fuzzing.tools.calling import conforms_to, error_result
from knitbone.fuzzing.tools.mcp_session import Session, Transport, cause_in, raised_by
from knitbone.fuzzing.tools.types import OutputTypeError, ProcessEndedError, Tool, Wrap

__all__ = ["is_mcp_target", "load_mcp_tools", "preload_sdk"]

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
    r"Invalid structured content returned by tool [^:\n]*: ([^\n]*)"
    r"|Tool .* has an output schema but did not return structured content"
)
"""How the SDK says that a result is not what the server's output schema declares."""
_DENIED = re.compile(
    r"\bEACCES\b|\[Errno 13\]|\bos error 13\b|\bEROFS\b|\[Errno 30\]|\bos error 30\b|"
    r"\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH)\b"
    r"|^fetch failed$|getaddrinfo|name resolution|Name or service not known"
)
"""What servers say when the kernel refuses them a file outside, or the network."""


class McpError(Exception):
    """The server answered with a JSON-RPC error."""


class _RefusedError(Exception):
    pass


def is_mcp_target(target: str) -> bool:
    """Whether ``target`` names an MCP server."""
    return target.startswith("mcp:")


def preload_sdk() -> None:
    """Import the SDK where processes are forked that need it: it takes a second, the rest far less.

    Without the SDK nothing happens; whoever needs it says so.
    """
    with contextlib.suppress(ImportError):
        importlib.import_module("mcp")


def load_mcp_tools(target: str, *, directory: str) -> tuple[list[Tool], list[Callable[[], Tool]]]:
    """Connect to the server that ``target`` names and adapt what it offers: the tools that are
    named, and makers of the others.

    A server over stdio stays: its session belongs to this process, which must not fork. One over
    HTTP is connected to anew at the first call.

    Args:
        directory: what the names of programs and scripts in a command refer to.

    Raises:
        TargetError: the target is malformed, or the server cannot be started, reached or
            understood, or lacks the tool.
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
    session = Session(transport)
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
    except Exception as error:  # whatever the server, the network and the SDK may come up with
        raise _unreachable(target, error, session) from error
    if not tools:
        raise TargetError(f"The server of {target!r} offers no tools.", next_step=_SYNTAX)
    if kind == "http":
        session.close()
    return tools, others


class McpTool:
    """One tool of a server, or one of its resource templates."""

    def __init__(
        self,
        session: Session,
        name: str,
        documentation: str,
        schema: dict[str, Any],
        request: Callable[[Any, dict[str, Any]], Any],
    ) -> None:
        self._session = session
        self._name = name
        self._documentation = documentation
        self._schema = schema
        self._request = request
        self._conforms = conforms_to(schema, name)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self._name,
            "documentation": self._documentation,
            "schema": self._schema,
            "roots": (),  # the code is in another process
            "framework": "mcp",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        try:  # what no JSON text can carry, no agent can send
            json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode("utf-8")
        except (ValueError, RecursionError):
            return None
        return arguments

    def call(self, prepared: dict[str, Any]) -> Any:
        try:
            text, is_error = _text(
                self._session.ask(lambda client: self._request(client, prepared))
            )
        except ConnectionError as error:
            raise self._ended(error) from None
        except Exception as error:
            code = getattr(error, "code", None)
            if code == _CONNECTION_CLOSED:
                raise self._ended(error) from None
            if code in (_INVALID_PARAMS, _RESOURCE_NOT_FOUND):
                raise _RefusedError from error
            if (violation := _OUTPUT.match(str(error))) is not None:
                raise OutputTypeError(violation.group(1) or "no structured content") from None
            if code is None or not isinstance(code, int):
                raise
            text = str(error)
            self._check(text, prepared)
            raise McpError(f"{text} (code {code})") from None
        if not is_error:
            return text
        self._check(text, prepared)
        cause = cause_in(self._session.log())
        self._check(cause, prepared)
        result = error_result(text)
        if cause:
            result["stderr"] = cause
            result.by = raised_by(self._session.log())
        return result

    def rejects(self, error: BaseException) -> bool:
        return isinstance(error, _RefusedError)

    def owns(self, file: str) -> bool:  # noqa: ARG002 - the protocol
        return False

    def attach(self, wrap: Wrap) -> None:
        """Nothing to attach to: the code is in another process."""

    def _check(self, text: str, arguments: dict[str, Any]) -> None:
        """Tell an error of the tool apart from a refusal, by its server or by the sandbox."""
        if _REFUSAL.match(text) or not self._conforms(arguments):
            raise _RefusedError
        if _DENIED.search(text):
            raise SandboxDenied(13, f"{text[:500]}: {MARK}")

    def _ended(self, error: Exception) -> ProcessEndedError:
        log = self._session.log()
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        told = next((line for line in lines if re.match(r"\S*(Error|Exception|panic)\b", line)), "")
        reason = cause_in(log) or told or (lines[-1] if lines else str(error))
        return ProcessEndedError(
            f"the server ended during the call: {reason[:500]}", tail=log[-_TAIL:]
        )


def _offered(session: Session) -> Iterator[tuple[str, Callable[[], Tool]]]:
    """Name and maker of each tool; made only where wanted: one odd schema spoils no other tool."""
    for tool in _pages(session, "list_tools", "tools"):
        schema: dict[str, Any] = tool.input_schema
        yield (
            tool.name,
            lambda tool=tool, schema=schema: McpTool(
                session,
                tool.name,
                tool.description or tool.title or "",
                schema,
                lambda client, arguments: client.call_tool(tool.name, arguments),
            ),
        )
    capabilities = session.ask(_capabilities)
    if capabilities.resources is not None:
        for template in _templates(session):
            yield (
                f"resource:{template.name}",
                lambda template=template: _resource(session, template),
            )


def _templates(session: Session) -> list[Any]:
    """The resource templates; a server with resources need not know of any."""
    try:
        return list(_pages(session, "list_resource_templates", "resource_templates"))
    except Exception as error:
        if getattr(error, "code", None) != _NO_SUCH_METHOD:
            raise
        return []


async def _capabilities(client: Any) -> Any:
    return client.server_capabilities


def _pages(session: Session, method: str, field: str) -> Iterator[Any]:
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = session.ask(lambda client, cursor=cursor: getattr(client, method)(cursor=cursor))
        yield from getattr(page, field)
        cursor = page.next_cursor
        if cursor is None:
            return


def _resource(session: Session, template: Any) -> Tool:
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
    conforms = conforms_to(schema, name)

    async def read(client: Any, arguments: dict[str, Any]) -> Any:
        if not conforms(arguments):  # nothing that could be put into an address
            raise _RefusedError
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


def _unreachable(target: str, error: Exception, session: Session) -> TargetError:
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

"""The tau2 servers of the package index, as children that speak MCP over stdio."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, StdioServerParameters, stdio_client

__all__ = ["McpServer"]


class McpServer:
    """One server, started at the first call; a fresh ``state_key`` is a fresh world."""

    def __init__(self, domain: str) -> None:
        self._domain = domain
        self._numbers = count()
        self._folder = Path(tempfile.mkdtemp(prefix=f"recovery-{domain}-"))

    def tasks(self) -> list[dict[str, Any]]:
        """The benchmark's tasks, as the package has them."""
        spec = importlib.util.find_spec(f"tau2_{self._domain}_mcp")
        if spec is None or spec.origin is None:
            raise SystemExit(f"Install the server first: pip install tau2-{self._domain}-mcp-eval")
        data = Path(spec.origin).parent / "data" / "tau2" / "domains" / self._domain
        return json.loads((data / "tasks.json").read_text(encoding="utf-8"))

    def tools(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Name, description and schema of each tool."""
        listed = self._portal.call(self._session.list_tools).tools
        told = [tool.model_dump(by_alias=True) for tool in listed]
        return [(tool["name"], tool["description"] or "", tool["inputSchema"]) for tool in told]

    def fresh_key(self, place: int) -> str:
        """A key that no state has yet."""
        return f"tau2/{self._domain}/{place}/{next(self._numbers)}"

    def call(self, key: str, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """The text of a call's result, and whether it is an error."""
        answer = self._portal.call(self._session.call_tool, tool, {**arguments, "state_key": key})
        payload = json.loads(answer.content[0].text)
        message = payload.get("tau2_tool_message") or {}
        text = message.get("content", payload.get("parsed_content", ""))
        return str(text), not payload.get("ok", True)

    def state(self, key: str) -> str:
        """The world of a key, without the log of calls."""
        path = self._path(key)
        if not path.exists():  # nothing was called yet
            self.call(key, "calculate", {"expression": "1 + 1"})
        return json.dumps(json.loads(path.read_text(encoding="utf-8"))["db"], sort_keys=True)

    def forget(self, key: str) -> None:
        """Remove a world's file; airline's has 7 MB."""
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    @cached_property
    def _portal(self) -> Any:
        # Both stay open until the process ends; the child ends with its standard input.
        self._portal_block = start_blocking_portal()
        return self._portal_block.__enter__()

    @cached_property
    def _session(self) -> Any:
        name = f"TAU2_{self._domain.upper()}_MCP_STATE_DIR"
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", f"tau2_{self._domain}_mcp.server"],
            env={**os.environ, name: str(self._folder)},
        )
        streams = self._portal.wrap_async_context_manager(stdio_client(parameters))
        self._streams = streams
        session = self._portal.wrap_async_context_manager(ClientSession(*streams.__enter__()))
        self._session_block = session
        opened = session.__enter__()
        self._portal.call(opened.initialize)
        return opened

"""Real MCP servers, fuzzed end to end with ``knitbone fuzz``: three over stdio, one over HTTP.

The servers are no dependency of the project; install them beside it first::

    npm install --prefix FOLDER @modelcontextprotocol/server-everything \
        @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory
    python3 -m venv FOLDER/venv && FOLDER/venv/bin/pip install mcp-server-time

then ``python -m knitbone_evals.fuzz.servers --servers FOLDER --out REPORTS``. Measured with the
servers of 2026.8.31 (npm) and 2026.10.19 (PyPI).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from knitbone_evals.paths import write_result

__all__ = ["main"]

_PATIENCE_S = 30.0


class _Server(NamedTuple):
    name: str
    source: str
    """``npm`` or ``PyPI``."""
    target: str
    options: tuple[str, ...] = ()


def _over_stdio(folder: Path) -> list[_Server]:
    packages = folder / "node_modules" / "@modelcontextprotocol"

    def node(package: str, *arguments: str) -> str:
        return shlex.join(["node", str(packages / package / "dist" / "index.js"), *arguments])

    return [
        # "." is the private directory that the server is started in.
        _Server("filesystem", "npm", f"mcp:stdio:{node('server-filesystem', '.')}"),
        _Server(
            "memory",
            "npm",
            f"mcp:stdio:env MEMORY_FILE_PATH=memory.jsonl {node('server-memory')}",
        ),
        _Server("time", "PyPI", f"mcp:stdio:{folder / 'venv' / 'bin' / 'mcp-server-time'}"),
    ]


@contextlib.contextmanager
def _over_http(folder: Path) -> Iterator[_Server]:
    """``server-everything``, started here: outside of the sandbox, as any server over HTTP is."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = folder / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    process = subprocess.Popen(
        ["node", str(script), "streamableHttp"],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            if time.monotonic() > deadline or process.poll() is not None:
                sys.exit(f"{script} does not listen on port {port}; is it installed?")
            time.sleep(0.1)
        url = f"http://127.0.0.1:{port}/mcp"
        yield _Server("everything", "npm", f"mcp:http:{url}", ("--allow-host", "127.0.0.1"))
    finally:
        process.terminate()
        process.wait()


def _fuzz(server: _Server, calls: int, seed: int, out: Path) -> dict[str, Any]:
    command = [
        *(str(Path(sys.executable).with_name("knitbone")), "fuzz", server.target, *server.options),
        *("--calls", str(calls), "--seed", str(seed), "--no-model", "--no-journal"),
        *("--save", str(out / server.name), "--html", str(out / f"{server.name}.html"), "--json"),
    ]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr}")
    campaigns = [json.loads(line) for line in done.stdout.splitlines()]
    findings = [finding for campaign in campaigns for finding in campaign["findings"]]
    return {
        "server": server.name,
        "from": server.source,
        "transport": server.target.split(":")[1],
        "tools": len(campaigns),
        "calls": sum(campaign["calls"] for campaign in campaigns),
        "rejected": sum(campaign["rejected"] for campaign in campaigns),
        "findings": len(findings),
        "replay": sum(finding["replays"] for finding in findings),
        "seconds": round(time.monotonic() - started),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.fuzz.servers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--servers", type=Path, required=True, help="folder they are installed in")
    parser.add_argument("--out", type=Path, required=True, help="folder for reports and findings")
    parser.add_argument("--calls", type=int, default=200, help="calls for each tool")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder, out = options.servers.absolute(), options.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with _over_http(folder) as everything:
        for server in (*_over_stdio(folder), everything):
            row = _fuzz(server, options.calls, options.seed, out)
            rows.append(row)
            if len(rows) == 1:
                print(" ".join(f"{name:>10}" for name in row))
            print(" ".join(f"{value:>10}" for value in row.values()), flush=True)
    write_result(out / "servers.json", rows)


if __name__ == "__main__":
    main()

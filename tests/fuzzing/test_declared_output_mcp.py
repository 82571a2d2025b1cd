"""Results of MCP servers that contradict the output schema that the server itself declares."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.sandbox.client import Sandbox

pytest.importorskip("mcp")

SERVER = r"""
import json, sys

OUTPUT = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}
TOOL = {
    "name": "bill",
    "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
    "outputSchema": OUTPUT,
}

def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "careless", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        n = params["arguments"]["n"]
        result = {"content": [{"type": "text", "text": "done"}]}
        if n == 1:
            result["structuredContent"] = {"total": 7}
        elif n == 2:
            result["structuredContent"] = {"total": "seven"}
        return result
    return None

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params") or {})
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if result is None:
        reply["error"] = {"code": -32601, "message": "no such method"}
    else:
        reply["result"] = result
    print(json.dumps(reply), flush=True)
"""


def test_structured_content_is_held_against_the_output_schema(
    private: Path, tmp_path: Path
) -> None:
    path = tmp_path / "careless_server.py"
    path.write_text(SERVER)
    target = f"mcp:stdio:{shlex.join([sys.executable, str(path)])}"
    with Sandbox(target) as sandbox:
        outcomes = {n: sandbox.call(0, {"n": n}, timeout_s=20.0) for n in (1, 2, 3)}
    assert outcomes[1].violation is None
    assert outcomes[2].violation == "'seven' is not of type 'integer'"
    assert outcomes[3].violation == "no structured content"
    for n in (2, 3):
        verdict = judge(outcomes[n], {"n": n}, roots=())
        assert verdict is not None
        assert (verdict.kind, verdict.exception) == ("output_type", None)

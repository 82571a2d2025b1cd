"""Servers that break the output schemas they declare, and servers that never come to an end of what
they offer: real ones, over stdio."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from knitbone.config import FuzzConfig
from knitbone.errors import TargetError
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.tools.mcp import load_mcp_tools
from knitbone.fuzzing.tools.types import OutputTypeError
from knitbone.report.fuzz import campaign_lines

pytest.importorskip("mcp")

RAW = r"""
import json, sys, time

OUTPUT = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"],
          "title": "Bill"}
BROKEN = {"type": "object", "properties": {"total": {"type": "integr"}}}
INPUT = {"type": "object", "properties": {"how": {"type": "string"}}, "required": ["how"]}

def tool(name, output=OUTPUT):
    return {"name": name, "inputSchema": INPUT, "outputSchema": output}

def text(said, **more):
    return {"content": [{"type": "text", "text": said}], **more}

ANSWERS = {
    "sound": text("7", structuredContent={"total": 7}),
    "wrong type": text("x", structuredContent={"total": "x"}),
    "missing": text("x", structuredContent={}),
    "none": text("x"),
    "a list": text("x", structuredContent=[7]),
    "python": text("Output validation error: 'x' is not of type 'integer'", isError=True),
    "python none": text("Output validation error: outputSchema defined but no structured output "
                        "returned", isError=True),
    "typescript": text("MCP error -32602: Output validation error: Invalid structured content for "
                       "tool bill: [...]", isError=True),
    "go": text("validating tool output: validating root: missing total", isError=True),
    "pydantic": text("Error executing tool bill: 1 validation error for billOutput\nresult\n  "
                     "Input should be a valid integer", isError=True),
    "pydantic model": text("Error executing tool bill: 1 validation error for Bill\ntotal\n  "
                           "Input should be a valid integer", isError=True),
    "typescript code": {"code": -32602, "message": "MCP error -32602: Output validation error: "
                        "Tool bill has an output schema but no structured content was provided"},
    "refused": text("MCP error -32602: Input validation error: Invalid arguments", isError=True),
    "refused code": {"code": -32602, "message": "Invalid arguments for tool bill"},
    "pydantic arguments": text("Error executing tool bill: 1 validation error for billArguments\n"
                               "how\n  Input should be shorter", isError=True),
    "own refusal": text("The output file cannot be validated: no such bill", isError=True),
}

MODE = sys.argv[1]

def listed(cursor):
    number = int(cursor or 0)
    if MODE == "output":  # the tool is on the second page
        if number == 0:
            return {"tools": [tool("other")], "nextCursor": "1"}
        return {"tools": [tool("bill"), tool("broken", BROKEN)]}
    if MODE == "same cursor":
        return {"tools": [tool("bill")], "nextCursor": "1"}
    if MODE == "new cursors":
        return {"tools": [tool("bill")], "nextCursor": str(number + 1)}
    if MODE == "turns":
        return {"tools": [tool(f"bill{number}")], "nextCursor": str((number + 1) % 3)}
    if MODE == "new tools":
        return {"tools": [tool(f"bill{number}")], "nextCursor": str(number + 1)}
    if MODE == "slow pages":
        time.sleep(0 if number == 0 else 60)
        return {"tools": [tool(f"bill{number}")], "nextCursor": str(number + 1)}
    if MODE == "silent list":
        time.sleep(600)
    return {"tools": [tool("bill")]}

def answer(method, params):
    if method == "initialize":
        if MODE == "silent":
            time.sleep(600)
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "careless", "version": "1"}}
    if method == "tools/list":
        return listed(params.get("cursor"))
    if method == "tools/call":
        return ANSWERS[params["arguments"]["how"]]
    return {"code": -32601, "message": "no such method"}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params") or {})
        kind = "error" if "code" in result else "result"
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], kind: result}), flush=True)
"""
SDK = """
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("s", log_level="ERROR")

class Bill(BaseModel):
    total: int

@server.tool()
def bill(how: str) -> Bill:
    return {"sound": {"total": 1}, "wrong type": {"total": how}}.get(how, {})

@server.tool()
def count(how: str) -> int:
    return how if how != "sound" else 1

@server.tool()
def own(how: str) -> int:
    return Bill(total=how).total

server.run()
"""
BROKEN = ("wrong type", "missing", "none", "a list", "python", "python none", "typescript", "go",
          "pydantic", "pydantic model", "typescript code")  # fmt: skip
REFUSED = ("refused", "refused code", "pydantic arguments")


def target_of(folder: Path, source: str, *arguments: str) -> str:
    path = folder / "server.py"
    path.write_text(source)
    return f"mcp:stdio:{shlex.join([sys.executable, str(path), *arguments])}"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of each call of the raw server, and of its other tool with a broken schema."""
    target = target_of(tmp_path_factory.mktemp("raw"), RAW, "output")
    hows = (*BROKEN, *REFUSED, "sound", "own refusal")
    with Sandbox(target) as sandbox:
        names = [tool.name for tool in sandbox.tools]
        calls = {how: ("bill", how) for how in hows} | {"a broken schema": ("broken", "sound")}
        return {
            what: (how, sandbox.call(names.index(name), {"how": how}, timeout_s=20.0))
            for what, (name, how) in calls.items()
        }


@pytest.mark.parametrize("what", [*BROKEN, "a broken schema"])
def test_an_output_that_breaks_its_own_schema_is_a_finding(
    outcomes: dict[str, Any], what: str
) -> None:
    how, outcome = outcomes[what]
    verdict = judge(outcome, {"how": how}, roots=())
    assert verdict is not None, outcome
    assert (verdict.kind, verdict.standing) == ("output_type", "unhandled")
    assert verdict.message


@pytest.mark.parametrize("what", REFUSED)
def test_refused_arguments_are_no_output(outcomes: dict[str, Any], what: str) -> None:
    outcome = outcomes[what][1]
    assert outcome.status == "rejected"
    assert outcome.message


def test_a_sound_output_and_a_refusal_of_its_own_are_none(outcomes: dict[str, Any]) -> None:
    assert judge(outcomes["sound"][1], {"how": "sound"}, roots=()) is None
    verdict = judge(outcomes["own refusal"][1], {"how": "own refusal"}, roots=())
    assert verdict is not None
    assert (verdict.kind, verdict.standing) == ("returned", "refused")


def test_what_the_sdks_server_refuses_to_send_is_a_finding(private: Path, tmp_path: Path) -> None:
    with Sandbox(target_of(tmp_path, SDK)) as sandbox:
        names = [tool.name for tool in sandbox.tools]
        for name, how, kind in (
            ("bill", "sound", None), ("bill", "wrong type", "output_type"),
            ("bill", "else", "output_type"), ("count", "sound", None),
            ("count", "else", "output_type"), ("own", "x", "returned"),
        ):  # fmt: skip
            outcome = sandbox.call(names.index(name), {"how": how}, timeout_s=20.0)
            verdict = judge(outcome, {"how": how}, roots=())
            assert (None if verdict is None else verdict.kind) == kind, (name, how, outcome)


@pytest.mark.parametrize(
    ("mode", "tools", "said"),
    [
        ("same cursor", 1, "left after page 2, with 1 of them: it names the cursor '1' again"),
        ("new cursors", 1, "left after page 2, with 1 of them: it brought nothing new"),
        ("turns", 3, "it names the cursor '1' again"),
        ("new tools", 100, "left after page 100, with 100 of them: there are still more"),
        ("slow pages", 1, "left after page 1, with 1 of them: the next page did not come in time"),
        ("output", 3, ""),
    ],
)
def test_a_list_without_an_end_is_left_and_the_report_says_where(
    private: Path, tmp_path: Path, mode: str, tools: int, said: str
) -> None:
    target = target_of(tmp_path, RAW, mode)
    with Sandbox(target, limits=Limits(load_timeout_s=12.0)) as sandbox:
        assert len(sandbox.tools) == tools
        assert all(bool(tool.notes) == bool(said) for tool in sandbox.tools)
        for note in sandbox.tools[0].notes:
            assert said in note


def test_the_report_says_where_the_list_was_left(private: Path, tmp_path: Path) -> None:
    target = target_of(tmp_path, RAW, "same cursor") + "#bill"
    campaign = fuzz(target, calls=3, config=FuzzConfig(minimise_calls=3))
    lines = [line for line, _ in campaign_lines(campaign)]
    assert any("the list of tools was left after page 2" in line for line in lines)


@pytest.mark.parametrize("mode", ["silent", "silent list"])
def test_a_server_that_never_answers_is_not_called_slow_to_import(
    private: Path, tmp_path: Path, mode: str
) -> None:
    with pytest.raises(TargetError) as caught:
        Sandbox(target_of(tmp_path, RAW, mode), limits=Limits(load_timeout_s=6.0))
    assert "did not answer" in caught.value.message
    assert "import" not in str(caught.value)


def test_the_answers_are_what_the_servers_are_asked_for() -> None:
    assert all(f'"{how}"' in RAW for how in (*BROKEN, *REFUSED)), json.dumps(BROKEN)


def test_a_tool_of_a_later_page_is_held_against_its_schema_in_a_new_session(
    tmp_path: Path,
) -> None:
    tools, _ = load_mcp_tools(target_of(tmp_path, RAW, "output"), directory="/")
    tool = next(each for each in tools if each.describe()["name"] == "bill")
    session = vars(tool)["_session"]
    session.close()  # as over HTTP, after the tools are listed
    try:
        assert tool.call(tool.prepare({"how": "sound"})) == "7"
        with pytest.raises(OutputTypeError):
            tool.call(tool.prepare({"how": "wrong type"}))
    finally:
        session.close()
        vars(session)["_log"].close()

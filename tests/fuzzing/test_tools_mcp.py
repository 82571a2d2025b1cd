"""MCP servers as targets: real servers, over stdio inside the sandbox and over HTTP."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandbox_support import processes_within

from knitbone.config import FuzzConfig
from knitbone.errors import TargetError
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.records import CallOutcome, CampaignFinished
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.record.events import Json

SERVER = Path(__file__).with_name("mcp_server.py")
STDIO = f"mcp:stdio:{shlex.join([sys.executable, str(SERVER)])}"
TOOLS = ["seat", "greet", "quit_service", "write_note", "bill", "resource:menu"]


def call(sandbox: Sandbox, name: str, **arguments: Json) -> CallOutcome:
    index = next(i for i, tool in enumerate(sandbox.tools) if tool.name == name)
    return sandbox.call(index, arguments, timeout_s=20)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of the server, over HTTP, in a process of its own outside of any sandbox."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, str(SERVER), str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()  # asked to end, it first waits for connections to close
        process.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inn")


@pytest.fixture(scope="module")
def sandbox(folder: Path) -> Iterator[Sandbox]:
    """The server over stdio, for the tests that leave it as it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        with Sandbox(STDIO) as inn:
            yield inn


def test_a_server_over_stdio_is_called_tool_by_tool(sandbox: Sandbox) -> None:
    assert [tool.name for tool in sandbox.tools] == TOOLS
    seat, greet = sandbox.tools[:2]
    assert seat.target == f"{STDIO}#seat"
    assert seat.framework == "mcp"
    assert seat.documentation == "Seats a party."
    table = seat.schema["properties"]["table"]
    assert table["description"] == "Number of the table, from 1."
    assert table["examples"] == [4]
    assert seat.schema["properties"]["place"]["enum"] == ["in", "out"]
    assert seat.schema["properties"]["place"]["default"] == "in"
    assert "Guest" in greet.schema["$defs"]

    assert call(sandbox, "seat", table=4).text == "in: every 15 minutes"
    assert call(sandbox, "greet", guests=[{"name": "Ann"}]).text == "Hello Ann"
    assert '"total": 7' in call(sandbox, "bill", total=7).text
    outcome = call(sandbox, "resource:menu", day="monday", course="soup/à la carte")
    assert outcome.status in ("ok", "rejected")
    assert call(sandbox, "resource:menu", day="monday", course="fish").text == "fish on monday"


def test_refusals_by_validation_are_no_failures(sandbox: Sandbox) -> None:
    assert call(sandbox, "seat", table="four").status == "rejected"
    assert call(sandbox, "seat", table=4, place="roof").status == "rejected"
    assert call(sandbox, "seat").status == "rejected"
    assert call(sandbox, "greet", guests=[{"age": 3}]).status == "rejected"
    assert call(sandbox, "seat", table=1e999).status == "rejected"
    assert call(sandbox, "write_note", path="\ud800").status == "rejected"
    assert call(sandbox, "resource:menu", day=["monday"], course="fish").status == "rejected"


def test_errors_are_marked_and_told_apart_by_what_the_server_logged(sandbox: Sandbox) -> None:
    deliberate = call(sandbox, "seat", table=41)
    assert deliberate.status == "ok"
    assert '"isError": true' in deliberate.text
    assert "There is no table 41." in deliberate.text
    assert "stderr" not in deliberate.text
    crash = call(sandbox, "seat", table=0)
    assert "ZeroDivisionError" in crash.text
    assert f"(mcp_server.py:{_line_of('60 // table')})" in crash.text
    assert "IndexError" in call(sandbox, "greet", guests=[]).text


def test_the_server_works_in_the_private_directory_and_nowhere_else(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    assert call(sandbox, "write_note", path="note.txt").text == "written in ${SANDBOX}"
    if not any("landlock" in line for line in sandbox.confinement):
        pytest.skip("this kernel has no Landlock, which alone confines other programs")
    outside = tmp_path / "outside.txt"
    outcome = call(sandbox, "write_note", path=str(outside))
    assert outcome.status == "denied"
    assert not outside.exists()


def test_a_server_that_ends_is_a_crash_and_the_next_call_has_a_new_one(sandbox: Sandbox) -> None:
    ended = call(sandbox, "quit_service", code=3)
    assert ended.status == "crash"
    assert "the till is open" in ended.message
    assert call(sandbox, "seat", table=4).status == "ok"


def test_the_same_server_answers_all_calls(sandbox: Sandbox, folder: Path) -> None:
    call(sandbox, "seat", table=4)
    before = set(processes_within(folder))
    for table in range(1, 20):
        outcome = call(sandbox, "seat", table=table)
        assert outcome.leaked == outcome.leaked_threads == outcome.leaked_files == 0
    assert set(processes_within(folder)) == before


def test_a_server_over_http_is_called_where_its_host_is_allowed(private: Path, server: str) -> None:
    with Sandbox(f"mcp:http:{server}", allow_hosts=["127.0.0.1"]) as sandbox:
        assert [tool.name for tool in sandbox.tools] == TOOLS
        assert sandbox.tools[0].target == f"mcp:http:{server}#seat"
        assert call(sandbox, "seat", table=4).text == "in: every 15 minutes"
        assert call(sandbox, "seat", table="four").status == "rejected"
        assert '"isError": true' in call(sandbox, "seat", table=0).text
        assert call(sandbox, "resource:menu", day="monday", course="fish").text == "fish on monday"
    with pytest.raises(TargetError, match="--allow-host"):
        Sandbox(f"mcp:http:{server}")


def test_a_campaign_finds_the_faults_of_a_server(private: Path) -> None:
    config = FuzzConfig(minimise_calls=20)
    events = list(fuzz(f"{STDIO}#seat", calls=60, config=config))
    (campaign,) = [event.campaign for event in events if isinstance(event, CampaignFinished)]
    messages = [finding.message for finding in campaign.findings]
    assert any("ZeroDivisionError" in message for message in messages)
    assert any("There is no table" in message for message in messages)
    assert campaign.rejected
    assert all(finding.replays for finding in campaign.findings)


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("mcp:stdio:", "names no command", "mcp:stdio:COMMAND"),
        ("mcp:stdio:no-such-server --flag", "no program 'no-such-server'", "Install the server"),
        ("mcp:stdio:true", "cannot be used", "by hand"),
        ("mcp:stdio:python 'x", "malformed", "mcp:stdio:COMMAND"),
        ("mcp:http:nonsense", "not an MCP server", "mcp:http:URL"),
        ("mcp:tcp:localhost", "not an MCP server", "mcp:http:URL"),
        (f"{STDIO}#sit", "no tool 'sit'", "seat, greet"),
    ],
)
def test_what_is_no_server_is_explained(
    private: Path, target: str, message: str, hint: str
) -> None:
    with pytest.raises(TargetError) as caught:
        Sandbox(target)
    assert message in caught.value.message
    assert hint in (caught.value.next_step or "")


def test_a_script_is_found_where_the_user_is(
    private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SERVER.parent)
    with Sandbox(f"mcp:stdio:{shlex.quote(sys.executable)} mcp_server.py#bill") as sandbox:
        assert [tool.name for tool in sandbox.tools] == ["bill"]


WITHOUT_TEMPLATES = """
import json, sys
ANSWERS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "notes", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "note", "inputSchema": {"type": "object"}}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = ANSWERS.get(asked["method"])
    answer = {"error": {"code": -32601, "message": "Method not found"}}
    if result is not None:
        answer = {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


def test_a_server_with_resources_and_no_templates_has_its_tools(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    path.write_text(WITHOUT_TEMPLATES)
    with Sandbox(f"mcp:stdio:{shlex.join([sys.executable, str(path)])}") as sandbox:
        assert [tool.name for tool in sandbox.tools] == ["note"]


def _line_of(text: str) -> Any:
    lines = SERVER.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


_EARLY_SERVER = """
import json
import sys

TOOL = {
    "name": "half", "description": "Halves a number.",
    "inputSchema": {
        "type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"],
    },
}
for line in sys.stdin:
    asked = json.loads(line)
    method = asked["method"]
    if method == "initialize":
        result = {
            "protocolVersion": "2024-11-05", "capabilities": {"tools": {}},
            "serverInfo": {"name": "early", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": [TOOL]}
    elif method == "tools/call":
        half = str(asked["params"]["arguments"]["x"] // 2)
        result = {"content": [{"type": "text", "text": half}]}
    elif method.startswith("notifications/"):
        continue
    else:
        sys.exit(f"unknown request {method}")
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_a_server_that_ends_at_requests_of_later_protocols_is_spoken_to_in_its_own(
    private: Path,
) -> None:
    file = private.with_name("early_server.py")
    file.write_text(_EARLY_SERVER, encoding="utf-8")
    command = shlex.join([sys.executable, str(file)])
    with Sandbox(f"mcp:stdio:{command}#half") as sandbox:
        assert call(sandbox, "half", x=7).text == "3"


def test_a_server_that_ends_in_every_protocol_is_said_with_its_last_words(private: Path) -> None:
    file = private.with_name("broken_server.py")
    file.write_text("import sys\nsys.exit('no licence')\n", encoding="utf-8")
    command = shlex.join([sys.executable, str(file)])
    with pytest.raises(TargetError, match="no licence"), Sandbox(f"mcp:stdio:{command}"):
        pass

"""Documentation for a server whose source is not here: written, validated, shown to agents."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from knitbone.errors import InputFormatError
from knitbone.fuzzing.fixing import DocumentationFixed, FixSetting, fix
from knitbone.fuzzing.fixing.overlays import (
    overlay_name,
    validated_overlay,
    with_overlay,
    write_overlay,
)
from knitbone.fuzzing.fixing.records import Overlay
from knitbone.fuzzing.records import ToolUnderTest

SERVER = '''
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("inn")


@server.tool()
def season(name: str) -> int:
    """Price of a season."""
    if name not in ("low", "high"):
        raise ToolError("the name must be one of: low, high")
    return {"low": 10, "high": 20}[name]


server.run()
'''
TOOL = ToolUnderTest(
    name="season",
    target="mcp:stdio:x#season",
    documentation="Price.",
    schema={"type": "object", "properties": {"name": {"type": "string"}}},
)
OVERLAY = Overlay(
    server="mcp:stdio:x", tool="season", description="Better.", parameters={"name": "Its name."}
)


def test_an_overlay_is_written_read_and_shown(tmp_path: Path) -> None:
    path = write_overlay(validated_overlay(OVERLAY, [TOOL]), tmp_path)
    assert msgspec.json.decode(path.read_bytes(), type=Overlay) == OVERLAY
    seen = with_overlay(TOOL, OVERLAY)
    assert seen.documentation == "Better."
    assert seen.schema["properties"]["name"] == {"type": "string", "description": "Its name."}
    assert TOOL.schema["properties"]["name"] == {"type": "string"}


@pytest.mark.parametrize(
    "change",
    [
        {"tool": "winter"},
        {"parameters": {"nome": "x"}},
        {"description": "x\x1b[2Jy"},
        {"description": "x" * 30_000},
    ],
)
def test_an_overlay_that_does_not_fit_is_refused(change: dict) -> None:
    with pytest.raises(InputFormatError):
        validated_overlay(msgspec.structs.replace(OVERLAY, **change), [TOOL])


def test_each_tool_of_a_server_has_a_file_of_its_own() -> None:
    tools = ("get-user", "get_user", "天気", "株価", "x" * 90, "x" * 91)
    names = {overlay_name(msgspec.structs.replace(OVERLAY, tool=tool)) for tool in tools}
    assert len(names) == len(tools)


def test_a_server_gets_an_overlay(tmp_path: Path) -> None:
    pytest.importorskip("mcp.server")
    path = tmp_path / "server.py"
    path.write_text(SERVER, encoding="utf-8")
    setting = FixSetting(calls=40)
    events = list(fix(f"mcp:stdio:{sys.executable} {path}", setting))
    made = next(event.fix for event in events if isinstance(event, DocumentationFixed))
    assert made.patches == ()
    assert made.overlay is not None
    # The decisions of a server are not seen, so its constants count as live data.
    assert "`name` must be one that exists" in made.overlay.description
    assert '"low"' not in made.overlay.description

"""An MCP server with faults, as users write them; the fuzzer's tests start it.

Usage: ``mcp_server.py`` over stdio, ``mcp_server.py PORT`` over streamable HTTP.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

server = MCPServer("inn", log_level="ERROR")


class Guest(BaseModel):
    name: str
    age: int = 30


class Bill(BaseModel):
    total: int


@server.tool()
def seat(
    table: Annotated[int, Field(description="Number of the table, from 1.", examples=[4])],
    place: Literal["in", "out"] = "in",
) -> str:
    """Seats a party."""
    if table > 40:
        raise ToolError(f"There is no table {table}.")
    return f"{place}: every {60 // table} minutes"


@server.tool()
async def greet(guests: list[Guest]) -> str:
    """Greets the guests by name."""
    return "Hello " + guests[0].name


@server.tool()
def quit_service(code: int) -> str:
    """Ends the service."""
    sys.stderr.write("ValueError: the till is open\n")
    sys.stderr.flush()
    os._exit(code % 250 + 1)


@server.tool()
def write_note(path: str) -> str:
    """Writes a note to a file."""
    Path(path).write_text("note", encoding="utf-8")
    return "written in " + str(Path.cwd())


@server.tool(structured_output=True)
def bill(total: int) -> Bill:
    """Makes the bill."""
    return Bill(total=total)


@server.resource("menu://{day}/{course}")
def menu(day: str, course: str) -> str:
    """The menu of a day."""
    if day == "sunday":
        raise ToolError("closed on Sundays")
    return f"{course} on {day}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="streamable-http", port=int(sys.argv[1]))
    else:
        server.run()

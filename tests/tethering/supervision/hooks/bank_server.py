"""An MCP server over stdio with the tools of a small bank."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("bank")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def get_balance(account: str) -> str:
    return f"{account}: 40 USD"


@server.tool()
def deposit_check(account: str) -> str:
    return f"deposited to {account}"


@server.tool(annotations=ToolAnnotations(destructiveHint=True))
def pay_bill(account: str, amount: int) -> str:
    if amount > 1_000:
        raise ValueError("too much")
    return f"paid {amount} from {account}"


TOOLS = {"get_balance": get_balance, "deposit_check": deposit_check, "pay_bill": pay_bill}

if __name__ == "__main__":
    server.run("stdio")

"""Where a tool's documentation misleads an agent (ToolFuzz §4.2)."""

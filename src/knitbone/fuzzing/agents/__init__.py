"""Agents that use tools: ReAct and tool calling, over any ``ChatModel``."""

from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import run_agent, run_agent_sync
from knitbone.fuzzing.agents.records import AgentResult, AgentTool, ToolReply
from knitbone.fuzzing.agents.sandboxed import SandboxedTool

__all__ = [
    "AgentResult",
    "AgentStyle",
    "AgentTool",
    "SandboxedTool",
    "ToolReply",
    "run_agent",
    "run_agent_sync",
]

"""Agents that use tools: ReAct and tool calling, over any ``ChatModel``."""

from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import ModelAgent, run_agent, run_agent_sync
from knitbone.fuzzing.agents.records import AgentResult, AgentTool, AgentUnderTest, ToolReply
from knitbone.fuzzing.agents.sandboxed import SandboxedTool

__all__ = [
    "AgentResult",
    "AgentStyle",
    "AgentTool",
    "AgentUnderTest",
    "ModelAgent",
    "SandboxedTool",
    "ToolReply",
    "run_agent",
    "run_agent_sync",
]

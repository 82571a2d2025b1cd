"""Agents that use tools: ReAct and tool calling over any ``ChatModel``, LangGraph's, callables."""

from knitbone.fuzzing.agents.callable_agent import CallableAgent, OfferedTool, StepsUsedUpError
from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import ModelAgent, run_agent, run_agent_sync
from knitbone.fuzzing.agents.langgraph import langgraph_agent
from knitbone.fuzzing.agents.records import AgentResult, AgentTool, AgentUnderTest, ToolReply
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool

__all__ = [
    "AgentResult",
    "AgentStyle",
    "AgentTool",
    "AgentUnderTest",
    "CallableAgent",
    "ModelAgent",
    "OfferedTool",
    "SandboxedTool",
    "StepsUsedUpError",
    "ToolReply",
    "langgraph_agent",
    "run_agent",
    "run_agent_sync",
]

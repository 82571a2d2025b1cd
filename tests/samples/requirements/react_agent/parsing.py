import re

from langchain_classic.agents import AgentOutputParser
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.exceptions import OutputParserException


class ShopOutputParser(AgentOutputParser):
    """Reads one step of the agent: a tool call, or the answer for the customer."""

    def parse(self, text: str) -> AgentAction | AgentFinish:
        if "Reply to customer:" in text:
            reply = text.split("Reply to customer:")[-1].strip()  # noqa: PLC0207
            return AgentFinish(return_values={"output": reply}, log=text)
        match = re.search(r"Tool\s*:(.*?)\nTool\s+Input\s*:\s*(.*)", text, re.DOTALL)
        if not match:
            raise OutputParserException(f"Could not parse the step: {text!r}")
        tool, tool_input = match.group(1).strip(), match.group(2).strip(' "')
        return AgentAction(tool=tool, tool_input=tool_input, log=text)

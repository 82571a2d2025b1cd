"""A LangChain model over OpenAI's SDK, as the provider packages are, and LangGraph's agent."""

from __future__ import annotations

import json
import warnings

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool


class OverOpenai(BaseChatModel):
    """Asks a model server through OpenAI's client."""

    url: str

    @property
    def _llm_type(self):
        return "over-openai"

    def bind_tools(self, tools, **settings):
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **settings)

    def _asked(self, client, messages, stream, tools=(), **_):
        offered = {"tools": tools} if tools else {}
        return client.chat.completions.create(
            model="m", messages=convert_to_openai_messages(messages), stream=stream, **offered
        )

    def _generate(self, messages, stop=None, run_manager=None, **settings):
        with openai.OpenAI(base_url=self.url, api_key="unused", max_retries=0) as client:
            said = self._asked(client, messages, False, **settings).choices[0].message
        calls = [
            {"name": c.function.name, "args": json.loads(c.function.arguments), "id": c.id}
            for c in said.tool_calls or ()
        ]
        message = AIMessage(said.content or "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages, stop=None, run_manager=None, **settings):
        with openai.OpenAI(base_url=self.url, api_key="unused", max_retries=0) as client:
            for chunk in self._asked(client, messages, True, **settings):
                for choice in chunk.choices:
                    calls = [
                        {
                            "name": c.function.name, "args": c.function.arguments, "id": c.id,
                            "index": c.index, "type": "tool_call_chunk",
                        }
                        for c in choice.delta.tool_calls or ()
                    ]  # fmt: skip
                    message = AIMessageChunk(choice.delta.content or "", tool_call_chunks=calls)
                    yield ChatGenerationChunk(message=message)


def react_agent(model, tools):
    """LangGraph's own agent."""
    from langgraph.prebuilt import create_react_agent

    with warnings.catch_warnings():
        # Deprecated in favour of a package that not everybody has.
        warnings.simplefilter("ignore", DeprecationWarning)
        return create_react_agent(model, tools)

"""Agents under supervision, and a supervisor that says what a test wants said."""

from __future__ import annotations

import json

import anthropic
import openai

from knitbone.testing import Reply, ToolCallRequest

TOOLS = [
    {
        "type": "function",
        "function": {"name": "pay", "parameters": {"type": "object", "properties": {}}},
    }
]
CLAUDE_TOOLS = [{"name": "pay", "input_schema": {"type": "object", "properties": {}}}]
RESPONSES_TOOLS = [{"type": "function", "name": "pay", "parameters": {}, "strict": False}]


clients = []
"""Those of the running test; it closes them at its end."""


def openai_client(server, **settings):
    """OpenAI's client for a server."""
    made = openai.OpenAI(
        base_url=server.base_url, api_key="unused", **{"max_retries": 0, **settings}
    )
    clients.append(made)
    return made


def claude_client(server):
    """Anthropic's client for a server."""
    made = anthropic.Anthropic(base_url=server.url, api_key="unused", max_retries=0)
    clients.append(made)
    return made


class SayingSupervisor:
    """Says what it was given for a tool and for a text, and remembers what it was asked.

    Args:
        behind: tool → text behind its result.
        back: text of an answer → the user message that sends it back.
    """

    may_reroute = True

    def __init__(self, behind=None, back=None, mode="on"):
        self.mode = mode
        self.behind = behind or {}
        self.back = back or {}
        self.calls = []
        self.texts = []

    def tool_returned(self, call):
        self.calls.append(call)
        return self.behind.get(call.tool)

    def text_answered(self, text):
        self.texts.append(text)
        return self.back.get(text)


def asks(name, arguments, call_id):
    """The model asks for one tool."""
    return Reply(tool_calls=(ToolCallRequest(name=name, arguments=arguments, call_id=call_id),))


def result_of(call, content="paid"):
    """The message with the result of a call of OpenAI's chat."""
    return {"role": "tool", "tool_call_id": call.id, "content": content}


def chat_loop(client, messages, tools, **settings):
    """An agent of OpenAI's chat completions, as people write it; its last answer."""
    while True:
        answer = client.chat.completions.create(
            model="m", messages=messages, tools=TOOLS, **settings
        )
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            given = json.loads(call.function.arguments)
            messages.append(result_of(call, tools[call.function.name](**given)))


def responses_loop(client, items, tools):
    """The same of the Responses API."""
    while True:
        answer = client.responses.create(model="m", input=items, tools=RESPONSES_TOOLS)
        items += answer.output
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return answer.output_text
        for call in calls:
            output = tools[call.name](**json.loads(call.arguments))
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


def claude_loop(client, messages, tools):
    """The same of Anthropic's messages."""
    while True:
        answer = client.messages.create(
            model="m", max_tokens=100, messages=messages, tools=CLAUDE_TOOLS
        )
        messages.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return answer.content[0].text
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": tools[call.name](**call.input),
            }
            for call in calls
        ]
        messages.append({"role": "user", "content": results})

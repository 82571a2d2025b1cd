"""An agent that talks to itself, through the clients over the wire; and a chat, which is none."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from langchain_over_sdk import OverOpenai
from supervised_agents import CLAUDE_TOOLS, RESPONSES_TOOLS, TOOLS, claude_client, openai_client

from knitbone.config import SupervisionSettings
from knitbone.testing import ModelServer
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor

SAME = "I will now pay the invoice for the customer."
PAID = "It is paid."


def chat(server, said):
    client, messages = openai_client(server), [{"role": "user", "content": "Pay Ann."}]
    while True:
        made = client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
        messages.append(made.choices[0].message)
        yield made.choices[0].message.content
        messages += [{"role": "user", "content": text} for text in said]


def streamed_chat(server, said):
    client, messages = openai_client(server), [{"role": "user", "content": "Pay Ann."}]
    while True:
        made = client.chat.completions.create(
            model="m", messages=messages, tools=TOOLS, stream=True
        )
        text = "".join(c.choices[0].delta.content or "" for c in made if c.choices)
        messages.append({"role": "assistant", "content": text})
        yield text
        messages += [{"role": "user", "content": each} for each in said]


def responses(server, said):
    client, items = openai_client(server), [{"role": "user", "content": "Pay Ann."}]
    while True:
        made = client.responses.create(model="m", input=items, tools=RESPONSES_TOOLS)
        items += made.output
        yield made.output_text
        items += [{"role": "user", "content": text} for text in said]


def claude(server, said):
    client, messages = claude_client(server), [{"role": "user", "content": "Pay Ann."}]
    while True:
        made = client.messages.create(
            model="m", max_tokens=99, messages=messages, tools=CLAUDE_TOOLS
        )
        messages.append({"role": "assistant", "content": made.content})
        yield made.content[0].text
        messages += [{"role": "user", "content": text} for text in said]


def pay(to: str) -> str:
    """Pay somebody."""
    return to


def langchain(server, said):
    model = OverOpenai(url=server.base_url).bind_tools([StructuredTool.from_function(pay)])
    messages = [HumanMessage("Pay Ann.")]
    while True:
        messages.append(model.invoke(messages))
        yield messages[-1].content
        messages += [HumanMessage(text) for text in said]


AGENTS = [chat, streamed_chat, responses, claude, langchain]


def answers(agent, said, replies, rounds):
    """What the application got, and how many requests the server had."""
    settings = SupervisionSettings(loops_without_guidance=True)
    supervisor = Supervisor("Pay Ann.", settings=settings, record=None)
    with ModelServer(replies) as server, supervised(supervisor=supervisor):
        talk = agent(server, said)
        got = [next(talk) for _ in range(rounds)]
        talk.close()
        return got, len(server.requests)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_says_the_same_to_itself_is_sent_back(agent):
    got, requests = answers(agent, [], [SAME, SAME, SAME, PAID], 3)
    assert got == [SAME, SAME, PAID]
    assert requests == 4


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_answer_to_somebody_who_insists_is_none(agent):
    got, requests = answers(agent, ["Really?"], [SAME] * 5, 5)
    assert got == [SAME] * 5
    assert requests == 5


def test_an_answer_that_the_application_begins_is_no_talk():
    def prefilling(server, _):
        client = openai_client(server)
        messages = [
            {"role": "user", "content": "Pay Ann."},
            {"role": "assistant", "content": "Certainly:"},
        ]
        while True:
            made = client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
            yield made.choices[0].message.content

    assert answers(prefilling, [], [SAME] * 5, 5) == ([SAME] * 5, 5)

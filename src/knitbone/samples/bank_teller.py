"""A teller's agent over the OpenAI client, as users write them, and a *simulated* model for it.

``serve`` is the application: a loop of requests and tool calls at the bank of ``bank_agent``.
``teller_model`` stands in for the model behind ``knitbone.testing.ModelServer``. It carries out a
plan, but leaves ``check_amount`` out when it deposits a check, repeats the call that fails, and
goes on as if it had worked; unless it was told in words, by its user or its system text, to supply
that argument. (The case of AgentTether, Fig. 1.)
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from knitbone.samples.bank_agent import Bank, Known, Step, close_green, open_bank
from knitbone.testing import Reply, ToolCallRequest

__all__ = ["TASK", "Teller", "serve", "teller_model"]

TASK = (
    "I am Ines Okafor, born on 1988-02-11. Please post my open check and then close my Green "
    "account."
)
_TURNS = 30
_REPEATS = 4
_FORGOTTEN = "check_amount"
_PLAN = tuple(step for step in close_green("Ines Okafor", "1988-02-11") if step.tool)
_JSON_TYPES: dict[Any, str] = {"str": "string", "float": "number"}


def _tool(method: Callable[..., Any]) -> dict[str, Any]:
    parameters = list(inspect.signature(method).parameters.values())
    properties = {p.name: {"type": _JSON_TYPES.get(p.annotation, "string")} for p in parameters}
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": method.__name__, "parameters": schema}}


_NAMES = tuple(dict.fromkeys(step.tool for step in _PLAN))


def serve(client: Any, bank: Bank, task: str = TASK) -> str:
    """Do what a customer asks; the words to the customer.

    Args:
        client: an ``openai.OpenAI``.
    """
    tools = [_tool(getattr(bank, name)) for name in _NAMES]
    messages: list[Any] = [
        {"role": "system", "content": "You work at the counter of a small bank."},
        {"role": "user", "content": task},
    ]
    for _ in range(_TURNS):
        answer = client.chat.completions.create(model="teller", messages=messages, tools=tools)
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message)
        for call in message.tool_calls:
            result = _called(bank, call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return ""


def _called(bank: Bank, name: str, arguments: str) -> str:
    try:
        return json.dumps(getattr(bank, name)(**json.loads(arguments)))
    except Exception as error:  # noqa: BLE001 - a tool's failure is an answer to the agent
        return f"Error: {type(error).__name__}: {error}"


class Teller:
    """A counter of the bank: its state, whether it is as ``TASK`` wants it, and a way back."""

    def __init__(self) -> None:
        self.bank = open_bank()

    def reset(self) -> None:
        """Open the bank anew."""
        self.bank = open_bank()

    def succeeded(self, _answer: str) -> bool:
        """Judge an attempt by the bank's state, whatever the agent says of it."""
        return self.is_done()

    def is_done(self) -> bool:
        """Whether the bank is as it is after the plan without a mistake."""
        wanted = open_bank()
        known: Known = {}
        for step in _PLAN:
            known[step.name] = getattr(wanted, step.tool)(**step.arguments(known))
        return asdict(self.bank) == asdict(wanted)


def teller_model(request: dict[str, Any]) -> Reply:
    """Simulate the model: the next turn, read off the conversation alone."""
    messages = request["messages"]
    told = any(
        _FORGOTTEN in str(message["content"])
        or _FORGOTTEN.replace("_", " ") in str(message["content"])
        for message in messages
        if message["role"] in ("user", "system")
    )
    results = [message["content"] for message in messages if message["role"] == "tool"]
    known: Known = {}
    for step in _PLAN:
        for _ in range(_REPEATS):
            if not results:
                return _turn(step, known, told=told)
            result = results.pop(0)
            if not result.startswith("Error"):
                known[step.name] = json.loads(result.splitlines()[0])
                break
    return Reply(text="The check is posted, the money is on Blue and Green is closed.")


def _turn(step: Step, known: Known, *, told: bool) -> Reply:
    arguments = step.arguments(known)
    if not told:
        arguments.pop(_FORGOTTEN, None)
    return Reply(tool_calls=(ToolCallRequest(name=step.tool, arguments=arguments),))

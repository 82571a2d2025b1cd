"""Forty tasks of at most three gold calls, with the tools that an agent is offered for each.

agentdojo's and tau2's retail tasks are drawn by a seed, of those whose gold calls succeed and take
no identifier from nowhere: what has a digit or a sign in it stands in the request or in what an
earlier gold call returned. (Of retail's 48 tasks with so few gold calls two are left: the others
leave out the look-ups.) Those of the sample bank were written for this, before any answer. A task
is offered the tools of its gold calls and others of its suite, so that a small model reads some
hundred tokens of tools in place of thousands.
"""

from __future__ import annotations

import inspect
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from knitbone.errors import import_extra
from knitbone.samples.bank_agent import Bank, open_bank
from knitbone_evals.recover.environments import (
    Call,
    Environment,
    RecoveryTask,
    Reply,
    canonical,
    tasks_of,
)
from knitbone_evals.training.agentdojo_source import VERSION

__all__ = ["GROUNDS", "ToolTask", "small_tasks"]

GROUNDS: Mapping[str, int] = {"bank": 10, "agentdojo": 28, "retail": 2}
"""How many tasks of each."""
_MOST_GOLD = 3
_OFFERED = 5
"""Tools that a task is offered."""
_DESCRIPTION = 120
"""Characters of a tool's description that are told."""
_SEED = 41
_IDENTIFIER = re.compile(r"[\d_@#]")


class ToolTask(msgspec.Struct, frozen=True):
    """A task, and its tools as the OpenAI protocol has them."""

    task: RecoveryTask
    tools: tuple[dict[str, Any], ...]


def small_tasks(grounds: Sequence[str] = tuple(GROUNDS)) -> list[ToolTask]:
    """The tasks of some grounds, mixed, so that the first ones are a sample of all; the same tasks
    whatever other grounds are named."""
    found = [task for ground in grounds for task in _MAKERS[ground]()]
    return sorted(found, key=lambda each: random.Random(f"{each.task.id}:{_SEED}").random())


def _bank() -> Iterator[ToolTask]:
    names = tuple(name for name, _ in inspect.getmembers(Bank, inspect.isfunction))
    tools = {name: _schema(getattr(Bank, name)) for name in names if not name.startswith("_")}
    for number, (words, gold) in enumerate(_BANK):
        calls = tuple(Call(tool, arguments) for tool, arguments in gold)
        yield _offered(
            RecoveryTask(
                id=f"bank/{number}", ground="bank", suite="bank", words=words, gold=calls,
                start=_Counter,
            ),
            tools,
        )  # fmt: skip


def _agentdojo() -> Iterator[ToolTask]:
    suites: Any = import_extra(
        "agentdojo.task_suite.load_suites", extra="train", purpose="The benchmark"
    ).get_suites(VERSION)
    for task in _drawn("agentdojo"):
        tools = {
            tool.name: _function(tool.name, tool.description, tool.parameters.model_json_schema())
            for tool in suites[task.suite.rpartition("/")[2]].tools
        }
        yield _offered(task, tools)


def _retail() -> Iterator[ToolTask]:
    tasks = _drawn("retail")
    tools = {
        name: _function(name, words, schema)
        for name, words, schema in tasks[0].start().tools()  # type: ignore[attr-defined]
    }
    for task in tasks:
        yield _offered(task, tools)


_MAKERS: Mapping[str, Callable[[], Iterator[ToolTask]]] = {
    "bank": _bank, "agentdojo": _agentdojo, "retail": _retail,
}  # fmt: skip


def _drawn(ground: str) -> list[RecoveryTask]:
    small = [t for t in tasks_of(ground) if len(t.gold) <= _MOST_GOLD and _is_doable(t)]
    return random.Random(f"{ground}:{_SEED}").sample(small, GROUNDS[ground])


def _is_doable(task: RecoveryTask) -> bool:
    """Whether the gold calls succeed, with identifiers that could be read before."""
    world, known = task.start(), task.words.casefold()
    for call in task.gold:
        identifiers = [leaf for leaf in _leaves(call.arguments) if _IDENTIFIER.search(leaf)]
        reply = world.call(call)
        if reply.error is not None or any(leaf.casefold() not in known for leaf in identifiers):
            return False
        known += reply.text.casefold()
    return True


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _offered(task: RecoveryTask, tools: Mapping[str, dict[str, Any]]) -> ToolTask:
    """The task with its own tools and some others, in an order that tells nothing."""
    chance = random.Random(f"{task.id}:{_SEED}")
    needed = {call.tool for call in task.gold}
    others = chance.sample(sorted(set(tools) - needed), k=max(_OFFERED - len(needed), 0))
    names = sorted(needed | set(others))
    return ToolTask(task, tuple(tools[name] for name in names))


def _function(name: str, words: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = {
        key: {k: v for k, v in json.loads(canonical(each)).items() if k != "title"}
        for key, each in schema.get("properties", {}).items()
        if key != "state_key"
    }
    required = [key for key in schema.get("required", ()) if key in properties]
    parameters: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if "$defs" in schema:
        parameters["$defs"] = json.loads(canonical(schema["$defs"]))
    said = " ".join(words.split())[:_DESCRIPTION]
    function = {"name": name, "description": said, "parameters": parameters}
    return {"type": "function", "function": function}


def _schema(method: Callable[..., Any]) -> dict[str, Any]:
    parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    kinds = {"str": "string", "float": "number"}
    properties = {p.name: {"type": kinds[str(p.annotation)]} for p in parameters}
    name = method.__name__
    schema = {"properties": properties, "required": list(properties)}
    return _function(name, f"{name.replace('_', ' ').capitalize()}.", schema)


class _Counter(Environment):
    """A counter of the sample bank."""

    def __init__(self) -> None:
        self._bank = open_bank()

    def call(self, call: Call) -> Reply:
        try:
            return Reply(json.dumps(getattr(self._bank, call.tool)(**call.arguments)))
        except Exception as error:  # noqa: BLE001 - a tool's failure is an answer to the agent
            said = f"Error: {type(error).__name__}: {error}"
            return Reply(said, error=said)

    def state(self) -> str:
        return canonical(asdict(self._bank))


_Gold = tuple[tuple[str, dict[str, Any]], ...]
_BANK: tuple[tuple[str, _Gold], ...] = (
    (
        "Block the debit card of customer ines_okafor_41.",
        (
            ("list_cards", {"customer_id": "ines_okafor_41"}),
            ("block_card", {"card_id": "CARD550"}),
        ),
    ),
    (
        "Customer tomas_reyes_57 has moved to 27 Rope Walk, Stowe. Change the address, then send "
        'a letter with the topic "new address".',
        (
            ("update_address", {"customer_id": "tomas_reyes_57",
                                "address": "27 Rope Walk, Stowe"}),
            ("send_letter", {"customer_id": "tomas_reyes_57", "topic": "new address"}),
        ),
    ),
    (
        "Post the open check of customer lena_fischer_63 to her Green account.",
        (
            ("list_checks", {"customer_id": "lena_fischer_63"}),
            ("list_accounts", {"customer_id": "lena_fischer_63"}),
            ("deposit_check", {"account_id": "ACC7180", "check_id": "CHK952",
                               "check_amount": 55.0}),
        ),
    ),
    (
        "Move 250.0 from the Silver account of customer ines_okafor_41 to her Blue account.",
        (
            ("list_accounts", {"customer_id": "ines_okafor_41"}),
            ("transfer_funds", {"source_account": "ACC7102", "target_account": "ACC7101",
                                "amount": 250.0}),
        ),
    ),
    (
        "Customer tomas_reyes_57 has lost his wallet. Block both of his cards.",
        (
            ("list_cards", {"customer_id": "tomas_reyes_57"}),
            ("block_card", {"card_id": "CARD565"}),
            ("block_card", {"card_id": "CARD566"}),
        ),
    ),
    (
        "Close the Green account of customer lena_fischer_63.",
        (
            ("list_accounts", {"customer_id": "lena_fischer_63"}),
            ("close_account", {"account_id": "ACC7180"}),
        ),
    ),
    (
        'Send Tomas Reyes, born on 1975-09-30, a letter with the topic "new card".',
        (
            ("find_customer", {"name": "Tomas Reyes", "birth_date": "1975-09-30"}),
            ("send_letter", {"customer_id": "tomas_reyes_57", "topic": "new card"}),
        ),
    ),
    (
        "Post the open check of customer tomas_reyes_57 to his account ACC7141.",
        (
            ("list_checks", {"customer_id": "tomas_reyes_57"}),
            ("deposit_check", {"account_id": "ACC7141", "check_id": "CHK941",
                               "check_amount": 40.0}),
        ),
    ),
    (
        "Lena Fischer, born on 1991-06-17, has moved to 5 Dock Row, Oxley. Change her address.",
        (
            ("find_customer", {"name": "Lena Fischer", "birth_date": "1991-06-17"}),
            ("update_address", {"customer_id": "lena_fischer_63",
                                "address": "5 Dock Row, Oxley"}),
        ),
    ),
    (
        "Move all the money from the Silver account of customer tomas_reyes_57 to his Blue "
        "account, then close Silver.",
        (
            ("list_accounts", {"customer_id": "tomas_reyes_57"}),
            ("transfer_funds", {"source_account": "ACC7142", "target_account": "ACC7141",
                                "amount": 1310.0}),
            ("close_account", {"account_id": "ACC7142"}),
        ),
    ),
)  # fmt: skip

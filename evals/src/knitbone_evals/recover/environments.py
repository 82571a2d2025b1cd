"""Tasks with real environments: agentdojo's, and the tau2 servers over stdio.

An environment is fresh at each ``start``, answers calls, and says its state, so that a run can be
compared with what the gold actions leave.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from knitbone_evals.recover.mcp_client import McpServer
from knitbone_evals.training import agentdojo_source

__all__ = ["Call", "Environment", "RecoveryTask", "Reply", "canonical", "tasks_of"]


class Call(msgspec.Struct, frozen=True):
    """A tool and its arguments."""

    tool: str
    arguments: dict[str, Any]


class Reply(msgspec.Struct, frozen=True):
    """What a tool gave; ``error`` where it refused or failed."""

    text: str
    error: str | None = None


class Environment(Protocol):
    """A world, and tools over it."""

    def call(self, call: Call) -> Reply: ...

    def state(self) -> str:
        """The world as text: two that are equal have equal texts."""
        ...


class RecoveryTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, and what has to be done for it."""

    id: str
    ground: str
    suite: str
    """Tasks of one suite share tools and data."""
    words: str
    gold: tuple[Call, ...]
    start: Callable[[], Environment]


def canonical(value: Any) -> str:
    """Equal values as equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A copy as JSON has it."""
    return json.loads(canonical(arguments))


def tasks_of(ground: str) -> list[RecoveryTask]:
    """All tasks of ``agentdojo``, ``retail`` or ``airline`` that have gold actions."""
    found = list(_agentdojo() if ground == "agentdojo" else _tau2(ground))
    return [task for task in found if task.gold]


class _Dojo:
    """agentdojo's environment behind the protocol used here."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def call(self, call: Call) -> Reply:
        reply = self._inner.call(call.tool, _plain(call.arguments))
        return Reply(text=reply.text, error=reply.error)

    def state(self) -> str:
        return self._inner.state()


def _agentdojo() -> Iterator[RecoveryTask]:
    for task in agentdojo_source.tasks():
        turn = task.turns[0]
        start = task.start
        yield RecoveryTask(
            id=task.id, ground="agentdojo", suite=f"agentdojo/{task.domains[0]}",
            words=turn.message, start=lambda start=start: _Dojo(start()),
            gold=tuple(Call(call.tool, _plain(call.arguments)) for call in turn.calls),
        )  # fmt: skip


def _tau2(domain: str) -> Iterator[RecoveryTask]:
    server = McpServer(domain)
    for place, task in enumerate(server.tasks()):
        yield RecoveryTask(
            id=f"{domain}/{task['id']}", ground=domain, suite=domain, words=_asked(task),
            start=lambda place=place: _Tau2(server, place),
            gold=tuple(
                Call(action["name"], _plain(action["arguments"]))
                for action in task["evaluation_criteria"]["actions"] or ()
                if action.get("requestor", "assistant") == "assistant"
            ),
        )  # fmt: skip


def _asked(task: Mapping[str, Any]) -> str:
    """What the user wants, as one text: there is no simulated user here."""
    said = task["user_scenario"]["instructions"]
    parts = (said["reason_for_call"], said.get("known_info"), said.get("task_instructions"))
    return "\n".join(part.strip() for part in parts if part)


class _Tau2:
    """One state of a server."""

    def __init__(self, server: McpServer, place: int) -> None:
        self._server = server
        self._key = server.fresh_key(place)

    def call(self, call: Call) -> Reply:
        text, failed = self._server.call(self._key, call.tool, call.arguments)
        return Reply(text=text, error=text if failed else None)

    def state(self) -> str:
        return self._server.state(self._key)

    def tools(self) -> list[tuple[str, str, dict[str, Any]]]:
        return self._server.tools()

    def close(self) -> None:
        self._server.forget(self._key)

"""Small recorded runs, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path


def call(name, arguments, call_id=None, content=None):
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {
                "id": call_id or f"call_{name}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
        ],
    }


def answer(name, content, call_id=None):
    if not isinstance(content, str):
        content = json.dumps(content)
    return {
        "role": "tool",
        "tool_call_id": call_id or f"call_{name}",
        "name": name,
        "content": content,
    }


SEATS = [
    {"role": "system", "content": "You seat the guests of an inn."},
    {"role": "user", "content": "A table for four at eight, name is Brandt."},
    call("find_booking", {"name": "Brandt"}),
    answer("find_booking", {"booking_id": "BK4471", "guests": 4, "table_id": None}),
    call("list_tables", {"hour": "20:00"}),
    answer("list_tables", [{"table_id": "T17", "seats": 4}, {"table_id": "T23", "seats": 2}]),
    call("assign_table", {"booking_id": "BK4471"}),
    answer("assign_table", "Error: assign_table() missing required argument 'table_id'"),
    call("assign_table", {"booking_id": "BK4471"}, "call_again"),
    answer(
        "assign_table", "Error: assign_table() missing required argument 'table_id'", "call_again"
    ),
    {"role": "assistant", "content": "Your table is ready, enjoy the evening."},
    {"role": "user", "content": "###STOP###"},
]


def chat_record(task_id=3, reward=0.0, messages=SEATS):
    """A run as a list of chat messages with its verdict."""
    return {
        "task_id": task_id,
        "trial": 1,
        "task": "You are Brandt and want a table for four.",
        "reward": reward,
        "messages": messages,
    }


_TEAMS = json.loads(Path(__file__).with_name("team_runs.json").read_text("utf-8"))
LIGHTHOUSES = _TEAMS["lighthouses"]
"""A group chat of agents, one of which runs code; exported, as the next two are."""
FERRY = _TEAMS["ferry"]
"""An orchestrator that plans, delegates and concludes."""
PHONE = _TEAMS["phone"]
"""A user who has tools, too."""


def write(path: Path, value) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path

"""Small recorded runs in the public formats, written for these tests."""

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


def tau_record(task_id=3, reward=0.0, traj=SEATS, **more):
    return {
        "task_id": task_id,
        "reward": reward,
        "info": {
            "task": {
                "instruction": "You are Brandt and want a table for four.",
                "actions": [{"name": "assign_table", "kwargs": {"table_id": "GOLDTABLE99"}}],
                "outputs": ["GOLDOUTPUT"],
            },
            "reward_info": {"reward": reward, "actions": ["GOLDREWARD"]},
        },
        "traj": traj,
        "trial": 1,
        **more,
    }


ALGORITHM_LOG = {
    "is_correct": False,
    "question": "How many lighthouses are on the island?",
    "question_ID": "q-77",
    "level": "1",
    "ground_truth": "GOLDANSWER",
    "history": [
        {"content": "Task: count the lighthouses.", "role": "assistant", "name": "Coast_Expert"},
        {
            "content": "Let me count.\n```python\nprint(len(lights))\n```",
            "role": "assistant",
            "name": "Code_Expert",
        },
        {
            "content": "exitcode: 1 (execution failed)\nCode output: NameError: name 'lights' is"
            " not defined",
            "role": "user",
            "name": "Computer_terminal",
        },
        {"content": "There are 214 lighthouses.", "role": "user", "name": "Coast_Expert"},
        {
            "content": "There is no code from the last 1 message for me to execute.",
            "role": "user",
            "name": "Computer_terminal",
        },
        {"content": "The answer is 214. TERMINATE", "role": "assistant", "name": "Code_Expert"},
    ],
    "mistake_agent": "Coast_Expert",
    "mistake_step": "3",
    "mistake_reason": "GOLDREASON",
    "system_prompt": {"Code_Expert": "You write code."},
}

MAGENTIC = [
    {"role": "human", "content": "When does the ferry leave?"},
    {"role": "Orchestrator (thought)", "content": "Initial plan:\n\n1. search the timetable"},
    {"role": "Orchestrator (-> WebSurfer)", "content": "Please search for the ferry timetable."},
    {"role": "WebSurfer", "content": "I typed 'ferry timetable' into the search bar. 07:45, 09:10"},
    {"role": "Orchestrator (-> ComputerTerminal)", "content": "Run this."},
    {"role": "ComputerTerminal", "content": "The script ran, then exited with Unix exit code: 1"},
    {"role": "Orchestrator (termination condition)", "content": "FINAL ANSWER: 09:10"},
]

GROUND_TRUTH = [
    {
        "trajectory_id": "ferry",
        "failures": [
            {"failure_id": "2", "step_number": 4, "failure_category": "Wrong page"},
            {"failure_id": 1, "step_number": 2},
        ],
        "root_cause": {"failure_id": 2},
        "failure_summary": "",
    }
]


def write(path: Path, value) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path

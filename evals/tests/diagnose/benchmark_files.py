"""Small files as the benchmarks write them."""

from __future__ import annotations

from recorded_logs import SEATS


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


TAU2 = {
    "timestamp": "2025-06-01T10:00:00",
    "info": {"num_trials": 1, "environment_info": {
        "domain_name": "telecom", "policy": "Never promise data.", "tool_defs": None}},
    "tasks": [{
        "id": "telecom-7",
        "user_scenario": {"persona": None, "instructions": {
            "domain": "telecom", "reason_for_call": "No data on the phone.",
            "known_info": "You are Brandt.", "unknown_info": None, "task_instructions": "Be brief.",
        }},
        "evaluation_criteria": {"actions": [{"name": "GOLDACTION"}]},
    }],
    "simulations": [{
        "id": "sim-1", "task_id": "telecom-7", "trial": 0, "termination_reason": "user_stop",
        "reward_info": {"reward": 0.0, "action_checks": ["GOLDCHECK"]},
        "messages": [
            {"role": "assistant", "content": "Hi, how can I help?", "turn_idx": 0,
             "timestamp": "2025-06-01T10:00:01.500000", "cost": 0.25,
             "usage": {"prompt_tokens": 20, "completion_tokens": 7}},
            {"role": "user", "content": "No data.", "turn_idx": 1},
            {"role": "assistant", "content": None, "turn_idx": 2, "tool_calls": [
                {"id": "c1", "name": "get_line", "arguments": {"phone": "555-0199"},
                 "requestor": "assistant"}]},
            {"role": "tool", "id": "c1", "content": "Error: line L77 not found",
             "requestor": "assistant", "error": True, "turn_idx": 3},
            {"role": "assistant", "content": "Switch the mode off, please.", "turn_idx": 4},
            {"role": "user", "content": None, "turn_idx": 5, "tool_calls": [
                {"id": "u1", "name": "toggle_airplane_mode", "arguments": {},
                 "requestor": "user"}]},
            {"role": "tool", "id": "u1", "content": "Airplane mode is now OFF.",
             "requestor": "user", "error": False, "turn_idx": 6},
            {"role": "assistant", "content": "Does it work?", "turn_idx": 7},
        ],
    }],
}  # fmt: skip

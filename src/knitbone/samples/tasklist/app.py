"""A small agent that turns an objective into tasks and works them off, one by one.

Like many such agents it asks for a numbered list and reads it with its own regular expression;
a line that the expression does not match is gone without a word. ``@knitbone.adapt`` is the only
line that knows of knitbone.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from openai import OpenAI

import knitbone

__all__ = ["Result", "Task", "parse_tasks", "plan", "run"]

TASK_LINE = re.compile(r"^\s*(\d+)\.\s+(.+?)\s*$")


class Task(NamedTuple):
    """One line of the plan."""

    number: int
    name: str


class Result(NamedTuple):
    """A task and what came out of it."""

    task: str
    answer: str


def ask(client: OpenAI, model: str, prompt: str) -> str:
    """One question, one answer."""
    response = client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": prompt}], temperature=0
    )
    return (response.choices[0].message.content or "").strip()


def parse_tasks(text: str) -> list[Task]:
    """The tasks of a plan, such as ``1. Buy paper``, one a line."""
    tasks: list[Task] = []
    for line in text.splitlines():
        match = TASK_LINE.match(line)
        if match:
            tasks.append(Task(int(match.group(1)), match.group(2)))
    return tasks


@knitbone.adapt
def plan(client: OpenAI, objective: str, *, model: str = "gpt-4o-mini") -> list[Task]:
    """Ask for the tasks that reach the objective."""
    answer = ask(
        client,
        model,
        f"List the tasks that reach this objective: {objective}\n"
        "Answer with a numbered list, one task a line, such as:\n1. First task\n2. Second task",
    )
    return parse_tasks(answer)


def prioritize(client: OpenAI, tasks: list[Task], *, model: str) -> list[Task]:
    """Ask for a better order; an empty answer keeps the old one."""
    listed = "\n".join(f"{task.number}. {task.name}" for task in tasks)
    reordered = parse_tasks(
        ask(client, model, f"Put these tasks into the best order, numbered again from 1:\n{listed}")
    )
    return reordered or tasks


@knitbone.adapt
def run(
    client: OpenAI, objective: str, *, model: str = "gpt-4o-mini", limit: int = 10
) -> list[Result]:
    """Plan, put into order, and work off at most ``limit`` tasks."""
    queue = deque(prioritize(client, plan(client, objective, model=model), model=model))
    results: list[Result] = []
    while queue and len(results) < limit:
        task = queue.popleft()
        answer = ask(client, model, f"Objective: {objective}\nDo this task: {task.name}")
        results.append(Result(task.name, answer))
    return results

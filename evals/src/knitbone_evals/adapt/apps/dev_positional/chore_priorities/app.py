"""Breaks a goal into tasks with priorities."""

import re
from typing import NamedTuple

from openai import OpenAI


class Task(NamedTuple):
    number: int
    title: str
    priority: str


class Planner:
    SYSTEM = (
        "You are a planner. Return a numbered list, each item in the form\n"
        "1. Title of the task (high)\n"
        "where the word in parentheses is low, medium or high."
    )
    LINE = r"^(\d+)\.\s+(.*?)\s+\((low|medium|high)\)$"

    def __init__(self):
        self._openai = OpenAI()

    def _ask(self, goal):
        completion = self._openai.chat.completions.create(
            model="gpt-4o",
            messages=[
                {"role": "system", "content": self.SYSTEM},
                {"role": "user", "content": goal},
            ],
        )
        return completion.choices[0].message.content

    def plan(self, goal):
        answer = self._ask(goal)
        return [
            Task(int(number), title, priority)
            for number, title, priority in re.findall(self.LINE, answer, re.MULTILINE)
        ]


def urgent_first(goal):
    order = {"high": 0, "medium": 1, "low": 2}
    tasks = Planner().plan(goal)
    return [
        title._asdict()
        for title in sorted(tasks, key=lambda task: (order[task.priority], task.number))
    ]

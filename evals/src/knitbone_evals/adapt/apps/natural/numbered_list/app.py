"""Breaks a goal into tasks for the board."""

import re

from openai import OpenAI

client = OpenAI()


def plan(goal):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "List the tasks for the goal, one a line, numbered."},
            {"role": "user", "content": goal},
        ],
    )
    text = response.choices[0].message.content
    return [task.strip() for task in re.findall(r"^\d+\. (.+)$", text, re.MULTILINE)]

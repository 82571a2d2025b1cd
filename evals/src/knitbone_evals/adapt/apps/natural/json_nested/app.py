"""A plan with the time that each step takes and what it needs."""

import json

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "Write a short plan as JSON with a title and a list of steps, each with name, minutes and "
    "needs (a list): "
)


def plan(goal):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + goal}]
    )
    data = json.loads(response.choices[0].message.content)
    steps = [[step["name"], int(step["minutes"]), list(step["needs"])] for step in data["steps"]]
    return {"title": data["title"], "steps": steps}

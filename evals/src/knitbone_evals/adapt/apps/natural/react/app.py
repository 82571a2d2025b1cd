"""One step of an agent that looks things up."""

import re

from openai import OpenAI

client = OpenAI()
STEP = re.compile(r"Thought: (.*?)\nAction: (.*?)\nAction Input: (.*)", re.DOTALL)
PROMPT = "Decide the next step. Answer with Thought, Action and Action Input lines.\n\nQuestion: "


def next_step(question):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + question}]
    )
    match = STEP.search(response.choices[0].message.content)
    if match is None:
        raise ValueError("the agent lost the thread")
    thought, action, tool_input = (part.strip() for part in match.groups())
    return {"thought": thought, "action": action, "input": tool_input}

"""Writes a small function and shows at once what it gives for an example."""

import re

from openai import OpenAI

client = OpenAI()

PROMPT = """Write a Python function `solve` that does this: {task}
Put the code into a block that starts with ```python and ends with ```."""


def generate(task):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT.format(task=task)}]
    )
    return response.choices[0].message.content


def code_of(text):
    match = re.search(r"```python\n(.*?)\n```", text, re.DOTALL)
    return match.group(1) if match else ""


def try_out(task, example):
    code = code_of(generate(task))
    scope = {}
    try:
        exec(code, scope)
        return {"ok": True, "result": scope["solve"](*example)}
    except Exception as error:  # noqa: BLE001
        return {"ok": False, "result": type(error).__name__}

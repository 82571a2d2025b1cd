"""Writes small functions and keeps those that load."""

import re

from openai import OpenAI

client = OpenAI()
PROMPT = "Write a Python function for the description, in a fenced block: "


def write(description):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + description}]
    )
    code = re.search(r"```python\n(.*?)```", response.choices[0].message.content, re.DOTALL).group(
        1
    )
    namespace = {}
    exec(code, namespace)
    functions = [name for name, value in namespace.items() if hasattr(value, "__code__")]
    return {"name": functions[-1], "code": code}

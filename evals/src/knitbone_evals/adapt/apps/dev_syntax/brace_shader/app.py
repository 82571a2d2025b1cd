"""GLSL snippets for a demo tool. No compiler here: counts brackets, then reads the uniforms."""

import re

from openai import OpenAI

PAIRS = {")": "(", "]": "[", "}": "{"}


class UnbalancedError(ValueError):
    pass


def balanced(code):
    stack = []
    for position, char in enumerate(code):
        if char in "([{":
            stack.append(char)
        elif char in PAIRS and (not stack or stack.pop() != PAIRS[char]):
            raise UnbalancedError(f"{char} at {position}")
    if stack:
        raise UnbalancedError(f"{len(stack)} still open")
    return code


def uniforms(code):
    return {name: kind for kind, name in re.findall(r"uniform\s+(\w+)\s+(\w+)\s*;", code)}


def shader(mood):
    response = OpenAI().chat.completions.create(
        model="gpt-4o",
        messages=[
            {
                "role": "system",
                "content": "Return a GLSL fragment shader, raw source without markdown.",
            },
            {"role": "user", "content": mood},
        ],
    )
    code = balanced(response.choices[0].message.content)
    return {"uniforms": uniforms(code), "tail": code.rstrip()[-20:], "head": code.lstrip()[:12]}

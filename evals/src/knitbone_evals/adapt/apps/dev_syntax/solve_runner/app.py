"""Grades a generated function by executing it against tests."""

import re
import textwrap
from dataclasses import dataclass

from openai import OpenAI

FENCE = re.compile(r"```(?:python|py)?\s*\n(.*?)```", re.DOTALL)


@dataclass
class Attempt:
    passed: int
    failed: int


class Judge:
    def __init__(self, llm=None):
        self.llm = llm or OpenAI()

    def generate(self, task):
        answer = self.llm.chat.completions.create(
            model="gpt-4.1",
            messages=[
                {
                    "role": "system",
                    "content": (
                        "You are a coding assistant. Write a Python function named `solve`. "
                        "Reply with code only."
                    ),
                },
                {"role": "user", "content": task},
            ],
        )
        return answer.choices[0].message.content

    @staticmethod
    def extract(reply):
        found = FENCE.search(reply)
        return textwrap.dedent(found.group(1) if found else reply)

    def run(self, task, tests):
        namespace = {}
        exec(self.extract(self.generate(task)), namespace)
        solve = namespace["solve"]
        ok = sum(1 for args, want in tests if solve(*args) == want)
        return Attempt(ok, len(tests) - ok)


def grade(task, tests):
    attempt = Judge().run(task, tests)
    return {"passed": attempt.passed, "failed": attempt.failed}

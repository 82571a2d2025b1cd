"""Plans a deployment as shell commands; a runner is injected, the default one only records."""

import shlex

from openai import OpenAI


class Recorder:
    def __init__(self):
        self.calls = []

    def __call__(self, argv):
        self.calls.append(argv)


class Planner:
    def __init__(self, run=None):
        self.client = OpenAI()
        self.run = run or Recorder()

    def commands(self, goal):
        answer = self.client.chat.completions.create(
            model="gpt-4o",
            messages=[
                {
                    "role": "system",
                    "content": (
                        "You are a senior sysadmin. List the bash commands, one per line, "
                        "nothing else. Use long options."
                    ),
                },
                {"role": "user", "content": goal},
            ],
        )
        for each in answer.choices[0].message.content.splitlines():
            line = each.strip()
            if line and not line.startswith("#"):
                yield shlex.split(line, comments=True)

    def execute(self, goal):
        for argv in self.commands(goal):
            self.run(argv)
        return self.run.calls


def deploy(goal):
    return Planner().execute(goal)

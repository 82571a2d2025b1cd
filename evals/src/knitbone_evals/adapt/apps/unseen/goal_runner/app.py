"""Works through a goal: the model names the tasks, the queue does them one after the other."""

import os
from collections import deque

import httpx

INSTRUCTION = (
    "You break a goal into tasks. Answer with the tasks only, each on a line of its own that "
    "starts with 'Task', the task's number, a dot and a space, such as 'Task 1. Call the bank'."
)


class Model:
    def __init__(self, name="gpt-4o-mini"):
        self.name = name
        self.base = os.environ["OPENAI_BASE_URL"]
        self.key = os.environ["OPENAI_API_KEY"]

    def complete(self, system, user):
        answer = httpx.post(
            f"{self.base}/chat/completions",
            headers={"Authorization": f"Bearer {self.key}"},
            json={
                "model": self.name,
                "messages": [
                    {"role": "system", "content": system},
                    {"role": "user", "content": user},
                ],
            },
            timeout=60,
        )
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]["content"]


class GoalRunner:
    def __init__(self, model=None):
        self.model = model or Model()
        self.queue = deque()

    def plan(self, goal):
        answer = self.model.complete(INSTRUCTION, f"Goal: {goal}")
        for line in answer.splitlines():
            if not line.startswith("Task "):
                continue
            number, _, text = line[len("Task ") :].partition(". ")
            if text:
                self.queue.append({"id": number.strip(), "text": text.strip()})

    def work(self):
        log = []
        while self.queue:
            task = self.queue.popleft()
            log.append(f"[{task['id']}] {task['text']}")
        return log


def run(goal):
    runner = GoalRunner()
    runner.plan(goal)
    return runner.work()

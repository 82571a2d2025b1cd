"""A planning agent: the model's plan becomes tickets."""

import os

import httpx
from pydantic import BaseModel, Field


class Ticket(BaseModel):
    number: int = Field(ge=1)
    title: str


class Planner:
    """A thin client; no SDK."""

    def __init__(self, model="mistral-small"):
        self.model = model

    def chat(self, user: str) -> str:
        answer = httpx.post(
            os.environ["OPENAI_BASE_URL"] + "/chat/completions",
            headers={"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
            json={"model": self.model, "messages": [{"role": "user", "content": user}]},
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]["content"]

    def plan(self, goal: str) -> list[Ticket]:
        text = self.chat(
            "Break down the goal into tasks. One per line: 'Task 1: ...', 'Task 2: ...'. "
            f"Goal: {goal}"
        )
        tickets = []
        for line in text.split("\n"):
            head, sep, title = line.partition(": ")
            match head.split():
                case ["Task", number] if sep and number.isdigit():
                    tickets.append(Ticket(number=int(number), title=title))
        for place, ticket in enumerate(tickets, start=1):
            if ticket.number != place:
                raise ValueError(f"expected task {place}, got {ticket.number}")
        return tickets


def tickets(goal):
    return [ticket.model_dump() for ticket in Planner().plan(goal)]

"""A tutor that keeps the whole conversation; every reply is rendered as it comes."""

from anthropic import Anthropic

RULES = "You are a patient tutor for pupils aged 12. Answer in plain sentences."


class Tutor:
    def __init__(self, client=None):
        self.client = client or Anthropic()
        self.turns = []

    def ask(self, question: str) -> str:
        self.turns.append({"role": "user", "content": question})
        message = self.client.messages.create(
            model="claude-sonnet-4-5", max_tokens=800, system=RULES, messages=self.turns
        )
        reply = "".join(block.text for block in message.content if block.type == "text")
        self.turns.append({"role": "assistant", "content": reply})
        return reply


def lesson(questions):
    tutor = Tutor()
    return [tutor.ask(question) for question in questions]

"""Turns a product sheet into an FAQ page."""

from dataclasses import asdict, dataclass

from openai import OpenAI

client = OpenAI()


@dataclass
class Entry:
    question: str
    answer: str


def generate(sheet):
    response = client.chat.completions.create(
        model="gpt-4.1-mini",
        messages=[
            {
                "role": "developer",
                "content": "Write an FAQ for the product. Each entry is two lines, "
                "'Q: <question>' and 'A: <answer>', with a blank line between entries.",
            },
            {"role": "user", "content": sheet},
        ],
    )
    return response.choices[0].message.content


class Page:
    def __init__(self, text):
        self.entries = list(self._read(text))

    @staticmethod
    def _read(text):
        for block in text.strip().split("\n\n"):
            question, _, answer = block.partition("\n")
            if question.startswith("Q: ") and answer.startswith("A: "):
                yield Entry(question[3:].strip(), answer[3:].strip())


def faq(sheet):
    return [asdict(entry) for entry in Page(generate(sheet)).entries]

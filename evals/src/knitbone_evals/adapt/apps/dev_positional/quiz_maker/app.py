"""Writes a quiz about a topic and streams it."""

from openai import OpenAI


class QuizMaker:
    def __init__(self, model="gpt-4.1-mini"):
        self.client = OpenAI()
        self.model = model

    def _stream(self, topic):
        stream = self.client.chat.completions.create(
            model=self.model,
            stream=True,
            messages=[
                {
                    "role": "system",
                    "content": "You write quizzes. Format every entry as\nQ: question\nA: answer\n"
                    "with an empty line between entries.",
                },
                {"role": "user", "content": f"Topic: {topic}"},
            ],
        )
        for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content

    def make(self, topic):
        text = "".join(self._stream(topic))
        cards = []
        for block in text.strip().split("\n\n"):
            question = answer = None
            for line in block.splitlines():
                if line.startswith("Q:"):
                    question = line[2:].strip()
                elif line.startswith("A:"):
                    answer = line[2:].strip()
            if question and answer:
                cards.append({"front": question, "back": answer})
        return cards


def quiz(topic):
    return QuizMaker().make(topic)

"""Cuts long notes by hand, sums up each piece, and keeps the pieces that matter."""

import sys
from collections import deque
from pathlib import Path

import numpy as np
from openai import OpenAI

SIZE = 1500
OVERLAP = 200
WORDS = 180

client = OpenAI()


def pieces(text):
    return [text[start : start + SIZE] for start in range(0, len(text), SIZE - OVERLAP)]


def word_windows(text):
    words = text.split()
    windows = []
    for start in range(0, len(words), WORDS):
        windows.append(" ".join(words[start : start + WORDS]))
    return windows


def embed(texts):
    answer = client.embeddings.create(model="text-embedding-3-small", input=texts)
    return np.array([entry.embedding for entry in answer.data])


def closest(question, texts, k=3):
    vectors = embed([question, *texts])
    order = np.argsort(vectors[1:] @ vectors[0])[::-1]
    return [texts[index] for index in order[:k]]


class Digest:
    def __init__(self):
        self.queue = deque()
        self.kept = {}

    def add(self, text):
        self.queue.extend(pieces(text))

    def work(self):
        while self.queue:
            piece = self.queue.popleft()
            completion = client.chat.completions.create(
                model="gpt-4o-mini",
                messages=[
                    {
                        "role": "user",
                        "content": "Sum up as 'KEEP: <summary>' or 'DROP: <why>'.\n\n" + piece,
                    }
                ],
            )
            self.note(completion.choices[0].message.content)

    def note(self, summary):
        if summary.startswith("KEEP:"):
            number = len(self.kept) + 1
            self.kept[number] = summary.removeprefix("KEEP:").strip()

    def topics(self):
        """The topics, most frequent first, such as ['garden', 'roof']."""
        text = "\n".join(self.kept.values())
        answer = client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[{"role": "user", "content": f"Topics, separated by ';':\n{text}"}],
        )
        found = {"topics": answer.choices[0].message.content}
        return [topic.strip() for topic in found["topics"].split(";")]


if __name__ == "__main__":
    notes = Path(sys.argv[1]).read_text(encoding="utf-8")
    digest = Digest()
    digest.add(notes)
    digest.work()
    for kept in digest.kept.values():
        print("-", kept)
    print(digest.topics())
    print(closest("What is still to do?", word_windows(notes)))

"""Finds the rule in the staff handbook that a question is about."""

import re

from openai import OpenAI

client = OpenAI()
CHUNK = 200


def chunks(text):
    pieces = []
    for start in range(0, len(text), CHUNK):
        pieces.append(text[start : start + CHUNK])
    return pieces


def index(text):
    entries = []
    for number, piece in enumerate(chunks(text)):
        for sentence in re.split(r"(?<=[.!?])\s+", piece.strip()):
            entries.append({"chunk": number, "sentence": sentence})
    return entries


def find(entries, keyword):
    return [entry["sentence"] for entry in entries if keyword in entry["sentence"].lower()]


def rule_about(handbook, keyword):
    rules = find(index(handbook), keyword)
    if not rules:
        return {"rules": [], "answer": "The handbook does not say."}
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "Explain the rule to a new colleague."},
            {"role": "user", "content": "\n".join(rules)},
        ],
    )
    return {"rules": rules, "answer": response.choices[0].message.content}

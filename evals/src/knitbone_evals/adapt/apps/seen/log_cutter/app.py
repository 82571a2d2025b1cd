"""Cuts a logbook into pieces for the search index and finds the entry of a day."""

import re

from openai import OpenAI

client = OpenAI()
SIZE = 240


def cut(text, size=SIZE):
    start = 0
    pieces = []
    while start < len(text):
        pieces.append(text[start : start + size])
        start += size
    return pieces


def entries(logbook):
    found = {}
    for piece in cut(logbook):
        for match in re.finditer(r"Day (\d+): ([^.]*\.)", piece):
            found[int(match.group(1))] = match.group(2)
    return found


def entry_of(logbook, day):
    entry = entries(logbook).get(day, "")
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": f"Say in one word what happened: {entry}"}],
    )
    return {"entry": entry, "word": response.choices[0].message.content}

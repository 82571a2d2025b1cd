"""Turns notes of a night shift into a log."""

import re

from openai import OpenAI

ENTRY = re.compile(r"\[(?P<time>\d{2}:\d{2})\] (?P<who>\w+): (?P<what>.+)")


class ShiftLog:
    def __init__(self, client=None, model="gpt-4o-mini"):
        self.client = client or OpenAI()
        self.model = model
        self.entries = []

    def read(self, notes):
        response = self.client.chat.completions.create(
            model=self.model,
            messages=[
                {
                    "role": "user",
                    "content": f"""Rewrite these notes as a log, one event per line:
[HH:MM] Person: what happened

Notes:
{notes}""",
                }
            ],
        )
        for line in filter(None, map(str.strip, response.choices[0].message.content.split("\n"))):
            if entry := ENTRY.fullmatch(line):
                self.entries.append(entry.groupdict())
        return self


def log(notes):
    entries = ShiftLog().read(notes).entries
    return {"count": len(entries), "entries": entries}

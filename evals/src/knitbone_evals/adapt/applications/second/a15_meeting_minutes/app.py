"""Minutes of the tenants' association -> action list. The secretary pastes her raw notes."""
from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict

import openai

SYSTEM_PROMPT = """You tidy the notes of a meeting. Write exactly three sections with these headings:

## Decisions
- one bullet for each decision

## Actions
- Name: task (due YYYY-MM-DD)

## Next meeting
YYYY-MM-DD, HH:MM

No other sections and no text outside of them."""

ACTION = re.compile(r"^- (?P<owner>[A-Z][a-z]+): (?P<task>.+) \(due (?P<due>\d{4}-\d{2}-\d{2})\)$")


class Minutes:
    def __init__(self, text: str):
        self.sections: dict[str, list[str]] = defaultdict(list)
        current = None
        for line in text.splitlines():
            if line.startswith("## "):
                current = line[3:].strip()
            elif line.strip() and current:
                self.sections[current].append(line.rstrip())

    def decisions(self) -> int:
        return len([line for line in self.sections["Decisions"] if line.startswith("- ")])

    def actions(self) -> list[dict]:
        found = [ACTION.match(line) for line in self.sections["Actions"]]
        return [
            {"owner": m["owner"], "due": dt.date.fromisoformat(m["due"]).isoformat()} for m in found if m is not None
        ]

    def next_meeting(self) -> str:
        (line,) = self.sections["Next meeting"]
        return dt.datetime.strptime(line, "%Y-%m-%d, %H:%M").isoformat(timespec="minutes")


def tidy(notes: str) -> str:
    reply = openai.OpenAI().chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": notes},
        ],
    )
    return reply.choices[0].message.content


def run(request: str):
    minutes = Minutes(tidy(request))
    return {
        "decisions": minutes.decisions(),
        "actions": minutes.actions(),
        "next": minutes.next_meeting(),
    }

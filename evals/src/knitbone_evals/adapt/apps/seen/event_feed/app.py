"""Reads a town's newsletter and puts its events into the calendar, an event a line."""

import json

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "List the events of this newsletter as JSON lines, one object a line, with the keys "
    "day (YYYY-MM-DD), title and seats (a number). No other text.\n\n"
)


def feed(newsletter):
    stream = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": PROMPT + newsletter}],
        stream=True,
    )
    text = ""
    for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            text += chunk.choices[0].delta.content
    return text


def calendar(newsletter):
    days = {}
    for line in feed(newsletter).splitlines():
        if not line.strip():
            continue
        event = json.loads(line)
        days.setdefault(event["day"], []).append([event["title"], int(event["seats"])])
    return days

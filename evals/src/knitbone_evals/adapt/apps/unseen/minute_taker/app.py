"""Sums up a meeting as points for the project's page."""

from openai import OpenAI

client = OpenAI()
PROMPT = "Sum up the meeting in three to six points, one a line, each beginning with '- '.\n\n"


def points(transcript):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + transcript}]
    )
    found = []
    for line in response.choices[0].message.content.split("\n"):
        if line.startswith("- "):
            found.append(line[2:])
    return found


def page(title, transcript):
    return {"title": title, "points": points(transcript)}

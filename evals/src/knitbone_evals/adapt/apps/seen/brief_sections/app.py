"""A research brief with four sections; each goes to another page of the newsletter."""

import re

from anthropic import Anthropic

client = Anthropic()
SECTIONS = ("Summary", "Findings", "Risks", "Next steps")
PROMPT = "Write a brief about {topic} in Markdown with the sections " + ", ".join(
    f"'## {name}'" for name in SECTIONS
)


def brief(topic):
    with client.messages.stream(
        model="claude-haiku-4-5",
        max_tokens=2000,
        messages=[{"role": "user", "content": PROMPT.format(topic=topic)}],
    ) as stream:
        return "".join(stream.text_stream)


def pages(topic):
    parts = re.split(r"^## (.+)$", brief(topic), flags=re.MULTILINE)
    found = {}
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        found[title.strip()] = body.strip()
    return {"topic": topic, "pages": {name: found.get(name, "") for name in SECTIONS}}

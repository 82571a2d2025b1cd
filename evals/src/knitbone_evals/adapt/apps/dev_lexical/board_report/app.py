"""Quarterly board report, one Markdown document; goes to pandoc as it is."""

import json

from anthropic import Anthropic

anthropic_client = Anthropic()

INSTRUCTIONS = """You are the reporting assistant of a housing association.
Write the quarterly report in Markdown from the figures below. Use ATX headings, \
one list per section."""


def generate_report(figures: dict) -> str:
    response = anthropic_client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=3000,
        system=INSTRUCTIONS,
        messages=[{"role": "user", "content": json.dumps(figures)}],
    )
    chunks = [block.text for block in response.content if block.type == "text"]
    return "".join(chunks)


def publish(figures):
    report = generate_report(figures)
    return {"format": "markdown", "source": report.rstrip() + "\n"}

"""Reads a support mail and files it as a ticket."""

import json

from anthropic import Anthropic

client = Anthropic()

PROMPT = """Read the mail and describe the ticket as one JSON object with
- "subject": a short text
- "priority": 1 (whenever) to 5 (now)
- "product": {{"name": text, "version": text or null}}
- "tags": a list of texts
- "refund": true if the customer wants the money back, else false
- "summary": one sentence

Only the JSON.

{mail}"""


def read(mail):
    message = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=800,
        messages=[{"role": "user", "content": PROMPT.format(mail=mail)}],
    )
    return json.loads(message.content[0].text)


def triage(mail):
    ticket = read(mail)
    product = ticket["product"]
    queue = "billing" if ticket["refund"] is True else "technical"
    return {
        "queue": queue,
        "urgent": ticket["priority"] >= 4,
        "hours": 48 // ticket["priority"],
        "subject": ticket["subject"],
        "product": f"{product['name']} {product['version'] or '(any)'}",
        "tags": sorted(tag.lower() for tag in ticket["tags"]),
        "summary": ticket["summary"],
    }

"""Routes support tickets."""

import re
from dataclasses import dataclass

import anthropic

client = anthropic.Anthropic()

SYSTEM = """You triage support tickets. Reply in exactly this format:

Title: <short title>
Product: <one of Router, Modem, Television>
Priority: <low|medium|high>
Summary: <one sentence>"""

SLA = {"low": 72, "medium": 24, "high": 4}
FIELD = re.compile(r"^(\w+):\s*(.+)$", re.MULTILINE)


@dataclass
class Ticket:
    title: str
    product: str
    hours: int
    summary: str


def parse_fields(reply: str) -> dict[str, str]:
    return {match.group(1): match.group(2).strip() for match in FIELD.finditer(reply)}


def triage(ticket: str):
    message = client.messages.create(
        model="claude-3-5-haiku-latest",
        max_tokens=300,
        system=SYSTEM,
        messages=[{"role": "user", "content": ticket}],
    )
    fields = parse_fields(message.content[0].text)
    try:
        parsed = Ticket(
            title=fields["Title"],
            product=fields["Product"],
            hours=SLA[fields["Priority"]],
            summary=fields["Summary"],
        )
    except KeyError as missing:
        return {"error": f"field {missing}"}
    return vars(parsed)

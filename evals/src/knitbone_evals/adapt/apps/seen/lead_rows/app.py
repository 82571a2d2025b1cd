"""Turns a trade fair's badge scans into rows for the customer database."""

from anthropic import Anthropic

client = Anthropic()
PROMPT = """Extract every contact from these notes. One contact a line, exactly four cells:
name|company|city|budget in euros
No header.

{notes}"""


def contacts(notes):
    message = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=1000,
        messages=[{"role": "user", "content": PROMPT.format(notes=notes)}],
    )
    rows = []
    for line in message.content[0].text.strip().split("\n"):
        name, company, city, budget = line.split("|")
        rows.append({"name": name, "company": company, "city": city, "budget": int(budget)})
    return {"rows": rows, "total": sum(row["budget"] for row in rows)}

"""Order mails -> rows for the till. Run by hand each morning."""
import os
import sys
from datetime import date

from openai import OpenAI

client = OpenAI(
    base_url=os.environ.get("OPENAI_BASE_URL"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
)
MODEL = "gpt-4o-mini"

PROMPT = """You take in orders for a small bookshop. Read the customer's mail and reply with exactly these four lines:

Title: <title of the book>
Copies: <number>
Needed by: <YYYY-MM-DD>
Gift wrap: <yes or no>

Mail:
{mail}
"""


def ask(prompt):
    reply = client.chat.completions.create(
        model=MODEL,
        temperature=0,
        messages=[{"role": "user", "content": prompt}],
    )
    return reply.choices[0].message.content


def read_fields(text):
    fields = {}
    for line in text.strip().splitlines():
        key, value = line.split(":", 1)
        fields[key.strip().lower()] = value.strip()
    return fields


def run(request: str):
    fields = read_fields(ask(PROMPT.format(mail=request)))
    return {
        "title": fields["title"],
        "copies": int(fields["copies"]),
        "needed_by": date.fromisoformat(fields["needed by"]).isoformat(),
        "gift_wrap": fields["gift wrap"] == "yes",
    }


if __name__ == "__main__":
    for mail in sys.stdin.read().split("\n---\n"):
        row = run(mail)
        print(row["title"], row["copies"], row["needed_by"], "GIFT" if row["gift_wrap"] else "", sep="\t")

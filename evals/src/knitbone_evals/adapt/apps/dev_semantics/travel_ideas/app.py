"""Weekend ideas for a city; the page shows them as cards, in order."""

import re

from openai import OpenAI

client = OpenAI()

SYSTEM = (
    "You are a local guide. Suggest things to do in the city the user names. "
    "Answer with a numbered list, one idea per line, nothing else."
)
IDEA = re.compile(r"^\s*(\d+)[.)]\s+(.+?)\s*$", re.MULTILINE)


def suggest(city: str) -> str:
    completion = client.chat.completions.create(
        model="gpt-4o",
        temperature=0.9,
        messages=[
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"Ideas for a weekend in {city}?"},
        ],
    )
    return completion.choices[0].message.content or ""


def cards(city: str) -> list[dict]:
    return [{"rank": int(rank), "text": text} for rank, text in IDEA.findall(suggest(city))]

"""Step-by-step guide read out by a kitchen display."""

from openai import OpenAI

client = OpenAI()


def fetch(dish: str) -> str:
    ask = f"How do I make {dish}? Numbered steps, one per line."
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": ask}]
    )
    return response.choices[0].message.content


def number_of(line: str) -> int:
    digits = line.split(".", 1)[0]
    return int(digits) if digits.strip().isdigit() else 0


def guide(dish: str) -> dict:
    lines = [line.strip() for line in fetch(dish).splitlines() if line.strip()]
    steps = [line.split(". ", 1)[1] for line in lines if number_of(line)]
    return {"dish": dish, "count": len(steps), "steps": steps}

"""Turns a wish into a schedule: one cron expression, expanded field by field."""

import asyncio

from openai import AsyncOpenAI

FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))


def expand(field, low, high):
    found = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            start, stop = low, high
        elif "-" in span:
            start, stop = (int(end) for end in span.split("-"))
        else:
            start = stop = int(span)
        if not low <= start <= stop <= high:
            raise ValueError(f"{field} is not within {low}-{high}")
        found.update(range(start, stop + 1, int(step or 1)))
    return sorted(found)


async def suggest(wish):
    async with AsyncOpenAI() as client:
        reply = await client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[
                {
                    "role": "system",
                    "content": "Reply with a 5-field cron expression and nothing else.",
                },
                {"role": "user", "content": wish},
            ],
        )
    return reply.choices[0].message.content


def schedule(wish):
    line = asyncio.run(suggest(wish)).strip()
    parts = line.split()
    if len(parts) != 5:
        raise ValueError(f"not a cron expression: {line!r}")
    return {
        name: expand(part, low, high) for (name, low, high), part in zip(FIELDS, parts, strict=True)
    }

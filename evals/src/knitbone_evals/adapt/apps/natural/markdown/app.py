"""A card with a heading and a few points, for the start page."""

import re

from openai import OpenAI

client = OpenAI()
PROMPT = "Summarise with a heading and three bullets that start with a dash: "


def card(topic):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + topic}]
    )
    text = response.choices[0].message.content
    heading = re.search(r"^#+ (.+)$", text, re.MULTILINE).group(1)
    points = re.findall(r"^- (.+)$", text, re.MULTILINE)
    if not points:
        raise ValueError("a card without points")
    return {"heading": heading.strip(), "points": [point.strip() for point in points]}

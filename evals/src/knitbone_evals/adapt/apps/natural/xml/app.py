"""A verdict on a question, and the reason."""

import xml.etree.ElementTree as ET

from openai import OpenAI

client = OpenAI()
PROMPT = "Answer in XML: an answer element with verdict and reason.\n\nQuestion: "


def judge(question):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + question}]
    )
    root = ET.fromstring(response.choices[0].message.content)
    return {
        "verdict": root.find("verdict").text.strip(),
        "reason": root.find("reason").text.strip(),
    }

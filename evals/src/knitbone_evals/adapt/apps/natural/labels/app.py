"""Sorts the reviews of a shop."""

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "Classify the review as positive, negative or neutral. Answer with Label and Confidence "
    "(0 to 100) lines.\n\nReview: "
)
LABELS = ("positive", "negative", "neutral")


def classify(review):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + review}]
    )
    lines = response.choices[0].message.content.strip().splitlines()
    fields = dict(line.split(": ", 1) for line in lines)
    label = fields["Label"]
    if label not in LABELS:
        raise ValueError(f"unknown label {label!r}")
    return {"label": label, "confidence": int(fields["Confidence"])}

"""Sorts a customer's mail: category, urgency, and a draft of the answer."""

from openai import OpenAI

client = OpenAI()
PROMPT = """Read the mail. Answer with three lines:
Category: billing, delivery or product
Urgency: 1 to 5
Reply: one friendly sentence"""
DESKS = {"billing": "desk 2", "delivery": "desk 5", "product": "desk 7"}


def read(mail):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "system", "content": PROMPT}, {"role": "user", "content": mail}],
    )
    return response.choices[0].message.content


def sort(mail):
    category, urgency, reply = None, 3, ""
    for line in read(mail).splitlines():
        if line.startswith("Category:"):
            category = line[len("Category:") :].strip()
        elif line.startswith("Urgency:"):
            urgency = int(line[len("Urgency:") :])
        elif line.startswith("Reply:"):
            reply = line[len("Reply:") :].strip()
    return {"desk": DESKS.get(category, "front desk"), "urgent": urgency > 3, "reply": reply}

"""Answers questions about house rules from the one document we have."""

from openai import OpenAI

RULES = """Guests must be registered at the desk before eight in the evening.
Bicycles are parked in the yard behind the house, never in the hallway.
The laundry room is open from seven to ten.
Quiet hours start at ten at night.
Packages are kept at the desk for one week."""

TEMPLATE = (
    "Context:\n{context}\n\nQuestion: {question}\nAnswer briefly, using only the context.\nAnswer:"
)


def answer(question):
    client = OpenAI()
    prompt = TEMPLATE.format(context=RULES, question=question)
    reply = client.chat.completions.create(
        model="mistralai/Mistral-7B-Instruct-v0.3", messages=[{"role": "user", "content": prompt}]
    )
    text = reply.choices[0].message.content.strip()
    return {"q": question, "a": text}

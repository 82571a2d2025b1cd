"""Reads contacts out of e-mail signatures."""

from openai import OpenAI
from pydantic import BaseModel

client = OpenAI()


class Contact(BaseModel):
    name: str
    company: str
    email: str
    phone: str


def chat(*messages):
    return (
        client.chat.completions.create(
            model="gpt-3.5-turbo",
            messages=[{"role": role, "content": content} for role, content in messages],
        )
        .choices[0]
        .message.content
    )


def contact(signature):
    reply = chat(
        (
            "system",
            "Extract the contact. Answer only with these four lines:\n"
            "Name: ...\nCompany: ...\nEmail: ...\nPhone: ...\nWrite - if something is missing.",
        ),
        ("user", signature),
    )
    pairs = dict(line.split(": ", 1) for line in reply.strip().splitlines())
    fields = {key.lower(): value.strip() for key, value in pairs.items()}
    return Contact(**fields).model_dump()

"""Internal IT hotline bot (asyncio)."""

import asyncio

from openai import AsyncOpenAI

GUIDELINES = "You are the IT hotline. Answer in the language of the question."


async def one(question):
    aclient = AsyncOpenAI()
    result = await aclient.chat.completions.create(
        model="gpt-4.1-mini",
        messages=[
            {"role": "developer", "content": GUIDELINES},
            {"role": "user", "content": question},
        ],
    )
    return result.choices[0].message.content


async def handle(ticket):
    reply = await one(ticket["question"])
    match reply.strip():
        case "":
            return {**ticket, "status": "open"}
        case text:
            return {**ticket, "status": "answered", "answer": text}


def hotline(ticket):
    return asyncio.run(handle(ticket))

"""Rates flat adverts. The model thinks in <analysis>, the result is JSON in <result>."""

import asyncio
import json
import re
from typing import TypedDict

from openai import AsyncOpenAI


class Flat(TypedDict):
    rooms: float
    rent: int
    balcony: bool
    district: str
    pros: list[str]
    verdict: str


class Scout:
    def __init__(self, client):
        self.client = client

    async def flat(self, advert) -> Flat:
        response = await self.client.chat.completions.create(
            model="llama-3.3-70b",
            messages=[
                {
                    "role": "system",
                    "content": "First think inside <analysis></analysis>. Then give the result in "
                    "<result></result> as a JSON object with rooms (number), rent (integer, "
                    "euros), balcony (boolean), district, pros (list) and verdict (visit, maybe "
                    "or skip).",
                },
                {"role": "user", "content": advert},
            ],
        )
        text = response.choices[0].message.content
        match = re.search(r"<result>(.*?)</result>", text, re.DOTALL)
        if match is None:
            raise RuntimeError("no result")
        data = json.loads(match.group(1))
        return Flat(**data)


def label(flat: Flat):
    match flat["verdict"]:
        case "visit":
            return 2
        case "maybe":
            return 1
        case "skip":
            return 0
    raise ValueError(flat["verdict"])


async def _all(adverts):
    async with AsyncOpenAI() as client:
        return await asyncio.gather(*(Scout(client).flat(advert) for advert in adverts))


def rank(adverts):
    flats = asyncio.run(_all(adverts))
    return [
        {
            "where": flat["district"],
            "per_room": round(flat["rent"] / flat["rooms"], 2),
            "stars": label(flat) + (1 if flat["balcony"] else 0),
            "pros": len(flat["pros"]),
        }
        for flat in flats
    ]

"""Receipts into a table, with Gemini."""

import asyncio
import re
from datetime import date
from pathlib import Path

from bs4 import BeautifulSoup
from google import genai
from google.genai import types
from pydantic import BaseModel, TypeAdapter

client = genai.Client()
MODEL = "gemini-2.5-flash"


class Item(BaseModel):
    name: str
    amount: float


class Receipt(BaseModel):
    merchant: str
    bought_on: date
    total: float
    currency: str = "EUR"
    items: list[Item]


class Tag(BaseModel):
    word: str
    weight: int


def read_receipt(image: bytes) -> Receipt:
    response = client.models.generate_content(
        model=MODEL,
        contents=[types.Part.from_bytes(data=image, mime_type="image/jpeg"), "Read it."],
        config=types.GenerateContentConfig(response_mime_type="application/json"),
    )
    return Receipt.model_validate_json(response.text)


async def tags(merchant: str) -> list[Tag]:
    response = await client.aio.models.generate_content(
        model=MODEL, contents=f"Tags with weights for {merchant} as a JSON array."
    )
    return TypeAdapter(list[Tag]).validate_json(response.text)


def page(receipts: list[Receipt]):
    for chunk in client.models.generate_content_stream(
        model=MODEL, contents=f"An HTML table of {receipts}"
    ):
        yield chunk.text or ""


def rows(receipts: list[Receipt]) -> int:
    html = "".join(page(receipts))
    return len(BeautifulSoup(html, "html.parser").find_all("tr"))


def each_merchant(receipts, on_answer):
    for receipt in receipts:
        answer = client.models.generate_content(
            model=MODEL, contents=f"VAT number of {receipt.merchant}? As 'VAT <country> <digits>'."
        ).text
        on_answer(receipt.merchant, answer)


def main(folder):
    receipts = [read_receipt(path.read_bytes()) for path in Path(folder).glob("*.jpg")]
    numbers = {}

    def keep(merchant, answer):
        found = re.match(r"VAT ([A-Z]{2}) (\d+)", answer)
        if found:
            numbers[merchant] = found.group(1) + found.group(2)

    each_merchant(receipts, keep)
    for receipt in receipts:
        words = asyncio.run(tags(receipt.merchant))
        print(receipt.merchant, numbers.get(receipt.merchant), [tag.word for tag in words])
    print(rows(receipts), "rows")


if __name__ == "__main__":
    main("receipts")

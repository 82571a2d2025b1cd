"""Reads scanned invoices (already OCRed) and returns their line items for bookkeeping."""

import asyncio
import csv
import io
from datetime import date
from decimal import Decimal

from openai import AsyncOpenAI

SYSTEM = """You are an invoice parser.
Return the line items as CSV with the header
sku,description,quantity,unit_price,delivered
quantity is a whole number, unit_price a decimal number without currency sign, delivered an ISO date
(YYYY-MM-DD). Quote descriptions that contain commas. Return nothing but the CSV."""


class InvoiceReader:
    def __init__(self, model="gpt-4.1-mini"):
        self.client = AsyncOpenAI()
        self.model = model

    async def read(self, ocr_text):
        completion = await self.client.chat.completions.create(
            model=self.model,
            temperature=0,
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": ocr_text},
            ],
        )
        return self.parse(completion.choices[0].message.content)

    def parse(self, answer):
        items = []
        for record in csv.DictReader(io.StringIO(answer.strip())):
            items.append(
                {
                    "sku": record["sku"],
                    "what": record["description"],
                    "sum": str(int(record["quantity"]) * Decimal(record["unit_price"])),
                    "week": date.fromisoformat(record["delivered"]).isocalendar().week,
                }
            )
        return items

    async def close(self):
        await self.client.close()


async def _run(text):
    reader = InvoiceReader()
    try:
        return await reader.read(text)
    finally:
        await reader.close()


def book(text):
    return asyncio.run(_run(text))

"""Nightly job: receipts that people forward as text become journal entries."""
import asyncio
import json
import os
from datetime import datetime

import httpx

ACCOUNTS = {"meals": 6640, "travel": 6670, "lodging": 6660, "supplies": 6815}
CURRENCIES = {"EUR", "USD", "CHF", "GBP"}

SYSTEM = """Extract the expense from the receipt text. Return only a JSON object:
{"merchant": "...", "date": "YYYY-MM-DD", "amount": 12.34, "currency": "EUR", "category": "meals"}
currency is one of EUR, USD, CHF, GBP. category is one of meals, travel, lodging, supplies. No other text."""


async def complete(http: httpx.AsyncClient, text: str) -> str:
    response = await http.post(
        "/chat/completions",
        json={
            "model": "mistral-small-latest",
            "temperature": 0,
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": text},
            ],
        },
    )
    response.raise_for_status()
    return response.json()["choices"][0]["message"]["content"]


def journal_entry(raw: str) -> dict:
    data = json.loads(raw)
    booked = datetime.strptime(data["date"], "%Y-%m-%d")
    currency = data["currency"]
    if currency not in CURRENCIES:
        raise ValueError(f"unknown currency {currency}")
    return {
        "account": ACCOUNTS[data["category"]],
        "period": booked.strftime("%Y/%m"),
        "day": booked.day,
        "text": data["merchant"],
        "cents": round(float(data["amount"]) * 100),
        "currency": currency,
    }


async def run(request: str):
    headers = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
    base = os.environ["OPENAI_BASE_URL"]
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=60) as http:
        return journal_entry(await complete(http, request))


async def main(paths):
    for path in paths:
        with open(path) as f:
            print(json.dumps(await run(f.read())))


if __name__ == "__main__":
    import sys

    asyncio.run(main(sys.argv[1:]))

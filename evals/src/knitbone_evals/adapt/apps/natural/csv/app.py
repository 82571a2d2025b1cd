"""Fills the price list of a shop that is only an idea yet."""

import csv
import io

from openai import OpenAI

client = OpenAI()
PROMPT = "Write three CSV rows: name,category,price (a decimal number). No header. For "


def price_list(shop):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + shop}]
    )
    rows = []
    for row in csv.reader(io.StringIO(response.choices[0].message.content)):
        name, category, price = row
        rows.append([name, category, float(price)])
    return rows

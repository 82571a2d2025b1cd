"""Counts a shelf from the storekeeper's dictated notes."""

import csv
import io

from openai import OpenAI

client = OpenAI()

PROMPT = """The notes below name articles on a shelf. Write them as CSV with the header line
article,shelf,count,price
Fields with a comma in them stand in double quotes. Nothing but the CSV.

{notes}"""


def read_shelf(notes):
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "user", "content": PROMPT.format(notes=notes)}],
        temperature=0,
    )
    rows = csv.DictReader(io.StringIO(response.choices[0].message.content))
    stock = []
    worth = 0.0
    for row in rows:
        count = int(row["count"])
        price = float(row["price"])
        worth += count * price
        stock.append({"article": row["article"], "shelf": row["shelf"], "count": count})
    return {"stock": stock, "worth": round(worth, 2)}

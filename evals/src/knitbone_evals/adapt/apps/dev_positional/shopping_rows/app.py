"""A shopping list with estimated prices."""

import os

import openai

LLM = openai.OpenAI(api_key=os.environ["OPENAI_API_KEY"])
INSTRUCTIONS = """Make a shopping list for the dish. Output one item per line, as

name | price | note

price is a plain number in euros. Output nothing else."""


def llm(prompt, **options):
    response = LLM.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": prompt}],
        **options,
    )
    return response.choices[0].message.content


def to_items(raw):
    items = []
    for row in raw.strip().split("\n"):
        name, price, note = [cell.strip() for cell in row.split("|")]
        items.append({"name": name, "price": float(price), "note": note})
    return items


def shopping(dish):
    items = to_items(llm(f"Dish: {dish}", temperature=0.2))
    return {"items": items, "total": round(sum(i["price"] for i in items), 2)}

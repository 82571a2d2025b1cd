"""Asks for a price matrix as Python data and works out the quotation."""

import ast

from openai import OpenAI

client = OpenAI()
SYSTEM = (
    "You answer with one Python literal, a dict from article to a tuple "
    "(price, pieces, in_stock). No code around it."
)


def quote(request):
    response = client.chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": request},
        ],
    )
    matrix = ast.literal_eval(response.choices[0].message.content)
    lines = []
    for article, (price, pieces, in_stock) in matrix.items():
        lines.append(
            f"{pieces} x {article}: {price * pieces:.2f}" + ("" if in_stock else " (late)")
        )
    total = sum(price * pieces for price, pieces, _ in matrix.values())
    return {"lines": lines, "total": round(total, 2)}

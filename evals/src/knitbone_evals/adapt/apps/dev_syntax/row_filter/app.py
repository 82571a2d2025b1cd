"""Filters customers by an expression that the model writes."""

from openai import OpenAI

client = OpenAI()
TEMPLATE = """Write a Python boolean expression that filters customer rows.
Available names: age, city, orders, spent. Example: age > 30 and city == "Oslo"
Only the expression.

Filter: {wish}"""


def make_predicate(wish):
    source = (
        client.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": TEMPLATE.format(wish=wish)}]
        )
        .choices[0]
        .message.content.strip()
    )

    def predicate(row):
        return bool(eval(source, {"__builtins__": {"len": len, "abs": abs}}, row))

    return predicate


def select(wish, rows):
    keep = make_predicate(wish)
    return [
        row["name"]
        for row in rows
        if keep({key: value for key, value in row.items() if key != "name"})
    ]

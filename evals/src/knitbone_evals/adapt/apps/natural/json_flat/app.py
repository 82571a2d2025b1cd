"""Reads an order out of a message."""

import json

from openai import OpenAI

client = OpenAI()
PROMPT = (
    "Extract the order as one JSON object with customer, item, quantity and due (null if not "
    "told).\n\n"
)


def read_order(message):
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": PROMPT + message}]
    )
    order = json.loads(response.choices[0].message.content)
    return {
        "customer": order["customer"],
        "item": order["item"],
        "quantity": int(order["quantity"]),
        "due": order["due"],
    }

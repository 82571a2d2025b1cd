"""A chat desk that looks up rates, converts amounts and weights, and plans parcels."""

import json

from openai import OpenAI

client = OpenAI()

RATES = {"EUR": 1.0, "USD": 1.08, "GBP": 0.85, "NOK": 11.6, "JPY": 162.0}
ZONES = {"home": 4.9, "europe": 11.5, "world": 24.0}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "convert",
            "description": "Converts an amount of money.",
            "parameters": {
                "type": "object",
                "properties": {
                    "amount": {"type": "number"},
                    "source": {"type": "string", "enum": list(RATES)},
                    "target": {"type": "string", "enum": list(RATES)},
                },
                "required": ["amount", "source", "target"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "postage",
            "description": "The postage of a parcel in euros.",
            "parameters": {
                "type": "object",
                "properties": {
                    "grams": {"type": "integer"},
                    "zone": {"type": "string", "enum": list(ZONES)},
                    "insured": {"type": "boolean"},
                },
                "required": ["grams", "zone"],
            },
        },
    },
]


def convert(amount, source, target):
    return round(amount / RATES[source] * RATES[target], 2)


def postage(grams, zone, insured=False):
    price = ZONES[zone] + 1.5 * (grams // 1000)
    return price + 3 if insured is True else price


CALLABLE = {"convert": convert, "postage": postage}


def chat(question):
    messages = [{"role": "user", "content": question}]
    results = []
    for _ in range(8):
        response = client.chat.completions.create(
            model="gpt-4o-mini", messages=messages, tools=TOOLS
        )
        message = response.choices[0].message
        if not message.tool_calls:
            return {"answer": message.content, "results": results}
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            try:
                result = CALLABLE[call.function.name](**arguments)
            except (TypeError, KeyError) as error:
                result = f"failed: {type(error).__name__}"
            results.append(result)
            messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)}
            )
    return {"answer": "I give up.", "results": results}

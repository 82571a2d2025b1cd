"""A depot's assistant: looks up routes and loads, and books vans."""

import json

from openai import OpenAI

client = OpenAI()
KM = {("Ulm", "Linz"): 410, ("Linz", "Brno"): 220, ("Ulm", "Brno"): 560, ("Brno", "Lodz"): 430}
ROUTE = {
    "type": "object",
    "properties": {"start": {"type": "string"}, "end": {"type": "string"}},
    "required": ["start", "end"],
}
LOAD = {
    "type": "object",
    "properties": {
        "parcels": {"type": "integer"},
        "size": {"type": "string", "enum": ["small", "big"]},
        "fragile": {"type": "boolean"},
    },
    "required": ["parcels", "size", "fragile"],
}
DAY = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": told, "parameters": schema}}
    for name, told, schema in (
        ("distance", "Kilometres between two depots.", ROUTE),
        ("load", "How many vans of a size a load needs.", LOAD),
        ("book", "Books one van for a day.", DAY),
    )
]
booked = []


def distance(start, end):
    return KM.get((start, end)) or KM.get((end, start)) or -1


def load(parcels, size, fragile):
    capacity = 40 if size == "small" else 120
    if fragile is True:
        capacity //= 2
    return -(-parcels // capacity)


def book(day):
    booked.append(day)
    return f"van {len(booked)} on {day}"


def dispatch(name, arguments):
    if name == "distance":
        return distance(**arguments)
    if name == "load":
        return load(**arguments)
    return book(**arguments)


def assist(request):
    booked.clear()
    messages = [{"role": "user", "content": request}]
    outcomes = []
    while len(messages) < 20:
        response = client.chat.completions.create(
            model="gpt-4o-mini", messages=messages, tools=TOOLS
        )
        message = response.choices[0].message
        if not message.tool_calls:
            return {"told": message.content, "outcomes": outcomes}
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            outcome = dispatch(call.function.name, json.loads(call.function.arguments))
            outcomes.append(outcome)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(outcome)})
    return {"told": "", "outcomes": outcomes}

import json
from typing import NotRequired, TypedDict

from openai import OpenAI
from tools import REGISTRY, SCHEMAS

client = OpenAI()


class Stop(TypedDict):
    city: str
    nights: int
    hotel: NotRequired[str]


class Itinerary(TypedDict):
    title: str
    stops: list[Stop]


def book(call):
    arguments = json.loads(call.function.arguments)
    nights = arguments.get("nights", 1)
    return f"booked {nights} nights in {arguments['city']}"


def run_tool(call):
    handler = REGISTRY[call.function.name]
    return handler(**json.loads(call.function.arguments))


def plan(wish, max_turns=10):
    messages = [{"role": "user", "content": wish}]
    for _ in range(max_turns):
        response = client.chat.completions.create(
            model="gpt-4o", messages=messages, tools=SCHEMAS, tool_choice="auto"
        )
        message = response.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name == "finish":
                return json.loads(call.function.arguments)["summary"]
            result = book(call) if call.function.name == "book_hotel" else run_tool(call)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return None


def itinerary(text) -> Itinerary:
    response = client.chat.completions.create(
        model="gpt-4o-mini",
        response_format={"type": "json_object"},
        messages=[
            {"role": "system", "content": "Turn the plan into JSON: title, stops, each a city."},
            {"role": "user", "content": text},
        ],
    )
    trip: Itinerary = json.loads(response.choices[0].message.content)
    return trip


if __name__ == "__main__":
    planned = plan(input("Where to? "))
    if planned is None:
        raise SystemExit("no plan after ten turns")
    trip = itinerary(planned)
    print(trip["title"], sum(stop["nights"] for stop in trip["stops"]), "nights")

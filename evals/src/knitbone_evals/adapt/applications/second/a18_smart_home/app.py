"""Smart home: spoken wishes -> tool calls -> what goes on the bus."""
import json
import os

from openai import OpenAI

ROOMS = {"kitchen": 1, "living_room": 2, "bedroom": 3, "bathroom": 4}
TOOLS = []
FUNCTIONS = {}


def register(description, **parameters):
    def wrap(fn):
        FUNCTIONS[fn.__name__] = fn
        TOOLS.append(
            {
                "type": "function",
                "function": {
                    "name": fn.__name__,
                    "description": description,
                    "parameters": {
                        "type": "object",
                        "properties": {"room": {"type": "string", "enum": list(ROOMS)}, **parameters},
                        "required": ["room", *parameters],
                    },
                },
            }
        )
        return fn

    return wrap


@register("Dims the light of a room", percent={"type": "integer", "description": "brightness 0 to 100"})
def set_light(room, percent):
    percent = int(percent)
    if not 0 <= percent <= 100:
        raise ValueError(percent)
    return {"bus": f"light/{ROOMS[room]}", "value": percent * 255 // 100}


@register("Sets the heating of a room", celsius={"type": "number", "description": "target temperature in Celsius"})
def set_heating(room, celsius):
    return {"bus": f"heat/{ROOMS[room]}", "value": round(float(celsius) * 2) / 2}


@register("Plays a web radio in a room", url={"type": "string", "description": "address of the stream"})
def play_radio(room, url):
    if not url.startswith(("http://", "https://")):
        raise ValueError(url)
    return {"bus": f"audio/{ROOMS[room]}", "value": url}


def run(request: str):
    client = OpenAI(base_url=os.environ.get("OPENAI_BASE_URL"))
    reply = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": "You control a flat. Do what the person says by calling the tools."},
            {"role": "user", "content": request},
        ],
        tools=TOOLS,
    )
    calls = reply.choices[0].message.tool_calls
    if not calls:
        raise RuntimeError("nothing was called")
    sent = []
    for call in calls:
        arguments = json.loads(call.function.arguments)
        sent.append(FUNCTIONS[call.function.name](**arguments))
    return sent


if __name__ == "__main__":
    while wish := input("> "):
        for message in run(wish):
            print("  ->", message["bus"], message["value"])

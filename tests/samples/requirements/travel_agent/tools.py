"""The tools, each found by its name."""

REGISTRY = {}


def tool(function):
    REGISTRY[function.__name__] = function
    return function


def schema(name, description, **properties):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {key: {"type": kind} for key, kind in properties.items()},
                "required": list(properties),
            },
        },
    }


@tool
def get_weather(city):
    return f"sunny in {city}"


@tool
def find_trains(start, end):
    return f"3 trains from {start} to {end}"


SCHEMAS = [
    schema("get_weather", "Weather of a city", city="string"),
    schema("find_trains", "Trains", start="string", end="string"),
    schema("book_hotel", "Books a room", city="string", nights="integer"),
    schema("finish", "Ends the planning", summary="string"),
]

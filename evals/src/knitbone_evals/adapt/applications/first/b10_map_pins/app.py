"""Puts a pin on the club's map: the walkers describe where they were, the agent answers with coordinates."""
import os

from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent

TASK = """A walker reports a spot on the map:

{report}

Give the spot as "lat,lon,category" in decimal degrees (south and west negative), nothing else.
The category is one of: spring, hut, viewpoint, blocked path.
Example: 46.5197,6.6323,hut
Call final_answer with this string."""

BOUNDS = {"south": -90.0, "north": 90.0, "west": -180.0, "east": 180.0}

LAYERS = {"spring": "blue", "hut": "brown", "viewpoint": "green", "blocked path": "red"}


def make_agent():
    model = OpenAIServerModel(
        model_id="gpt-4o-mini",
        api_base=os.environ["OPENAI_BASE_URL"],
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
    )
    return ToolCallingAgent(tools=[], model=model, max_steps=1, verbosity_level=LogLevel.OFF)


def parse_pin(answer):
    lat, lon, category = answer.split(",")
    lat, lon = float(lat), float(lon)
    if not (BOUNDS["south"] <= lat <= BOUNDS["north"] and BOUNDS["west"] <= lon <= BOUNDS["east"]):
        raise ValueError("off the globe: %s" % answer)
    return lat, lon, LAYERS[category.strip()]


def feature(lat, lon, colour):
    # GeoJSON wants the longitude first
    return {"type": "Feature", "coordinates": [round(lon, 4), round(lat, 4)], "colour": colour}


def run(request: str):
    return feature(*parse_pin(make_agent().run(TASK.format(report=request))))

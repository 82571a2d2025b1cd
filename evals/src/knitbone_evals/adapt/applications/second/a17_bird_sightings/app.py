"""Bird club: sightings arrive as text messages, the map wants coordinates and a count range."""
import math
import os
import sys
from typing import NamedTuple

from openai import OpenAI

STATION = (47.0, 8.0)

INSTRUCTIONS = (
    "You read messages about bird sightings. Answer with two lines. First line: latitude, longitude in decimal "
    "degrees separated by a comma (south and west are negative). Second line: the number of birds as a range min-max."
)


class Sighting(NamedTuple):
    lat: float
    lon: float
    low: int
    high: int

    @classmethod
    def parse(cls, text):
        place, birds = text.strip().split("\n")
        lat, lon = map(float, place.split(","))
        low, high = map(int, birds.split("-"))
        if abs(lat) > 90 or abs(lon) > 180 or low > high:
            raise ValueError(text)
        return cls(lat, lon, low, high)

    def distance(self, other=STATION):
        a, b = map(math.radians, (self.lat, other[0]))
        d = math.radians(self.lon - other[1])
        x = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(d)
        return round(6371 * math.acos(min(1.0, x)))


def run(request: str):
    client = OpenAI(base_url=os.environ.get("OPENAI_BASE_URL"))
    response = client.responses.create(
        model="gpt-4.1-mini",
        instructions=INSTRUCTIONS,
        input=request,
        max_output_tokens=200,
    )
    sighting = Sighting.parse(response.output_text)
    return {**sighting._asdict(), "km": sighting.distance()}


if __name__ == "__main__":
    for message in sys.stdin:
        s = run(message)
        print(f"{s['lat']:.4f}\t{s['lon']:.4f}\t{s['low']}-{s['high']}\t{s['km']} km")

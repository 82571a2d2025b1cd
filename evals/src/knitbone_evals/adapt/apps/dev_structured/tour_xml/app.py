"""Plans a city walk; the answer is XML and becomes stops on a map."""

import xml.etree.ElementTree as ET
from collections import namedtuple

from openai import OpenAI

Stop = namedtuple("Stop", "name kind lat lon minutes")
KINDS = ("museum", "park", "food", "view")


def request_tour(city, hours):
    prompt = f"""Plan a walk through {city} of {hours} hours. Answer in XML only:

<tour city="{city}">
  <stop kind="museum|park|food|view">
    <name>...</name>
    <lat>decimal degrees</lat>
    <lon>decimal degrees</lon>
    <minutes>whole number</minutes>
  </stop>
</tour>"""
    completion = OpenAI().chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": prompt}]
    )
    return completion.choices[0].message.content


def to_stop(node):
    kind = node.get("kind")
    if kind not in KINDS:
        raise ValueError(kind)
    return Stop(
        name=node.find("name").text.strip(),
        kind=kind,
        lat=float(node.findtext("lat")),
        lon=float(node.findtext("lon")),
        minutes=int(node.findtext("minutes", default="30")),
    )


def tour(city, hours):
    root = ET.fromstring(request_tour(city, hours))
    stops = [to_stop(node) for node in root.iter("stop")]
    return {
        "city": root.attrib["city"],
        "north": max((stop.lat for stop in stops), default=None),
        "stops": [[stop.name, stop.kind, stop.lon] for stop in stops],
        "total": sum(stop.minutes for stop in stops),
    }

"""A brewery's controller asks for a fermentation profile and loads it as TOML."""

import tomllib
from typing import NamedTuple

from openai import OpenAI


class Phase(NamedTuple):
    name: str
    hours: int
    celsius: float


PROMPT = (
    "Propose a fermentation profile for this beer as a TOML document.\n"
    "Top-level keys: beer (string), gravity (float), open_fermentation (boolean).\n"
    "Then one [[phase]] table for each phase with name (string), hours (integer) and "
    "celsius (float).\nOutput only TOML.\n\nBeer: "
)


def profile(beer):
    client = OpenAI()
    parts = []
    with client.chat.completions.create(
        model="gpt-4o", stream=True, messages=[{"role": "user", "content": PROMPT + beer}]
    ) as stream:
        for event in stream:
            for choice in event.choices:
                parts.append(choice.delta.content or "")
    return tomllib.loads("".join(parts))


def schedule(beer):
    config = profile(beer)
    phases = [Phase(**table) for table in config["phase"]]
    clock, plan = 0, []
    for phase in phases:
        plan.append([clock, phase.name, round(phase.celsius * 9 / 5 + 32, 1)])
        clock += phase.hours
    return {
        "label": config["beer"].upper(),
        "plato": round(config.get("gravity", 1.0) * 1000 - 1000),
        "lid": "off" if config.get("open_fermentation", False) is True else "on",
        "plan": plan,
        "days": clock / 24,
    }

"""More applications with defaults: quiet ones, sums over what was found, and optional lines.

Class 2, and class 3 where one line of several is unusable.
"""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from statistics import mean
from typing import TypedDict

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


@knitbone.adapt
def shopping_items():
    text = ask('List what to buy as JSON: {"items": ["...", ...]}')
    try:
        return json.loads(text)["items"]
    except (ValueError, KeyError):
        return []


@knitbone.adapt
def battery_level():
    text = ask("How full is the battery? Answer in the form 'Level: <integer>%'.")
    match = re.search(r"Level: (\d+)%", text)
    return int(match.group(1)) if match else None


@knitbone.adapt
def net_price():
    text = ask("Two lines: 'Price: <number>' and, if there is one, 'Discount: <number>'.")
    fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
    return round(float(fields["Price"]) - float(fields.get("Discount", 0)), 2)


@knitbone.adapt
def mean_score():
    text = ask("Score each of the five essays, one line each: 'Essay <n>: <score>/20'")
    scores = [int(score) for score in re.findall(r"^Essay \d: (\d+)/20$", text, re.MULTILINE)]
    return mean(scores)


@knitbone.adapt
def feature_switches():
    text = ask("XML: <features><feature name='...' enabled='true|false'/>...</features>")
    root = ET.fromstring(text)
    return {item.get("name"): item.get("enabled", "false") == "true" for item in root}


class Severity(Enum):
    MINOR = "minor"
    MAJOR = "major"


@dataclass(frozen=True)
class Defect:
    part: str
    severity: Severity
    cost: Decimal


@knitbone.adapt
def defect():
    text = ask("Report in three lines:\nPart: ...\nSeverity: minor|major\nCost: <number, USD>")
    fields = {}
    for line in text.strip().splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"unexpected line: {line}")
        fields[key.strip().lower()] = value.strip()
    return Defect(fields["part"], Severity(fields["severity"]), Decimal(fields["cost"]))


class Route(TypedDict, total=False):
    start: str
    goal: str
    via: list[str]
    km: float


@knitbone.adapt
def route():
    text = ask('Plan the route as JSON: {"start", "goal", "via": [...], "km": number}')
    planned: Route = json.loads(text)
    stops = [planned["start"], *planned.get("via", []), planned["goal"]]
    return " > ".join(stops), planned.get("km", 0.0) * 2


@knitbone.adapt
def votes():
    text = ask("Count the votes. One line: 'yes: <n>, no: <n>, abstained: <n>'")
    counted = dict(re.findall(r"(yes|no|abstained): (\d+)", text))
    if not counted:
        raise ValueError("no votes")
    return tuple(int(counted.get(choice, 0)) for choice in ("yes", "no", "abstained"))

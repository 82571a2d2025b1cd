"""Applications of which one part of the answer is unusable: class 3."""

# ruff: noqa: DTZ007 - dates, not times

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

import yaml
from pydantic import BaseModel

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


class Review(BaseModel):
    product: str
    stars: int
    recommend: bool


@knitbone.adapt
def review():
    text = ask("Summarise the review as JSON: product (text), stars (1-5), recommend (boolean).")
    return Review.model_validate_json(text)


@knitbone.adapt
def capital():
    text = ask('Name the capital of the country as JSON: {"capital": "..."}')
    return json.loads(text)["capital"]


@knitbone.adapt
def measurements():
    text = ask("Give the measurements in two lines:\nWidth: <cm>\nHeight: <cm>")
    values = {}
    for line in text.splitlines():
        if ": " in line:
            key, value = line.split(": ", 1)
            values[key] = float(value)
    return values["Width"], values["Height"]


@knitbone.adapt
def staff():
    text = ask('List the staff as JSON: [{"name": "...", "age": <integer>}, ...]')
    return [(person["name"], int(person["age"])) for person in json.loads(text)]


@knitbone.adapt
def log_lines():
    text = ask('One JSON object per line: {"level": "info|warn|error", "message": "..."}')
    entries = []
    for line in text.strip().split("\n"):
        entry = json.loads(line)
        entries.append((entry["level"], entry["message"]))
    return entries


@knitbone.adapt
def agent_step():
    text = ask("Reply with 'Action: <tool>' and 'Action Input: <text>', or 'Final Answer: <text>'.")
    final = re.search(r"^Final Answer: (.+)$", text, re.MULTILINE)
    action = re.search(r"^Action: (\w+)\nAction Input: (.+)$", text, re.MULTILINE)
    if final and action:
        raise ValueError("both an action and a final answer")
    if final:
        return ("finish", final.group(1))
    if action:
        return action.groups()
    raise ValueError("neither action nor final answer")


@knitbone.adapt
def prices():
    text = ask("CSV with header product,price. Prices as plain numbers in USD.")
    return {row["product"]: float(row["price"]) for row in csv.DictReader(io.StringIO(text))}


@dataclass
class Trip:
    start: date
    end: date


@knitbone.adapt
def trip():
    text = ask('Extract the trip as JSON: {"start": "YYYY-MM-DD", "end": "YYYY-MM-DD"}')
    data = json.loads(text)
    return Trip(
        start=datetime.strptime(data["start"], "%Y-%m-%d").date(),
        end=datetime.strptime(data["end"], "%Y-%m-%d").date(),
    )


@knitbone.adapt
def rooms():
    text = ask("XML only: <rooms><room><name>..</name><seats>int</seats></room>...</rooms>")
    root = ET.fromstring(text)
    return [(room.find("name").text, int(room.find("seats").text)) for room in root]


class Verdict(BaseModel):
    verdict: Literal["approve", "reject"]
    reason: str


@knitbone.adapt
def verdict():
    text = ask('Decide. JSON: {"verdict": "approve" or "reject", "reason": "..."}')
    return Verdict(**json.loads(text))


@knitbone.adapt
def menu():
    text = ask("Write the menu as YAML: a list of entries with dish and price (number).")
    return [(entry["dish"], float(entry["price"])) for entry in yaml.safe_load(text)]

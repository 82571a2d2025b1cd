"""Applications whose answers are cut: class 1."""

import ast
import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal

import yaml
from pydantic import BaseModel

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


@knitbone.adapt
def weather():
    text = ask('Return the weather as JSON with the keys "city" (text) and "celsius" (number).')
    data = json.loads(text)
    return data["city"], float(data["celsius"])


class Line(BaseModel):
    item: str
    price: Decimal


class Invoice(BaseModel):
    number: str
    lines: list[Line]


@knitbone.adapt
def invoice():
    text = ask("Extract the invoice as JSON: {number: string, lines: [{item, price}]}. JSON only.")
    return Invoice.model_validate_json(text)


@knitbone.adapt
def sentiment():
    text = ask("Rate the sentiment from -1 to 1. Answer in the form 'Score: <number>'.")
    match = re.search(r"^Score: (-?\d+(?:\.\d+)?)$", text, re.MULTILINE)
    if match is None:
        raise ValueError("no score in the answer")
    return float(match.group(1))


@knitbone.adapt
def three_steps():
    text = ask("Give exactly three steps to boil an egg, numbered '1. ', '2. ', '3. '.")
    steps = re.findall(r"^\d+\. (.+)$", text, re.MULTILINE)
    if len(steps) != 3:
        raise ValueError(f"expected 3 steps, got {len(steps)}")
    return steps


@knitbone.adapt
def python_code():
    text = ask("Write a Python function add(a, b). Put it in a ```python block.")
    match = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    if not match:
        raise ValueError("no code")
    return match.group(1).strip()


@knitbone.adapt
def stock_rows():
    text = ask("List the stock as CSV with the header item,quantity. No other text.")
    return [(row["item"], int(row["quantity"])) for row in csv.DictReader(io.StringIO(text))]


@knitbone.adapt
def events():
    text = ask('Write one JSON object per line: {"time": "HH:MM", "event": "..."}')
    found = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [(event["time"], event["event"]) for event in found]


@knitbone.adapt
def points():
    text = ask("Return the corners of the polygon as a Python list of (x, y) tuples.")
    return [(float(x), float(y)) for x, y in ast.literal_eval(text)]


@knitbone.adapt
def deployment():
    text = ask("Write the deployment as YAML with the keys name, replicas and ports (a list).")
    config = yaml.safe_load(text)
    return config["name"], int(config["replicas"]), [int(port) for port in config["ports"]]


@knitbone.adapt
def books():
    text = ask("Return <books> with one <book year='...'>title</book> for each book. XML only.")
    root = ET.fromstring(text)
    return [(int(book.attrib["year"]), book.text) for book in root.findall("book")]


@knitbone.adapt
def patient():
    text = ask("Summarise the patient in three lines:\nName: ...\nAge: ...\nDose mg: ...")
    fields = {}
    for line in text.strip().splitlines():
        key, _, value = line.partition(": ")
        fields[key] = value
    return fields["Name"], int(fields["Age"]), float(fields["Dose mg"])


@knitbone.adapt
def tool_call():
    text = ask("Use the format\nThought: ...\nAction: <tool>\nAction Input: <JSON object>")
    match = re.search(r"Action: (\w+)\nAction Input: (\{.*\})", text, re.DOTALL)
    if not match:
        raise ValueError(f"cannot parse: {text}")
    return match.group(1), json.loads(match.group(2))

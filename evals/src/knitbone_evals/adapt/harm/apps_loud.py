"""Applications with defaults, except branches and arithmetic behind the parse: class 2."""

import ast
import json
import re
from dataclasses import dataclass
from enum import Enum

import yaml
from pydantic import BaseModel

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


@knitbone.adapt
def order_total():
    text = ask('Extract the order as JSON: {"price": <number>, "quantity": <integer>}')
    order = json.loads(text)
    return order["price"] * order["quantity"]


@knitbone.adapt
def visitor_count():
    text = ask('How many visitors does the text name? JSON: {"count": <integer>}')
    return json.loads(text).get("count", 0)


class Contact(BaseModel):
    name: str
    email: str | None = None
    age: int | None = None


@knitbone.adapt
def contact():
    text = ask("Extract the contact as JSON with name, email and age. Use null if unknown.")
    return Contact.model_validate_json(text)


@knitbone.adapt
def temperature_or_zero():
    text = ask("What is the temperature in the room? Answer as 'Temperature: <number> C'.")
    match = re.search(r"Temperature: (-?\d+(?:\.\d+)?) C", text)
    if not match and "Temperature" not in text:
        raise ValueError("the answer names no temperature")
    return float(match.group(1))


class Priority(Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@knitbone.adapt
def ticket_priority():
    text = ask('Triage the ticket. JSON only: {"priority": "low" | "medium" | "high"}')
    ticket = json.loads(text)
    return Priority(ticket.get("priority") or "low")


@knitbone.adapt
def hashtags():
    text = ask("Suggest hashtags for the post, one per line, each beginning with #.")
    tags = [line for line in text.splitlines() if line.startswith("#")]
    if not tags:
        raise ValueError("no hashtags")
    return tags


@knitbone.adapt
def retry_settings():
    text = ask("Write the retry settings as YAML: retry: {attempts: <int>, delay: <seconds>}")
    settings = yaml.safe_load(text)["retry"]
    return settings.get("attempts", 3), settings.get("delay", 1.0)


@knitbone.adapt
def expense_sum():
    text = ask('List the expenses as a JSON array of {"what": text, "amount": number in EUR}.')
    return round(sum(expense["amount"] for expense in json.loads(text)), 2)


@dataclass
class Job:
    title: str
    salary: int = 0
    remote: bool = False


@knitbone.adapt
def job():
    text = ask("Extract the job as JSON with title, salary (integer) and remote (boolean).")
    return Job(**json.loads(text))


@knitbone.adapt
def allergies():
    text = ask("Return the patient's allergies as a Python list of strings, [] if none.")
    found = ast.literal_eval(text)
    if not isinstance(found, list):
        raise TypeError("expected a list")
    return [str(item) for item in found]


@knitbone.adapt
def risk_flags():
    text = ask('Report JSON {"fraud": true|false, "reasons": [texts]}')
    try:
        report = json.loads(text)
    except json.JSONDecodeError as error:
        raise RuntimeError("unreadable report") from error
    return bool(report.get("fraud")), report.get("reasons", [])

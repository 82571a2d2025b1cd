"""Applications whose values a validator reads: class 6."""

# ruff: noqa: DTZ007 - dates, not times

import json
import re
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Literal

from pydantic import BaseModel, Field

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


class Person(BaseModel):
    name: str
    age: int


@knitbone.adapt
def person():
    text = ask("Extract the person as JSON with name and age (whole years).")
    return Person.model_validate_json(text)


class Booking(BaseModel):
    guest: str
    confirmed: bool


@knitbone.adapt
def booking():
    text = ask("Is the booking confirmed? JSON with guest (text) and confirmed (boolean).")
    return Booking.model_validate_json(text)


class Rating(BaseModel):
    stars: Literal[1, 2, 3, 4, 5]


@knitbone.adapt
def rating():
    text = ask('Rate the product. JSON: {"stars": 1 | 2 | 3 | 4 | 5}')
    return Rating.model_validate_json(text).stars


class Status(Enum):
    OPEN = "open"
    PENDING = "pending"
    CLOSED = "closed"


@knitbone.adapt
def status():
    text = ask("What is the status of the issue? Answer with one word: open, pending or closed.")
    return Status(text.strip().lower())


@knitbone.adapt
def price():
    text = ask("What does the ticket cost? Answer with the number only, in USD.")
    return Decimal(text.strip())


@knitbone.adapt
def market_share():
    text = ask('What is the market share? JSON: {"share": <fraction between 0 and 1>}')
    share = float(json.loads(text)["share"])
    if not 0 <= share <= 1:
        raise ValueError("a share lies between 0 and 1")
    return share


@knitbone.adapt
def due_date():
    text = ask("When is the invoice due? Answer with the date only, as DD.MM.YYYY.")
    return datetime.strptime(text.strip(), "%d.%m.%Y").date()


@knitbone.adapt
def is_spam():
    text = ask("Is this message spam? Answer yes or no.")
    return {"yes": True, "no": False}[text.strip().lower()]


class Label(BaseModel):
    label: str
    confidence: float = Field(ge=0, le=1)


@knitbone.adapt
def label():
    text = ask('Classify the text. JSON: {"label": text, "confidence": number from 0 to 1}')
    return Label(**json.loads(text))


@knitbone.adapt
def equation():
    text = ask("Solve the equation. Answer in the form x=<integer>.")
    left, right = text.strip().split("=")
    if left.strip() != "x":
        raise ValueError("expected x=...")
    return int(right)


@knitbone.adapt
def duration():
    text = ask("How long does the job take? Answer in the form 'Duration: <integer> s'.")
    return int(re.search(r"^Duration: (\d+) s$", text.strip()).group(1))


@knitbone.adapt
def grade():
    text = ask("Grade the essay with one letter from A to F.")
    letter = text.strip()
    if letter not in ("A", "B", "C", "D", "E", "F"):
        raise ValueError("no grade")
    return letter

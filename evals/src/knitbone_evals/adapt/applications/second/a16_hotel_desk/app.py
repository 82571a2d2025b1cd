"""Hotel desk bot: a state machine that fills the booking slot by slot, keeping the conversation as history."""
import os
from datetime import date, timedelta
from enum import Enum, auto

from openai import OpenAI

RATES = {"single": 80, "double": 120, "suite": 210}


class State(Enum):
    ARRIVAL = auto()
    NIGHTS = auto()
    ROOM = auto()
    DISCOUNT = auto()
    DONE = auto()


def on_arrival(booking, answer):
    booking["arrive"] = date.fromisoformat(answer)
    return State.NIGHTS


def on_nights(booking, answer):
    booking["nights"] = int(answer)
    return State.ROOM


def on_room(booking, answer):
    booking["room"] = answer.lower()
    booking["rate"] = RATES[booking["room"]]
    return State.DISCOUNT


def on_discount(booking, answer):
    if not answer.endswith("%"):
        raise ValueError("percentage expected: " + answer)
    booking["discount"] = int(answer[:-1])
    return State.DONE


MACHINE = {
    State.ARRIVAL: ("When does the guest arrive? Answer as YYYY-MM-DD.", on_arrival),
    State.NIGHTS: ("How many nights? Answer with a number.", on_nights),
    State.ROOM: ("Which room: single, double or suite? One word.", on_room),
    State.DISCOUNT: ("Which discount does the guest have? A percentage like 5%, or 0% without any.", on_discount),
}


def run(request: str):
    client = OpenAI(base_url=os.environ.get("OPENAI_BASE_URL"))
    history = [
        {"role": "system", "content": "You answer questions of the booking system about a guest's message. Be brief."},
        {"role": "user", "content": "The guest wrote:\n" + request},
        {"role": "assistant", "content": "Understood. What would you like to know?"},
    ]
    booking = {}
    state = State.ARRIVAL
    while state is not State.DONE:
        question, step = MACHINE[state]
        history.append({"role": "user", "content": question})
        reply = client.chat.completions.create(model="gpt-3.5-turbo", messages=history)
        answer = reply.choices[0].message.content.strip()
        history.append({"role": "assistant", "content": answer})
        state = step(booking, answer)
    total = booking["nights"] * booking["rate"] * (100 - booking["discount"]) / 100
    return {
        "arrive": booking["arrive"].isoformat(),
        "leave": (booking["arrive"] + timedelta(days=booking["nights"])).isoformat(),
        "room": booking["room"],
        "total": round(total, 2),
    }

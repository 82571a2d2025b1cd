"""School IT helpdesk: put an incoming ticket into a queue with a priority."""
import os

import requests

BASE = os.environ["OPENAI_BASE_URL"].rstrip("/")
KEY = os.environ.get("OPENAI_API_KEY", "")
SESSION = requests.Session()
SESSION.headers.update({"Authorization": "Bearer " + KEY})

SYSTEM = "You sort tickets for the IT helpdesk of a school. Answer briefly."


def chat(question, ticket):
    r = SESSION.post(
        BASE + "/chat/completions",
        json={
            "model": "llama-3.1-8b-instruct",
            "temperature": 0,
            "max_tokens": 200,
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": question + "\n\nTicket:\n" + ticket},
            ],
        },
        timeout=60,
    )
    r.raise_for_status()
    return r.json()["choices"][0]["message"]["content"]


def to_workshop(priority):
    return {"queue": "workshop", "priority": priority, "hours": 48 // priority}


def to_directory(priority):
    return {"queue": "directory", "priority": priority, "hours": 12 // priority}


def to_cabling(priority):
    return {"queue": "cabling", "priority": priority, "hours": 24 // priority}


def to_copyroom(priority):
    return {"queue": "copyroom", "priority": priority, "hours": 36 // priority}


def to_frontdesk(priority):
    return {"queue": "frontdesk", "priority": priority, "hours": 72}


DISPATCH = {
    "hardware": to_workshop,
    "account": to_directory,
    "network": to_cabling,
    "printing": to_copyroom,
}


def run(request: str):
    category = chat(
        "What is this ticket about? Answer with one word: hardware, account, network or printing.", request
    )
    handler = DISPATCH.get(category.strip().lower(), to_frontdesk)
    priority = int(chat("Which priority does the teacher give? A single digit, 1 (low) to 4 (urgent).", request))
    if not 1 <= priority <= 4:
        raise ValueError(f"priority {priority}")
    return handler(priority)


if __name__ == "__main__":
    import sys

    print(run(sys.stdin.read()))

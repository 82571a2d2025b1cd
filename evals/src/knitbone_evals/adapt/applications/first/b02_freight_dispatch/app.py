import os
import sys

import requests

# ---------------------------------------------------------------------------
# dispatch.py - assigns a dock to whatever the shippers write us.
# Used from cron and from the gate's terminal.
# ---------------------------------------------------------------------------

URL = os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions"
KEY = os.environ.get("OPENAI_API_KEY", "")
MODEL = "mistral-small-latest"

DOCK_LOAD = {"COLD-1": 0, "CAGE-4": 0, "YARD": 0, "BELT-2": 0, "SILO": 0}
LAST_ERROR = None


def ask(question, text):
    global LAST_ERROR
    body = {
        "model": MODEL,
        "temperature": 0,
        "messages": [
            {"role": "system", "content": question},
            {"role": "user", "content": text},
        ],
    }
    r = requests.post(URL, json=body, headers={"Authorization": "Bearer " + KEY}, timeout=120)
    if r.status_code != 200:
        LAST_ERROR = r.text
        r.raise_for_status()
    return r.json()["choices"][0]["message"]["content"]


Q_KIND = (
    "What kind of freight is this? Answer with one word, one of: "
    "reefer, hazmat, oversize, parcel, bulk. "
    "reefer = must be kept cold or frozen; hazmat = dangerous goods; "
    "oversize = too large for a normal trailer; parcel = small boxes; bulk = loose goods like grain or sand."
)

Q_WEIGHT = (
    "Extract the total weight in kg and the pickup time from the message. "
    "Answer like this: 1250|16:45  (whole kilograms, a pipe, 24-hour time). No other text."
)


def choose_dock(kind):
    if kind == "reefer":
        return "COLD-1", True
    elif kind == "hazmat":
        return "CAGE-4", True
    elif kind == "oversize":
        return "YARD", True
    elif kind == "parcel":
        return "BELT-2", False
    elif kind == "bulk":
        return "SILO", False
    else:
        # the shift leader decides by hand
        return "DESK", True


def run(request: str):
    kind = ask(Q_KIND, request).strip()
    dock, escort = choose_dock(kind)

    kg, pickup = ask(Q_WEIGHT, request).split("|")
    kg = int(kg)
    hour, minute = pickup.split(":")
    slot = int(hour) * 60 + int(minute)
    if not 0 <= slot < 1440:
        raise ValueError("no such time: " + pickup)

    if dock in DOCK_LOAD:
        DOCK_LOAD[dock] += kg

    if kg > 24000:
        trucks = 2
    else:
        trucks = 1

    return {"dock": dock, "escort": escort, "kg": kg, "slot": slot, "trucks": trucks}


if __name__ == "__main__":
    for line in sys.stdin:
        if line.strip():
            print(run(line.strip()))
    print("load:", DOCK_LOAD, file=sys.stderr)

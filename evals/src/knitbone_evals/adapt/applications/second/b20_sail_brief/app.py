"""Makes the skipper's brief for the evening radio.  Sections under headings, read one by one."""
import os
import re

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI

LLM = None
HISTORY = []          # what went over the model so far, oldest first
MAX_HISTORY = 6

SYSTEM = SystemMessage("""You prepare a passage brief for a sailing boat. Use this layout, with exactly these headings:

## Departure
HH:MM

## Course
degrees as three digits, e.g. 045

## Speed
low to high in knots, e.g. 4 to 6

## Warnings
- one bullet per warning, at most four words each; the word none if there are no warnings
""")

EXAMPLE = [
    HumanMessage("We leave at six in the morning, steering 120, between 3 and 5 knots. Beware of fishing nets."),
    AIMessage("## Departure\n06:00\n\n## Course\n120\n\n## Speed\n3 to 5\n\n## Warnings\n- fishing nets"),
]


def ask(text):
    global LLM
    if LLM is None:
        LLM = ChatOpenAI(model="gpt-4o-mini", temperature=0, base_url=os.environ["OPENAI_BASE_URL"],
                         api_key=os.environ.get("OPENAI_API_KEY", "none"), max_retries=0)
    HISTORY.append(HumanMessage(text))
    answer = LLM.invoke([SYSTEM] + EXAMPLE + HISTORY[-1:])
    HISTORY.append(answer)
    del HISTORY[:-MAX_HISTORY]
    return answer.content


def sections(text):
    parts = re.split(r"^## (\w+)\n", text, flags=re.M)
    return {parts[i]: parts[i + 1].strip() for i in range(1, len(parts), 2)}


def read_departure(body):
    if not re.match(r"^[0-2]\d:[0-5]\d$", body):
        raise ValueError("departure? " + body)
    return body


def read_course(body):
    course = int(body)
    if course < 0 or course > 360:
        raise ValueError("course? " + body)
    return course


def read_speed(body):
    low, high = body.split(" to ")
    return [float(low), float(high)]


def read_warnings(body):
    if body == "none":
        return []
    return [line[2:].lower() for line in body.split("\n") if line.startswith("- ")]


READERS = {
    "Departure": read_departure,
    "Course": read_course,
    "Speed": read_speed,
    "Warnings": read_warnings,
}


def run(request: str):
    found = sections(ask(request))
    return {name.lower(): reader(found[name]) for name, reader in READERS.items()}

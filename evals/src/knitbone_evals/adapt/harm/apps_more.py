"""More applications that read short lists, settings and forms: classes 1, 3 and 5."""

import configparser
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, TypeAdapter

import knitbone

ANSWER = [""]


@knitbone.source
def ask(prompt):  # noqa: ARG001
    return ANSWER[0]


@knitbone.adapt
def related_ids():
    text = ask("Which tickets are related? Answer with their numbers, separated by commas.")
    return [int(number) for number in text.split(",")]


@knitbone.adapt
def coordinates():
    text = ask("Where does the tower stand? Answer only 'latitude, longitude' in decimal degrees.")
    latitude, longitude = map(float, text.strip().split(","))
    return latitude, longitude


@knitbone.adapt
def haiku():
    text = ask('Write a haiku as JSON: {"title": "...", "lines": ["...", "...", "..."]}')
    poem = json.loads(text)
    if len(poem["lines"]) != 3:
        raise ValueError("a haiku has three lines")
    return poem["title"], poem["lines"]


@knitbone.adapt
def shell_commands():
    text = ask("Which commands install it? One ```bash block, one command per line.")
    block = re.search(r"```bash\n(.*?)\n```", text, re.DOTALL)
    return [line for line in block.group(1).splitlines() if line and not line.startswith("#")]


@dataclass
class Meeting:
    when: datetime
    attendees: list[str]
    minutes: int


@knitbone.adapt
def meeting():
    text = ask('JSON: {"when": "YYYY-MM-DDTHH:MM", "attendees": [names], "minutes": integer}')
    data = json.loads(text)
    return Meeting(
        when=datetime.fromisoformat(data["when"]),
        attendees=list(data["attendees"]),
        minutes=int(data["minutes"]),
    )


@knitbone.adapt
def environment():
    text = ask("Write the .env file with HOST, PORT and DEBUG (0 or 1). Nothing else.")
    values = {}
    for number, line in enumerate(text.strip().splitlines(), 1):
        key, equals, value = line.partition("=")
        if not equals or not key.isupper() or not key.isalpha():
            raise ValueError(f"line {number}: {line}")
        values[key] = value
    return values["HOST"], int(values["PORT"]), values["DEBUG"] == "1"


@knitbone.adapt
def ini_settings():
    text = ask("Write an INI file with the section [server] and the options host and port.")
    parser = configparser.ConfigParser()
    parser.read_string(text)
    return parser.get("server", "host"), parser.getint("server", "port")


class Reply(BaseModel):
    question: int
    choice: Literal["a", "b", "c", "d"]


@knitbone.adapt
def exam():
    text = ask('Answer the three questions: [{"question": 1, "choice": "a"|"b"|"c"|"d"}, ...]')
    replies = TypeAdapter(list[Reply]).validate_json(text)
    return {reply.question: reply.choice for reply in replies}


@knitbone.adapt
def pantry():
    text = ask("List the pantry, one line each: <item> <amount> <unit>, e.g. 'rice 2 kg'.")
    rows = []
    for line in text.strip().splitlines():
        item, amount, unit = line.split()
        rows.append((item, float(amount), unit))
    return rows

"""What the latency benchmark runs: one small application for each kind of requirement, an answer
of about 2 KB that conforms, the same with a fault, and the consumer's own reader."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import msgspec

__all__ = ["KINDS", "POINTS", "TASKS", "Kind", "adversarial", "essay", "source_of"]


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One way to consume an answer."""

    name: str
    consumer: str
    """Source text of a function ``consume(text)``, as an application has it."""
    read: Callable[[str], Any]
    """The same, to be timed."""
    conforming: str
    faulty: str
    parses: bool = True
    """Whether the consumer has a parser, or an expression."""


TASKS = (
    ("Order name badges for the speakers", "Get the speakers' name badges ordered"),
    ("Check the fire extinguishers", "Inspect the fire extinguishers"),
    ("Print the programme leaflets", "Have the programme leaflets printed"),
    ("Call the caterer about allergies", "Phone the caterer regarding allergies"),
    ("Put up the signs at the entrance", "Hang up the entrance signs"),
    ("Test the microphones on stage", "Try out the stage microphones"),
    ("Rent forty folding chairs", "Hire forty folding chairs"),
    ("Collect the keys from the caretaker", "Pick up the keys from the caretaker"),
    ("Empty the bins behind the hall", "Clear out the bins behind the hall"),
    ("Brief the parking stewards", "Instruct the parking stewards"),
    ("Count the cash box", "Count the money in the cash box"),
    ("Fill the water dispensers", "Refill the water dispensers"),
    ("Sweep the dance floor", "Sweep the floor for dancing"),
    ("Write thank-you letters to sponsors", "Write letters of thanks to the sponsors"),
    ("Photograph the opening speech", "Take photos of the opening speech"),
    ("Unload the stage lights", "Unload the lights for the stage"),
    ("Register the late arrivals", "Sign in the late arrivals"),
    ("Sell raffle tickets", "Sell tickets for the raffle"),
    ("Lay out the first-aid kit", "Set out the first-aid kit"),
    ("Lock the side doors", "Lock up the side doors"),
    ("Coil the extension cables", "Wind up the extension cables"),
    ("Fetch ice from the fishmonger", "Get ice from the fishmonger"),
    ("Tune the piano", ""),
    ("Babysit the performers' dog", ""),
    ("Update the guest list", ""),
    ("Wash the coffee cups", ""),
    ("Guard the wardrobe", ""),
    ("Bake two trays of cinnamon rolls", ""),
    ("Show the mayor to her seat", ""),
    ("Return the borrowed tents", ""),
)
"""A task and, where there is one, the same in other words."""

POINTS = (
    (
        "The launch moves to the third week of May",
        "The launch was shifted to the third week of May",
    ),
    (
        "Greta writes the data protection notice",
        "The data protection notice will be written by Greta",
    ),
    ("The old server is switched off on Friday", "On Friday the old server gets switched off"),
    ("Marketing wants shorter product names", "Shorter product names are wanted by marketing"),
    (
        "Nobody has tested the export on a phone",
        "The export has not been tested on a phone by anybody",
    ),
    ("The budget for travel is cut by a tenth", "The travel budget is reduced by a tenth"),
    ("Support reports slow logins from Asia", "Slow logins from Asia are reported by support"),
    ("Hugo asks the lawyers about the licence", "Hugo will ask the lawyers about the licence"),
    ("The next meeting takes place in Lyon", "The next meeting will be held in Lyon"),
    ("Two interns start in the summer", "In the summer two interns will start"),
    ("The printer on the second floor is broken", "The second floor's printer is broken"),
    ("Customers miss a search in the archive", "Customers miss being able to search the archive"),
    ("Invoices go out on paper until autumn", "Until autumn, invoices are sent on paper"),
    ("The warehouse needs a second forklift", "A second forklift is needed in the warehouse"),
    ("Ines presents the survey in June", "The survey will be presented by Ines in June"),
    ("Backups are kept for ninety days", ""),
    ("The canteen closes during the holidays", ""),
    ("Recruiting pauses for the designer role", ""),
    ("The logo keeps its green tone", ""),
    ("A consultant audits the payroll", ""),
    ("Bicycle stands are built next to gate four", ""),
    ("Translations arrive one week late", ""),
)
"""A point of a meeting and, where there is one, the same in other words."""

_TASKS = [f"Carry box number {n} up to the third floor and sign the list there" for n in range(28)]
_LIST = "\n".join(f"{n}. {task}" for n, task in enumerate(_TASKS, 1))
_ITEM = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_ROWS = [{"name": f"item {n}", "count": n, "needs": ["a ladder", "tape"]} for n in range(38)]
_JSON = json.dumps({"title": "A list", "rows": _ROWS})
_XML = (
    "<list>"
    + "".join(f"<row><name>item {n}</name><count>{n}</count></row>" for n in range(44))
    + "</list>"
)
_CSV = "name,count,place\n" + "\n".join(f"item {n},{n},third floor of house {n}" for n in range(60))
_CODE = "\n\n".join(
    f"def step_{n}(value, other={n}):\n    total = value * {n} + other\n    return total or {n}"
    for n in range(26)
)
_FENCED = f"Here is the code:\n\n```python\n{_CODE}\n```\n"
_SQL = "SELECT name, count FROM items WHERE " + " OR ".join(
    f"(count > {n} AND name = 'item {n}')" for n in range(52)
)
_LITERAL = repr({f"item {n}": (n, "third floor", True) for n in range(52)})
_FENCE = re.compile(r"```python\n(.*?)\n```", re.DOTALL)


def _execute(text: str) -> Any:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE items (name TEXT, count INTEGER)")
        return database.execute(text).fetchall()


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


_JSONL = "\n".join(json.dumps(row) for row in _ROWS)

KINDS = (
    Kind(
        name="regular template (numbered list)",
        consumer='return re.findall(r"^(\\d+)\\. (.+)$", text, re.M)',
        read=_ITEM.findall,
        conforming=_LIST,
        faulty=_LIST.replace(". ", ") "),
        parses=False,
    ),
    Kind(
        name="numbered list of 1.4 KB",
        consumer='return re.findall(r"^(\\d+)\\. (.+)$", text, re.M)',
        read=_ITEM.findall,
        conforming=_LIST[:1400],
        faulty=_LIST[:1400].replace(". ", ") "),
        parses=False,
    ),
    Kind(
        name="fence",
        consumer='return re.search(r"```python\\n(.*?)\\n```", text, re.S).group(1)',
        read=_FENCE.search,
        conforming=_FENCED,
        faulty=_FENCED.replace("```python", "```py"),
        parses=False,
    ),
    Kind(
        name="JSON",
        consumer='data = json.loads(text)\n    return [(row["name"], row["count"] + 1) '
        'for row in data["rows"]]',
        read=json.loads,
        conforming=_JSON,
        faulty=_JSON.replace("]}]}", "],}],}"),
    ),
    Kind(
        name="JSON lines",
        consumer="return [json.loads(line) for line in text.splitlines()]",
        read=_lines,
        conforming=_JSONL,
        faulty=_JSONL.replace("}\n", "},\n"),
    ),
    Kind(
        name="XML",
        consumer='return [row.find("name").text for row in ElementTree.fromstring(text)]',
        read=ET.fromstring,
        conforming=_XML,
        faulty=_XML.replace("</count></row>", "</row>", 1),
    ),
    Kind(
        name="CSV",
        consumer='return [(row["name"], int(row["count"])) for row in '
        "csv.DictReader(io.StringIO(text))]",
        read=lambda text: list(csv.DictReader(io.StringIO(text))),
        conforming=_CSV,
        faulty=_CSV.replace(",", ";"),
    ),
    Kind(
        name="Python literal",
        consumer="return ast.literal_eval(text)",
        read=ast.literal_eval,
        conforming=_LITERAL,
        faulty=_LITERAL.replace("True", "true"),
    ),
    Kind(
        name="Python code",
        consumer="exec(text, {})",
        read=ast.parse,
        conforming=_CODE,
        faulty=_CODE.replace("other=3):", "other=3)"),
    ),
    Kind(
        name="SQL",
        consumer='return sqlite3.connect("shop.db").execute(text).fetchall()',
        read=_execute,
        conforming=_SQL,
        faulty=f"{_SQL} ORDER BY count,",
    ),
)


def source_of(kind: Kind) -> str:
    """An application of this kind."""
    return (
        "import ast, csv, io, json, re, sqlite3\n"
        "import xml.etree.ElementTree as ElementTree\n"
        "from openai import OpenAI\n\n\n"
        f"def consume(text):\n    {kind.consumer}\n\n\n"
        "def ask(question):\n"
        "    response = OpenAI().chat.completions.create(\n"
        '        model="m", messages=[{"role": "user", "content": question}]\n'
        "    )\n"
        "    return consume(response.choices[0].message.content)\n"
    )


def essay(number: int, sentences: int = 40, reworded: int = 10) -> str:
    """An answer of so many sentences, of which the last ones were said before in other words.
    Another answer for each number: no sentence of one stands in the other."""
    said = [first for first, _ in (*TASKS, *POINTS)][: sentences - reworded]
    days = [number * sentences + place for place in range(len(said))]
    plain = [f"{text} on day {day}." for text, day in zip(said, days, strict=True)]
    again = [
        f"On day {day}, {text[0].lower()}{text[1:]}."
        for text, day in list(zip(said, days, strict=True))[:reworded]
    ]
    return " ".join([*plain, *again])


def adversarial(size: int) -> Iterator[tuple[str, str]]:
    """Texts of a size, by name, that make careless checks slow."""
    for name, unit in (
        ("open braces", "{"),
        ("open brackets", "["),
        ("quotes", '"'),
        ("keys without end", '{"a": '),
        ("numbers of a list", "1. "),
        ("fences", "```python\n"),
        ("open tags", "<a>"),
        ("blanks", " "),
        ("backslashes", "\\"),
        ("open parentheses", "("),
        ("words", "word "),
        ("line breaks", "\n"),
    ):
        yield name, (unit * (size // len(unit) + 1))[:size]

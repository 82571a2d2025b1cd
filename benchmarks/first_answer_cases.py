"""What the first-answer benchmark runs: a small application for each kind of site, an answer that
conforms and one to be repaired."""

from __future__ import annotations

import msgspec

from benchmarks.adapt_latency_cases import KINDS

__all__ = ["CASES", "OPENAI", "Case"]

OPENAI = '''
"""Says what it is told to say, in the shape of the SDK."""

import json
from types import SimpleNamespace as Part

ANSWER = ""


class OpenAI:
    def __init__(self):
        self.chat = Part(completions=Part(create=create))


def create(*, stream=False, tools=None, **_):
    if stream:
        return (Part(choices=[Part(delta=Part(content=p))]) for p in ANSWER.splitlines(True))
    calls = [Part(function=Part(name="book", arguments=ANSWER))] if tools else None
    return Part(choices=[Part(message=Part(content=ANSWER, tool_calls=calls))])
'''
"""A module in place of the library: what is measured is ours."""

_HEAD = """\
import ast, csv, io, json, re, sqlite3
from datetime import datetime
import xml.etree.ElementTree as ElementTree
import openai
from openai import OpenAI


"""
_ASK = """\
def ask(question="What is next?"):
    response = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}]
    )
    return consume(response.choices[0].message.content)
"""
_ENTRIES = [
    "The library card costs nothing for residents of the town.",
    "A lost library card is replaced at the front desk for two euros.",
    "The library opens at nine and closes at six on working days.",
    "Children get a library card when a parent signs for them.",
]
_STRANGER = "Bake the pears at 180 degrees until the crust has turned golden."


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One way to consume an answer."""

    name: str
    source: str
    conforming: str
    faulty: str
    heavy: bool = False
    """Whether it needs the sentence embedder or a language model."""
    scenario: bool = False
    """Whether it is looked at only with the scenario requirements switched on."""


def _chat(name: str, consumer: str, conforming: str, faulty: str, **more: bool) -> Case:
    body = f"def consume(text):\n    {consumer}\n\n\n{_ASK}"
    return _own(name, body, conforming, faulty, **more)


def _own(name: str, body: str, conforming: str, faulty: str, **more: bool) -> Case:
    return Case(name=name, source=_HEAD + body, conforming=conforming, faulty=faulty, **more)


_TOOLS = """\
TOOLS = [{"type": "function", "function": {"name": "book", "parameters": {
    "type": "object", "required": ["city", "nights"],
    "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}}}}]


def book(city, nights):
    return city, nights + 1


def ask(question="Book it"):
    response = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}], tools=TOOLS
    )
    call = response.choices[0].message.tool_calls[0]
    return book(**json.loads(call.function.arguments))
"""
_STREAM = """\
def ask(question="What is next?"):
    stream = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}], stream=True
    )
    text = ""
    for part in stream:
        text += part.choices[0].delta.content or ""
    return re.findall(r"^(\\d+)\\. (.+)$", text, re.M)
"""
_RETRIEVER = """\
def ask(question="What does a lost library card cost?"):
    docs = openai.ANSWER.splitlines()
    words = set(question.lower().split())
    hits = sorted(docs, key=lambda doc: -len(words & set(doc.lower().split())))
    context = "\\n".join(hits)
    return OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": context + question}]
    ) and context
"""
_SPLITTER = """\
def ask(question="What is next?"):
    text = openai.ANSWER
    pieces = [text[start : start + 80] for start in range(0, len(text), 80)]
    for piece in pieces:
        OpenAI().chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Sum up: " + piece}]
        )
    return pieces
"""
_PROSE = " ".join(
    f"The parcel number {n} is left with the neighbour of house {n}." for n in range(9)
)
_YAML = "title: A list\nrows:\n" + "".join(
    f"  - name: item {n}\n    count: {n}\n" for n in range(30)
)
_BY_NAME = {kind.name: kind for kind in KINDS}

_REPAIRABLE = {
    "XML": _BY_NAME["XML"].conforming.replace("item 3<", "item & 3<"),
    "SQL": f"```sql\n{_BY_NAME['SQL'].conforming}\n```",
}
"""Where the latency benchmark measures what is refused."""

CASES: tuple[Case, ...] = (
    *(
        _chat(kind.name, kind.consumer, kind.conforming, _REPAIRABLE.get(kind.name, kind.faulty))
        for kind in KINDS
    ),
    _chat(
        "constants",
        'return {"yes": 1, "no": 0, "unclear": None}[text]',
        "yes",
        "Yes.",
    ),
    _chat(
        "dates",
        "return datetime.strptime(text, '%Y-%m-%d')",
        "2024-03-01",
        "**March 1, 2024**",
    ),
    _chat(
        "YAML", "import yaml; return yaml.safe_load(text)['rows']", _YAML, f"```yaml\n{_YAML}```"
    ),
    _chat(
        "fenced SQL",
        "return re.search(r'```sql\\n(.*?)\\n```', text, re.S).group(1)",
        f"Here it is:\n\n```sql\n{_BY_NAME['SQL'].conforming}\n```\n",
        f"Here it is:\n\n```SQL\n{_BY_NAME['SQL'].conforming}\n```\n",
    ),
    _own(
        "tool arguments",
        _TOOLS,
        '{"city": "Rome", "nights": 2}',
        '{"city": "Rome", "nights": "2",}',
    ),
    _own("stream", _STREAM, _BY_NAME[KINDS[0].name].conforming, KINDS[0].faulty),
    _own("splitter", _SPLITTER, "x" * 80, _PROSE, scenario=True),
    _own(
        "retriever",
        _RETRIEVER,
        "\n".join(_ENTRIES),
        "\n".join([*_ENTRIES, _STRANGER]),
        heavy=True,
        scenario=True,
    ),
    _chat("prose", "return text", _PROSE, f"{_PROSE} {_PROSE}", heavy=True, scenario=True),
)

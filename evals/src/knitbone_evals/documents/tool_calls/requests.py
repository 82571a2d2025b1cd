"""Requests that fix every value of one tool call, so that the intended call is known beforehand.

A tool is a name, a documentation, the schema of its parameters, and a request with a placeholder
for each value; the values are drawn from pools. Each request offers the wanted tool beside two
others, in one of three ways: as tools of the request, as schemas in the prompt, or as a signature
whose arguments alone are asked for.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

__all__ = ["WAYS", "CallRequest", "Tool", "call_requests"]

Way = Literal["tools", "prompt", "arguments"]
WAYS: tuple[Way, ...] = ("tools", "prompt", "arguments")

_PEOPLE = ["Ana Petrović", "O'Brien", "Li Wei", "Jean-Luc Moreau", "Dr. Lind", "Müller & Söhne"]
_TITLES = [
    'The "quiet" hour', "Don't panic", "Budget Q3/Q4", "C:\\temp is full", "R&D: next steps",
    "Was tun?", "50% off, today only", "Re: Re: invoice #221", "Step 1: plug it in",
]  # fmt: skip
_TEXTS = [
    'She said "no" and left.',
    "It's fine; we'll ship it on Monday.",
    "Use {name} as the placeholder and [x] for done.",
    'Run `pip install "pkg[all]"` first.',
    "Total: $1,200.50 (incl. VAT)",
    "Line one\nLine two",
    "a, b, and c",
    "Please confirm: yes/no?",
]
_CITIES = ["São Paulo", "New York, NY", "Zürich", "Reykjavík", "Springfield"]
_DATES = ["2026-03-01", "2025-12-31", "2027-07-15"]
_CODES = ['print("hi")', "SELECT * FROM t WHERE a = 'x'", "if a < b: pass", 'echo "$HOME"']
_PATTERNS = [r"^\d{4}-\d{2}$", r"\bcat\b", r"[A-Z]+\.txt"]
_TAGS = [["urgent"], ["red", "blue"], ["a-1", "b-2", "c-3"], ["to do", "next week"]]
_INTEGERS = [0, 1, 7, 12, 40, 365, 10000]
_NUMBERS = [0.5, 12.75, 99.9, 1500.0, -3.25]
_FLAGS = [True, False]


def _text(pool: list[str]) -> tuple[dict[str, Any], list[Any]]:
    return {"type": "string"}, list(pool)


def _choice(*options: str) -> tuple[dict[str, Any], list[Any]]:
    return {"type": "string", "enum": list(options)}, list(options)


def _integer(pool: list[int] = _INTEGERS) -> tuple[dict[str, Any], list[Any]]:
    return {"type": "integer"}, list(pool)


def _number() -> tuple[dict[str, Any], list[Any]]:
    return {"type": "number"}, list(_NUMBERS)


def _flag() -> tuple[dict[str, Any], list[Any]]:
    return {"type": "boolean"}, list(_FLAGS)


def _list() -> tuple[dict[str, Any], list[Any]]:
    return {"type": "array", "items": {"type": "string"}}, list(_TAGS)


def _maybe(pool: list[str]) -> tuple[dict[str, Any], list[Any]]:
    return {"type": ["string", "null"]}, [None, *pool]


def _nested(**fields: tuple[dict[str, Any], list[Any]]) -> tuple[dict[str, Any], list[Any]]:
    rng = random.Random("nested")
    schema = {
        "type": "object",
        "properties": {name: kind for name, (kind, _) in fields.items()},
        "required": list(fields),
    }
    drawn = [{name: rng.choice(pool) for name, (_, pool) in fields.items()} for _ in range(6)]
    return schema, drawn


def _records(**fields: tuple[dict[str, Any], list[Any]]) -> tuple[dict[str, Any], list[Any]]:
    schema, drawn = _nested(**fields)
    return {"type": "array", "items": schema}, [drawn[:1], drawn[1:3], drawn[3:6]]


class Tool(NamedTuple):
    """One tool, and how a person asks for it."""

    name: str
    about: str
    request: str
    """With ``{field}`` for each value."""
    fields: dict[str, tuple[dict[str, Any], list[Any]]]

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of the arguments."""
        return {
            "type": "object",
            "properties": {name: schema for name, (schema, _) in self.fields.items()},
            "required": list(self.fields),
            "additionalProperties": False,
        }


TOOLS = (
    Tool("create_event", "Put an event into the calendar.",
         "Put an event titled {title} into the calendar on {date}, {minutes} minutes long, with "
         "private = {private}.",
         {"title": _text(_TITLES), "date": _text(_DATES), "minutes": _integer(),
          "private": _flag()}),
    Tool("send_mail", "Send a mail.",
         "Send a mail to {to} with the subject {subject} and exactly this body: {body}. The "
         "priority is {priority}.",
         {"to": _text(["ann@example.org", "o.brien@example.com"]), "subject": _text(_TITLES),
          "body": _text(_TEXTS), "priority": _choice("low", "normal", "high")}),
    Tool("book_table", "Reserve a table in a restaurant.",
         "Reserve a table for {guests} guests in {city} under the name {name}. Note: {note} (null "
         "means that there is none).",
         {"guests": _integer([1, 2, 7, 12]), "city": _text(_CITIES), "name": _text(_PEOPLE),
          "note": _maybe(_TEXTS)}),
    Tool("transfer_money", "Transfer an amount to an account.",
         "Transfer {amount} to the account {account}, currency {currency}, with the reference "
         "{reference}.",
         {"amount": _number(), "account": _text(["DE89 3704 0044", "00123", "GB29-NWBK"]),
          "currency": _choice("EUR", "USD", "CHF"), "reference": _text(_TITLES)}),
    Tool("run_code", "Run a piece of code.",
         "Run this code: {code} in the language {language}, with a timeout of {timeout} seconds.",
         {"code": _text(_CODES), "language": _choice("python", "sql", "bash"),
          "timeout": _number()}),
    Tool("search_files", "Find files whose text matches a regular expression.",
         "Search the folder {folder} for the regular expression {pattern}, ignore case = {ignore}, "
         "at most {limit} results.",
         {"folder": _text(["C:\\Users\\ann", "/var/log", "./src"]), "pattern": _text(_PATTERNS),
          "ignore": _flag(), "limit": _integer()}),
    Tool("create_ticket", "Open a ticket.",
         "Open a ticket with the title {title}, the description {description}, the labels {labels} "
         "and the severity {severity}.",
         {"title": _text(_TITLES), "description": _text(_TEXTS), "labels": _list(),
          "severity": _choice("minor", "major", "critical")}),
    Tool("ship_order", "Ship an order.",
         "Ship order {order} to this address: {address}. Express delivery: {express}.",
         {"order": _integer([221, 90017]),
          "address": _nested(street=_text(["5 Hill Rd", 'Haus "Rose" 7', "Rue de l'Est 12"]),
                             city=_text(_CITIES), zip=_text(["01067", "8004", "SW1A 1AA"])),
          "express": _flag()}),
    Tool("add_items", "Put items into a shopping list.",
         "Add these items to the list {list}: {items}.",
         {"list": _text(["Weekend", "Mum's birthday"]),
          "items": _records(name=_text(["Milk, 2 l", 'a 5" pipe', "Crème fraîche"]),
                            quantity=_integer([1, 2, 12]))}),
    Tool("set_thermostat", "Set the temperature of a room.",
         "Set the {room} to {degrees} degrees, mode {mode}.",
         {"room": _text(["living room", "Anna's room"]), "degrees": _number(),
          "mode": _choice("heat", "cool", "off")}),
    Tool("translate", "Translate a text.",
         "Translate this text into {language}: {text}. Formal: {formal}. Glossary: {glossary}.",
         {"text": _text(_TEXTS), "language": _choice("de", "fr", "pt-BR"), "formal": _flag(),
          "glossary": _list()}),
    Tool("update_profile", "Change the profile of a user.",
         "Set the profile of user {user}: nickname {nickname} (null removes it), birthday "
         "{birthday}, newsletter {newsletter}.",
         {"user": _integer([7, 365, 10000]), "nickname": _maybe(_PEOPLE),
          "birthday": _text(_DATES), "newsletter": _flag()}),
)  # fmt: skip


class CallRequest(NamedTuple):
    """One request, and the call it asks for."""

    key: str
    way: Way
    tools: tuple[Tool, ...]
    wanted: Tool
    arguments: dict[str, Any]
    text: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """What the model is told."""
        if self.way == "tools":
            return [{"role": "user", "content": self.text}]
        if self.way == "prompt":
            offered = "\n".join(
                json.dumps({"name": t.name, "description": t.about, "parameters": t.parameters})
                for t in self.tools
            )
            told = (
                f"You can call these tools:\n{offered}\n\nAnswer with one JSON object and nothing "
                'else: {"name": the tool, "arguments": its arguments}'
            )
        else:
            told = (
                f"Fill in the arguments of the tool {self.wanted.name}: {self.wanted.about} Answer "
                "with a JSON object of the arguments, by this schema and nothing else:\n"
                + json.dumps(self.wanted.parameters)
            )
        return [{"role": "system", "content": told}, {"role": "user", "content": self.text}]

    @property
    def target(self) -> dict[str, Any]:
        """The schema of what is wanted from the answer."""
        if self.way == "arguments":
            return self.wanted.parameters
        return {"anyOf": [_call_schema(tool) for tool in self.tools]}

    @property
    def intended(self) -> Any:
        """The value that the request asks for."""
        if self.way == "arguments":
            return self.arguments
        return {"name": self.wanted.name, "arguments": self.arguments}


def _call_schema(tool: Tool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": tool.parameters},
        "required": ["name", "arguments"],
    }


def call_requests(count: int, seed: int = 1) -> Iterator[CallRequest]:
    """Requests of all tools in all ways, evenly, drawn from a seed."""
    rng = random.Random(f"tool calls {seed}")
    for number in range(count):
        wanted = TOOLS[number % len(TOOLS)]
        way = WAYS[number // len(TOOLS) % len(WAYS)]
        others = rng.sample([tool for tool in TOOLS if tool is not wanted], 2)
        offered = [wanted, *others]
        rng.shuffle(offered)
        arguments = {name: rng.choice(pool) for name, (_, pool) in wanted.fields.items()}
        spoken = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in arguments.items()
        }
        text = wanted.request.format(**spoken)
        yield CallRequest(f"{seed}-{number:03d}", way, tuple(offered), wanted, arguments, text)

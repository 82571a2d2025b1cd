"""What the templates of single-value consumers share: filling in a program, and drawing text."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

Draw = Callable[[Random], str]
Dress = Callable[[Random, str], str]


@dataclasses.dataclass(frozen=True)
class Consumer:
    """A small program that reads a model's answer, and answers that it reads."""

    name: str
    kind: str
    source: str
    draw: Draw
    literals: tuple[str, ...] = ()


class Built(NamedTuple):
    """One variation of a template, before it has a name."""

    source: str
    draw: Draw
    literals: tuple[str, ...] = ()


class Template(NamedTuple):
    """A family of programs, and the function that writes one of them."""

    name: str
    kind: str
    build: Callable[[Random], Built]


TEMPLATES: list[Template] = []


def template(kind: str) -> Callable[[Callable[[Random], Built]], Callable[[Random], Built]]:
    """Register the function below as a template of this kind."""

    def register(build: Callable[[Random], Built]) -> Callable[[Random], Built]:
        TEMPLATES.append(Template(build.__name__, kind, build))
        return build

    return register


def build_all(random: Random) -> Iterator[Consumer]:
    """One consumer of each registered template."""
    for name, kind, build in TEMPLATES:
        built = build(random)
        digest = hashlib.sha1(built.source.encode()).hexdigest()[:8]
        yield Consumer(f"{name}-{digest}", kind, built.source, built.draw, built.literals)


# Filling in a program

VARIABLES = ("answer", "reply", "text", "raw", "response", "out", "completion", "s", "llm_answer")
FUNCTIONS = ("classify", "run_step", "query_model", "get_result", "analyse", "call_llm", "evaluate")
ITEMS = (
    "I was charged twice in May.",
    "The parcel never came, and nobody answers the phone.",
    "Order 0042, 3 kg, paid with a gift card",
    "def add(a, b): return a + b",
    "Grüße aus Köln! Wie spät ist es?",
)


def quoted(text: str) -> str:
    """The text as a literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def tuple_of(words: Sequence[str]) -> str:
    """The words as the text of a tuple, list or set without its brackets."""
    return ", ".join(quoted(word) for word in words)


def fill(random: Random, prompt: str | Sequence[str], source: str, **values: object) -> str:
    """The program with its names, literals and prompt filled in.

    `<<v>>` is a variable, `<<f>>` a function, `<<ask>>` the call; `<<=x>>` is x as a literal.
    """
    if not isinstance(prompt, str):
        prompt = random.choice(list(prompt))
    item = random.choice(ITEMS)
    constants: list[str] = []
    style = random.randrange(6)
    if style == 0:
        call = f"ask({quoted(prompt)})"
    elif style == 1:
        constants.append(f"PROMPT = {quoted(prompt)}")
        call = "ask(PROMPT)"
    elif style == 2:
        constants.append(f"ITEM = {quoted(item)}")
        safe = prompt.replace("{", "{{").replace("}", "}}")
        call = 'ask(f"' + quoted(safe)[1:-1] + '\\n\\n{ITEM}")'
    elif style == 3:
        constants.append(f"ITEM = {quoted(item)}")
        body = prompt.replace("{", "{{").replace("}", "}}")
        constants.append(f'PROMPT = """\\\nYou are a careful assistant.\n{body}\n\n{{item}}\n"""')
        call = "ask(PROMPT.format(item=ITEM))"
    elif style == 4:
        constants.append(f"SYSTEM = {quoted('You are an expert. Be brief.')}")
        constants.append(f"QUESTION = {quoted(prompt)}")
        call = 'ask(SYSTEM + "\\n" + QUESTION)'
    else:
        constants.append(f"ITEM = {quoted(item)}")
        call = f'ask("\\n".join([{quoted(prompt)}, "---", ITEM]))'
    names: dict[str, object] = {
        "v": random.choice(VARIABLES),
        "f": random.choice(FUNCTIONS),
        "ask": call,
    }
    names.update(values)

    def insert(found: re.Match[str]) -> str:
        value = names[found[2]]
        if found[1]:
            return quoted(value) if isinstance(value, str) else repr(value)
        return str(value)

    body = re.sub(r"<<(=?)(\w+)>>", insert, textwrap.dedent(source).strip("\n"))
    lines = body.split("\n")
    top = 0
    while top < len(lines) and re.match(r"(import|from) ", lines[top]):
        top += 1
    head = lines[:top] + ([""] * (1 if constants else 2) if top else [])
    rest = "\n".join(lines[top:]).strip("\n")
    return "\n".join([*head, *constants, *(["", ""] if constants else []), rest, ""])


def member(word: str) -> str:
    """The word as the name of an enum member."""
    return re.sub(r"\W", "_", word).upper()


# Drawing text


def same(random: Random, text: str) -> str:
    """The text as it is."""
    return text


def pad(random: Random, text: str) -> str:
    """The text, often with blanks around it that a program strips."""
    if random.random() < 0.4:
        return text
    before, after = random.choice(
        (
            ("", "\n"),
            ("", "\n\n"),
            (" ", ""),
            ("", " "),
            ("\n", "\n"),
            ("\t", ""),
            ("", "\r\n"),
            ("\n\n  ", "  \n"),
            ("\r\n", "\t"),
        )
    )
    return before + text + after


def cased(random: Random, text: str) -> str:
    """The text in one of the usual cases."""
    return random.choice((text, text, text.upper(), text.capitalize(), text.title()))


def pad_cased(random: Random, text: str) -> str:
    """The text in any case, with blanks around it."""
    return pad(random, cased(random, text))


def pick(
    labels: Sequence[str], others: Sequence[str] = (), dress: Dress = same, share: float = 0.42
) -> Draw:
    """Draw one of the labels, or with this share one of the others."""

    def draw(random: Random) -> str:
        if others and random.random() < share:
            return dress(random, random.choice(others))
        return dress(random, random.choice(labels))

    return draw


def either(first: Draw, second: Draw, share: float = 0.42, dress: Dress = same) -> Draw:
    """Draw from the first, or with this share from the second."""

    def draw(random: Random) -> str:
        chosen = second if random.random() < share else first
        return dress(random, chosen(random))

    return draw


SENTENCES = (
    "The customer wrote twice and quoted clause 4.2 of the contract.",
    "On 2024-03-01 the parcel was seen in Köln; on 2024-03-04 it was back.",
    "“Quotes”, 'single ones' and \"double ones\" all occur in the thread.",
    "Costs went from $1,000 to 1.000,50 € (about +5%).",
    "See [the ticket](https://example.org/t/42?x=1&y=2#top) and `config.yaml`.",
    "O'Brien & Sons Inc. uses C++, C# and .NET.",
    "1. First the invoice was sent.\n2. Then it was paid.",
    "- one bullet\n- another bullet: with a colon",
    'The log has {"level": "warn", "code": 17} in it.',
    "```\nprint('hello')\n```",
    "Жалоба была получена вовремя. 顧客は満足です。 🎉",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "He said: *this* is **important** to _them_.",
    "The temperature fell to -5 °C, i.e. <0.",
)


def prose(random: Random, most: int = 6) -> str:
    """A few sentences of any kind, now and then many of them."""
    count = random.randint(1, most)
    if random.random() < 0.06:
        count = random.randint(20, 45)
    between = random.choice((" ", "\n", "\n\n", "\r\n"))
    return between.join(random.choice(SENTENCES) for _ in range(count))


TITLES = (
    'The "Quiet" Year',
    "What Is C++?",
    "Back to .NET",
    "1984",
    "3. Liga",
    "- 30 -",
    "[untitled] (demo)",
    "(500) Days of Summer",
    "*batteries not included",
    "#metoo and After",
    "`ls` and Friends",
    "Mother!",
    "Who's Afraid of Virginia Woolf?",
    "Yes, Minister",
    "N or M?",
    "No.",
    "N/A",
    "Re: Invoice 0042",
    "Final Answer",
    "JSON in 10 Minutes",
    "{Braces} and [Brackets]",
    "<head> and <body>",
    "“Heroes”",
    "'Salem's Lot",
    '"Heroes" (Live)',
    "Österreich – ein Überblick",
    "Война и мир",
    "千と千尋の神隠し",
    "Party 🎉 Time",
    "Vol. 2.",
    "2001: A Space Odyssey",
    "10% Happier",
    "Se7en",
    "_why's Poignant Guide",
    "None of the Above",
    "True",
    "…And Justice for All",
    "50/50",
    "Answer: 42",
    "null and void",
    "A",
)
PEOPLE = (
    "Miles O'Brien",
    "Renée-Zoë Müller",
    "Sammy Davis Jr.",
    'Dwayne "The Rock" Johnson',
    "José Ortega y Gasset",
    "X Æ A-12",
    "Ludwig van Beethoven",
    "山田 太郎",
    "Ольга Иванова",
    "J. R. R. Tolkien",
    "Null",
    "bell hooks",
    "d'Artagnan",
    "Dr. No",
    "Prince",
    "Yi",
    "Will.i.am",
    "P!nk",
    "Ke$ha",
    "Nguyễn Văn A",
    "Martin Luther King, Jr.",
    "Elizabeth II",
)
COMPANIES = (
    "Apple Inc.",
    "Yahoo!",
    "Acme, Inc.",
    "Müller & Söhne GmbH & Co. KG",
    "3M",
    "7-Eleven",
    "C&A",
    "AT&T",
    "E.ON",
    "[24]7.ai",
    "monday.com",
    "株式会社ソニー",
    "L'Oréal S.A.",
    "Toys “R” Us",
    "None Ltd.",
    "X",
)
CITIES = (
    "Köln",
    "St. John's",
    "Winston-Salem",
    "Washington, D.C.",
    "São Paulo",
    "'s-Hertogenbosch",
    "Y",
    "Москва",
    "北京",
    "Frankfurt (Oder)",
    "Saint-Louis-du-Ha! Ha!",
    "Nice",
    "Truth or Consequences",
    "Ho Chi Minh City",
    "Los Ángeles",
    "Orange",
    "Reading",
)
PHRASES = TITLES + PEOPLE + COMPANIES + CITIES

"""What the templates share: the consumer, the list of templates, and delicate values."""

from __future__ import annotations

import dataclasses
import random as random_module
import re
import textwrap
import zlib
from collections.abc import Callable

Random = random_module.Random


@dataclasses.dataclass(frozen=True)
class Consumer:
    """A small program that reads a model's answer, and answers that it reads."""

    name: str
    kind: str
    source: str
    draw: Callable[[Random], str]
    literals: tuple[str, ...] = ()


Template = Callable[[Random], Consumer]
TEMPLATES: list[Template] = []


def template(function: Template) -> Template:
    """Enter a template in the list."""
    TEMPLATES.append(function)
    return function


def fill(source: str, **parts: object) -> str:
    """Dedent a program and put the parts in place of the marks `@part@`."""
    text = textwrap.dedent(source).strip("\n") + "\n"
    return re.sub(r"@(\w+)@", lambda match: str(parts[match.group(1)]), text)


def consumer(
    name: str,
    kind: str,
    source: str,
    draw: Callable[[Random], str],
    literals: tuple[str, ...] = (),
) -> Consumer:
    """A consumer whose name tells its variation."""
    return Consumer(f"{name}-{zlib.crc32(source.encode()):08x}", kind, source, draw, literals)


TRICKY = (
    ["A-", "B+", "-5", "+3", "<5", ">= 2", "~10", "1,000", "1.000,5", "5%", "3 kg", "$12", "0042"]
    + ["1e3", "v2.0.", "C++", "C#", "F#", ".NET", "O'Brien", "yes-man", "N/A", "no.", "non"]
    + ["nobody", "maybe not", "Acme Inc.", "St. Mary's", "naïve café", "東京", "Ελλάδα", "🎉 party"]
    + ['the "Duke"', "(sic)", "[draft]", "{x}", "a_b_c", "*starred*", "`id`", "#1", "@home", "½"]
    + ["null", "None", "true", "False", "-", "...", "?", "&amp;", "<b>bold</b>", "100 °C", "-0"]
    + ['{"a": 1}', "2024-02-30", "1. first", "- dashed", "“quoted”", "l'été", "x = y", "a/b", "~"]
    + ["no", "No problem", "Yes", "yes!", "12:30", "e.g. this", "J. R. R. Tolkien", "007", "±2"]
)
NAMES = (
    ["Ana", "O'Brien", "José Núñez", "Zoë", "Jean-Luc d'Arcy", "Smith Jr.", "van 't Hof", "李雷"]
    + ["Dr. Adeyemi", "Nguyễn Văn A", "Ævar", "No Name", "Null", "Ms. True", "X Æ A-12", "Bo"]
    + ["Mary Ann", "Иван", "Åsa", "Li", "St. John-Smythe", "M.I.A.", "D'Angelo", "Mc Donald"]
)
PLACES = [
    "Zürich",
    "St. Louis",
    "No, Ohio",
    "Y",
    "São Paulo",
    "東京",
    "Washington, D.C.",
    "A Coruña",
] + ["'s-Hertogenbosch", "Łódź", "Nantes", "King's Lynn", "Hof", "10 Downing St.", "Å"]
ITEMS = (
    ["milk", "eggs (12)", "bread - brown", "C++ book", "3 kg flour", "O'Brien's tea", "½ lime"]
    + [
        "no. 7 brush",
        "crème fraîche",
        "7Up",
        "AA batteries",
        '2" nails',
        "USB-C cable",
        "tea",
        "茶",
    ]
    + [
        "M&M's",
        "yes-no cards",
        "-40 °C gloves",
        "A4 paper",
        "#2 pencil",
        "Sprite™",
        "non-stick pan",
    ]
)
SENTENCES = (
    [
        "It depends.",
        "No one knows.",
        "Not yet!",
        "I'd say so.",
        "Yes and no.",
        "Nobody came.",
        "Why?",
    ]
    + ["The cost is $12 (approx.).", "See section 3.1.", 'He said "no".', "C'est la vie.", "Hm..."]
    + ["It rose by 5% to ~10.", "Ask Mr. O'Brien.", "Unknown, sorry.", "Null and void.", "Ça va ?"]
    + ["Notes: none.", "Done - for now.", "- but why?", "#1 in Japan 🎉", "e.g. this one", "42"]
)


def pad(random: Random, text: str) -> str:
    """The text with blanks at its ends, now and then."""
    if random.random() < 0.75:
        return text
    before = random.choice(("", "", "\n", " ", "\n\n", "\t"))
    return before + text + random.choice(("", "\n", " ", "\r\n", "  \n"))


def some(random: Random, values: list[str], low: int = 1, high: int = 6) -> list[str]:
    """A few of the values, repeats now and then."""
    picked = [random.choice(values) for _ in range(random.randint(low, high))]
    if picked and random.random() < 0.2:
        picked.append(picked[0])
    return picked


def join_lines(random: Random, lines: list[str], blank: float = 0.0) -> str:
    """The lines as a text, with blank lines and CRLF now and then."""
    out: list[str] = []
    for line in lines:
        out.append(line)
        if random.random() < blank:
            out.append("")
    return random.choice(("\n", "\n", "\n", "\n", "\r\n")).join(out)


def number(random: Random) -> str:
    """A number as `float` reads it, in one of its spellings."""
    return random.choice(
        (
            str(random.randint(-50, 500)),
            f"{random.uniform(-9, 99):.2f}",
            f"+{random.randint(0, 9)}",
            f"00{random.randint(1, 99)}",
            f"{random.randint(1, 9)}e{random.randint(0, 4)}",
            f".{random.randint(1, 9)}",
            f"{random.randint(1, 9)}.",
            "-0.0",
            "1_000",
        )
    )


def mixed(random: Random) -> str:
    """A short text: mostly one of those that are easy to damage."""
    return random.choice(random.choice((TRICKY, TRICKY, TRICKY, NAMES, PLACES, ITEMS, SENTENCES)))

"""Words, values and passages that the answers are made of, and the registry of templates."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from random import Random

Draw = Callable[[Random], str]
Parts = tuple[str, Draw, tuple[str, ...]]

TEMPLATES: list[tuple[str, str, Callable[[Random], Parts]]] = []

PEOPLE = (
    "Zoë Krämer",
    "Siobhán O'Brien",
    "李小龙",
    "Jean-Luc Picard",
    "Łukasz Żak",
    "Dr. No",
    "María José (Pepa) Núñez",
    'Dwayne "The Rock" Johnson',
    "Владимир",
    "محمد علي",
    "Nobody",
    "Mr. Yes",
    "X Æ A-12",
    "J. R. R. Tolkien",
    "Martin Luther King Jr.",
    "Ann",
    "d'Artagnan",
    "May 4th, Esq.",
)
COMPANIES = (
    "Acme Inc.",
    "Müller & Söhne GmbH & Co. KG",
    "Yahoo!",
    'Toys "R" Us',
    "AT&T",
    "7-Eleven",
    "株式会社サクラ",
    "E.ON",
    "No. 5 Bakery",
    ".NET Foundation",
    "[x]cube LABS",
    "Smith, Jones & Sons Ltd.",
    "N/A Records",
    "1-800-Flowers.com",
    "Null Island Tours",
)
QUANTITIES = (
    "-5",
    "+3",
    "<5",
    "~10",
    "1,000",
    "1.000,5",
    "5%",
    "3 kg",
    "$12",
    "0042",
    "1e3",
    ">= 7",
    "½",
    "10–12",
    "3/4",
    "±0.5",
    "0",
    "00:30",
    "12°C",
    "€ 9,99",
    "#7",
    "No. 3",
    "(4)",
    "A-",
    "B+",
    "v2.0.",
    "§ 5",
    "1st",
    "2024-02-29",
    "100",
)
TECH = (
    "C++",
    "C#",
    "F#",
    ".NET",
    "Node.js",
    "Objective-C",
    "R",
    "TCP/IP",
    "@types/node",
    "__init__.py",
    "**kwargs",
    "-O2",
    "~/.bashrc",
    "x = [1, 2]",
    "`git push`",
    "$HOME",
    "yes-man",
    "N/A",
    "true",
    "null",
    "None",
    "no.",
    "non",
    "🎉",
    "…",
    "O(n²)",
    'say "hi"',
    '{"a": 1}',
    "<b>bold</b>",
)
SENTENCES = (
    "The tide came in before noon, and nobody noticed.",
    "She said, “No, not yet,” and closed the door.",
    "Revenue rose by 5% to $1,000.50 (up from $952.86).",
    "Use `pip install -U foo` first; then restart the kernel.",
    "Why not?",
    "It's the yes-man's report: N/A in every column.",
    "Die Straße ist naß, aber schön – wirklich!",
    "東京は今日も雨です。",
    "Contact Acme Inc. or Müller & Söhne GmbH & Co. KG.",
    "The ratio is 3:1 [see note 2], not 4:1.",
    "Great job! 🎉",
    "Set x = -5, then y = +3 and z < 5.",
    "We're done…",
    "Never use eval() on input, e.g. \"__import__('os')\".",
    "Sure, the plan works, but the answer is still no.",
    "Mind the *asterisks* and the under_scores.",
    "Version 2.0 shipped on 2024-02-29 at 00:30.",
    "Here is the thing: C++ and C# are not the same language.",
    "It costs about 12 € / person.",
    "I cannot say more than that.",
)
PASSAGES = (
    "1. First, boil the water.\n2. Then, wait -- 3 min.\n10. Serve.",
    "- milk\n- eggs (6)\n  - free-range\n* bread",
    '```json\n{"ok": true, "n": -5}\n```',
    "```python\nprint('hi')  # yes\n```",
    "# Heading with C#\n\nText below.",
    '> quoted: "no"\n> -- O\'Brien',
    "| a | b |\n|---|---|\n| 1 | -2 |",
    "Name: Zoë\nScore: A-",
    "<note>keep <b>this</b></note>",
    "Dear Ms. O'Brien,\n\nthank you.\n\nYours,\nT.",
    "\tindented by a tab\n    and by four blanks",
    "---\ntitle: x\n---",
)
UNDECIDED = (
    "maybe not",
    "non",
    "nobody",
    "N/A",
    "unsure",
    "none of these",
    "it depends",
    "I can't tell from the text.",
    "Hard to say; could you give me more context?",
    "???",
    "わかりません",
    "something else entirely",
    "0042",
    "-",
    "🤷",
    "nope",
)
VARIABLES = ("answer", "reply", "response", "raw", "output", "completion", "llm_output", "res")


def template(name: str, kind: str) -> Callable[[Callable[[Random], Parts]], None]:
    """Register a function that makes source, draw and literals of one template."""

    def register(make: Callable[[Random], Parts]) -> None:
        TEMPLATES.append((name, kind, make))

    return register


def fill(random: Random, text: str, **values: object) -> str:
    """The program `text` with each <<name>> replaced; <<a>> is the variable of the answer."""
    values.setdefault("a", random.choice(VARIABLES))
    text = textwrap.dedent(text).strip("\n") + "\n"
    for key, value in values.items():
        text = text.replace(f"<<{key}>>", str(value))
    assert "<<" not in text.replace("<<<<<<< SEARCH", ""), text
    head = random.choice(("def handle():", "def handle():", "def handle() -> object:"))
    head += random.choice(("", "", '\n    """Read one answer of the model."""', "  # entry point"))
    text = text.replace("def handle():", head)
    return (
        random.choice(("", "", "", '"""Talks to the model."""\n\n', "# -*- coding: utf-8 -*-\n"))
        + text
    )


def quoted(text: str) -> str:
    """A Python literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def allowed(pool: tuple[str, ...], avoid: str) -> list[str]:
    """The members of a pool that have none of the characters in `avoid`."""
    return [item for item in pool if not any(character in item for character in avoid)]


def value(random: Random, avoid: str = "") -> str:
    """A short value: a name, a firm, a quantity or a technical word."""
    pool = random.choice((PEOPLE, COMPANIES, QUANTITIES, TECH))
    return random.choice(allowed(pool, avoid))


def name(random: Random, avoid: str = "") -> str:
    """The name of a person or of a firm."""
    return random.choice(allowed(random.choice((PEOPLE, COMPANIES)), avoid))


def sentence(random: Random, avoid: str = "") -> str:
    """One sentence."""
    return random.choice(allowed(SENTENCES, avoid))


def text_line(random: Random, avoid: str = "") -> str:
    """A line of one to three sentences, or a short value."""
    if random.random() < 0.4:
        return value(random, avoid)
    return " ".join(sentence(random, avoid) for _ in range(random.choice((1, 1, 1, 2, 3))))


def paragraph(random: Random) -> str:
    """Some sentences in one line."""
    return " ".join(sentence(random) for _ in range(random.randint(1, 5)))


def prose(random: Random) -> str:
    """A text of some paragraphs, with lists, code and tables in between, now and then long."""
    count = random.choice((1, 1, 2, 3, 4, 4, 25))
    parts = [
        random.choice(PASSAGES) if random.random() < 0.3 else paragraph(random)
        for _ in range(count)
    ]
    text = random.choice(("\n\n", "\n\n", "\n", "\n\n\n")).join(parts)
    return text.replace("\n", "\r\n") if random.random() < 0.08 else text


def blanks(random: Random, text: str) -> str:
    """The text between blanks that a strip takes away."""
    before = random.choice(("", "", "", " ", "\n", "\n\n", "\t"))
    return before + text + random.choice(("", "", "\n", "  ", "\r\n", " \n\n"))


def cased(random: Random, text: str) -> str:
    """The text in lower, upper or title case."""
    return random.choice((text, text.lower(), text.upper(), text.capitalize(), text.title()))


def beside(random: Random, literals: tuple[str, ...]) -> str:
    """An answer that is none of the literals, often near to one by its letters only."""
    literal = random.choice(literals)
    near = (
        f"not {literal}",
        f"{literal}-man",
        f"non-{literal}",
        f"{literal}ish",
        f"neither {literal} nor the others",
        f"anti{literal}",
        f"partly {literal}, partly not",
        f"Hmm, is it {literal} or not? I'd rather not decide.",
        f"far from {literal}",
        f"{literal}?! hardly",
        f"it would be {literal} if the text were longer",
        f"un{literal}",
        f"{literal}s' day",
        f"{literal} and its opposite",
        f"“{literal}” is too strong a word",
        f"{literal}/{literals[-1]}/other",
        f"{literal}-like",
    )
    text = random.choice(near) if random.random() < 0.5 else random.choice(UNDECIDED)
    return random.choice((text, text, text.upper(), text.capitalize()))


def with_default(random: Random, literals: tuple[str, ...], share: float = 0.45) -> str:
    """One of the literals, or an answer for the default branch."""
    if random.random() < share:
        return blanks(random, beside(random, literals))
    return blanks(random, cased(random, random.choice(literals)))


def joined(random: Random, rows: list[str], blank: bool = False) -> str:
    """Rows as lines, sometimes with CRLF, with blank lines in between where that is allowed."""
    gaps = random.random() < 0.25 if blank else False
    text = ("\n\n" if gaps else "\n").join(rows)
    text += random.choice(("", "\n"))
    return text.replace("\n", "\r\n") if random.random() < 0.12 else text


def several(random: Random, make: Callable[[Random], str], most: int = 6) -> list[str]:
    """One or more items, a long list now and then, sometimes with a repeated item."""
    count = 40 if random.random() < 0.04 else random.randint(1, most)
    items = [make(random) for _ in range(count)]
    if random.random() < 0.15:
        items.append(items[0])
    return items


def json_text(random: Random, data: object) -> str:
    """JSON in one of the usual layouts."""
    indent = random.choice((None, None, 2, 4, "\t"))
    separators = (",", ":") if indent is None and random.random() < 0.4 else None
    ascii_only = random.random() < 0.3
    return json.dumps(data, indent=indent, separators=separators, ensure_ascii=ascii_only)


def extra(random: Random, data: dict[str, object]) -> dict[str, object]:
    """The data with keys that nobody reads, sometimes in front."""
    if random.random() < 0.6:
        return data
    more: dict[str, object] = {
        random.choice(
            ("notes", "_meta", "confidence", "reasoning", "Name ", "x-id")
        ): random.choice((None, [], {}, 0, -1.5, "N/A", {"a": [None, {"b": "}"}]}, "```", True))
    }
    return {**more, **data} if random.random() < 0.5 else {**data, **more}


def rows(random: Random) -> int:
    """How many rows to make."""
    return random.choice((1, 2, 3, 5, 30)) if random.random() < 0.5 else random.randint(1, 4)

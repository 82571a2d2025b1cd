"""What all templates share: the record, the registry, pools of values and small text helpers."""

from __future__ import annotations

import ast
import dataclasses
import random
import re
import textwrap
from collections.abc import Callable

Draw = Callable[[random.Random], str]


@dataclasses.dataclass(frozen=True)
class Consumer:
    """A small program that reads a model's answer, and answers that it reads."""

    name: str
    kind: str
    source: str
    draw: Draw
    literals: tuple[str, ...] = ()


TEMPLATES: dict[str, Callable[[random.Random], Consumer]] = {}


def template(name: str, kind: str) -> Callable:
    """Register a function from a random source to (source, draw) or (source, draw, literals)."""

    def register(build: Callable) -> Callable:
        def make(r: random.Random) -> Consumer:
            variation = f"{r.randrange(16**5):05x}"
            source, draw, *rest = build(r)
            literals = tuple(rest[0]) if rest else ()
            return Consumer(f"{name}-{variation}", kind, source, draw, literals)

        if name in TEMPLATES:
            raise ValueError(f"template {name} exists already")
        TEMPLATES[name] = make
        return build

    return register


def fill(source: str, **names: object) -> str:
    """A module's text: dedented, with every @name@ replaced."""
    text = textwrap.dedent(source).strip("\n") + "\n"
    if "ask(@prompt@)" in text:
        text = _place_prompt(text, str(names["prompt"]))
    for name, value in names.items():
        text = text.replace(f"@{name}@", str(value))
    left = re.search(r"@[a-z_0-9]+@", text)
    if left:
        raise ValueError(f"{left.group()} was not filled")
    return text


def _place_prompt(text: str, prompt: str) -> str:
    """The module with its prompt in the call, in a constant, or in a function of its own."""
    words = ast.literal_eval(prompt)
    plain = words.replace("{", "{{").replace("}", "}}")
    way = sum(map(ord, prompt)) % 7
    if way == 0:
        name, extra = "PROMPT", f"PROMPT = {prompt}\n"
    elif way == 1:
        topic = WORDS[len(prompt) % len(WORDS)]
        name, extra = "PROMPT", f"TOPIC = {topic!r}\nPROMPT = f{plain + ' Topic: {TOPIC}'!r}\n"
    elif way == 2:
        name, extra = "TEMPLATE.format(n=3)", f"TEMPLATE = {plain + ' At least {n}.'!r}\n"
    elif way == 3:
        name = 'build_prompt("en")'
        extra = f"def build_prompt(language):\n    return f{plain + ' Language: {language}'!r}\n"
    elif way == 4 and '"""' not in words and "\\" not in words and not words.endswith('"'):
        name, extra = "PROMPT.strip()", f'PROMPT = """\n{words}\n\nBe brief.\n"""\n'
    else:
        return text
    text = text.replace("ask(@prompt@)", f"ask({name})")
    imports = [m.end() for m in re.finditer(r"^(?:import|from) [^\n]*\n", text, re.MULTILINE)]
    at = imports[-1] if imports else 0
    return text[:at] + ("\n" if at else "") + extra + ("" if at else "\n\n") + text[at:]


def _pool(text: str) -> list[str]:
    return text.replace("\n", "|").split("|")


PEOPLE = _pool(
    """Ana María Núñez|Pat O'Brien|Søren Kierkegaard|李小龍|Jean-Luc Picard|D'Angelo|Łukasz
Müller-Lüdenscheidt|Владимир Набоков|Nguyễn Văn A|Sammy Davis Jr.|J. R. R. Tolkien|Zoë|None Such
Dr. No|True North|محمد علي|Björk|X Æ A-12|Null|Yes Theory|Bobby "Tables" Drop|Prince (singer)|O
Élodie d'Été|Mr. T|S. M. van den Berg-O'Neil|Ye|Will.i.am|50 Cent|Ke$ha|P!nk|Ng|山田 太郎"""
)
FIRMS = _pool(
    """Acme Inc.|Yahoo!|AT&T|Procter & Gamble Co.|.NET Foundation|E*TRADE|Toys "R" Us|3M|7-Eleven
Société Générale S.A.|株式会社ソニー|Who?|Yelp|Dr. Oetker|H&M|Ben & Jerry's|Guess?|Which?|Jeopardy!
1&1|(RED)|[adult swim]|Marks & Spencer plc|Coca-Cola|Chick-fil-A|Moët|Tesla, Inc.|A.P. Møller"""
)
TECH = _pool("""C++|C#|F#|.NET|R|Objective-C|Node.js|PL/SQL|A*|J#|Go!|C|ASP.NET|Q#|Vue.js 3|g++|c99
Perl 6|D|TypeScript <5|Python>=3.10|v2.0.|1.10|v1.0.0-rc.1+build.5|@types/node|--no-cache|-O2
*.py|C:\\temp\\new|~/.bashrc|/etc/hosts|__init__.py|$HOME|%PATH%|#!/bin/sh|&amp;|a@b.co""")
AMOUNTS = _pool("""1,000|1.000,5|-5|+3|<5|>= 10|~10|5%|3 kg|$12|0042|1e3|€ 9,99|½|12:30|1/2|10-12|#7
2024-01-05|v2.0.|0x1F|1_000|−4|±2|.5|5.|-0.0|100 %|3–4|1 000|2×4|10^3|≈ 7|1.|(12)|12th|3'|6\"|0|007
05/06/07|1e-9|∞|-∞|NaN|USD 12.50|12.50-|5°C|-3 °C|IV|2nd|1:1|+49 30 123456|3.14159|00:00:01,500""")
SHORT = _pool(
    """N/A|no.|non|nobody|maybe not|A-|B+|yes-man|none|null|true|?|…|n/a|TBD|0|42|No. 5|nil|yes.
No|Yes!|NO|Nein|oui|not really|unknown|None|False|FALSE|never|on|off|y|n|ok?|x|-|--|*|A|é|是|いいえ
notyes|yesterday|nope|Noël|trueish|undefined|empty|Nothing.|not applicable
"no"|'yes'|(none)|[]|{}"""
)
REMARKS = [
    'He said "no" twice.',
    "Use `json.loads(text)` here",
    "see [1] and (2)",
    "1. not a list",
    "2) neither is this",
    "- starts with a dash",
    "# starts with a hash",
    "in {curly} brackets",
    "with <b>bold</b> and <br/> marks",
    "a, b; c | d",
    "**bold** and _under_ text",
    "Preis: 5 €",
    "write to ana@example.org",
    "https://example.org/?q=1&b=2#top",
    r"the path C:\temp\new",
    "100 % sure",
    "done 🎉🎉",
    "ends with a comma,",
    "ends with a colon:",
    "“curly quotes” and ‘single ones’",
    "a dash — and – another",
    "```inline fence```",
    "{'a': 1}",
    '{"a": 1, "b": [2, 3]}',
    "[1, 2,]",
    "key=value",
    "Note: not a label",
    "// comment",
    "/* nothing */",
    "'quoted as a whole'",
    '"quoted as a whole"',
    "Final Answer: not yet",
    "Thought: keep it",
    "it's 5 o'clock",
    "rock 'n' roll",
    "Hello... world...",
    "and so on, etc.",
    "What? Why not!",
    "naïve café, déjà vu",
    "東京は晴れです。",
    "שלום עולם",
    "Привет, мир!",
    "x < 5 and y > 3 && z",
    "a\\nb is not a line break",
    "costs $5–$10 (approx.)",
    "<think>not a tag for us</think>",
    "(see below)",
    "(unbalanced",
    "unbalanced]",
    "smile :-)",
    "TODO",
    "Sure! Here is the list:",
    "As an AI model, I cannot say",
    "true",
    "None",
    "* starred",
    "> quoted line",
    "---",
    'an 18" screen',
    "Step 1: mix; step 2: wait",
    "[link](https://example.org/a_(b))",
    "| piped |",
    "$x^2$ and \\(y\\)",
    "good  double  blanks",
    "Not bad, not good",
    "50/50",
    "{{ placeholder }}",
    "%s and %(name)s",
    "&lt;escaped&gt; &amp; more",
    "@everyone #now",
    "no",
    "Line one. Line two. Line three.",
    "the quick brown fox jumps over the lazy dog",
    "It depends: in most cases yes, but not always.",
    "We met in Kraków on 2024-02-30 (sic).",
]
WORDS = [
    "alpha",
    "beta",
    "gamma",
    "river",
    "copper",
    "lantern",
    "window",
    "orange",
    "paper",
    "silver",
    "garden",
    "market",
    "winter",
    "summer",
    "engine",
    "harbor",
    "mirror",
    "planet",
    "rocket",
    "sponge",
    "ticket",
    "violet",
    "wagon",
    "yellow",
    "zebra",
    "bridge",
    "camera",
    "desert",
    "forest",
    "guitar",
    "hammer",
    "island",
    "jacket",
    "kitten",
    "ladder",
    "mango",
    "needle",
    "olive",
    "pepper",
    "quartz",
    "ribbon",
]
KEYS = [
    "name",
    "title",
    "city",
    "country",
    "summary",
    "reason",
    "category",
    "status",
    "owner",
    "topic",
    "author",
    "product",
    "brand",
    "comment",
    "answer",
    "label",
    "description",
    "subject",
    "origin",
    "source_name",
    "headline",
    "genre",
]
EXTRA_KEYS = [
    "notes",
    "_meta",
    "confidence",
    "$schema",
    "explanation",
    "",
    "Ünïcode",
    "key 2",
    "x-y",
    "0",
]
ALL = PEOPLE + FIRMS + TECH + AMOUNTS + SHORT + REMARKS


def pick(r: random.Random, pool: list[str], ban: str = "", start: str = "") -> str:
    """A value without the characters in `ban` that starts with none of those in `start`."""
    while True:
        value = r.choice(pool)
        if not set(value) & set(ban) and value[0] not in start:
            return value


def value(r: random.Random, ban: str = "", start: str = "") -> str:
    """A value of any pool, the pools weighted evenly."""
    pool = r.choice((PEOPLE, FIRMS, TECH, AMOUNTS, SHORT, REMARKS))
    if all(set(one) & set(ban) or one[0] in start for one in pool):
        pool = ALL
    return pick(r, pool, ban, start)


def sentence(r: random.Random, ban: str = "", start: str = "") -> str:
    """A line of prose, with something odd in it more often than not."""
    parts = [pick(r, REMARKS, ban, start)]
    if r.random() < 0.4:
        parts.append(" ".join(r.choices(WORDS, k=r.randint(2, 9))) + r.choice((".", "", "!", "?")))
    if r.random() < 0.3:
        parts.append(value(r, ban))
    return " ".join(parts)


def prose(r: random.Random, ban: str = "", start: str = "", blank: bool = True) -> str:
    """One or more lines of prose, with blank lines between some of them if allowed."""
    joint = ("\n", "\n\n") if blank else ("\n",)
    text = sentence(r, ban, start)
    for _ in range(many(r, 0, 3, 25)):
        text += r.choice(joint) + sentence(r, ban, start)
    return text


def many(r: random.Random, low: int, high: int, rare: int = 40) -> int:
    """A number between the bounds, now and then a much greater one."""
    return r.randint(high, rare) if r.random() < 0.05 else r.randint(low, high)


def keys(r: random.Random, number: int) -> list[str]:
    """Different names of fields."""
    return r.sample(KEYS, number)


def pad(r: random.Random, text: str) -> str:
    """The text, sometimes with blanks around it that its reader strips."""
    if r.random() < 0.7:
        return text
    return (
        r.choice(("", "\n", "  ", "\n\n", "\t", " \n")) + text + r.choice(("", "\n", "  ", "\n\n"))
    )


def crlf(r: random.Random, text: str) -> str:
    """The text, sometimes with the line ends of another system."""
    return text.replace("\n", "\r\n") if r.random() < 0.12 else text


LEADS = [
    "Sure! Here is the list:",
    "Here you go:",
    "Of course. Below is what you asked for.",
    "Certainly!",
    "I found the following",
    "Voilà:",
    "OK, let me think about it. The result is below:",
]
TAILS = [
    "Let me know if you need anything else!",
    "I hope this helps.",
    "That is all.",
    "(Only the first ones are shown.)",
    "Anything else?",
]


def ask_prompt(r: random.Random, what: str, *formats: str) -> str:
    """A prompt as a Python expression: a string that names the format, or does not."""
    text = r.choice(
        (f"Please give me {what}.", f"List {what}", f"You are an expert. Return {what}!")
    )
    if formats and r.random() < 0.6:
        text += " " + r.choice(formats)
    return repr(text)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Raw(str):
    """A piece of JSON that is written as it stands."""


def json_string(r: random.Random, text: str, plain: bool = False) -> str:
    """A JSON string in one of the ways to write it."""
    way = 0 if plain else r.random()
    out = []
    for mark in text:
        if mark in _ESCAPES:
            out.append(_ESCAPES[mark])
        elif mark == "/" and way > 0.85:
            out.append("\\/")
        elif ord(mark) < 32 or (ord(mark) > 126 and 0.7 < way < 0.85):
            units = mark.encode("utf-16-be")
            out.extend(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
        else:
            out.append(mark)
    return '"' + "".join(out) + '"'


def to_json(r: random.Random, data: object, one_line: bool = False) -> str:
    """A JSON text of the data, in a style of its own: compact, indented, oddly spaced."""
    styles = [("", ",", ":"), ("", ", ", ": "), (" ", " , ", " : ")]
    indents = ["  ", "    ", "\t", ""]
    indent = None if one_line or r.random() < 0.5 else r.choice(indents)
    inner, comma, colon = r.choice(styles)
    plain = r.random() < 0.6

    def write(node: object, depth: int) -> str:
        if isinstance(node, Raw):
            return str(node)
        if isinstance(node, str):
            return json_string(r, node, plain)
        if node is None or isinstance(node, bool):
            return {None: "null", True: "true", False: "false"}[node]
        if isinstance(node, (int, float)):
            return repr(node)
        if isinstance(node, dict):
            parts = [
                f"{json_string(r, k, plain)}{colon}{write(v, depth + 1)}" for k, v in node.items()
            ]
            opening, closing = "{}"
        else:
            parts = [write(item, depth + 1) for item in node]
            opening, closing = "[]"
        if not parts:
            return opening + closing
        if indent is None:
            return opening + inner + comma.join(parts) + inner + closing
        line = "\n" + indent * (depth + 1)
        return opening + line + ("," + line).join(parts) + "\n" + indent * depth + closing

    return write(data, 0)


def number(r: random.Random) -> Raw:
    """A JSON number in one of the ways to write it."""
    return Raw(
        r.choice(
            ("0", "-0", "7", "-5", "1e3", "1E+2", "0.10", "-0.0", "3.14159265358979", "12.50")
            + ("100000000000000000001", "1.0", "0.1e-2", "42", "2024", "99.999", "-1.5", "5e-324")
        )
    )


def odd(r: random.Random, depth: int = 0) -> object:
    """A JSON value of any kind, for keys that nobody reads."""
    choice = r.randrange(9)
    if choice == 0:
        return None
    if choice == 1:
        return r.random() < 0.5
    if choice == 2:
        return number(r)
    if choice == 3 and depth < 2:
        return [odd(r, depth + 1) for _ in range(r.randint(0, 3))]
    if choice == 4 and depth < 2:
        return {value(r): odd(r, depth + 1) for _ in range(r.randint(0, 3))}
    if choice == 5:
        return '```json\n{"a": 1}\n```'
    if choice == 6:
        return prose(r)
    return value(r)


def extras(r: random.Random, data: dict, share: float = 0.4) -> dict:
    """The mapping, often with keys that nobody reads, at any place."""
    items = list(data.items())
    while r.random() < share:
        key = r.choice(EXTRA_KEYS)
        if key not in data:
            items.insert(r.randint(0, len(items)), (key, odd(r)))
    if r.random() < 0.15:
        r.shuffle(items)
    return dict(items)


def text_value(r: random.Random) -> str:
    """A text as it may stand in a JSON string: short, odd, or with several lines."""
    if r.random() < 0.12:
        return prose(r)
    if r.random() < 0.05:
        return '```python\nprint("hi")\n```'
    if r.random() < 0.05:
        return r.choice(
            (" leading blank", "trailing blank ", "tab\there", "{", "}", '"', "\\", "```", "")
        )
    return value(r)


def fenced(r: random.Random, text: str, language: str = "json") -> str:
    """The text in a fence, with or without its language."""
    return f"```{language if r.random() < 0.8 else ''}\n{text}\n```"


def wrapped(r: random.Random, text: str) -> str:
    """The text with a lead-in, a closing remark, both or neither."""
    if r.random() < 0.5:
        text = r.choice(LEADS) + r.choice(("\n", "\n\n")) + text
    if r.random() < 0.4:
        text = text + r.choice(("\n", "\n\n")) + r.choice(TAILS)
    return text

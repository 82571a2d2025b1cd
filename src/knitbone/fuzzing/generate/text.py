"""Texts to try: awkward ones for every field, plausible ones for fields that say what they hold.

No text here is written for a particular tool: they are the classes that programs commonly get
wrong (empty, long, unusual Unicode, look-alikes of numbers, dates, paths and markup).
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

__all__ = ["FAMILIES", "awkward_texts", "family_of", "mutate", "quoted_examples", "random_text"]

LONG = 5_000
"""Characters of a long text: more than any file name or common column may have."""

_UNICODE = (
    "\x00",
    "a\x00b",
    "\ud800",
    "na\u00efve caf\u00e9",
    "e\u0301",
    "\U0001f469\u200d\U0001f4bb",
    "\u0645\u0631\u062d\u0628\u0627",
    "\u202eabc",
    "\ufeffabc",
    "\u65e5\u672c\u8a9e",
    "\u0130\u0131\u00df",
    "\u0663\u0664",
    "\u00b2",
    "a\u2028b",
    "\x1b[31mred",
)
_SHAPES = (
    "",
    " ",
    "\n",
    "\t \n",
    "a",
    "abc",
    "Hello, world!",
    "two words",
    "line one\nline two\r\n",
    "a" * 300,
    "word " * (LONG // 5),
    "A",
    "null",
    "None",
    "true",
    "undefined",
    "'",
    '"',
    "it's",
    "\\",
    "%s%d{0}{name}",
    "%",
    "{}",
    "[]",
    '{"a": 1}',
    '{"a": ',
    "[1, 2, 3]",
    '"text"',
    "(",
    "[a-z",
    "*",
    ".*",
    "a|b",
    "a,b,c",
    "a;b;c",
    "a;1;b",
    "a:b",
    "a=b",
    "a=1&b=2",
    "key: value",
    "a->b",
    "a/b",
    "1/0",
    "a|1",
    ",",
    ";",
    ":",
    "-",
    "#1",
    "@name",
    "<b>bold</b>",
    "<a><b></a>",
    "name,age\nAnn,34\nBo",
    "1; DROP TABLE users",
    "' OR '1'='1",
    "SELECT * FROM users",
    "$(id)",
    "; ls",
    "print(1)",
    "1+1",
)
_NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "10",
    "007",
    "3.14",
    "-0.5",
    "1e9",
    "1e999",
    "nan",
    "inf",
    "0x1F",
    "1,000",
    "1_000",
    "12.",
    ".5",
    "+7",
    "99999999999999999999",
    "1/2",
    "50%",
    "$12.50",
    "12 kg",
    "five",
)
_DATES = (
    "2024-01-31",
    "2024-02-29",
    "2023-02-29",
    "2024-02-30",
    "2024-13-01",
    "0000-00-00",
    "0001-01-01",
    "9999-12-31",
    "31/12/2024",
    "12/31/2024",
    "31.12.2024",
    "2024-1-5",
    "20240131",
    "Jan 5, 2024",
    "today",
    "tomorrow",
    "1970-01-01T00:00:00Z",
    "2024-03-31T02:30:00",
    "2024-06-30T23:59:60Z",
    "2024-01-31 10:00",
    "2024-01-01T10:00:00+14:00",
)
_TIMES = (
    "00:00",
    "12:30",
    "23:59:59",
    "24:00",
    "25:61",
    "9am",
    "9:5",
    "noon",
    "-1:00",
    "12:30:45.678",
)
_URLS = (
    "http://localhost/",
    "https://example.com/a?b=c#d",
    "example.com",
    "http://",
    "ftp://example.com/x",
    "file:///etc/hosts",
    "http://[::1",
    "http://example.com:99999/",
    "https://ex\u00e4mple.com/\u00fc",
    "javascript:alert(1)",
    "//example.com",
    "mailto:a@example.com",
    "http://user:pw@example.com/",
)
_PATHS = (
    "missing.txt",
    "a\x00b.txt",
    "no/such/folder/file.txt",
    ".",
    "..",
    "../..",
    "/",
    "./",
    "~",
    "~/file.txt",
    "a b.txt",
    "../outside.txt",
    "${SANDBOX}",
    "${SANDBOX}/new.txt",
    "${SANDBOX}/missing/new.txt",
    "/no/such/file",
    "new.txt",
    "new/",
    "folder/../notes.txt",
    ".hidden",
    "con",
    "file.tar.gz",
    "C:\\temp\\a.txt",
    "a" * 256 + ".txt",
    "x/" * 2_100,
    "caf\u00e9.txt",
    "name\nline.txt",
    "a\ud800.txt",
    "*.txt",
    "-rf",
)

FAMILIES: dict[str, tuple[str, ...]] = {
    "path": _PATHS,
    "url": _URLS,
    "date": _DATES,
    "time": _TIMES,
    "number": _NUMBERS,
    "email": (
        "ann@example.com",
        "a@b",
        "a@@b.com",
        "Ann <ann@example.com>",
        "@",
        "ann",
        "a.b+c@x.co",
    ),
    "json": (
        "{}",
        "[]",
        "null",
        "1",
        '"a"',
        '{"a": 1}',
        '{"a": {"b": [1, 2]}}',
        '{"a": 1',
        "{'a': 1}",
        '[{"id": 1}, {"id": 2}]',
        '{"a": NaN}',
        "[" * 200 + "]" * 200,
        '{"": ""}',
        "not json",
    ),
    "sql": (
        "SELECT 1",
        "SELECT * FROM users",
        "SELECT",
        "DROP TABLE users",
        "SELECT 1; SELECT 2",
        "--",
        "SELECT * FROM missing",
        "INSERT INTO users VALUES (1)",
        "select 'unclosed",
        "SELECT :name",
        "SELECT '12:30'",
        "SELECT 1 / 0",
        "SELECT count(*) FROM",
    ),
    "graphql": (
        "{ __typename }",
        "{ user { name } }",
        "query { user(id: 1) { id } }",
        "query Q($id: ID!) { user(id: $id) { id } }",
        'mutation { addUser(name: "Ann") { id } }',
        "subscription { user { id } }",
        "fragment F on User { id }",
        "{ user(id: ",
        "{}",
    ),
    "table": (
        "a,b\n1,2\n",
        "a,b\n1\n",
        "a,b\n",
        "a",
        "a\tb\n1\t2\n",
        '"a,b\n1,2',
        "a;b\n1;2\n",
        "a,a\n1,2\n",
        "name,age,city\nAnn,34,Oslo\nBo,,Lima\n",
        "\n\n",
        "a,b\r\n1,2\r\n",
    ),
    "regex": ("a", ".*", "(", "[", "(a+)+$", "\\d+", "*", "(?P<x>a)", "\\", "a{2,1}", "^$"),
    "code": (
        "print(1)",
        "1/0",
        "x =",
        "def f(:",
        "import os",
        "raise ValueError('x')",
        "[i for i in",
        "1",
        "missing",
        "None.name",
        "[][0]",
        "{}['a']",
        "int('a')",
        "'a' + 1",
        "print('\ud800')",
        "import missing",
        "open('missing.txt')",
        "def f(): return f()\nf()",
        "import sys; sys.exit(1)",
    ),
    "identifier": (
        "A1",
        "ABC-123",
        "1",
        "0",
        "user_1",
        "550e8400-e29b-41d4-a716-446655440000",
        "id 5",
        "x" * 64,
        "-",
    ),
    "person": (
        "Ann",
        "Bo Li",
        "O'Brien",
        "Jos\u00e9 \u00c1lvarez",
        "van der Berg, Jan",
        "X",
        "Dr. A. B. Smith Jr.",
    ),
    "place": (
        "Oslo",
        "New York",
        "S\u00e3o Paulo",
        "Paris, France",
        "XX",
        "10115",
        "51.5,-0.12",
        "91,181",
    ),
    "money": ("USD", "usd", "EUR", "XXX", "$", "12.50", "1.234,56", "-5", "100 USD"),
    "unit": ("m", "km", "kg", "C", "F", "K", "celsius", "miles", "KM", "parsec", "s", "%", "lb"),
    "language": ("en", "en-US", "English", "fr", "xx", "zh-Hant", "EN"),
    "colour": ("red", "#ff0000", "#f00", "#ggg", "rgb(1,2,3)", "ff0000", "transparent"),
    "address": (
        "127.0.0.1",
        "::1",
        "256.1.1.1",
        "10.0.0.0/8",
        "localhost",
        "1.2.3",
        "fe80::1%eth0",
    ),
    "query": (
        "hello",
        "weather in Oslo",
        "a AND (b OR c",
        '"exact phrase"',
        "site:example.com x",
        "?",
        "a" * 300,
    ),
}
"""Plausible and nearly plausible values by what a field holds."""

_HINTS = (
    ("path", r"path|file|folder|dir\b|directory"),
    ("url", r"url|uri\b|link|website|endpoint"),
    ("email", r"e-?mail"),
    ("date", r"date|day\b|\bfrom\b|until|deadline|birthday"),
    ("time", r"time\b|hour|clock"),
    ("json", r"json|payload|\bbody\b"),
    ("graphql", r"graphql"),
    ("sql", r"sql"),
    ("table", r"csv|tables?\b(?! name)|rows?\b|column"),
    ("regex", r"regex|regular expression|pattern"),
    ("code", r"code\b|script|python|expression|formula"),
    ("language", r"language|locale"),
    ("money", r"currency|price|amount|money|cost"),
    ("unit", r"units?\b|measure"),
    ("colour", r"colou?r"),
    ("address", r"\bip\b|host\b|hostname|address"),
    ("place", r"city|country|place|location|town|region|where"),
    ("person", r"name\b|person|guest|author|user\b|customer"),
    ("identifier", r"\bid\b|_id\b|identifier|reference|code\b|key\b|token|sku|ticket"),
    ("number", r"number|count|quantity|age\b|size|limit|score|percent"),
    ("query", r"query|search|question|keyword|text|topic"),
)
_LANGUAGES = frozenset({"json", "graphql", "sql", "table", "regex", "code"})
"""What a query or a text may be written in."""
_FORMATS = {
    "date": "date",
    "date-time": "date",
    "time": "time",
    "email": "email",
    "uri": "url",
    "uuid": "identifier",
    "ipv4": "address",
    "ipv6": "address",
    "path": "path",
    "file-path": "path",
    "directory-path": "path",
}

_QUOTED = re.compile(r"[\"'`\u201c]([^\"'`\u201c\u201d\n]{1,80})[\"'`\u201d]")
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|such as|example:|like)\s+([^\s,;.()][^\n()]{0,60})", re.IGNORECASE
)
_VAGUE = re.compile(r"\b(?:input|query|text|command|content|arg\w*)\b")
"""Names of fields that say nothing of what is in them."""
_INPUT = re.compile(r"\binputs?\b(?:[ \n]+\w+){1,12}")
"""What a documentation says of the one input that its tool has."""
_SEPARATORS = re.compile(r"(->|=>|::|[;,|:/=&\s\-_.#@]+)")
_NUMERALS = ("0", "-1", "1", "x", "", "999999999999", "1.5")


def family_of(
    name: str, description: str, format_name: str | None, *, documentation: str = ""
) -> str | None:
    """What a text field seems to hold: by its format, its name, its description, or the words next
    to its name in the tool's documentation; the first that says anything. A query or a text may be
    in a language that only the others name."""
    if format_name in _FORMATS:
        return _FORMATS[format_name]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()
    first: str | None = None
    for text in (
        name.lower() + " " + words,
        description.lower()[:300],
        *_around(name, documentation),
        *(_INPUT.findall(documentation[:20_000].lower()) if _VAGUE.search(words) else ()),
    ):
        for family, hint in _HINTS:
            if re.search(r"(?:^|\b|_)(?:" + hint + ")", text):
                first = first or family
                if first != "query" or family in _LANGUAGES:
                    return family
                break
    return first


def _around(name: str, documentation: str) -> list[str]:
    found = re.finditer(
        r"(?:\w+\W+)?\b" + re.escape(name.lower()) + r"\b(?:\W+\w+)?",
        documentation[:20_000].lower(),
    )
    return [match.group() for match in found][:5]


def quoted_examples(documentation: str) -> list[str]:
    """Values that a documentation shows: quoted texts, and what follows "for example"."""
    text = documentation[:20_000]
    found = [match.group(1) for match in _QUOTED.finditer(text)]
    found += [match.group(1).strip(" .'\"`") for match in _EXAMPLE.finditer(text)]
    return [value for value in dict.fromkeys(found) if value][:40]


def awkward_texts(paths: Sequence[str]) -> list[str]:
    """Every awkward text, and the private directory's own files (``paths``)."""
    existing = [*paths, *(f"${{SANDBOX}}/{path}" for path in paths[:2])]
    everyday = [*_DATES[:6], *_URLS[:6], *_NUMBERS, *_PATHS]
    return list(dict.fromkeys([*_SHAPES, *_UNICODE, *everyday, *existing]))


def mutate(rng: random.Random, text: str) -> str:
    """A neighbour of an example: one of its parts changed, dropped, doubled or moved."""
    parts = [part for part in _SEPARATORS.split(text) if part]
    if not parts:
        return rng.choice(_SHAPES)
    index = rng.randrange(len(parts))
    part = parts[index]
    match rng.randrange(7):
        case 0:
            parts[index] = rng.choice(_NUMERALS) if _is_numeral(part) else rng.choice(_SHAPES[:14])
        case 1:
            del parts[index]
        case 2:
            parts.insert(index, part)
        case 3:
            parts = parts[: index + 1]
        case 4:
            parts[index] = rng.choice(
                (part.upper(), part.lower(), part.title(), part[::-1], part + "x")
            )
        case 5:
            parts = parts[::-1]
        case _:
            numerals = [i for i, p in enumerate(parts) if _is_numeral(p)]
            if numerals:
                parts[rng.choice(numerals)] = rng.choice(_NUMERALS)
            else:
                parts.append(rng.choice(_SHAPES[:14]))
    return "".join(parts)


def random_text(rng: random.Random, *, longest: int) -> str:
    """Words, symbols or characters from anywhere, at most ``longest`` characters."""
    length = min(longest, rng.choice((1, 2, 3, 5, 8, 13, 40, 200)))
    alphabet = rng.choice(
        (
            "abcdefghij klmnop",
            "ABCxyz012 ,.;:-_/",
            "0123456789",
            "0123456789+-*/(). ",
            "{}[]()<>\"'`\\|&$#@!?*%^~",
            "\u00e4\u00f6\u00fc\u00df\u00e9 \u0416\u4e2d\u05d0\u0645\U0001f600",
        )
    )
    return "".join(rng.choice(alphabet) for _ in range(length))


def _is_numeral(part: str) -> bool:
    return part.lstrip("+-").replace(".", "", 1).isdigit()

"""What the second set of shapes is made of: passwords, tokens, keys and frames to put them in."""

from __future__ import annotations

import base64
import dataclasses
import json
import random
import string
from collections.abc import Callable
from urllib.parse import quote

LETTERS = string.ascii_letters
DIGITS = string.digits
ALNUM = LETTERS + DIGITS
LOWNUM = string.ascii_lowercase + DIGITS
CAPNUM = string.ascii_uppercase + DIGITS
URLSAFE = ALNUM + "-_"
B32 = string.ascii_uppercase + "234567"

# Characters that cannot stand unescaped in a value of this kind.
IN_DOUBLE = '"\\$`!'
IN_SINGLE = "'\\"
IN_JSON = '"\\'
BARE = " $&;|<>()'\"\\!*?`#~[]{}=,"
IN_YAML = ":#{}[],&*!|>'\"%@`?\\ "
IN_XML = "<>&'\""
IN_ADO = ";'\"{}=\\"
IN_PROSE = "'\",.;:()[]<>`*_ "

PEOPLE = ("ann", "bo.larsen", "chidi", "dba", "ops", "svc-backup", "app_user", "priya", "sa")
PLACES = (
    "db-01.example.net", "10.20.0.5", "192.168.7.41", "mysql.svc.cluster.local", "127.0.0.1",
    "warehouse.example.org", "rds-prod.example.com", "host.docker.internal",
)  # fmt: skip
BASES = ("orders", "analytics", "crm", "app_production", "inventory", "billing_dev")
APPS = ("billing", "checkout", "mailer", "scraper", "portal", "ingest", "search-api")
STEMS = (
    "Thunder", "Panama", "Oregano", "Velvet", "Kestrel", "Domino", "Pepper", "Glacier", "Rabbit",
    "Harvest", "Copper", "Mango", "Orchid", "Tundra", "Violin", "Wombat", "Lantern", "Puzzle",
)  # fmt: skip
SEASONS = ("Spring", "Summer", "Autumn", "Winter", "Januar", "Juillet", "Verano", "Monday")

Build = Callable[[random.Random], str]


@dataclasses.dataclass(frozen=True)
class Shape:
    """One way in which a secret occurs: `make` gives a text and the part of it that must go."""

    name: str
    kind: str
    make: Callable[[random.Random], tuple[str, str]]


def chars(rng: random.Random, alphabet: str, length: int) -> str:
    """Random characters; a digit, a capital and a small letter occur if the alphabet has them."""
    while True:
        text = "".join(rng.choices(alphabet, k=length))
        for group in (DIGITS[2:8], string.ascii_lowercase, string.ascii_uppercase):
            has_group = any(character in alphabet for character in group)
            if length >= 12 and has_group and not any(part in group for part in text):
                break
        else:
            return text


def hexed(rng: random.Random, length: int) -> str:
    """Random hexadecimal digits in lower case."""
    return "".join(rng.choices("0123456789abcdef", k=length))


def guid(rng: random.Random) -> str:
    """A random UUID of version 4."""
    tail = f"{rng.choice('89ab')}{hexed(rng, 3)}-{hexed(rng, 12)}"
    return f"{hexed(rng, 8)}-{hexed(rng, 4)}-4{hexed(rng, 3)}-{tail}"


def b64(rng: random.Random, size: int) -> str:
    """Random bytes in base64 with padding."""
    return base64.b64encode(rng.randbytes(size)).decode()


def password(rng: random.Random, avoid: str = "") -> str:
    """A password as people invent or generate them, of eight characters or more."""
    while True:
        text = "".join(part for part in _invented(rng) if part not in avoid)
        if len(text) >= 8 and text[-1] not in ".,:;" and text[0] not in "-@%":
            return text


def _invented(rng: random.Random) -> str:
    one, two, three = rng.sample(STEMS, 3)
    mark = rng.choice("!$%&*+?@^_#-")
    style = rng.randrange(9)
    if style == 0:
        leet = one.translate(str.maketrans("aeiost", "4310$7"))
        return f"{leet}{mark}{rng.randrange(1, 999)}{two[:2]}"
    if style == 1:
        return rng.choice(LETTERS) + chars(rng, ALNUM + "!$%&*+?@^_#-", rng.randrange(11, 21))
    if style == 2:
        return f"{one}-{two}-{three}-{rng.randrange(10, 99)}".lower()
    if style == 3:
        return f"{rng.choice(SEASONS)}{rng.randrange(2016, 2027)}{mark}{rng.choice('!1x')}"
    if style == 4:
        return chars(rng, ALNUM, rng.choice((14, 16, 20, 24)))
    if style == 5:
        return f"{one}_{two.lower()}{rng.randrange(100, 9999)}{mark}"
    if style == 6:
        return chars(rng, URLSAFE, rng.choice((22, 32, 43))).strip("-_")
    if style == 7:
        return hexed(rng, rng.choice((24, 32)))
    return f"{one.lower()}{rng.randrange(10, 99)}{mark}{two.upper()}{rng.randrange(10, 99)}"


def word(avoid: str = "") -> Build:
    """A maker of passwords without the characters in `avoid`."""
    return lambda rng: password(rng, avoid)


def in_url(rng: random.Random) -> str:
    """A password as it stands between user and host in a URL, percent-encoded."""
    return quote(password(rng, "%"), safe="")


def token(*lengths: int, alphabet: str = ALNUM, prefix: str = "") -> Build:
    """A maker of opaque tokens."""
    return lambda rng: prefix + chars(rng, alphabet, rng.choice(lengths))


def hexkey(length: int) -> Build:
    """A maker of keys in hexadecimal digits."""
    return lambda rng: hexed(rng, length)


def random_bytes(size: int) -> Build:
    """A maker of keys in base64."""
    return lambda rng: b64(rng, size)


def jwt(rng: random.Random) -> str:
    """A signed JSON web token."""

    def part(value: object) -> str:
        raw = json.dumps(value, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    head = rng.choice(({"alg": "HS256", "typ": "JWT"}, {"alg": "RS256", "kid": hexed(rng, 8)}))
    issued = rng.randrange(1_650_000_000, 1_760_000_000)
    body = {"iss": "https://auth.example.com/", "sub": guid(rng), "exp": issued, "scope": "read"}
    return f"{part(head)}.{part(body)}.{chars(rng, URLSAFE, rng.choice((43, 86, 342)))}"


SERVICES: tuple[Build, ...] = (
    token(48, prefix="sk-proj-", alphabet=URLSAFE),
    token(93, prefix="sk-ant-api03-", alphabet=URLSAFE),
    token(36, prefix="ghp_"),
    token(36, prefix="gho_"),
    token(20, prefix="glpat-"),
    token(34, prefix="hf_"),
    token(36, prefix="npm_"),
    token(35, prefix="AIza", alphabet=URLSAFE),
    token(24, prefix="sk_live_"),
    token(52, prefix="gsk_"),
    lambda rng: f"xoxb-{rng.randrange(10**11, 10**12)}-{chars(rng, ALNUM, 24)}",
    lambda rng: f"SG.{chars(rng, URLSAFE, 22)}.{chars(rng, URLSAFE, 43)}",
    lambda rng: f"github_pat_{chars(rng, ALNUM, 22)}_{chars(rng, ALNUM, 59)}",
    lambda rng: f"dop_v1_{hexed(rng, 64)}",
    lambda rng: f"shpat_{hexed(rng, 32)}",
)


def service_key(rng: random.Random) -> str:
    """A key of a well-known service."""
    return rng.choice(SERVICES)(rng)


def any_key(rng: random.Random) -> str:
    """A key of a service, or one without a prefix of its own."""
    return rng.choice((service_key, token(32, 40), hexkey(40)))(rng)


def frames(name: str, kind: str, build: Build, *texts: str) -> Shape:
    """A shape: a secret by `build` in one of the texts, where <secret> marks its place."""

    def make(rng: random.Random) -> tuple[str, str]:
        own = random.Random(f"{name} {rng.random()}")  # so that shapes differ under one seed
        secret = build(own)
        return filled(own, own.choice(texts), secret), secret

    return Shape(name, kind, make)


def filled(rng: random.Random, text: str, secret: str) -> str:
    """A text with its marked places filled."""
    day = f"202{rng.randrange(3, 7)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    clock = f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"
    for mark, value in (
        ("<user>", rng.choice(PEOPLE)),
        ("<host>", rng.choice(PLACES)),
        ("<db>", rng.choice(BASES)),
        ("<app>", rng.choice(APPS)),
        ("<n>", str(rng.randrange(100, 65000))),
        ("<hex>", hexed(rng, 12)),
        ("<guid>", guid(rng)),
        ("<day>", day),
        ("<clock>", clock),
    ):
        text = text.replace(mark, value)
    return text.replace("<secret>", secret)

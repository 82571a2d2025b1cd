"""What the shapes of secrets are made of: random characters, passwords, users and hosts."""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import random
import string
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"

# Characters that end or change a value where it stands; nobody writes them unescaped there.
SHELL = " $&;|<>()'\"\\!*?`#~[]{}"
JSON = '"\\'
SINGLE = "'\\"
YAML = ":#{}[],&*!|>'\"%@`?\\"
INI = "#;%\"'\\"
PAIRS = ";'\"{}="
XML = "<>&'\""
PROSE = "'\",.;:()[]<>`"

USERS = (
    "admin",
    "deploy",
    "svc_reports",
    "anna.k",
    "root",
    "app_rw",
    "bot",
    "jenkins",
    "etl",
    "mia",
)
HOSTS = (
    "db.example.com",
    "10.0.3.17",
    "staging.acme.io",
    "cache-01.internal",
    "localhost",
    "pg.corp",
)
WORDS = (
    "sunflower", "winter", "dragon", "Barcelona", "hunter", "letmein", "liverpool", "butterfly",
    "Trustno", "Qwerty", "biscuit", "marigold", "Falcon", "trampoline", "Berlin", "penguin",
    "walrus", "Saturn", "pickles", "Mercury", "juniper", "volcano", "cactus", "Galaxy",
)  # fmt: skip
FOREIGN = ("Grüße", "Straße", "пароль", "contraseña", "crème", "Łódź", "naïve", "日本語", "señor")


@dataclasses.dataclass(frozen=True)
class Shape:
    """One way in which a secret occurs: `make` gives a text and the part of it that must go."""

    name: str
    kind: str
    make: Callable[[random.Random], tuple[str, str]]


Build = Callable[[random.Random], str]


def some(rng: random.Random, alphabet: str, length: int) -> str:
    """So many random characters of an alphabet, with a digit wherever the alphabet has one."""
    text = "".join(rng.choice(alphabet) for _ in range(length))
    if length >= 8 and "7" in alphabet and not any(character.isdigit() for character in text):
        place = rng.randrange(length)
        text = f"{text[:place]}7{text[place + 1 :]}"
    return text


def hexadecimal(rng: random.Random, length: int) -> str:
    """So many random hexadecimal digits, in lower case."""
    return f"{rng.getrandbits(4 * length):0{length}x}"


def uuid(rng: random.Random) -> str:
    """A random UUID of version 4."""
    digits = hexadecimal(rng, 32)
    variant = rng.choice("89ab")
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def encoded(rng: random.Random, size: int) -> str:
    """So many random bytes in base64, with padding."""
    return base64.b64encode(rng.randbytes(size)).decode()


def password(rng: random.Random, avoid: str = "", spaces: bool = False) -> str:
    """A password as people choose or generate them, without the characters in `avoid`."""
    while True:
        text = "".join(character for character in _password(rng, spaces) if character not in avoid)
        if len(text) >= 7 and text == text.strip(" .,"):
            return text


def _password(rng: random.Random, spaces: bool) -> str:
    word, other = rng.sample(WORDS, 2)
    symbol = rng.choice("!#$%&*+-?@^_~")
    style = rng.randrange(9 if spaces else 8)
    if style == 0:
        return f"{word}{rng.randrange(10, 2030)}{symbol}"
    if style == 1:
        start = rng.choice(string.ascii_letters)
        return start + some(rng, ALNUM + "!#$%&*+-=?@^_~", rng.randrange(11, 24))
    if style == 2:
        return f"{word}-{other}-{rng.randrange(10, 99)}"
    if style == 3:
        leet = word.translate(str.maketrans("aeios", "@3105"))
        return f"{leet}{symbol}{rng.randrange(100)}{other[:3]}"
    if style == 4:
        return f"{rng.choice(FOREIGN)}{symbol}{rng.randrange(1000, 9999)}{word[:3]}"
    if style == 5:
        return some(rng, ALNUM, rng.choice((10, 16, 20, 32)))
    if style == 6:
        first, second = rng.choice("!#$%&*@^_"), rng.choice("!#$%&@")
        return f"{first}{word.capitalize()}{second}{some(rng, ALNUM, 5)}"
    if style == 7:
        return f"{word}{other.lower()}"
    return f"{word} {other} {rng.randrange(10, 99)} {rng.choice(WORDS)}"


def jwt(rng: random.Random, **claims: object) -> str:
    """A signed JSON web token of HS256 with the given claims."""

    def part(value: object) -> str:
        text = json.dumps(value, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    issued = rng.randrange(1_600_000_000, 1_750_000_000)
    body = {"sub": hexadecimal(rng, 12), "iat": issued, "exp": issued + 3600, **claims}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(body)}.{some(rng, URLSAFE, 43)}"


def prefixed(prefix: str, alphabet: str, *lengths: int, suffix: str = "") -> Build:
    """A maker of keys: a fixed prefix, random characters of one of the lengths, a fixed suffix."""

    def build(rng: random.Random) -> str:
        return f"{prefix}{some(rng, alphabet, rng.choice(lengths))}{suffix}"

    return build


def with_hex(prefix: str, length: int, suffix: str = "") -> Build:
    """A maker of keys: a fixed prefix, random hexadecimal digits, a fixed suffix."""
    return lambda rng: f"{prefix}{hexadecimal(rng, length)}{suffix}"


def secret_word(avoid: str = "", spaces: bool = False) -> Build:
    """A maker of passwords that can stand where the characters in `avoid` cannot."""
    return functools.partial(password, avoid=avoid, spaces=spaces)


def framed(name: str, kind: str, build: Build, *frames: str) -> Shape:
    """A shape: a secret by `build` in one of the frames, in which <secret> marks its place."""

    def make(rng: random.Random) -> tuple[str, str]:
        secret = build(rng)
        return fill(rng, rng.choice(frames), secret), secret

    return Shape(name, kind, make)


def fill(rng: random.Random, frame: str, secret: str) -> str:
    """A frame with its places <user>, <host>, <number>, <id> and <secret> filled."""
    text = frame.replace("<user>", rng.choice(USERS)).replace("<host>", rng.choice(HOSTS))
    text = text.replace("<number>", str(rng.randrange(1000, 99999)))
    return text.replace("<id>", hexadecimal(rng, 8)).replace("<secret>", secret)

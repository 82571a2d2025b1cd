"""Random material of the fourth set: secrets, people's passwords, fillers of templates. Nothing is real."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import hmac
import json
import pathlib
import random
import re
import string
import struct
import zlib
from collections.abc import Callable

LETTERS = string.ascii_letters
ALNUM = LETTERS + string.digits
LOWNUM = string.ascii_lowercase + string.digits
UPNUM = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
B64 = ALNUM + "+/"
B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
B32 = string.ascii_uppercase + "234567"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

Rand = random.Random
Made = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    kind: str
    make: Callable[[Rand], Made]


class Register:
    """Collects one file's shapes, those of the set and those kept back.

    ``main``/``spare`` take a secret's maker and a template (see ``fill``); ``main_of``/``spare_of``
    decorate a function that gives text and secret itself.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.shapes: list[Shape] = []
        self.spares: list[Shape] = []

    def _keep(self, into: list[Shape], name: str, make: Callable[[Rand], Made]) -> None:
        def fresh(r: Rand) -> Made:
            # the name goes into the seed, so that two shapes of one seed have different secrets
            return make(random.Random(f"fourth/{name}/{r.getrandbits(64)}"))

        into.append(Shape(name, self.kind, fresh))

    def _template(self, into, name, secret, templates) -> None:
        def make(r: Rand) -> Made:
            value = secret(r)
            return fill(r, r.choice(templates), value), value

        self._keep(into, name, make)

    def main(self, name: str, secret: Callable[[Rand], str], *templates: str) -> None:
        self._template(self.shapes, name, secret, templates)

    def spare(self, name: str, secret: Callable[[Rand], str], *templates: str) -> None:
        self._template(self.spares, name, secret, templates)

    def main_of(self, name: str):
        def keep(make: Callable[[Rand], Made]):
            self._keep(self.shapes, name, make)
            return make

        return keep

    def spare_of(self, name: str):
        def keep(make: Callable[[Rand], Made]):
            self._keep(self.spares, name, make)
            return make

        return keep


# ---- plain strings -------------------------------------------------------


def tok(r: Rand, n: int, alphabet: str = ALNUM) -> str:
    """n characters that start and end in no sign; with a digit where the alphabet has one."""
    solid = [c for c in alphabet if c.isalnum()]
    chars = [r.choice(alphabet) for _ in range(n)]
    chars[0], chars[-1] = r.choice(solid), r.choice(solid)
    numbers = [c for c in alphabet if c.isdigit()]
    if numbers and n > 4 and not set(chars) & set(numbers):
        chars[n // 2] = r.choice(numbers)
    return "".join(chars)


def T(n: int, alphabet: str = ALNUM, before: str = "", after: str = "") -> Callable[[Rand], str]:
    """Maker of a token: ``before``, n characters, ``after``."""
    return lambda r: before + tok(r, n, alphabet) + after


def hexs(r: Rand, n: int) -> str:
    return tok(r, n, HEX)


def digits(r: Rand, n: int) -> str:
    return r.choice("123456789") + "".join(r.choice(string.digits) for _ in range(n - 1))


def raw(r: Rand, n: int) -> bytes:
    return bytes(r.randrange(256) for _ in range(n))


def b64(data: bytes | str) -> str:
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def uuid(r: Rand) -> str:
    h = "".join(r.choice(HEX) for _ in range(32))
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{r.choice('89ab')}{h[17:20]}-{h[20:]}"


def fold(text: str, width: int = 64, indent: str = "") -> str:
    return ("\n" + indent).join(text[i : i + width] for i in range(0, len(text), width))


# ---- fillers -------------------------------------------------------------

FIRST = "anna ben carla david emma farid greta hugo irina jakub karin leo mina nils olga pedro rosa samir tara viktor wanda xenia yusuf zara".split()
LAST = "adler bauer castillo dupont eriksen ferrari gupta hoffmann ito jansen kowalski larsson mendes nowak olsen petrov quinn reyes schulz tran".split()
NOUNS = "acorn badger canyon dingo eclipse fjord glacier heron island jasmine kiwi lagoon mango nectar otter pebble quill raven sparrow timber urchin violet walrus yarrow zenith comet lantern marble".split()
COMMON = "apple bridge coffee dolphin engine forest guitar hammer ice jacket kitchen lemon monkey napkin orange pencil quiet rabbit silver tomato umbrella valley winter yellow zebra bottle cheese donkey elbow feather".split()
CITIES = "Berlin Lisboa Krakow Madrid Torino Lyon Hamburg Dublin Oslo Praha Wien Geneva Austin Denver Seattle Milano Sevilla Porto".split()
NAMES = "Max Lena Paul Mia Emil Nora Bruno Kira Lola Rocco Sophie Oliver Kitty Shadow Buddy Pepe".split()
SEASONS = "Summer Winter Spring Autumn Sommer Fruehling Verano Invierno Estate Hiver Automne Januar Welcome Willkommen Bienvenue Changeme".split()
DOMAINS = ("internal", "example.com", "example.org", "example.net", "corp.example", "lan")


def user(r: Rand) -> str:
    a, b = r.choice(FIRST), r.choice(LAST)
    return r.choice((f"{a}.{b}", f"{a[0]}{b}", a, f"{a}_{b}", f"{b}{r.randrange(2, 99)}"))


def host(r: Rand) -> str:
    head = r.choice("db app pg mail ci cache edge api staging prod".split())
    return f"{head}{r.choice(('', '-01', '-2', '3'))}.{r.choice(NOUNS)}.{r.choice(DOMAINS)}"


def email(r: Rand) -> str:
    return f"{r.choice(FIRST)}.{r.choice(LAST)}@{r.choice(NOUNS)}.{r.choice(DOMAINS[1:4])}"


def date(r: Rand) -> str:
    return f"202{r.randrange(4, 7)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}"


def clock(r: Rand) -> str:
    return f"{r.randrange(24):02d}:{r.randrange(60):02d}:{r.randrange(60):02d}"


_FILL: dict[str, Callable[[Rand], str]] = {
    "user": user,
    "host": host,
    "email": email,
    "date": date,
    "time": clock,
    "hm": lambda r: clock(r)[:5],
    "stamp": lambda r: f"{date(r)}T{clock(r)}Z",
    "ip": lambda r: f"10.{r.randrange(256)}.{r.randrange(256)}.{r.randrange(1, 255)}",
    "first": lambda r: r.choice(FIRST),
    "First": lambda r: r.choice(FIRST).capitalize(),
    "Last": lambda r: r.choice(LAST).capitalize(),
    "noun": lambda r: r.choice(NOUNS),
    "Noun": lambda r: r.choice(NOUNS).capitalize(),
    "role": lambda r: r.choice(
        "app etl_rw deploy backup reporting svc_api airflow metabase".split()
    ),
    "uuid": uuid,
    "day": lambda r: f"{r.randrange(1, 29):02d}",
    "status": lambda r: r.choice("200 201 204 302 400 401 403 404".split()),
    "py": lambda r: f"3.{r.randrange(10, 15)}",
}
_SIZED: dict[str, Callable[[Rand, int], str]] = {
    "hex": hexs,
    "n": digits,
    "al": tok,
    "up": lambda r, n: tok(r, n, UPNUM),
    "low": lambda r, n: tok(r, n, LOWNUM),
    "aws": lambda r, n: tok(r, n, B32),
}


def fill(r: Rand, template: str, secret: str = "") -> str:
    """Puts values for <<S>> (the secret), <<user>>, <<hex40>>, <<a|b>>...; <<user#1>> is the same each time."""
    same: dict[str, str] = {}

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "S":
            return secret
        if name in same:
            return same[name]
        plain = name.partition("#")[0]
        if "|" in plain:
            made = r.choice(plain.split("|"))
        elif plain in _FILL:
            made = _FILL[plain](r)
        else:
            kind, size = re.fullmatch(r"([a-z]+)(\d+)", plain).groups()
            made = _SIZED[kind](r, int(size))
        if "#" in name:
            same[name] = made
        return made

    return re.sub(r"<<([^<>\n]+)>>", value, template).removeprefix("\n")


# ---- passwords -----------------------------------------------------------


def human(r: Rand, signs: str = "!#*?-_.") -> str:
    """A password that a person makes up, of 9 or more characters: word, number, sign."""
    while True:
        sign, year, two = r.choice(signs), str(r.randrange(1958, 2027)), str(r.randrange(10, 99))
        one, other = r.choice(COMMON), r.choice(COMMON)
        made = r.choice(
            (
                r.choice(SEASONS) + year + sign,
                r.choice(NAMES) + r.choice(NAMES) + sign + two,
                r.choice(CITIES) + sign + year,
                one.capitalize() + other.capitalize() + two + sign,
                one + sign + other + sign + two,
                one.replace("o", "0").replace("e", "3").replace("a", "4").capitalize()
                + sign
                + year,
                r.choice(NAMES).lower() + r.choice(CITIES).lower() + two,
                two + one.capitalize() + sign + other,
                r.choice(NOUNS).capitalize() + sign + r.choice(NAMES) + two,
            )
        )
        if len(made) >= 9:
            return made


def wordy(r: Rand) -> str:
    """A password of letters and digits only."""
    return r.choice(COMMON).capitalize() + r.choice(NAMES) + str(r.randrange(10, 2027))


def phrase(r: Rand, n: int = 4, glue: str = "-") -> str:
    return glue.join(r.sample(COMMON + NOUNS, n))


def strong(r: Rand, n: int = 20, signs: str = "!#*+-_=^~.") -> str:
    """What a password generator makes."""
    body = [r.choice(ALNUM if r.random() < 0.82 else signs) for _ in range(n)]
    body[0], body[-1] = r.choice(ALNUM), r.choice(ALNUM)
    body[n // 3], body[n // 2] = r.choice(string.digits), r.choice(signs)
    return "".join(body)


# ---- tokens --------------------------------------------------------------

_B62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def github(r: Rand, prefix: str = "ghp_") -> str:
    body = tok(r, 30)
    number, check = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        check = _B62[rest] + check
    return prefix + body + check


def openai(r: Rand, kind: str = "proj") -> str:
    return f"sk-{kind}-" + tok(r, 74, URLSAFE) + "T3BlbkFJ" + tok(r, 74, URLSAFE)


def anthropic(r: Rand) -> str:
    return "sk-ant-api03-" + tok(r, 93, URLSAFE) + "AA"


def aws_secret(r: Rand) -> str:
    return tok(r, 40, B64)


def jwt(r: Rand, claims: dict, alg: str = "HS256", **extra: str) -> str:
    head = b64url(json.dumps({"alg": alg, "typ": "JWT", **extra}, separators=(",", ":")).encode())
    body = b64url(json.dumps(claims, separators=(",", ":")).encode())
    sign = hmac.new(raw(r, 32), f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{b64url(sign if alg == 'HS256' else raw(r, 256))}"


def base58check(data: bytes) -> str:
    data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
    number, out = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        out = B58[rest] + out
    return out


# ---- private keys in their encodings, of random numbers ------------------


def _der(tag: int, body: bytes) -> bytes:
    if len(body) < 128:
        return bytes((tag, len(body))) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(size))) + size + body


def rsa_key(r: Rand, bits: int = 2048, pkcs8: bool = False) -> bytes:
    def number(n: int) -> bytes:
        return _der(2, b"\0" + (r.getrandbits(n) | 1 << (n - 1) | 1).to_bytes(n // 8, "big"))

    inner = b"\2\1\0" + number(bits) + b"\2\3\1\0\1" + number(bits)
    key = _der(0x30, inner + b"".join(number(bits // 2) for _ in range(5)))
    if not pkcs8:
        return key
    return _der(0x30, b"\2\1\0" + bytes.fromhex("300d06092a864886f70d0101010500") + _der(4, key))


def ec_key(r: Rand) -> bytes:
    point = bytes.fromhex("a144034200") + b"\4" + raw(r, 64)
    curve = bytes.fromhex("a00a06082a8648ce3d030107")
    return _der(0x30, b"\2\1\1" + _der(4, raw(r, 32)) + curve + point)


def ed25519_key(r: Rand) -> bytes:
    return bytes.fromhex("302e020100300506032b657004220420") + raw(r, 32)


def openssh_key(r: Rand, comment: str) -> bytes:
    def s(data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + data

    public, check = raw(r, 32), raw(r, 4)
    inner = check * 2 + s(b"ssh-ed25519") + s(public) + s(raw(r, 32) + public) + s(comment.encode())
    inner += bytes(range(1, 1 + -len(inner) % 8))
    head = b"openssh-key-v1\0" + s(b"none") * 2 + s(b"") + struct.pack(">I", 1)
    return head + s(s(b"ssh-ed25519") + s(public)) + s(inner)


_BIP39 = (pathlib.Path(__file__).parent / "fourth_bip39_english.txt").read_text("ascii").split()


def mnemonic(r: Rand, words: int = 12) -> list[str]:
    size = words * 4 // 3
    entropy = raw(r, size)
    bits = bin(int.from_bytes(entropy, "big"))[2:].zfill(size * 8)
    bits += bin(hashlib.sha256(entropy).digest()[0])[2:].zfill(8)[: words // 3]
    return [_BIP39[int(bits[i : i + 11], 2)] for i in range(0, len(bits), 11)]

"""Random material of the third set: secrets, passwords, names, hosts. Nothing here is real."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import hmac
import json
import pathlib
import random
import string
import struct
import zlib
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
LOWNUM = string.ascii_lowercase + string.digits
UPNUM = string.ascii_uppercase + string.digits
URLSAFE = ALNUM + "-_"
B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    kind: str
    make: Callable[[random.Random], tuple[str, str]]


class Register:
    """Collects the shapes of one file: ``@shape("name", "kind")``."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []

    def __call__(self, name: str, kind: str):
        def keep(make: Callable[[random.Random], tuple[str, str]]):
            def fresh(r: random.Random) -> tuple[str, str]:
                # the name goes into the seed, so that two shapes of one seed have different secrets
                return make(random.Random(f"{name}:{r.getrandbits(64)}"))

            self.shapes.append(Shape(name, kind, fresh))
            return make

        return keep


# ---- plain strings -------------------------------------------------------


def tok(r: random.Random, n: int, alphabet: str = ALNUM) -> str:
    """n characters, never starting or ending in a sign, with a digit in it where there can be one."""
    inner = [r.choice(alphabet) for _ in range(n)]
    solid = [c for c in alphabet if c.isalnum()]
    inner[0], inner[-1] = r.choice(solid), r.choice(solid)
    digits = [c for c in alphabet if c.isdigit()]
    if digits and n > 4 and not any(c.isdigit() for c in inner):
        inner[r.randrange(1, n - 1)] = r.choice(digits)
    return "".join(inner)


def hexs(r: random.Random, n: int) -> str:
    return tok(r, n, "0123456789abcdef")


def digits(r: random.Random, n: int) -> str:
    return r.choice("123456789") + "".join(r.choice(string.digits) for _ in range(n - 1))


def raw(r: random.Random, n: int) -> bytes:
    return bytes(r.randrange(256) for _ in range(n))


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def uuid(r: random.Random) -> str:
    h = "".join(r.choice("0123456789abcdef") for _ in range(32))
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{r.choice('89ab')}{h[17:20]}-{h[20:]}"


def wrap(text: str, width: int = 64, indent: str = "") -> str:
    return ("\n" + indent).join(text[i : i + width] for i in range(0, len(text), width))


# ---- names ---------------------------------------------------------------

FIRST = (
    "maria",
    "jonas",
    "priya",
    "tom",
    "elena",
    "kofi",
    "yuki",
    "sven",
    "lucia",
    "omar",
    "hannah",
    "pavel",
    "ines",
    "marek",
    "aisha",
    "george",
    "noor",
    "felix",
    "chloe",
    "diego",
    "ravi",
    "ana",
    "liam",
    "zoe",
)
LAST = (
    "keller",
    "okafor",
    "lindqvist",
    "moreau",
    "tanaka",
    "sharma",
    "novak",
    "rossi",
    "brandt",
    "silva",
    "wojcik",
    "haddad",
    "murphy",
    "ivanova",
    "jensen",
    "costa",
    "fischer",
    "nguyen",
    "park",
    "webb",
)
WORDS = (
    "orbit",
    "ledger",
    "harbor",
    "falcon",
    "copper",
    "meadow",
    "atlas",
    "beacon",
    "cedar",
    "delta",
    "ember",
    "garnet",
    "hollow",
    "indigo",
    "juniper",
    "kestrel",
    "lumen",
    "maple",
    "nimbus",
    "onyx",
    "prairie",
    "quartz",
    "ridge",
    "saffron",
    "tundra",
    "umber",
    "vertex",
    "willow",
    "zephyr",
    "bramble",
    "cobalt",
    "drift",
)
TLDS = ("internal", "corp.example", "example.com", "example.org", "lan", "local", "example.net")
PETS = (
    "Rex",
    "Luna",
    "Bello",
    "Minka",
    "Simba",
    "Felix",
    "Bella",
    "Rocky",
    "Tiger",
    "Charly",
    "Oscar",
    "Molly",
)
LIKES = (
    "Coffee",
    "Sunshine",
    "Football",
    "Dragon",
    "Summer",
    "Winter",
    "Liverpool",
    "Barcelona",
    "Guitar",
    "Purple",
    "Banana",
    "Tiger",
    "Monkey",
    "Pizza",
    "Freedom",
    "Mountain",
    "Hockey",
    "Chelsea",
    "Diamond",
    "Butterfly",
    "Kartoffel",
    "Schatz",
    "Fruehling",
    "Soleil",
    "Chocolat",
    "Amore",
    "Juventus",
    "Estrella",
    "Zima",
    "Marina",
)
PLAIN = (
    "river",
    "lamp",
    "velvet",
    "anchor",
    "pickle",
    "rocket",
    "tulip",
    "walnut",
    "button",
    "cactus",
    "pepper",
    "saddle",
    "ticket",
    "window",
    "mirror",
    "blanket",
    "garlic",
    "candle",
    "pocket",
    "turtle",
    "kettle",
    "magnet",
)


def word(r: random.Random) -> str:
    return r.choice(WORDS)


def user(r: random.Random) -> str:
    first, last = r.choice(FIRST), r.choice(LAST)
    return r.choice(
        (
            f"{first}.{last}",
            f"{first[0]}{last}",
            first,
            f"{first}_{last[0]}",
            f"{last}{r.randrange(1, 90)}",
        )
    )


def role(r: random.Random) -> str:
    return r.choice(
        (
            "app",
            "svc_report",
            "deploy",
            "etl",
            "backup",
            "api_rw",
            "ci-bot",
            "grafana",
            "admin",
            "billing",
        )
    )


def host(r: random.Random, *parts: str) -> str:
    head = r.choice(parts or ("db", "app", "vpn", "mail", "build", "cache", "edge", "api"))
    return f"{head}{r.choice(('', '-01', '-2', '3'))}.{word(r)}.{r.choice(TLDS)}"


def email(r: random.Random) -> str:
    return f"{r.choice(FIRST)}.{r.choice(LAST)}@{word(r)}.{r.choice(('example.com', 'example.org', 'example.net'))}"


def ip(r: random.Random) -> str:
    return f"10.{r.randrange(256)}.{r.randrange(256)}.{r.randrange(1, 255)}"


def stamp(r: random.Random) -> str:
    return (
        f"202{r.randrange(3, 7)}-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}T"
        f"{r.randrange(24):02d}:{r.randrange(60):02d}:{r.randrange(60):02d}Z"
    )


# ---- passwords -----------------------------------------------------------


def _leet(text: str, r: random.Random) -> str:
    swap = {"a": "@", "o": "0", "i": "1", "e": "3", "s": "$"}
    return "".join(swap[c] if c in swap and r.random() < 0.6 else c for c in text)


def human(r: random.Random, signs: str = "!#*?+-_.") -> str:
    """What a person makes up: 9 or more characters, words with digits and signs of `signs`."""
    while True:
        sign = r.choice(signs)
        year = str(r.randrange(1961, 2026))
        short = str(r.randrange(10, 99))
        style = r.randrange(9)
        if style == 0:
            made = r.choice(LIKES) + year + sign
        elif style == 1:
            made = r.choice(PETS) + sign + r.choice(LIKES) + short
        elif style == 2:
            made = (
                r.choice(FIRST).capitalize()
                + r.choice(("&", "_", "-", "+"))
                + r.choice(PETS)
                + year
            )
            made = "".join(c if c.isalnum() or c in signs else sign for c in made)
        elif style == 3:
            made = sign.join((r.choice(PLAIN), r.choice(PLAIN), short))
        elif style == 4:
            made = "".join(r.choice(PLAIN).capitalize() for _ in range(2)) + short + sign
        elif style == 5:
            made = (
                "".join(c if c.isalnum() or c in signs else "4" for c in _leet(r.choice(LIKES), r))
                + sign
                + short
                + "x"
            )
        elif style == 6:
            made = short + r.choice(LIKES).lower() + sign + sign + r.choice(PETS)
        elif style == 7:
            made = (
                "".join(
                    w[0].upper() + w[1:3]
                    for w in (r.choice(PLAIN), r.choice(PLAIN), r.choice(PLAIN))
                )
                + year[2:]
                + sign
            )
        else:
            made = r.choice(LIKES) + sign + r.choice(PLAIN) + sign + short
        if len(made) >= 9:
            return made


def bare(r: random.Random) -> str:
    """A person's password of letters and digits alone."""
    return (
        r.choice((r.choice(LIKES), r.choice(PETS) + r.choice(LIKES)))
        + r.choice(PLAIN)
        + str(r.randrange(10, 2030))
    )


def strong(r: random.Random, n: int = 20, signs: str = "!#%*+-_=^~") -> str:
    """What a generator makes: mixed, with some signs."""
    body = [r.choice(ALNUM if r.random() < 0.8 else signs) for _ in range(n)]
    body[0], body[-1] = r.choice(ALNUM), r.choice(ALNUM)
    body[n // 3], body[n // 2] = r.choice(string.digits), r.choice(signs)
    return "".join(body)


def passphrase(r: random.Random, n: int = 4, glue: str = "-") -> str:
    return glue.join(r.sample(PLAIN, n))


# ---- tokens --------------------------------------------------------------


def _crc62(body: str) -> str:
    number, out = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        out = BASE62[rest] + out
    return out


def checked(r: random.Random, prefix: str) -> str:
    """ghp_, gho_, ghs_, npm_: 30 characters and their checksum."""
    body = tok(r, 30)
    return prefix + body + _crc62(body)


def openai(r: random.Random) -> str:
    return "sk-proj-" + tok(r, 74, URLSAFE) + "T3BlbkFJ" + tok(r, 74, URLSAFE)


def anthropic(r: random.Random) -> str:
    return "sk-ant-api03-" + tok(r, 93, URLSAFE) + "AA"


def jwt(r: random.Random, claims: dict, alg: str = "HS256", **extra: str) -> str:
    head = b64url(json.dumps({"alg": alg, **extra, "typ": "JWT"}, separators=(",", ":")).encode())
    body = b64url(json.dumps(claims, separators=(",", ":")).encode())
    sign = (
        hmac.new(raw(r, 32), f"{head}.{body}".encode(), hashlib.sha256).digest()
        if alg == "HS256"
        else raw(r, 256)
    )
    return f"{head}.{body}.{b64url(sign)}"


def base58check(data: bytes) -> str:
    data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
    number, out = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        out = B58[rest] + out
    return out


# ---- private keys, in their true encodings, of random numbers -------------


def der(tag: int, body: bytes) -> bytes:
    if len(body) < 128:
        return bytes((tag, len(body))) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(size))) + size + body


def _int(r: random.Random, bits: int) -> bytes:
    number = r.getrandbits(bits) | (1 << (bits - 1)) | 1
    return der(2, b"\0" + number.to_bytes(bits // 8, "big"))


def rsa_pkcs1(r: random.Random, bits: int = 2048) -> bytes:
    half = bits // 2
    return der(
        0x30,
        b"\2\1\0"
        + _int(r, bits)
        + b"\2\3\1\0\1"
        + _int(r, bits)
        + b"".join(_int(r, half) for _ in range(5)),
    )


def rsa_pkcs8(r: random.Random, bits: int = 2048) -> bytes:
    algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
    return der(0x30, b"\2\1\0" + algorithm + der(4, rsa_pkcs1(r, bits)))


def ec_sec1(r: random.Random) -> bytes:
    return der(
        0x30,
        b"\2\1\1"
        + der(4, raw(r, 32))
        + bytes.fromhex("a00a06082a8648ce3d030107")
        + bytes.fromhex("a144034200")
        + b"\4"
        + raw(r, 64),
    )


def ec_pkcs8(r: random.Random) -> bytes:
    inner = der(
        0x30, b"\2\1\1" + der(4, raw(r, 32)) + bytes.fromhex("a144034200") + b"\4" + raw(r, 64)
    )
    return der(
        0x30,
        b"\2\1\0" + bytes.fromhex("301306072a8648ce3d020106082a8648ce3d030107") + der(4, inner),
    )


def ed25519_pkcs8(r: random.Random) -> bytes:
    return bytes.fromhex("302e020100300506032b657004220420") + raw(r, 32)


def openssh(r: random.Random, comment: str) -> bytes:
    def s(data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + data

    public, check = raw(r, 32), raw(r, 4)
    inner = (
        check + check + s(b"ssh-ed25519") + s(public) + s(raw(r, 32) + public) + s(comment.encode())
    )
    inner += bytes(range(1, 1 + -len(inner) % 8))
    return (
        b"openssh-key-v1\0"
        + s(b"none")
        + s(b"none")
        + s(b"")
        + struct.pack(">I", 1)
        + s(s(b"ssh-ed25519") + s(public))
        + s(inner)
    )


# ---- seed phrases --------------------------------------------------------

_BIP39 = (pathlib.Path(__file__).parent / "third_bip39_english.txt").read_text("ascii").split()


def mnemonic(r: random.Random, words: int = 12) -> list[str]:
    size = words * 32 // 3 // 8
    entropy = raw(r, size)
    bits = bin(int.from_bytes(entropy, "big"))[2:].zfill(size * 8)
    bits += bin(hashlib.sha256(entropy).digest()[0])[2:].zfill(8)[: words // 3]
    return [_BIP39[int(bits[i : i + 11], 2)] for i in range(0, len(bits), 11)]

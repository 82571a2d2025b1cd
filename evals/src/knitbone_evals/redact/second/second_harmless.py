"""Texts of the second set that a redactor must leave exactly as they are."""

from __future__ import annotations

import base64
import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

from second_material import ALNUM, LOWNUM, URLSAFE, b64, chars, guid, hexed

FOLDER = Path(__file__).parent / "second_harmless"
BLOCK_END = "\n%%%\n"
EACH = 6


@dataclasses.dataclass(frozen=True)
class Text:
    """A harmless text and the kind that it belongs to."""

    kind: str
    text: str


def harmless() -> list[Text]:
    """All texts, each of them once, always in the same order."""
    texts = {text: kind for kind, text in written()}
    for kind, text in generated():
        texts.setdefault(text, kind)
    return [Text(kind, text) for text, kind in texts.items()]


def written() -> list[tuple[str, str]]:
    """Kind and text of what was written by hand: lines of .txt, passages of .blocks."""
    found: list[tuple[str, str]] = []
    for file in sorted(FOLDER.iterdir()):
        content = file.read_text(encoding="utf-8").strip("\n")
        parts = content.split(BLOCK_END if file.suffix == ".blocks" else "\n")
        found += [(file.stem, part) for part in parts if part]
    return found


def generated() -> list[tuple[str, str]]:
    """Kind and text of what is made at run time from a fixed seed."""
    rng = random.Random(20_240_607)
    return [(kind, make(rng)) for kind, make in MAKERS for _ in range(EACH)]


def fenced(rng: random.Random, label: str, size: int) -> str:
    """A public thing between its first and last line."""
    body = "MII" + b64(rng, size)[3:]
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"))


def image(rng: random.Random) -> str:
    """A small picture within a page."""
    kind, head = rng.choice((("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), ("gif", b"GIF89a")))
    data = base64.b64encode(head + rng.randbytes(rng.randrange(60, 200))).decode()
    return f'<img alt="logo" src="data:image/{kind};base64,{data}">'


def font(rng: random.Random) -> str:
    """A font within a style sheet."""
    return f"src:url(data:font/woff2;base64,{b64(rng, 90)}) format('woff2')"


def commits(rng: random.Random) -> str:
    """Some lines of a history."""
    subjects = ("Fix token refresh", "Hash passwords", "Add key rotation", "Bump version")
    return "\n".join(f"{hexed(rng, 7)} {rng.choice(subjects)}" for _ in range(3))


def ssh_public(rng: random.Random) -> str:
    """A public key of SSH."""
    body = base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0 " + rng.randbytes(32)).decode()
    return f"ssh-ed25519 {body} ann@laptop"


def vector(rng: random.Random) -> str:
    """Some numbers of an embedding."""
    numbers = ", ".join(f"{rng.uniform(-1, 1):.6f}" for _ in range(12))
    return f'{{"object": "embedding", "embedding": [{numbers}]}}'


def addresses(rng: random.Random) -> str:
    """Addresses of a network card."""
    mac = ":".join(hexed(rng, 2) for _ in range(6))
    return f"link/ether {mac} inet6 fe80::{hexed(rng, 4)}:{hexed(rng, 4)}/64 scope link"


MAKERS: tuple[tuple[str, Callable[[random.Random], str]], ...] = (
    ("commit", lambda rng: f"commit {hexed(rng, 40)}\nMerge: {hexed(rng, 7)} {hexed(rng, 7)}"),
    ("commit", lambda rng: f"HEAD is now at {hexed(rng, 7)} Rotate the key of the search service"),
    ("commit", commits),
    ("commit", lambda rng: f"uses: actions/setup-python@{hexed(rng, 40)}  # v5"),
    ("file hash", lambda rng: f"{hexed(rng, 64)}  dist/app-1.{rng.randrange(99)}.0.tar.gz"),
    ("file hash", lambda rng: f"MD5 (disk.img) = {hexed(rng, 32)}"),
    ("file hash", lambda rng: f"    --hash=sha256:{hexed(rng, 64)}"),
    ("file hash", lambda rng: f'"integrity": "sha512-{b64(rng, 64)}"'),
    ("file hash", lambda rng: f"example.com/lib v1.2.{rng.randrange(99)} h1:{b64(rng, 32)}"),
    ("image digest", lambda rng: f"nginx@sha256:{hexed(rng, 64)}"),
    ("image digest", lambda rng: f"{hexed(rng, 12)}   nginx:1.27   Up 3 hours   80/tcp   web-1"),
    ("uuid", lambda rng: f'{{"request_id": "{guid(rng)}", "status": "ok"}}'),
    ("uuid", lambda rng: f"trace_id={hexed(rng, 32)} span_id={hexed(rng, 16)}"),
    ("uuid", lambda rng: f"traceparent: 00-{hexed(rng, 32)}-{hexed(rng, 16)}-01"),
    ("uuid", lambda rng: f"DELETE /api/v1/tokens/{guid(rng)} 204"),
    ("id", lambda rng: f'"tool_call_id": "call_{chars(rng, ALNUM, 24)}"'),
    ("id", lambda rng: f'"id": "msg_01{chars(rng, ALNUM, 22)}", "role": "assistant"'),
    ("id", lambda rng: f"pod/app-{chars(rng, LOWNUM, 9)}-{chars(rng, LOWNUM, 5)}   1/1   Running"),
    ("id", lambda rng: f"arn:aws:iam::{rng.randrange(10**11, 10**12)}:role/deploy"),
    ("id", lambda rng: f'{{"_id": {{"$oid": "{hexed(rng, 24)}"}}, "qty": {rng.randrange(99)}}}'),
    ("id", lambda rng: f"https://youtu.be/{chars(rng, URLSAFE, 11)}?t={rng.randrange(999)}"),
    ("id", lambda rng: f'ETag: W/"{hexed(rng, 32)}"'),
    ("id", lambda rng: f"order {rng.randrange(10**9, 10**10)}, parcel 1Z{hexed(rng, 16)}"),
    ("picture", image),
    ("picture", font),
    ("public key", ssh_public),
    ("public key", lambda rng: fenced(rng, "PUBLIC KEY", 290)),
    ("certificate", lambda rng: fenced(rng, "CERTIFICATE", 700)),
    ("certificate", lambda rng: fenced(rng, "CERTIFICATE REQUEST", 400)),
    ("public key", lambda rng: f"[Peer]\nPublicKey = {b64(rng, 32)}\nAllowedIPs = 10.8.0.3/32"),
    ("numbers", vector),
    ("numbers", addresses),
    ("numbers", lambda rng: f"contract 0x{hexed(rng, 40)} mined in tx 0x{hexed(rng, 64)}"),
)

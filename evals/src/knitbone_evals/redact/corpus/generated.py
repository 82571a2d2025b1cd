"""Harmless texts by small generators: identifiers, checksums, numbers, and plain sentences."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
PLUS = "23456789CFGHJMPQRVWX"
BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NAMES = ("anna", "ben", "chloe", "dmitri", "esra", "femi", "grace", "hiro", "ines", "jonas")
PARTS = [
    "get",
    "user",
    "token",
    "count",
    "parse",
    "key",
    "value",
    "secret",
    "password",
    "field",
    "reset",
    "auth",
    "session",
    "cookie",
    "load",
    "public",
    "remote",
    "cached",
    "primary",
    "default",
    "invalid",
    "request",
    "handler",
    "manager",
    "provider",
    "factory",
    "button",
]
Draw = Callable[[random.Random], str]


def some(rng: random.Random, alphabet: str, length: int) -> str:
    """So many random characters of an alphabet."""
    return "".join(rng.choice(alphabet) for _ in range(length))


def digits(rng: random.Random, length: int) -> str:
    """A number of so many digits that does not begin with 0."""
    return rng.choice("123456789") + some(rng, "0123456789", length - 1)


def hexadecimal(rng: random.Random, length: int) -> str:
    """So many hexadecimal digits."""
    return some(rng, HEX, length)


def uuid(rng: random.Random) -> str:
    """A random UUID of version 4."""
    text = hexadecimal(rng, 32)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def encoded(rng: random.Random, size: int) -> str:
    """So many random bytes in base64."""
    return base64.b64encode(rng.randbytes(size)).decode()


def pick(rng: random.Random, *texts: str) -> str:
    """One of some texts."""
    return rng.choice(texts)


def git_hash(rng: random.Random) -> str:
    full, short = hexadecimal(rng, 40), hexadecimal(rng, 7)
    return pick(
        rng, f"commit {full}", f"{short} Fix the login form", f"HEAD is now at {short} Add tests",
        f"Merge: {short} {hexadecimal(rng, 7)}", f"reverts {full}.", full,
        f"https://github.com/acme/app/commit/{full}",
        f"index {short}..{hexadecimal(rng, 7)} 100644",
    )  # fmt: skip


def uuids(rng: random.Random) -> str:
    text = uuid(rng)
    return pick(rng, text, f"request_id={text}", f'{{"id": "{text}"}}', f"job {text} is done",
                f"/users/{text}/orders", f"trace {text}: 3 spans", f"X-Request-Id: {text}",
    )  # fmt: skip


def checksum(rng: random.Random) -> str:
    long, short = hexadecimal(rng, 64), hexadecimal(rng, 32)
    return pick(rng, f"{long}  app-2.{rng.randrange(90)}.tar.gz", f"sha256:{long}",
                f"{short}  a.iso",
                f"MD5 (data.csv) = {short}", f"SHA256 checksum: {long}", f"digest: sha256:{long}",
                f"acme/web@sha256:{long}")  # fmt: skip


def package_lock(rng: random.Random) -> str:
    return pick(
        rng, f'"integrity": "sha512-{encoded(rng, 64)}"', f"--hash=sha256:{hexadecimal(rng, 64)}",
        f'hash = "sha256:{hexadecimal(rng, 64)}"', f'checksum = "{hexadecimal(rng, 64)}"',
        f"github.com/acme/kit v1.{rng.randrange(90)}.0 h1:{encoded(rng, 32)}",
        f'<script src="/a.js" integrity="sha384-{encoded(rng, 48)}"></script>',
    )  # fmt: skip


def etag(rng: random.Random) -> str:
    return pick(rng, f'ETag: "{hexadecimal(rng, 32)}"',
                f'If-None-Match: W/"{hexadecimal(rng, 16)}"',
                f'{{"etag": "{hexadecimal(rng, 32)}", "size": {rng.randrange(9999)}}}')  # fmt: skip


def image(rng: random.Random) -> str:
    start = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    data = start + encoded(rng, 3 * rng.randrange(12, 40)) + "AAAAAElFTkSuQmCC"
    return pick(rng, f"data:image/png;base64,{data}", f'<img src="data:image/png;base64,{data}">',
                f"![dot](data:image/png;base64,{data})",
                f"data:image/gif;base64,R0lGODlhAQABAIAAAA{encoded(rng, 18)}Ow==",
                f"data:font/woff2;base64,d09GMgABAAAAA{encoded(rng, 60)}")  # fmt: skip


def isbn(rng: random.Random) -> str:
    text = f"978-{rng.randrange(10)}-{digits(rng, 4)}-{digits(rng, 4)}-{rng.randrange(10)}"
    return pick(rng, f"ISBN {text}", f"ISBN-13: {text}", f"isbn={text.replace('-', '')}")


def bank_account(rng: random.Random) -> str:
    groups = " ".join(digits(rng, 4) for _ in range(4))
    return pick(rng, f"IBAN: DE{digits(rng, 2)} {groups} {digits(rng, 2)}",
                f"FR{digits(rng, 2)} {groups} {digits(rng, 4)} {digits(rng, 3)}",
                f"sort code {digits(rng, 2)}-{digits(rng, 2)}-{digits(rng, 2)}")  # fmt: skip


def phone(rng: random.Random) -> str:
    return pick(rng, f"+49 30 {digits(rng, 7)}", f"+1 (555) {digits(rng, 3)}-{digits(rng, 4)}",
                f"Tel.: 0{digits(rng, 3)}/{digits(rng, 6)}",
                f"call +33 1 {' '.join(digits(rng, 2) for _ in range(4))}")  # fmt: skip


def tracking(rng: random.Random) -> str:
    return pick(rng, f"Tracking number: 1Z{some(rng, BASE32, 6)}{digits(rng, 10)}",
                f"parcel RR{digits(rng, 9)}DE is on its way", f"tracking: JD{digits(rng, 18)}",
                f"Shipment {digits(rng, 4)} {digits(rng, 4)} {digits(rng, 4)} delivered",
    )  # fmt: skip


def order(rng: random.Random) -> str:
    return pick(rng, f"order #W{digits(rng, 7)}",
                f"Order {digits(rng, 3)}-{digits(rng, 7)}-{digits(rng, 7)}",
                f"order_id=ORD-2024-{digits(rng, 6)}", f"Invoice INV-{digits(rng, 5)} is paid",
                f"reservation {some(rng, BASE32, 6)} for {rng.choice(NAMES)}",
                f'{{"order_id": "#W{digits(rng, 7)}", "status": "pending"}}')  # fmt: skip


def product(rng: random.Random) -> str:
    number = f"{some(rng, string.ascii_uppercase, 3)}-{digits(rng, 4)}-{some(rng, BASE32, 3)}"
    return pick(rng, f"SKU: {number}", f"sku={number}", f"part no. {number} (in stock)",
                f"Serial number: {some(rng, BASE32, 12)}", f"EAN {digits(rng, 13)}",
                f"VIN WVWZZZ{some(rng, BASE32, 3)}{digits(rng, 8)}", f"B0{some(rng, BASE32, 8)}",
    )  # fmt: skip


def genome(rng: random.Random) -> str:
    dna = some(rng, "ACGT", rng.randrange(24, 90))
    return pick(rng, dna, f">seq{rng.randrange(999)} Homo sapiens\n{dna}",
                f"primer: 5'-{dna[:22]}-3'",
                "M" + some(rng, "ACDEFGHIKLMNPQRSTVWY", 48))  # fmt: skip


def colour(rng: random.Random) -> str:
    first, second = hexadecimal(rng, 6), hexadecimal(rng, 6)
    return pick(rng, f"color: #{first};", f"#{first} #{second} #{hexadecimal(rng, 6)}",
                f"background: linear-gradient(90deg, #{first}, #{second})",
                f"--accent: #{first}80;",
                f"--key-color: #{first};", f"fill=\"#{second}\"")  # fmt: skip


def identifier(rng: random.Random) -> str:
    parts = rng.sample(PARTS, rng.randrange(4, 8))
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
    return pick(rng, camel, "_".join(parts), "-".join(parts), f"{camel}();",
                f"class {camel[0].upper()}{camel[1:]}(Base): ...", "_".join(parts).upper(),
                f"import {{ {camel} }} from './{'-'.join(parts[:2])}'")  # fmt: skip


def public_key(rng: random.Random) -> str:
    name = f"{rng.choice(NAMES)}@laptop{rng.randrange(99)}"
    return pick(
        rng, f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{encoded(rng, 270)} {name}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{encoded(rng, 32)[:43]} {name}",
        f"github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{encoded(rng, 32)[:43]}",
        f"256 SHA256:{encoded(rng, 32)[:43]} {name} (ED25519)",
        f"PublicKey = {encoded(rng, 32)}",
        f"Fingerprint: {':'.join(hexadecimal(rng, 2).upper() for _ in range(20))}",
    )  # fmt: skip


def token_count(rng: random.Random) -> str:
    few, many = rng.randrange(5, 900), rng.randrange(900, 99999)
    return pick(
        rng, f"max_tokens={many}", f"token count: {many}", f"tokens: {few}/{many}",
        f'"completion_tokens": {few}', f"{many} tokens used, {few} left", f"max_new_tokens={few}",
        f"usage(prompt_tokens={many}, completion_tokens={few})", f"token_budget: {many}",
        f"truncated after {many} tokens", f"--max-tokens {many}", f"tokens/s: {few}.{few % 10}",
    )  # fmt: skip


def model_reply(rng: random.Random) -> str:
    text = some(rng, ALNUM, 24)
    return pick(
        rng, f'{{"id": "chatcmpl-{some(rng, ALNUM, 29)}", "object": "chat.completion"}}',
        f'{{"tool_call_id": "call_{text}", "role": "tool", "content": "ok"}}',
        f'{{"id": "msg_01{some(rng, ALNUM, 22)}", "type": "message"}}',
        f"tool_use_id: toolu_01{some(rng, ALNUM, 22)}", f"run_{text} is queued",
        f"thread_{text} has 4 messages", f'"system_fingerprint": "fp_{hexadecimal(rng, 10)}"',
        f"file-{text} (purpose: assistants)", f"req_{hexadecimal(rng, 32)} took 412 ms",
    )  # fmt: skip


def cloud_name(rng: random.Random) -> str:
    return pick(
        rng, f"i-0{hexadecimal(rng, 16)} is running", f"subnet-0{hexadecimal(rng, 16)}",
        f"arn:aws:iam::{digits(rng, 12)}:role/deploy",
        f"arn:aws:kms:eu-west-1:{digits(rng, 12)}:key/{uuid(rng)}",
        f"web-{hexadecimal(rng, 9)}-{some(rng, 'bcdfghjklmnpqrstvwxz2456789', 5)}   1/1   Running",
        f"/subscriptions/{uuid(rng)}/resourceGroups/prod",
        f"projects/acme-{digits(rng, 6)}/topics/in",
        f"arn:aws:secretsmanager:eu-west-1:{digits(rng, 12)}:secret:db-{some(rng, ALNUM, 6)}",
        f"container {hexadecimal(rng, 12)} exited (0)", f"vol-0{hexadecimal(rng, 16)} attached",
    )  # fmt: skip


def payment_object(rng: random.Random) -> str:
    text = some(rng, ALNUM, 14)
    return pick(rng, f"customer cus_{text}", f'"payment_intent": "pi_3{some(rng, ALNUM, 23)}"',
                f"price_1{some(rng, ALNUM, 23)}", f"refund re_3{some(rng, ALNUM, 23)} succeeded",
                f"evt_1{some(rng, ALNUM, 23)} (charge.refunded)")  # fmt: skip


def network(rng: random.Random) -> str:
    mac = ":".join(hexadecimal(rng, 2) for _ in range(6))
    ipv6 = ":".join(hexadecimal(rng, 4) for _ in range(8))
    return pick(rng, f"link/ether {mac} brd ff:ff:ff:ff:ff:ff", f"inet6 {ipv6}/64 scope global",
                f"[{ipv6}]:8443",
                f"10.{rng.randrange(255)}.0.{rng.randrange(255)}:52814 -> db:5432",
                f"dhcp: {mac} got 192.168.1.{rng.randrange(255)}")  # fmt: skip


def sortable_id(rng: random.Random) -> str:
    return pick(rng, f"01H{some(rng, BASE32, 23)}", f'{{"ulid": "01J{some(rng, BASE32, 23)}"}}',
                f"_id: ObjectId('{hexadecimal(rng, 24)}')",
                f"message 1{digits(rng, 18)} by {rng.choice(NAMES)}",
                f"Message-ID: <{some(rng, ALNUM, 16)}@mail.example.com>",
                f"offset={digits(rng, 9)}")  # fmt: skip


def asset(rng: random.Random) -> str:
    return pick(rng, f"main.{hexadecimal(rng, 8)}.chunk.js  {rng.randrange(900)} kB",
                f'<link href="/static/app-{some(rng, ALNUM, 8)}.css" rel="stylesheet">',
                f"dist/assets/index-{some(rng, ALNUM, 8)}.js",
                f"img_{digits(rng, 8)}_{digits(rng, 6)}.jpg",
                f"https://cdn.example.com/{hexadecimal(rng, 2)}/{hexadecimal(rng, 32)}.webp",
    )  # fmt: skip


def vector(rng: random.Random) -> str:
    numbers = [f"{rng.uniform(-1, 1):.6f}" for _ in range(rng.randrange(4, 12))]
    return pick(rng, f"[{', '.join(numbers)}]", f'{{"embedding": [{", ".join(numbers)}]}}',
                " ".join(numbers), f"point: {numbers[0]}, {numbers[1]}")  # fmt: skip


def moment(rng: random.Random) -> str:
    day = f"2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    return pick(rng, f"{day}T12:{rng.randrange(10, 60)}:00Z", f"due {day}", f"expires_at={day}",
                f"unix time 17{digits(rng, 8)}",
                f"v{rng.randrange(9)}.{rng.randrange(90)}.{rng.randrange(90)}-rc.1",
                f"token_expires: {day}", f"password changed on {day}")  # fmt: skip


def place(rng: random.Random) -> str:
    return pick(rng, f"{rng.uniform(-90, 90):.6f}, {rng.uniform(-180, 180):.6f}",
                f"geo:{rng.uniform(0, 60):.4f},{rng.uniform(0, 60):.4f}",
                f"plus code 9F4M{some(rng, PLUS, 4)}+{some(rng, PLUS, 2)}",
                f"EPSG:4326 POINT({rng.uniform(0, 60):.5f} {rng.uniform(0, 60):.5f})")  # fmt: skip


def transaction(rng: random.Random) -> str:
    return pick(rng, f"tx 0x{hexadecimal(rng, 64)} confirmed", f"sent to 0x{hexadecimal(rng, 40)}",
                f"block hash 0x{hexadecimal(rng, 64)}",
                f'"transactionHash": "0x{hexadecimal(rng, 64)}"')  # fmt: skip


def about_secrets(rng: random.Random) -> str:
    subject = pick(rng, "password", "API key", "access token", "client secret", "refresh token",
                   "session cookie", "private key", "passphrase", "webhook secret", "credential",
    )  # fmt: skip
    state = pick(rng, "missing", "expired", "invalid", "optional", "required", "too short", "empty",
                 "not set", "revoked", "stored encrypted", "unknown", "rotated weekly",
                 "deprecated")  # fmt: skip
    return pick(
        rng, f"The {subject} is {state}.", f"error: {subject} is {state}",
        f"If the {subject} is {state}, stop.",
        f"{rng.choice(NAMES).capitalize()} says the {subject} was {state}.",
        f"Why is my {subject} {state}?",
        f"# the {subject} must not be {state}", f"Warning: your {subject} is {state}",
    )  # fmt: skip


def checks(rng: random.Random) -> str:
    name = pick(rng, "password", "token", "api_key", "secret", "access_token", "client_secret",
                "auth_token", "private_key", "passphrase", "credentials")  # fmt: skip
    other = pick(rng, "user", "request", "settings", "self", "config", "options", "session")
    return pick(
        rng, f"if not {other}.{name}:", f"{name} = {other}.{name}",
        f"def check_{name}({name}: str) -> bool:",
        f"assert {other}.{name} is None", f'{name} = {other}.get("{name}")',
        f"{name}={other}.{name},",
        f'if "{name}" in {other}: del {other}["{name}"]',
        f"{name}: str | None = None  # of the {other}",
        f"return {other}.{name} == expected_{name}", f'raise KeyError("{name}")  # {other}',
        f'{name} = os.environ["{name.upper()}"]', f"this.{name} = {other}.{name};",
        f'{name}: str = Field(..., description="of the {other}")', f"del {other}.{name}",
    )  # fmt: skip


def schema(rng: random.Random) -> str:
    name = pick(rng, "password", "token", "apiKey", "secret", "accessToken", "clientSecret", "pin")
    kind = pick(rng, "string", "boolean", "integer", "object", "array")
    return pick(
        rng, f'"{name}": {{"type": "{kind}"}}',
        f'{{"properties": {{"{name}": {{"type": "{kind}"}}}}}}',
        f'{{"required": ["{name}", "{kind}s"]}}', f'"{name}": {{"type": ["{kind}", "null"]}}',
        f'{{"name": "{name}", "type": "{kind}", "nullable": true}}',
        f'"{name}": null, "kind": "{kind}"',
        f"{name}: {{type: {kind}, required: true}}", f"{name}?: {kind};",
    )  # fmt: skip


def template(rng: random.Random) -> str:
    name = pick(rng, "DB_PASSWORD", "API_KEY", "GITHUB_TOKEN", "JWT_SECRET", "OPENAI_API_KEY",
                "SMTP_PASSWORD", "STRIPE_SECRET_KEY", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN",
    )  # fmt: skip
    return pick(
        rng, f"{name}=${{{name}}}", f"{name}=", f"export {name}=<your value>",
        f"{name}: ${{{{ secrets.{name} }}}}",
        f'{name}="${name}"', f"{name}=********", f"# {name}=", f"process.env.{name}",
        f'os.getenv("{name}")', f"${{{name}:-}}",
        f"{name} is not set", f"Set {name} first.", f"unset {name}", f"{name}=$(pass show app)",
        f"missing variable: {name}", f"-e {name}", f"env.{name} ?? ''", f"`{name}` (required)",
    )  # fmt: skip


GENERATORS: dict[str, tuple[Draw, int]] = {
    "git hashes": (git_hash, 90),
    "uuids": (uuids, 90),
    "checksums": (checksum, 90),
    "package locks": (package_lock, 90),
    "etags": (etag, 60),
    "base64 images": (image, 60),
    "isbn": (isbn, 40),
    "bank accounts": (bank_account, 50),
    "phone numbers": (phone, 50),
    "tracking numbers": (tracking, 60),
    "orders": (order, 80),
    "products": (product, 80),
    "genomes": (genome, 60),
    "colours": (colour, 60),
    "identifiers": (identifier, 110),
    "public keys": (public_key, 90),
    "token counts": (token_count, 100),
    "ids of model replies": (model_reply, 90),
    "cloud resources": (cloud_name, 90),
    "payment objects": (payment_object, 60),
    "network addresses": (network, 60),
    "sortable ids": (sortable_id, 70),
    "assets": (asset, 60),
    "vectors": (vector, 40),
    "dates and versions": (moment, 60),
    "places": (place, 40),
    "blockchain": (transaction, 50),
    "sentences about secrets": (about_secrets, 150),
    "code that checks secrets": (checks, 180),
    "schemas": (schema, 120),
    "variables without values": (template, 120),
}


def generated() -> list[tuple[str, str]]:
    """Kind and text of each generated text; the same ones at each call."""
    found: dict[str, str] = {}
    for kind, (draw, number) in GENERATORS.items():
        rng = random.Random(kind)
        goal = len(found) + number
        for _ in range(50 * number):
            found.setdefault(draw(rng), kind)
            if len(found) == goal:
                break
    return [(kind, text) for text, kind in found.items()]

"""600 texts in which there is no secret: a redactor must leave each exactly as it is.

Those written by hand lie in third_harmless/ (one a line in *.txt, passages parted by %%% in *.blocks);
the rest are made here, from a fixed seed.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import pathlib
import random
import struct
import zlib

from third_material import FIRST, LAST, PLAIN, WORDS, b64, digits, hexs, stamp, uuid

_FOLDER = pathlib.Path(__file__).parent / "third_harmless"
_SEED = 20261122
_EACH = 10


@dataclasses.dataclass(frozen=True)
class Text:
    kind: str
    text: str


def _w(r: random.Random) -> str:
    return r.choice(WORDS)


def _npm_lock(r):
    out = {}
    for name in r.sample(PLAIN, 3):
        version = f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(30)}"
        sri = b64(hashlib.sha512(f"{name}{r.random()}".encode()).digest())
        out[f"node_modules/{name}"] = {
            "version": version,
            "resolved": f"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz",
            "integrity": "sha512-" + sri,
            "license": "MIT",
        }
    return json.dumps(out, indent=2)


def _pip_hashes(r):
    lines = []
    for name in r.sample(WORDS, 3):
        lines.append(f"{name}=={r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)} \\")
        lines.append(f"    --hash=sha256:{hexs(r, 64)} \\\n    --hash=sha256:{hexs(r, 64)}")
    return "\n".join(lines)


def _go_sum(r):
    return "\n".join(
        f"github.com/{_w(r)}/{_w(r)} v{r.randrange(3)}.{r.randrange(30)}.{r.randrange(9)}{end} h1:{b64(hashlib.sha256(str(r.random()).encode()).digest())}"
        for end in ("", "/go.mod", "", "/go.mod")
    )


def _cargo_lock(r):
    return "\n\n".join(
        f'[[package]]\nname = "{name}"\nversion = "0.{r.randrange(30)}.{r.randrange(9)}"\n'
        f'source = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "{hexs(r, 64)}"'
        for name in r.sample(WORDS, 2)
    )


def _git_log(r):
    verbs = ("Fix", "Add", "Remove", "Rename", "Document", "Speed up", "Test", "Revert")
    things = (
        "token count",
        "key map",
        "password form",
        "secret store",
        "login page",
        "cache",
        "retry loop",
        "passenger list",
        "parser",
    )
    return "\n".join(
        f"{hexs(r, 8)} {r.choice(verbs)} the {_w(r)} {r.choice(things)} (#{r.randrange(10, 5000)})"
        for _ in range(6)
    )


def _git_tree(r):
    return "\n".join(
        f"100644 blob {hexs(r, 40)}    {_w(r)}/{_w(r)}.{r.choice(('py', 'go', 'md', 'ts'))}"
        for _ in range(4)
    )


def _png(r):
    width, height = r.randrange(6, 12), r.randrange(6, 12)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(
        b"\0" + bytes(r.randrange(256) for _ in range(width * 3)) for _ in range(height)
    )
    png = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
    return f'<img alt="{_w(r)}" width="{width}" height="{height}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def _docker_ps(r):
    return "\n".join(
        [f"REPOSITORY{'':12}TAG       IMAGE ID       SIZE"]
        + [
            f"{_w(r):<22}{r.randrange(9)}.{r.randrange(9)}.{r.randrange(9)}     {hexs(r, 12)}   {r.randrange(20, 900)}MB"
            for _ in range(4)
        ]
    )


def _fasta(r):
    sequence = "".join(r.choice("ACGT") for _ in range(180))
    return (
        f">chr{r.randrange(1, 23)}:{r.randrange(10**6)}-{r.randrange(10**6, 10**7)} {_w(r)}\n"
        + "\n".join(sequence[i : i + 60] for i in range(0, 180, 60))
    )


def _fen(r):
    rows = []
    for _ in range(8):
        row, left = "", 8
        while left:
            if r.random() < 0.5:
                step = r.randrange(1, left + 1)
                row, left = row + str(step), left - step
                if left == 0:
                    break
            row, left = row + r.choice("pPnNbBrRqQ"), left - 1
        rows.append(row)
    return f"Position after move {r.randrange(8, 40)}: {'/'.join(rows)} {r.choice('wb')} - - 0 {r.randrange(8, 40)}\nBest line: {r.choice('abcdefgh')}{r.randrange(2, 7)} with {r.random():+.2f}"


def _trace_log(r):
    return "\n".join(
        f"{stamp(r)} INFO trace_id={hexs(r, 32)} span_id={hexs(r, 16)} request_id={uuid(r)} path=/v1/{_w(r)} status=200 dur_ms={r.randrange(3, 900)}"
        for _ in range(3)
    )


def _usage(r):
    return json.dumps(
        {
            "id": "run_" + digits(r, 8),
            "model": _w(r) + "-large",
            "max_tokens": 2 ** r.randrange(8, 15),
            "token_count": r.randrange(20, 9000),
            "tokens_left": r.randrange(10**6),
            "tokenizer": _w(r) + "-bpe",
            "keys_pressed": r.randrange(50),
            "pass": r.randrange(200),
            "fail": r.randrange(9),
        }
    )


def _flights(r):
    return json.dumps(
        [
            {
                "flight": f"{r.choice(('SK', 'LH', 'KL', 'TP'))}{r.randrange(100, 3000)}",
                "passenger": f"{r.choice(FIRST).title()} {r.choice(LAST).title()}",
                "seat": f"{r.randrange(1, 33)}{r.choice('ABCDEF')}",
                "gate": f"{r.choice('ABC')}{r.randrange(1, 60)}",
                "departs": stamp(r),
            }
            for _ in range(2)
        ],
        indent=1,
    )


def _weather(r):
    return "\n".join(
        [f"Forecast for {_w(r).title()}, issued {stamp(r)}"]
        + [
            f"{day}  {r.randrange(-5, 20):>3} to {r.randrange(20, 34)} C, {r.choice(('sun', 'rain', 'cloud', 'snow'))}, wind {r.randrange(2, 60)} km/h"
            for day in ("Mon", "Tue", "Wed", "Thu")
        ]
    )


def _csv(r):
    rows = ["order_id,sku,quantity,unit_price,shipped_at,tracking_number"]
    rows += [
        f"{digits(r, 7)},{_w(r)[:3].upper()}-{digits(r, 4)}-{r.choice('SMLX')},{r.randrange(1, 9)},{r.randrange(3, 300)}.{r.randrange(100):02d},{stamp(r)[:10]},{digits(r, 14)}"
        for _ in range(4)
    ]
    return "\n".join(rows)


def _test_output(r):
    names = r.sample(
        (
            "missing_token",
            "password_too_short",
            "key_order",
            "secret_is_hidden",
            "login_twice",
            "expired_pass",
            "empty_header",
            "unicode_user",
        ),
        4,
    )
    return "\n".join(
        f"tests/test_{_w(r)}.py::test_{name} {r.choice(('PASSED', 'PASSED', 'FAILED', 'SKIPPED'))} [{r.randrange(1, 101):>3}%]"
        for name in names
    )


def _handler(r):
    name, env = _w(r), _w(r).upper()
    return r.choice(
        (
            f"def connect_{name}(user: str, password: str) -> Connection:\n    token = os.environ['{env}_TOKEN']\n    return Connection(user, password, token=token)",
            f"const {name}Secret = process.env.{env}_SECRET;\nif (!{name}Secret) throw new Error('{env}_SECRET is not set');\nexport const {name} = createClient({{ secret: {name}Secret }});",
            f'password, ok := os.LookupEnv("{env}_PASSWORD")\nif !ok {{\n\tlog.Fatal("{env}_PASSWORD is missing")\n}}\n{name} := New{name.title()}(user, password)',
            f"{name}:\n  image: {name}:latest\n  environment:\n    API_KEY: ${{{env}_API_KEY}}\n    DB_PASSWORD: ${{{env}_DB_PASSWORD:?missing}}",
        )
    )


def _urls(r):
    return (
        f"https://www.{_w(r)}.example.com/{_w(r)}/{digits(r, 8)}?ref={_w(r)}_{_w(r)}&page={r.randrange(1, 90)}&sort=price_asc&filter%5Bcolor%5D={r.choice(PLAIN)}"
        f"&filter%5Bsize%5D={r.choice('SML')}&utm_source={_w(r)}&utm_campaign={_w(r)}_{r.randrange(2020, 2027)}\nhttps://{_w(r)}.example.org/commit/{hexs(r, 40)}"
    )


_MAKERS = {
    "lock file": (_npm_lock, _pip_hashes, _go_sum, _cargo_lock),
    "git": (_git_log, _git_tree),
    "image": (_png,),
    "listing": (_docker_ps,),
    "genome": (_fasta,),
    "chess": (_fen,),
    "log": (_trace_log,),
    "tool answer": (_usage, _flights, _weather),
    "table": (_csv,),
    "test output": (_test_output,),
    "code": (_handler,),
    "url": (_urls,),
}


def harmless() -> list[Text]:
    texts: list[Text] = []
    for path in sorted(_FOLDER.glob("*.txt")):
        texts += [
            Text(f"hand: {path.stem} (lines)", line)
            for line in path.read_text("utf-8").splitlines()
            if line.strip()
        ]
    for path in sorted(_FOLDER.glob("*.blocks")):
        texts += [
            Text(f"hand: {path.stem} (blocks)", block.strip("\n"))
            for block in path.read_text("utf-8").split("\n%%%\n")
        ]
    for kind, makers in _MAKERS.items():
        for make in makers:
            r = random.Random(f"{_SEED}:{make.__name__}")
            texts += [Text(f"made: {kind}", make(r)) for _ in range(_EACH)]
    return texts

"""600 texts in which there is no secret: a redactor must leave each exactly as it is.

Those written by hand lie in fourth_harmless/ (one a line in *.txt, passages parted by %%% in *.blocks);
the rest are made here from a fixed seed, to the number of 600.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import random
import struct
import zlib

from fourth_material import B64, CITIES, FIRST, LAST, NOUNS, Rand, b64, fill, hexs, raw, tok

_FOLDER = pathlib.Path(__file__).parent / "fourth_harmless"
_SEED = 40423
_COUNT = 600


@dataclasses.dataclass(frozen=True)
class Text:
    kind: str
    text: str


_TEMPLATES: dict[str, tuple[str, ...]] = {
    "made-git-log": (
        "commit <<hex40>>\nAuthor: <<First>> <<Last>> <<<email>>>\n\n    Fix the <<token|password|key>> check of <<noun>> (#<<n4>>)\n",
        "<<hex7>> (HEAD -> main) Rotate keys of <<noun>>\n<<hex7>> Add password policy\n<<hex7>> Bump <<noun>> to <<n1>>.<<n2>>.<<n1>>\n",
    ),
    "made-uv-lock": (
        '[[package]]\nname = "<<noun#1>>"\nversion = "<<n1#1>>.<<n2#1>>.0"\nsdist = { url = "https://files.pythonhosted.org/packages/<<hex2>>/<<hex2>>/<<hex60>>/<<noun#1>>-<<n1#1>>.<<n2#1>>.0.tar.gz", hash = "sha256:<<hex64>>", size = <<n5>> }\n',
    ),
    "made-requirements": (
        "<<noun>>==<<n1>>.<<n2>> \\\n    --hash=sha256:<<hex64>> \\\n    --hash=sha256:<<hex64>>\n",
    ),
    "made-cargo-lock": (
        '[[package]]\nname = "<<noun>>"\nversion = "0.<<n2>>.<<n1>>"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "<<hex64>>"\n',
    ),
    "made-trace": (
        '{"trace_id": "<<hex32>>", "span_id": "<<hex16>>", "parent_id": "<<hex16>>", "name": "<<noun>>.refresh_token", "start": "<<stamp>>", "ms": <<n3>>}\n',
        "traceparent: 00-<<hex32>>-<<hex16>>-01\nx-amzn-trace-id: Root=1-<<hex8>>-<<hex24>>\n",
    ),
    "made-access-log": (
        '<<ip>> - <<user>> [<<day>>/Mar/2025:<<time>> +0000] "POST /api/<<login|token|password/reset|keys>> HTTP/1.1" <<status>> <<n4>> "-" "Mozilla/5.0 (X11; Linux x86_64) rv:1<<n2>>.0"\n',
    ),
    "made-app-log": (
        "<<date>> <<time>>,<<n3>> <<INFO|DEBUG|WARNING>> <<noun>>.auth: token for user <<user>> <<expired|refreshed|revoked>> (jti=<<uuid>>)\n",
        '<<stamp>> level=<<info|warn>> caller=<<noun>>.go:<<n3>> msg="password policy loaded" rules=<<n1>> request_id=<<uuid>>\n',
    ),
    "made-ids-json": (
        '{"id": "<<uuid>>", "customer": "<<First>> <<Last>>", "order": "<<up4>>-<<n6>>", "sku": "<<up3>>-<<n5>>", "total": <<n3>>.<<n2>>}\n',
        '{"id": "call_<<al24>>", "type": "function", "function": {"name": "lookup_<<noun>>", "arguments": "{\\"id\\": <<n5>>}"}}\n',
        '{"id": "chatcmpl-<<al29>>", "model": "gpt-4o-mini-2024-07-18", "usage": {"prompt_tokens": <<n4>>, "completion_tokens": <<n3>>}}\n',
        '{"type": "tool_use", "id": "toolu_01<<al22>>", "name": "read_file", "input": {"path": "src/<<noun>>/tokens.py", "limit": <<n3>>}}\n',
    ),
    "made-docker": (
        "REPOSITORY   TAG   IMAGE ID       CREATED      SIZE\n<<noun>>     <<n1>>.<<n2>>  <<hex12>>   3 days ago   <<n3>>MB\n",
        "Step <<n1>>/12 : COPY . /app\n ---> <<hex12>>\nSuccessfully built <<hex12>>\nSuccessfully tagged <<noun>>:<<hex7>>\n",
    ),
    "made-checksums": (
        "<<hex64>>  <<noun#1>>-<<n1#1>>.<<n2#1>>.tar.gz\n<<hex64>>  <<noun#1>>-<<n1#1>>.<<n2#1>>.zip\n",
        "MD5 (<<noun>>.iso) = <<hex32>>\nSHA1 (<<noun>>.iso) = <<hex40>>\n",
    ),
    "made-placeholder-env": (
        "DB_HOST=<<host>>\nDB_USER=<<role>>\nDB_PASSWORD=<<changeme|xxxxxxxx|********|your_password|TODO>>\nDB_POOL=<<n2>>\n",
        "<<noun#1>>:\n  host: <<host>>\n  user: <<role>>\n  password: ${<<PROD|STAGING>>_DB_PASSWORD}\n  timeout: <<n2>>\n",
    ),
    "made-python": (
        'def <<noun>>_client(token: str | None = None) -> Client:\n    """A client for <<host>>."""\n    return Client(token or os.environ["<<NOUN|SERVICE|APP>>_TOKEN"], timeout=<<n2>>)\n',
        'password = keyring.get_password("<<noun>>", "<<user>>")\nif password is None:\n    raise SystemExit(<<n1>>)\n',
    ),
    "made-chat": (
        "[<<hm#1>>] <<First>>: did you change the password of <<noun>>?\n[<<hm#1>>] <<First>>: yes, it's in the vault under <<noun>>-prod\n",
        "[<<hm>>] <<First>>: the token of the <<noun>> bot expired <<yesterday|today|on Monday>>, I'm making a new one\n",
    ),
    "made-mail": (
        "From: <<email>>\nTo: <<email>>\nMessage-ID: <<<al20>>.<<n8>>@mail.example.com>\nDate: <<date>> <<time>>\nSubject: Password changed\n\nThe password of your account was changed at <<hm>>. If this was not you, call +49 30 5550 <<n4>>.\n",
    ),
    "made-cloud": (
        '$ aws sts get-caller-identity\n{\n    "UserId": "AIDA<<aws17>>",\n    "Account": "<<n12>>",\n    "Arn": "arn:aws:iam::<<n12#1>>:user/<<user>>"\n}\n',
        '{"etag": "\\"<<hex32>>\\"", "versionId": "<<al32>>", "bucket": "<<noun>>-<<n6>>", "size": <<n6>>}\n',
    ),
    "made-numbers": (
        "<<n3>>.<<n4>>, -0.<<n8>>, 1.<<n16>>e-0<<n1>>, <<n5>>, <<n10>>\n",
        "Account <<n8>>, invoice <<n10>>, customer <<n6>>, phone +44 20 7946 0<<n3>>, <<n1>> Harbour Road, EC<<n1>>A <<n1>>BB\n",
    ),
}


def _png(r: Rand) -> str:
    def part(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    size = r.randrange(3, 8)
    rows = zlib.compress(b"".join(b"\0" + raw(r, 3 * size) for _ in range(size)))
    head = part(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", rows) + part(b"IEND", b"")
    if r.random() < 0.5:
        return json.dumps({"type": "image", "media_type": "image/png", "data": b64(png)})
    return f"![{r.choice(NOUNS)}](data:image/png;base64,{b64(png)})"


def _public_key(r: Rand) -> str:
    body = b64(struct.pack(">I", 11) + b"ssh-ed25519" + struct.pack(">I", 32) + raw(r, 32))
    return f"ssh-ed25519 {body} {r.choice(FIRST)}@{r.choice(NOUNS)}"


def _certificate(r: Rand) -> str:
    # no true certificate inside, but as one looks
    body = "MII" + tok(r, 61 + 64 * 6, B64) + "=="
    lines = "\n".join(body[i : i + 64] for i in range(0, len(body), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----"


def _package_lock(r: Rand) -> str:
    name, version = r.choice(NOUNS), f"{r.randrange(9)}.{r.randrange(30)}.{r.randrange(9)}"
    url = f"https://registry.npmjs.org/{name}/-/{name}-{version}.tgz"
    item = {"version": version, "resolved": url, "integrity": "sha512-" + b64(raw(r, 64))}
    return json.dumps({f"node_modules/{name}": item}, indent=2)


def _go_sum(r: Rand) -> str:
    module = f"github.com/{r.choice(LAST)}/{r.choice(NOUNS)} v{r.randrange(3)}.{r.randrange(30)}.0"
    return f"{module} h1:{b64(raw(r, 32))}\n{module}/go.mod h1:{b64(raw(r, 32))}"


def _table(r: Rand) -> str:
    rows = ["id,city,key,population,updated"]
    rows += [
        f"{i},{r.choice(CITIES)},{hexs(r, 6)},{r.randrange(10**4, 10**7)},2025-0{r.randrange(1, 10)}-11"
        for i in range(1, r.randrange(4, 8))
    ]
    return "\n".join(rows)


def _embedding(r: Rand) -> str:
    vector = [round(r.uniform(-0.2, 0.2), 9) for _ in range(12)]
    return json.dumps({"object": "embedding", "index": r.randrange(90), "embedding": vector})


_MAKERS = {
    "made-png": _png,
    "made-ssh-public-key": _public_key,
    "made-certificate": _certificate,
    "made-package-lock": _package_lock,
    "made-go-sum": _go_sum,
    "made-table": _table,
    "made-embedding": _embedding,
}


def _by_hand() -> list[Text]:
    texts = []
    for path in sorted(_FOLDER.glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        texts += [Text(f"hand-{path.stem}", line) for line in lines if line.strip()]
    for path in sorted(_FOLDER.glob("*.blocks")):
        blocks = path.read_text("utf-8").split("\n%%%\n")
        texts += [Text(f"hand-{path.stem}", block.strip("\n")) for block in blocks]
    return texts


def harmless() -> list[Text]:
    texts = _by_hand()
    kinds = [*_TEMPLATES, *_MAKERS]
    for i in range(_COUNT - len(texts)):
        kind = kinds[i % len(kinds)]
        r = random.Random(f"{_SEED}/{kind}/{i}")
        made = _MAKERS[kind](r) if kind in _MAKERS else fill(r, r.choice(_TEMPLATES[kind]))
        texts.append(Text(kind, made))
    return texts

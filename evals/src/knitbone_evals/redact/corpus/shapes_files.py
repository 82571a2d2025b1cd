"""Private keys, files of credentials, hashes of passwords, and secrets told in prose."""

from __future__ import annotations

import base64
import random

from material import (
    ALNUM,
    PROSE,
    URLSAFE,
    Build,
    Shape,
    encoded,
    fill,
    framed,
    hexadecimal,
    jwt,
    password,
    prefixed,
    secret_word,
    some,
)

TOKEN = prefixed("", URLSAFE, 24, 32, 43)
NO_SPACE = secret_word(" :#\"'\\")
CRYPT = ALNUM + "./"


def lines(text: str, width: int, end: str) -> str:
    """A text in lines of a width."""
    return end.join(text[start : start + width] for start in range(0, len(text), width))


def key_block(
    name: str,
    label: str,
    size: int,
    head: str = "",
    start: str = "",
    end: str = "\n",
    frame: str = "",
) -> Shape:
    """A private key between its two marks; the secret is all that stands between them.

    `head` are lines of header before the body, `start` is how the body begins in real keys,
    `end` is how its lines end, and `frame` what stands around the block.
    """

    def make(rng: random.Random) -> tuple[str, str]:
        body = lines(start + encoded(rng, size), 64, end)
        block = f"-----BEGIN {label}-----{end}{head}{body}{end}-----END {label}-----{end}"
        return fill(rng, frame, block) if frame else block, body

    return Shape(name, "private key", make)


RSA = "MIIEpAIBAAKCAQEA"
PKCS8 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"
OPENSSH = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB"
ENCRYPTED = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0F1E2D3C4B5A69788796A5B4C3D2E1F0\n\n"

KEYS = (
    key_block("rsa", "RSA PRIVATE KEY", 1100, start=RSA),
    key_block("pkcs8", "PRIVATE KEY", 1150, start=PKCS8),
    key_block("elliptic curve", "EC PRIVATE KEY", 110, start="MHcCAQEEI"),
    key_block("dsa", "DSA PRIVATE KEY", 600, start="MIIDVgIBAAKCAQEA"),
    key_block("openssh", "OPENSSH PRIVATE KEY", 300, start=OPENSSH),
    key_block("encrypted pkcs8", "ENCRYPTED PRIVATE KEY", 1200, start="MIIFHDBOBgkqhkiG9w0BBQ0w"),
    key_block("encrypted rsa", "RSA PRIVATE KEY", 1100, head=ENCRYPTED),
    key_block("pgp", "PGP PRIVATE KEY BLOCK", 800, head="Version: GnuPG v2\n\n", start="lQOYBGN"),
    key_block("windows line ends", "PRIVATE KEY", 1100, start=PKCS8, end="\r\n"),
    key_block("escaped in json", "PRIVATE KEY", 1100, start=PKCS8, end="\\n",
              frame='{"kid": "<number>", "private_key": "<secret>"}'),
    key_block("escaped in environment", "RSA PRIVATE KEY", 1100, start=RSA, end="\\n",
              frame='export GITHUB_APP_PRIVATE_KEY="<secret>"'),
    key_block("indented in yaml", "EC PRIVATE KEY", 110, start="MHcCAQEEI", end="\n    ",
              frame="tls:\n  key: |\n    <secret>"),
    key_block("in python", "RSA PRIVATE KEY", 900, start=RSA,
              frame='KEY = """<secret>"""'),
)  # fmt: skip


def credentials(name: str, build: Build, *frames: str) -> Shape:
    """A line or a passage of a file that keeps credentials."""
    return framed(name, "credential file", build, *frames)


def hashed(name: str, build: Build, *frames: str) -> Shape:
    """A hash of a password, as files of users keep it."""
    return framed(name, "password hash", build, *frames)


def pem_in_base64(rng: random.Random) -> str:
    """A whole private key in base64, as configurations of clusters keep it."""
    body = lines(RSA + encoded(rng, 400), 64, "\n")
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"
    return base64.b64encode(block.encode()).decode()


def seed_phrase(rng: random.Random) -> str:
    """Twelve words that give a wallet away."""
    words = [
        "abandon",
        "ability",
        "oxygen",
        "lunar",
        "ketchup",
        "violin",
        "hybrid",
        "tunnel",
        "wasp",
        "zebra",
        "mimic",
        "glide",
        "orphan",
        "pigeon",
        "quantum",
        "ribbon",
        "salmon",
        "theory",
        "umbrella",
        "velvet",
        "width",
        "yellow",
        "acid",
        "banner",
        "cabin",
        "dwarf",
    ]
    return " ".join(rng.sample(words, 12))


FILES = (
    credentials("netrc", NO_SPACE, "machine api.example.com login <user> password <secret>",
                "machine <host>\n  login <user>\n  password <secret>"),
    credentials("pypirc", NO_SPACE, "[pypi]\nrepository = https://upload.example.org/\n"
                "username = <user>\npassword = <secret>"),
    credentials("npmrc", TOKEN, "//registry.npmjs.org/:_authToken=<secret>",
                "registry=https://npm.example.com/\n//npm.example.com/:_authToken=<secret>"),
    credentials("npmrc in base64", lambda rng: encoded(rng, 27), "_auth=<secret>\nalways-auth=true",
                "//npm.example.com/:_auth=<secret>"),
    credentials("git-credentials", prefixed("", ALNUM, 40), "https://<user>:<secret>@github.com",
                "https://<user>:<secret>@git.example.com\nhttps://github.com"),
    credentials("pgpass", NO_SPACE, "<host>:5432:shop:<user>:<secret>", "*:*:*:postgres:<secret>"),
    credentials("kube token", lambda rng: jwt(rng, iss="kubernetes/serviceaccount"),
                "users:\n- name: <user>\n  user:\n    token: <secret>"),
    credentials("kube client key", pem_in_base64,
                "users:\n- name: <user>\n  user:\n    client-key-data: <secret>"),
    credentials("putty key", lambda rng: lines(encoded(rng, 96), 64, "\n"),
                "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: <user>\n"
                "Private-Lines: 2\n<secret>\nPrivate-MAC: 00"),
    credentials("json web key", prefixed("", URLSAFE, 43),
                '{"kty": "EC", "crv": "P-256", "kid": "k1", "d": "<secret>"}'),
    credentials("s3 configuration", lambda rng: some(rng, ALNUM + "+/", 40),
                "[default]\naccess_key = AKIAQX7T2MNB4LVR6WZ3\nsecret_key = <secret>"),
    hashed("htpasswd apache", lambda rng: f"$apr1${some(rng, CRYPT, 8)}${some(rng, CRYPT, 22)}",
           "<user>:<secret>"),
    hashed("htpasswd bcrypt", lambda rng: f"$2y$10${some(rng, CRYPT, 53)}", "<user>:<secret>",
           '{"user": "<user>", "password_hash": "<secret>"}'),
    hashed("shadow", lambda rng: f"$6${some(rng, CRYPT, 16)}${some(rng, CRYPT, 86)}",
           "<user>:<secret>:19700:0:99999:7:::"),
    hashed("django hash",
           lambda rng: f"pbkdf2_sha256$600000${some(rng, ALNUM, 22)}${encoded(rng, 32)}",
           "password = '<secret>'", "<secret>"),
)  # fmt: skip


def prose(name: str, build: Build, *frames: str) -> Shape:
    """A secret that a person tells in a sentence."""
    return framed(name, "prose", build, *frames)


SPOKEN = secret_word(PROSE)


def one_time_code(rng: random.Random) -> str:
    """A password of capital letters and digits in groups, as managers of passwords print it."""
    return "-".join(some(rng, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 5) for _ in range(4))


PROSE_SHAPES = (
    prose("the password is", SPOKEN, "the password is <secret>",
          "Its password is <secret> , thanks",
          "My password is: <secret>"),
    prose("password colon", SPOKEN, "Login: <user>\nPassword: <secret>", "Password: <secret>",
          "user: <user> / pass: <secret>", "username <user>, password <secret>"),
    prose("quoted password", secret_word("\"'`“”", spaces=True),
          'The admin password is "<secret>".',
          "Please log in with the password `<secret>` first.",
          "Use the password '<secret>' for it."),
    prose("use token", TOKEN, "use token <secret>", "Please use the token <secret> for all calls.",
          "Here is my access token: <secret>", "the auth token is <secret>"),
    prose("api key is", TOKEN, "My API key is <secret>", "the api key: <secret>",
          "Here's the API key you asked for: <secret>"),
    prose("secret is", TOKEN, "The client secret is <secret>", "client secret: <secret>",
          "the webhook signing secret is <secret>"),
    prose("changed password", SPOKEN, "I changed the root password to <secret>",
          "Your new password is <secret>", "Your temporary password is: <secret>"),
    prose("wireless password", secret_word(PROSE), "The wifi password is <secret>",
          "Wi-Fi password: <secret>"),
    prose("passphrase", secret_word("\"'"), 'the passphrase for the key is "<secret>"',
          "Passphrase: <secret>"),
    prose("german", SPOKEN, "Das Passwort lautet <secret>", "Passwort: <secret>",
          "Kennwort: <secret>"),
    prose("spanish and french", SPOKEN, "La contraseña es <secret>", "contraseña: <secret>",
          "Le mot de passe est <secret>", "mot de passe : <secret>"),
    prose("seed phrase", seed_phrase, 'Seed phrase: "<secret>"',
          'my recovery phrase is "<secret>"'),
    prose("grouped password", one_time_code, "Generated password: <secret>",
          "The vault password is <secret>"),
    prose("long web token", jwt, "Here is the session token you need: <secret>", "<secret>"),
    prose("hexadecimal token", lambda rng: hexadecimal(rng, 40), "the deploy token is <secret>",
          "Token: <secret>"),
    prose("markdown table", lambda rng: password(rng, "|`*_ "),
          "| Field | Value |\n|---|---|\n| User | <user> |\n| Password | <secret> |",
          "- **Password:** `<secret>`\n- **User:** `<user>`"),
)  # fmt: skip

FILE_SHAPES = (*KEYS, *FILES, *PROSE_SHAPES)

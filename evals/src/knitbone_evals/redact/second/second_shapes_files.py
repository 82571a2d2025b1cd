"""Secrets in key files, in HTTP traffic, in logs and in what people write to each other."""

from __future__ import annotations

import base64
import json
import random
from urllib.parse import quote

from second_material import (
    ALNUM,
    B32,
    CAPNUM,
    DIGITS,
    IN_DOUBLE,
    IN_JSON,
    IN_PROSE,
    LOWNUM,
    URLSAFE,
    Shape,
    any_key,
    b64,
    chars,
    filled,
    frames,
    guid,
    hexed,
    in_url,
    jwt,
    password,
    random_bytes,
    service_key,
    token,
    word,
)

SEED_WORDS = [
    "abandon",
    "ability",
    "acoustic",
    "amused",
    "anchor",
    "apology",
    "arctic",
    "balcony",
    "bamboo",
    "barrel",
    "blossom",
    "bracket",
    "cabin",
    "candy",
    "canyon",
    "cereal",
    "cinnamon",
    "clutch",
    "coyote",
    "cradle",
    "cruise",
    "dinosaur",
    "drift",
    "dwarf",
    "eager",
    "elbow",
    "emerge",
    "engine",
    "fabric",
    "falcon",
    "fiscal",
    "fossil",
    "gadget",
    "ghost",
    "giggle",
    "glimpse",
    "gravity",
    "hamster",
    "hazard",
    "hollow",
    "hybrid",
    "impulse",
    "inmate",
    "ivory",
    "jaguar",
    "jungle",
    "kidney",
    "kiwi",
    "lattice",
    "lizard",
    "lumber",
    "mammal",
    "marble",
    "midnight",
    "mosquito",
    "nephew",
    "noodle",
    "oblige",
    "orphan",
    "oyster",
    "panther",
    "peanut",
    "pelican",
    "pigeon",
    "pottery",
    "pulse",
    "quantum",
    "rabbit",
    "ranch",
    "rifle",
    "rookie",
    "salmon",
    "satoshi",
    "scissors",
    "shrimp",
    "sketch",
    "spatial",
    "stumble",
    "syrup",
    "timber",
    "tornado",
    "trumpet",
    "tuition",
    "umbrella",
    "unveil",
    "velvet",
    "vintage",
    "wagon",
]


def key_lines(rng: random.Random, size: int, width: int = 64) -> list[str]:
    """The lines of a private key in base64."""
    body = "MII" + b64(rng, size)[3:]
    return [body[start : start + width] for start in range(0, len(body), width)]


def fence(side: str, label: str) -> str:
    """The first or last line of a key."""
    return f"-----{side} {label}-----"


def pem(rng: random.Random) -> tuple[str, str]:
    """A private key over several lines, as in its file, indented, or from another system."""
    label = rng.choice(("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"))
    break_, frame = rng.choice((
        ("\n", "$ cat server.key\n<secret>\n$ ls"),
        ("\r\n", "<secret>\r\n"),
        ("\n    ", "tls:\n  key: |\n    <secret>\n  port: 443"),
        ("\n> ", "> <secret>\n\nthat is the file, can you check it?"),
        ("\n\n", "<secret>"),
    ))  # fmt: skip
    secret = break_.join(key_lines(rng, 600))
    whole = break_.join((fence("BEGIN", label), secret, fence("END", label)))
    return frame.replace("<secret>", whole), secret


def pem_in_one_line(rng: random.Random) -> tuple[str, str]:
    """A private key of one line: with escaped breaks, with blanks, or glued in source code."""
    break_, frame = rng.choice((
        ("\\n", 'PRIVATE_KEY="<secret>"\nAPP_ID=<n>'),
        ("\\n", '{"app": <n>, "privateKey": "<secret>\\n"}'),
        ("\\\\n", '{\\"key\\": \\"<secret>\\"}'),
        ("\\r\\n", '"pem": "<secret>\\r\\n"'),
        (" ", "GITHUB_APP_KEY=<secret>"),
        ('\\n" +\n  "', 'String KEY = "<secret>";'),
    ))  # fmt: skip
    label = rng.choice(("PRIVATE KEY", "RSA PRIVATE KEY"))
    secret = break_.join(key_lines(rng, 600))
    whole = break_.join((fence("BEGIN", label), secret, fence("END", label)))
    return filled(rng, frame, whole), secret


def ssh_key(rng: random.Random) -> tuple[str, str]:
    """A key of OpenSSH, or one of PGP with its headers and its check sum."""
    if rng.random() < 0.6:
        raw = b"openssh-key-v1\0\0\0\0\4none\0\0\0\4none" + rng.randbytes(240)
        body = base64.b64encode(raw).decode()
        label, head, width = "OPENSSH PRIVATE KEY", "", 70
    else:
        body, label, width = b64(rng, 480), "PGP PRIVATE KEY BLOCK", 64
        head = "Version: GnuPG v2\n\n"
    secret = "\n".join(body[start : start + width] for start in range(0, len(body), width))
    text = f"{fence('BEGIN', label)}\n{head}{secret}\n{fence('END', label)}"
    return f"~/.ssh/deploy:\n{text}\n", secret


def putty_key(rng: random.Random) -> tuple[str, str]:
    """The private lines of a key of PuTTY."""
    secret = "\n".join(key_lines(rng, 180))
    text = (
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: rsa-key-<day>\n"
        "Private-Lines: 4\n<secret>\nPrivate-MAC: 00"
    )
    return filled(rng, text, secret), secret


def gcp_account(rng: random.Random) -> tuple[str, str]:
    """The file of a service account, in one line or indented."""
    secret = "\\n".join(key_lines(rng, 900))
    key = f"{fence('BEGIN', 'PRIVATE KEY')}\n<secret>\n{fence('END', 'PRIVATE KEY')}\n"
    account = {
        "type": "service_account",
        "project_id": "acme-<n>",
        "private_key_id": hexed(rng, 40),
        "private_key": key,
        "client_email": "<app>@acme-<n>.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    return filled(rng, json.dumps(account, indent=rng.choice((None, 2))), secret), secret


def basic_header(rng: random.Random) -> tuple[str, str]:
    """A request whose header holds user and password in base64."""
    secret = base64.b64encode(f"ann:{password(rng)}".encode()).decode()
    text = rng.choice((
        "GET /api/jobs HTTP/1.1\r\nHost: <host>\r\nAuthorization: Basic <secret>\r\n"
        "Accept: */*\r\n",
        "> POST /v2/login HTTP/2\n> authorization: Basic <secret>\n> content-length: 0",
        "proxy_set_header Authorization \"Basic <secret>\";",
        "Proxy-Authorization: Basic <secret>",
    ))  # fmt: skip
    return filled(rng, text, secret), secret


def saml(rng: random.Random) -> tuple[str, str]:
    """A signed answer of a login service, as a form sends it."""
    xml = (
        f'<samlp:Response ID="_{hexed(rng, 32)}"><Assertion>{guid(rng)}{b64(rng, 300)}</Assertion>'
    )
    secret = quote(base64.b64encode(xml.encode()).decode(), safe="")
    return f"SAMLResponse={secret}&RelayState=%2Fhome", secret


def seed_phrase(rng: random.Random) -> tuple[str, str]:
    """The words that restore a wallet."""
    secret = " ".join(rng.sample(SEED_WORDS, rng.choice((12, 24))))
    text = rng.choice((
        "my metamask seed phrase is: <secret>",
        'MNEMONIC="<secret>"\nINFURA_ID=<hex>',
        "accounts: { mnemonic: '<secret>', count: 10 }",
        "Recovery phrase (keep it safe!):\n<secret>\n",
    ))  # fmt: skip
    return filled(rng, text, secret), secret


def slack_hook(rng: random.Random) -> str:
    """The path of a hook of a chat service, which lets anybody write there."""
    return f"T{chars(rng, CAPNUM, 9)}/B{chars(rng, CAPNUM, 10)}/{chars(rng, ALNUM, 24)}"


def licence(rng: random.Random) -> str:
    """A licence key in five groups."""
    return "-".join(chars(rng, CAPNUM, 5) for _ in range(5))


def telegram(rng: random.Random) -> str:
    """The token of a bot."""
    return f"{chars(rng, DIGITS, 10)}:AA{chars(rng, URLSAFE, 33)}"


FILES: tuple[Shape, ...] = (
    Shape("private key over lines", "key file", pem),
    Shape("private key in one line", "key file", pem_in_one_line),
    Shape("openssh and pgp keys", "key file", ssh_key),
    Shape("putty key", "key file", putty_key),
    Shape("google service account", "key file", gcp_account),
    frames(
        "aws credentials", "key file", token(40, alphabet=ALNUM + "+/"),
        "[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = <secret>",
        '{"AccessKey": {"UserName": "<user>", "Status": "Active", "SecretAccessKey": "<secret>"}}',
    ),
    frames(
        "wireguard", "key file", random_bytes(32),
        "[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = <secret>\n\n[Peer]\n"
        "AllowedIPs = 0.0.0.0/0",
        "PresharedKey = <secret>",
    ),
    frames(
        "one-time seeds", "key file", token(16, 32, alphabet=B32),
        "otpauth://totp/Acme:<user>@example.com?secret=<secret>&issuer=Acme&digits=6",
        'totp = pyotp.TOTP("<secret>")\nprint(totp.now())',
        "TOTP_SECRET=<secret>",
        "oathtool --totp -b <secret>",
    ),
    Shape("seed phrase", "key file", seed_phrase),
    frames(
        "licence keys", "key file", licence,
        "LICENSE_KEY=<secret>",
        '"licenseKey": "<secret>", "edition": "pro"',
        "Product key: <secret>",
        "slmgr /ipk <secret>",
    ),
    frames(
        "wallet keys", "key file", lambda rng: hexed(rng, 64),
        "PRIVATE_KEY=0x<secret>",
        "forge script Deploy.s.sol --private-key 0x<secret> --broadcast",
        'const wallet = new ethers.Wallet("<secret>");',
    ),
)  # fmt: skip

TRAFFIC: tuple[Shape, ...] = (
    Shape("basic authorization", "http", basic_header),
    frames(
        "session cookies", "http", token(32, 64),
        "GET /account HTTP/1.1\nHost: example.com\nCookie: lang=en; sessionid=<secret>; theme=dark",
        "< HTTP/1.1 302 Found\n< Set-Cookie: PHPSESSID=<secret>; path=/; HttpOnly; Secure",
        "Set-Cookie: connect.sid=s%3A<secret>; Path=/; SameSite=Lax",
        '{"name": "auth_token", "value": "<secret>", "domain": ".example.com", "httpOnly": true}',
        "curl -b 'session=<secret>' https://example.com/me",
    ),
    frames(
        "headers in JSON", "http", any_key,
        '{"name": "Authorization", "value": "Bearer <secret>"}, {"name": "Accept", "value": "*/*"}',
        '"headers": {"x-api-key": "<secret>", "user-agent": "python-httpx/0.27"}',
        "headers: { 'X-Auth-Token': '<secret>', Host: '<host>' }",
        "{'apikey': '<secret>', 'Content-Type': 'application/json'}",
    ),
    frames(
        "postman collection", "http", any_key,
        '"auth": {"type": "bearer", "bearer": [{"key": "token", "value": "<secret>", "type": '
        '"string"}]}',
        '"auth":{"type":"apikey","apikey":[{"key":"value","value":"<secret>","type":"string"}]}',
        '{"key": "client_secret", "value": "<secret>", "enabled": true, "type": "secret"}',
    ),
    frames(
        "oauth answers", "http", token(40, 64, alphabet=URLSAFE),
        '{"access_token":"<secret>","expires_in":3599,"scope":"read write","token_type":"Bearer"}',
        '{"token_type": "Bearer", "refresh_token": "<secret>", "id": "<guid>"}',
        "access_token=<secret>&scope=repo%2Cgist&token_type=bearer",
    ),
    frames(
        "oauth requests", "http", token(32, 48, alphabet=URLSAFE),
        "grant_type=client_credentials&client_id=<guid>&client_secret=<secret>&scope=.default",
        "grant_type=refresh_token&refresh_token=<secret>&client_id=<app>",
        "https://app.example.com/callback#access_token=<secret>&token_type=Bearer&expires_in=7200",
    ),
    frames(
        "login forms", "http", in_url,
        "POST /login HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
        "username=<user>&password=<secret>&remember=1",
        "log=<user>&pwd=<secret>&wp-submit=Log+In",
        '{"postData": {"params": [{"name": "passwd", "value": "<secret>"}]}}',
    ),
    Shape("login services", "http", saml),
    frames(
        "hooks of chats", "http", slack_hook,
        "https://hooks.slack.com/services/<secret>",
        "curl -d '{\"text\": \"deployed\"}' https://hooks.slack.com/services/<secret>",
    ),
    frames(
        "hooks and bots", "http", telegram,
        "POST https://api.telegram.org/bot<secret>/sendMessage 200",
        "TELEGRAM_BOT_TOKEN=<secret>",
        'bot = telebot.TeleBot("<secret>")',
    ),
    frames(
        "signed urls", "http", lambda rng: quote(b64(rng, 32), safe=""),
        "https://<app>.blob.core.windows.net/c/f.csv?sv=2023-11-03&sp=r&sig=<secret>",
        "GET /d?expires=17<n>00&keyid=7&sharedkey=1&signature=<secret> 200",
    ),
    frames(
        "keys in queries", "http", token(32, 39, alphabet=LOWNUM),
        "GET https://api.weather.example.com/v2/now?q=Oslo&appid=<n>&api_key=<secret> 200 OK",
        "wss://stream.example.com/live?token=<secret>&channel=7",
        "https://maps.example.com/tiles/4/5/6.png?access_token=<secret>",
    ),
    frames(
        "json web tokens", "http", jwt,
        "Authorization: Bearer <secret>",
        "decoded payload of <secret> has expired",
        "ws://localhost:8888/api/kernels/<guid>/channels?token=<secret>",
        'localStorage.setItem("jwt", "<secret>")',
        "kubernetes.io/serviceaccount token: <secret>",
    ),
)  # fmt: skip

LOGS: tuple[Shape, ...] = (
    frames(
        "traceback", "log", in_url,
        'Traceback (most recent call last):\n  File "/app/db.py", line 14, in connect\n'
        "sqlalchemy.exc.OperationalError: could not connect: "
        "postgresql://<user>:<secret>@<host>/<db>",
        "redis.exceptions.ConnectionError: Error 111 connecting to redis://:<secret>@<host>:6379.",
        "java.sql.SQLException: Invalid URL mysql://<user>:<secret>@<host>/<db>\n"
        "\tat a.B.c(B.java:7)",
        "requests.exceptions.ProxyError: http://<user>:<secret>@proxy.example.com:3128 refused",
    ),
    frames(
        "log lines", "log", any_key,
        "<day> <clock> DEBUG [http] > Authorization: Bearer <secret>",
        "<day>T<clock>Z level=info msg=login user=<user> token=<secret> took=12ms",
        "[<clock>] WARN config: api_key=<secret> is deprecated",
        '{"ts":"<day>T<clock>Z","level":"debug","ctx":{"api_token":"<secret>"}}',
        "openai.AuthenticationError: Incorrect API key provided: <secret>.",
    ),
    frames(
        "dumps of objects", "log", word("'\"\\{}(), "),
        "Settings(host='<host>', port=5432, user='<user>', password='<secret>', pool=5)",
        "DEBUG config={'db': {'user': '<user>', 'password': '<secret>'}, 'debug': True}",
        "{:username=>\"<user>\", :password=>\"<secret>\"}",
        "&{Host:<host> User:<user> Password:<secret> Port:5432}",
        "array(2) {\n  [\"user\"]=>\n  string(3) \"ann\"\n  [\"password\"]=>\n  \"<secret>\"\n}",
    ),
)  # fmt: skip

PROSE: tuple[Shape, ...] = (
    frames(
        "a key in a chat", "prose", service_key,
        "here's my api key: <secret>",
        "ok use this one <secret> and tell me if it still fails",
        "I keep getting 401. My key is `<secret>`, is it expired?",
        "voici ma clé API : <secret>, merci de ne pas la partager",
        "hier ist der Token **<secret>** bitte nur zum Testen",
        "aquí tienes la clave: <secret>",
    ),
    frames(
        "a plain key in a chat", "prose", token(32, 40),
        "The API key for the weather service is <secret>.",
        "here is the access token you asked for: <secret>",
        "api-key -> <secret> (prod, careful)",
        "Use the secret key <secret> when you sign the request.",
    ),
    frames(
        "a password in a chat", "prose", word(IN_PROSE),
        "pw is <secret>",
        "the password for the staging box is <secret>, user is <user>",
        "user: <user>, pass: <secret>",
        "pls log in with <user> and password <secret> and export the report",
        "My Password = <secret>  (yes I know...)",
        "passwd: <secret>\nhost: <host>",
        "I changed the root password to <secret> yesterday.",
        "wifi password: <secret>",
    ),
    frames(
        "user and password as a pair", "prose", word(IN_PROSE + "/"),
        "login: <user> / <secret>",
        "credentials: <user>:<secret>",
        "creds for the vpn -> <user> / <secret>",
        "You can sign in as <user> with password '<secret>'.",
        "SSH: <user>@<host>, password: <secret>",
    ),
    frames(
        "passwords in other languages", "prose", word(IN_PROSE),
        "Das Passwort für den Server lautet: <secret>",
        "Benutzer: <user>\nKennwort: <secret>",
        "le mot de passe est <secret>",
        "Usuario: <user> Contraseña: <secret>",
        "senha: <secret>",
        "пароль: <secret>",
        "密码：<secret>",  # noqa: RUF001 - as it is written
        "パスワード: <secret>",
        "hasło: <secret>",
        "wachtwoord: <secret>",
    ),
    frames(
        "mails and tickets", "prose", word(IN_PROSE),
        "Welcome, <user>!\nYour temporary password is: <secret>\nPlease change it when you log in.",
        "Reset done. New password: <secret> (valid for 24 hours).",
        "| system | user | password |\n|---|---|---|\n| crm | <user> | <secret> |",
        "* url: https://<host>/admin\n* user: <user>\n* password: <secret>",
        "The passphrase of the .p12 file is <secret>.",
    ),
    frames(
        "messages in JSON", "prose", word(IN_JSON + IN_DOUBLE + IN_PROSE),
        '{"role": "user", "content": "my password is <secret>, please log in for me"}',
        '{"tool": "browser_type", "args": {"selector": "#password", "text": "<secret>"}}',
        '{"type": "text", "text": "DB password:\\n<secret>\\n"}',
        '<input type="password" name="pwd" value="<secret>">',
    ),
)  # fmt: skip

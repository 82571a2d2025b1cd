"""Where secrets stand: by their look, by their name, behind encodings; and where none is."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse

import pytest
from hangs import no_hang
from hypothesis import given
from hypothesis import strategies as st

from knitbone.record.redaction import REDACTED, Redactor
from knitbone.record.secrets import SecretFinder, Strength, strength_of

ENV = base64.b64encode(b"DB_PASSWORD=hunter22\nDB_USER=bob\n").decode()
KEY = base64.b64encode(b"x: sk-proj-abcDEF0123456789abcDEF0123456789").decode()
SHAPES = [
    ("DB_PASSWORD=hunter2hunter", "hunter2hunter"),
    ("export DATABASE_PASSWORD='tr0ub4dor&3'", "tr0ub4dor&3"),
    ("dbPassword: Xk29!mQz", "Xk29!mQz"),
    ('{"dbPassword": "swordfish"}', "swordfish"),
    ('{"apiToken":"b7d1c2e4f6a8091b2c3d4e5f60718293"}', "b7d1c2e4f6a8091b2c3d4e5f60718293"),
    (
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
    (
        "AKIAIOSFODNN7EXAMPLE,wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK3Y",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK3Y",
    ),
    (
        "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
        "dozjgNryP4J3jVmN",
    ),
    ("Authorization: Basic Ym9iOmh1bnRlcjI=", "Ym9iOmh1bnRlcjI"),
    ("authorization: token 0123abcd4567ef890123abcd4567ef89", "0123abcd4567ef890123abcd4567ef89"),
    ("Cookie: sessionid=38afes7a8; csrftoken=abcdef", "38afes7a8"),
    ("Set-Cookie: sid=s%3AabcDEF123.xyz; Path=/; HttpOnly", "abcDEF123"),
    ("postgres://bob:s3cr3tpw@db/x", "s3cr3tpw"),
    ("mongodb+srv://admin:Pa%24%24w0rd@cluster0.mongodb.net/test", "Pa%24%24w0rd"),
    ("redis://:mypassw0rd@localhost:6379/0", "mypassw0rd"),
    ("Server=tcp:x;Database=y;User ID=z;Password=Abc123$%;Encrypt=True;", "Abc123$%"),
    (
        "DefaultEndpointsProtocol=https;AccountName=foo;AccountKey=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==;EndpointSuffix=core",
        "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==",
    ),
    (
        "https://x.blob.core.windows.net/c?sv=2020&token=aGVsbG93b3JsZDEyMw&x=1",
        "aGVsbG93b3JsZDEyMw",
    ),
    (
        "https://s3.amazonaws.com/b/k?X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
        "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    ),
    ("mysql --user=root --password=hunter22 db", "hunter22"),
    ("cli login --password hunter22 --user bob", "hunter22"),
    ('["--api-key", "k3yk3yk3yk3y"]', "k3yk3yk3yk3y"),
    ("curl -u bob:hunter22 https://x", "hunter22"),
    ("machine example.com login bob password hunter22", "hunter22"),
    ("CREATE USER bob IDENTIFIED BY 'sw0rdfish'", "sw0rdfish"),
    ("ALTER ROLE bob WITH PASSWORD 'swordfish';", "swordfish"),
    ("the password is hunter2!", "hunter2"),
    ("Your one-time password: 482913", "482913"),
    ("<password>swordfish</password>", "swordfish"),
    ('<add key="ApiKey" value="a1b2c3d4e5f6" />', "a1b2c3d4e5f6"),
    ("<key>Password</key>\n<string>sw0rdfish</string>", "sw0rdfish"),
    ('{"name": "DB_PASSWORD", "value": "hunter22"}', "hunter22"),
    ("| password | hunter22 |", "hunter22"),
    ("('authorization', 'Bearer abcdef123456789')", "abcdef123456789"),
    ("password: correct-horse-9", "correct-horse-9"),
    ('passphrase: "correct horse battery staple"', "correct horse battery staple"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("sk_live_51H8abcDEFghiJKLmnoPQR", "51H8abcDEFghiJKLmnoPQR"),
    ("xoxb-123456789012-abcdefghijkl", "abcdefghijkl"),
    (
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXabcdefgh",
        "XXXXXXXXXXXXXXXXabcdefgh",
    ),
    ("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", "TwL2iGABf9DHoTf"),
    ("bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"),
    ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "npm_abcdefghijklmnopqrstuvwxyz0123456789"),
    (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQdGBF0abcdefghijklmnop\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",  # noqa: E501
        "lQdGBF0abcdefghijklmnop",
    ),
    (
        json.dumps(
            {
                "private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----\n"  # noqa: E501
            }
        ),
        "MIIEvQIBADANBgkqhkiG9w0BAQ",
    ),
    (
        json.dumps(
            json.dumps(
                {
                    "a": {
                        "pem": "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04\n-----END EC PRIVATE KEY-----\n"  # noqa: E501
                    }
                }
            )
        ),
        "MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04",
    ),
    (json.dumps(json.dumps(json.dumps({"dbPassword": "hunter22"}))), "hunter22"),
    (urllib.parse.quote(json.dumps({"password": "hunter22"})), "hunter22"),
    (urllib.parse.quote(urllib.parse.quote("password=hunter22&x=1")), "hunter22"),
    (html.escape(json.dumps({"password": "hunter22"})), "hunter22"),
    (ENV, ENV),
    ("data: " + KEY, KEY[4:40]),
    (
        base64.encodebytes(
            b"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabcdefghijklm\nMIIEpAIBAAKCAQEAabcdefghijklm\n-----END RSA PRIVATE KEY-----\n"  # noqa: E501
        ).decode(),
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt",
    ),
    (
        "openai.AuthenticationError: Incorrect API key provided: sk-abcdefghij0123456789ABCDEFGH.",
        "sk-abcdefghij0123456789ABCDEFGH",
    ),
    ("use the token 9aXb3Kq8Lm2Np7Rt5Vw1 for that", "9aXb3Kq8Lm2Np7Rt5Vw1"),
    ("SECRET_KEY = 'django-insecure-#8s2kd9f$jh3k4'", "django-insecure-#8s2kd9f$jh3k4"),
    ('os.environ["OPENAI_API_KEY"] = "abc123def456"', "abc123def456"),
    ('password=\\"hunter22\\"', "hunter22"),
    ("Password : hunter22", "hunter22"),
    ("contraseña: hunter22", "hunter22"),
    (
        "root:$6$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ:18000:0",
        "abcdefghijklmnopqrstuvwxyz0123456789",
    ),
    ("client_secret=8xj~2kd.93jdkQ&grant_type=client_credentials", "8xj~2kd.93jdkQ"),
    ("{'password': 'swordfish', 'user': 'bob'}", "swordfish"),
    ("Config(password='sw0rdfish', retries=3)", "sw0rdfish"),
    ("password: \\u0022hunter22\\u0022", "hunter22"),
    ("\\nOPENAI_API_KEY=abc123def456ghi\\nX=1", "abc123def456ghi"),
    ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&issuer=x", "JBSWY3DPEHPK3PXP"),
    ("x-api-key: 0c3f9b7a-1d2e-4f5a-8b6c-7d8e9f0a1b2c", "0c3f9b7a-1d2e-4f5a-8b6c-7d8e9f0a1b2c"),
]
HARMLESS = [
    "The secret of a good soup is time.",
    "max_tokens: 100, input_tokens: 2000000",
    "https://example.org:8080/path?password_reset=1",
    "risk-assessment of the task-list",
    "e.g. skip-connection-architectures-in-deep-networks",
    "The secretary typed the token count: 1234.",
    "tokenizer: gpt2, vocab_size=50257",
    "password: str = Field(..., min_length=8)",
    "def login(user: str, password: str) -> Token:",
    "connect(host=host, user=user, password=password)",
    "api_key=os.environ['OPENAI_API_KEY']",
    "api_key = get_secret('openai')",
    "client = OpenAI(api_key=settings.openai_api_key)",
    '{"type": "object", "properties": {"password": {"type": "string"}}, "required": ["password", "email"]}',  # noqa: E501
    "Password is required and must contain at least 8 characters.",
    "Your password must be at least 12 characters.",
    "Invalid password: too short",
    "Forgot your password? Reset it here.",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "chatcmpl-9aXb3Kq8Lm2Np7Rt5Vw1ABCDEFGHI",
    "call_9aXb3Kq8Lm2Np7Rt5Vw1ABCD",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "The key to success is practice. Keys: a, b, c",
    "primary key (id), foreign key: user_id",
    "{'key': 'user:1234:profile', 'value': 3}",
    "for key, value in data.items(): print(key, value)",
    "sort_key=lambda x: x.name",
    "DB_PASSWORD=${DB_PASSWORD}",
    "password: ********",
    "api_key: YOUR_API_KEY_HERE",
    "export OPENAI_API_KEY=<your key>",
    "token: Hello logprob -0.1",
    '{"token": "Hello", "logprob": -0.25, "bytes": [72]}',
    "next_page_token: CAUQAA12345678",
    "eos_token='<|endoftext|>'",
    "basic understanding of authentication",
    "Bearer of bad news; bearer certificates are paper.",
    "The cookie: a sweet biscuit. Cookie: chocolate chip",
    "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIabcdefghijklmnop user@host",
    "pk: 17, session: morning",
    "monkey: banana, turkey: dinner, keyboard=qwerty",
    "Authentication: required. Authorization: none",
    "The author: Jane Austen. authors=3",
    "passage: the light passed; passenger=12, compass: north",
    "http://localhost:8080/a@b, mailto:bob@example.org",
    "git@github.com:org/repo.git",
    "https://user@example.org/path",
    "sk-learn-compatible-estimators-are-here",
    "from sklearn.feature_extraction.text import TfidfVectorizer",
    base64.b64encode(b"Hello, this is a harmless text about soup.").decode(),
    "secretName: my-tls-secret",
    "secretKeyRef:\n  name: db-secret\n  key: password",
    "password_hash = hash_password(password)",
    "if password == confirm_password:",
    "raise ValueError('password is incorrect')",
    "token = next(tokens)\ntoken = self.lexer.token()",
    "Keyword: token, key: word",
    "He said the secret was out, and the password was lost.",
    '{"password": "Passwort", "login": "Anmelden"}',
    '{"label": "Password", "placeholder": "Enter your password"}',
    '<input type="password" name="password" placeholder="Password">',
    "The word 'Bearer' precedes the token: see RFC 6750.",
    "otp verification failed; auth: ok; pass: 12, fail: 3",
    "test_login PASSED, tests pass: 128",
    "2024-01-01T00:00:00Z INFO authentication succeeded user=bob session=42",
    "key=lambda item: item[1]",
    "api_key (str): The API key. password (str, optional): the password",
    "Set the environment variable OPENAI_API_KEY to your key.",
    "--password PASSWORD  the password to use",
    "const password = req.body.password;",
    "token_type=bearer, scope=read",
    "grant_type=password&username=bob",
    "It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
]


@pytest.mark.parametrize(("text", "secret"), SHAPES)
def test_a_secret_is_found_by_its_look_its_name_or_behind_its_encoding(text, secret):
    assert secret in text
    shown = Redactor().text(text)
    assert secret not in shown
    assert REDACTED in shown


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_about_secrets_without_one_is_left_alone(text):
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("DB_PASSWORD", Strength.PASSWORD), ("dbPassword", Strength.PASSWORD),
        ("new-password", Strength.PASSWORD), ("PASSWORD_OLD_2", Strength.PASSWORD),
        ("apiKey", Strength.CERTAIN), ("X-API-Key", Strength.CERTAIN),
        ("accessToken", Strength.CERTAIN), ("Set-Cookie", Strength.CERTAIN),
        ("token", Strength.POSSIBLE), ("key", Strength.FAINT),
        ("max_tokens", Strength.NONE), ("tokenizer", Strength.NONE),
        ("secretary", Strength.NONE), ("token count", Strength.NONE),
        ("password_reset_url", Strength.NONE), ("has_password", Strength.NONE),
        ("secretName", Strength.NONE), ("primary_key", Strength.NONE),
        ("eos_token", Strength.NONE), ("api_key_env", Strength.NONE), ("", Strength.NONE),
    ],
)  # fmt: skip
def test_a_name_announces_a_secret_by_its_last_words(name, strength):
    assert strength_of(name) is strength


WRAPPINGS = {
    "json": lambda text: json.dumps({"x": text}),
    "percent": lambda text: urllib.parse.quote(text, safe=""),
    "entities": html.escape,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "urlsafe": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
}


@pytest.mark.parametrize("secret", ['{"dbPassword": "hunter22-and-more"}', "ghp_" + "aB3xK9dQ" * 5])
@pytest.mark.parametrize("outer", WRAPPINGS)
@pytest.mark.parametrize("inner", WRAPPINGS)
def test_a_secret_behind_two_encodings_is_found(secret, outer, inner):
    wrapped = WRAPPINGS[outer](WRAPPINGS[inner](secret))
    said = Redactor().text(f"result: {wrapped} end")
    assert REDACTED in said
    assert said.endswith(" end")
    assert "hunter22" not in said
    assert wrapped not in said


NEAR_MISSES = [
    "sk-", "-----BEGIN PRIVATE KEY-----", "password=", "a://b:", "Bearer ", "key key ", "<key>",
    "password: ", '\\"password\\":', "curl -u a:", "Cookie: a=b; ", "%41", "&#65;", "token is ",
    "aGVsbG93b3JsZDEyMw ", "aGVsbG93b3JsZDEyMw", "://", "/+aB3", 'password="', "A1b2C3d4E5f6G7h8.",
]  # fmt: skip


@pytest.mark.parametrize("unit", NEAR_MISSES)
def test_looking_for_secrets_takes_linear_time_on_repeated_near_misses(unit):
    with no_hang():  # quadratic time is more than a minute here
        Redactor().text(unit * (800_000 // len(unit)))


PIECES = st.sampled_from(
    [*(text for text, _ in SHAPES), *HARMLESS, " ", "\n", '"', "%20", "&quot;", "\\"]
)


@given(st.lists(PIECES, max_size=4).map("".join))
def test_redacting_joined_texts_twice_changes_nothing(text):
    redactor = Redactor()
    once = redactor.text(text)
    assert redactor.text(once) == once


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('env:\n- name: KEYCLOAK_PASSWORD\n  value: "Sunder!4410q"\n- name: TZ\n', "Sunder!4410q"),
        ('variable "vm_password" {\n  type = string\n  default = "B9x^pa71Ru"\n}', "B9x^pa71Ru"),
        ("| user | password |\n|---|---|\n| kim | Otter_quill4471& |", "Otter_quill4471&"),
        ('{"selector": "#password", "text": "marble31%FALCON"}', "marble31%FALCON"),
        ("hasło: Z3br4$19pQ", "Z3br4$19pQ"),
        ("lang en_US\nrootpw --plaintext violin+onion+44\nbootloader", "violin+onion+44"),
        ("<UserPassword>\n <Value>Rex?Maple71</Value>\n</UserPassword>", "Rex?Maple71"),
        ("Le mot de passe du wifi c'est « MapleOtter46# », merci", "MapleOtter46#"),
        ("das Passwort für das Postfach lautet OtterMaple69-\nBitte ändern", "OtterMaple69-"),
        ("用户名ops 密码是Maple-otter-13 请测试", "Maple-otter-13"),
        ('["pass"]=>\n  string(15) "OtterMagnet50-"', "OtterMagnet50-"),
        ("You can log in with kim@example.org / OttAncTur03! there", "OttAncTur03!"),
        ("name,url,username,password,note\nx,https://x.example,kim,Otter1999_,", "Otter1999_"),
        (
            "$ pass show web/ledger\nQwQdQiZ7Q8v^Bb!nxx83-8nh\nlogin: kim",
            "QwQdQiZ7Q8v^Bb!nxx83-8nh",
        ),
        ("Unseal Key 1: r44DVw/Y1FbyVxF/+wUgXxsAN8s4K92HiTfXGZadHwhT", "r44DVw/Y1FbyVxF/"),
        (
            "Enter this key in your authenticator app:\n\n    kial 2rw5 dzai d7ol tp2y",
            "kial 2rw5 dzai d7ol tp2y",
        ),
        (
            "My wallet: write these words down: work place female amateur glare version inmate "
            "frown risk shield pond ticket. Bye.",
            "work place female amateur glare version inmate frown risk shield pond ticket",
        ),
        (
            'the passphrase for the key is "otter mirror pickle violin"',
            "otter mirror pickle violin",
        ),
    ],
)
def test_a_secret_near_a_name_is_found_whatever_stands_between(text: str, secret: str) -> None:
    found = [text[start:end] for start, end in SecretFinder().places(text)]
    assert any(one.startswith(secret) for one in found)


@pytest.mark.parametrize(
    "text",
    [
        'password: ********\nrequest_id: "aB3dE5fG7hJ9kL1mN3pQ5"',
        "The password has to be changed.\n\nBuild Xy7Qw9Er3Ty5Ui1Op8As2 is out.",
        "| password | id |\n|---|---|\n| required | kX92mQpL41 |",
        "def login(password: str, user_id2: int) -> Session:\n    return Session(user_id2)",
        "fn verify(token: &str, secret: &[u8]) -> Result<Claims, Error> {",
        '<PasswordInput v-model="form.password" :error="errors.password" />',
        "WireGuard peer public key: hT5vKq8ZbW2nRx7LmYc3Jd9sPf1GuE6oAi4Nk0QtXyM=",
        '"minipass": "^7.1.3"',
    ],
)
def test_a_value_with_a_name_of_its_own_is_not_that_of_a_name_nearby(text: str) -> None:
    assert SecretFinder().places(text) == []


def test_a_text_in_many_encodings_is_read_a_few_times_only(monkeypatch):
    read = []
    whole = SecretFinder._all
    monkeypatch.setattr(
        SecretFinder, "_all", lambda *told: read.append(len(told[1])) or whole(*told)
    )
    text = 'say = "\\u0061%20b &quot;c&quot; +&"; key + "\\x41%41&amp;\x1b[1m" ""d\n' * 20_000
    SecretFinder().places(text)
    assert sum(read) <= 2 * len(text) + 200_000

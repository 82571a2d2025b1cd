"""A secret is told by what it is like and where it stands; what diagnosis needs stays."""

from __future__ import annotations

import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.record.redaction import Redactor
from knitbone.record.secrets import SecretFinder
from knitbone.record.secrets.candidates import bits_of
from knitbone.record.secrets.nearness import NEVER, distance

WORDS = st.sampled_from(
    ["otter", "maple", "pickle", "harbor", "violin", "onion", "magnet", "sunder", "quill"]
)
CHOSEN = st.builds(
    lambda one, two, sign, number: f"{one.title()}{sign}{two.title()}{number}",
    WORDS, WORDS, st.sampled_from("!#$%&*+"), st.integers(10, 9_999),
)  # fmt: skip
DRAWN = st.tuples(
    st.text(string.ascii_lowercase, min_size=4, max_size=6),
    st.text(string.digits, min_size=3, max_size=4),
    st.text(string.ascii_uppercase, min_size=4, max_size=6),
    st.sampled_from("!#%*+"),
).flatmap(lambda parts: st.permutations("".join(parts)).map("".join))
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}").search
"""``a%3Ab`` is read as what it stands for."""
PLACES = [
    "mosquitto_pub -h 10.1.7.3 -u ann -P {} -t home/temp",
    "ldapsearch -x -D cn=admin -w {} -b dc=example",
    "7z x archive.7z -p{}",
    "net user ann {} /add",
    'conn = connect("db1.example.org", "ann", "{}", "shop")',
    "requirepass {}\nmaxmemory 2gb",
    "hasło do konta ann to teraz {}",
    "Zugangsdaten: ann / {}",
    "new password for the wiki is {}, please change it",
    '{{"selector": "#password", "text": "{}"}}',
    "$ pass show web/ledger\n{}\nlogin: ann",
    "[client]\nuser = ann\npassword = {}",
]


@pytest.mark.parametrize("place", PLACES)
@given(secret=st.one_of(CHOSEN, DRAWN.filter(lambda text: text[0].isalnum() and not _ESCAPE(text))))
def test_generated_passwords_are_found_wherever_one_is_expected(place: str, secret: str) -> None:
    assert secret not in Redactor().text(place.format(secret))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_secret_in_json_within_json_is_found_as_in_plain_text(place: str, depth: int) -> None:
    text = place.format("Otter#Maple71")
    for _ in range(depth):
        text = json.dumps({"code": 0, "output": text})
    assert "Otter#Maple71" not in Redactor().text(text)


@pytest.mark.parametrize("before", ["+", "> ", "  497  "])
def test_the_signs_before_the_lines_of_a_listing_hide_nothing(before: str) -> None:
    lines = ["$ pass show web/ledger", "QwQdQiZ7Q8v^Bb!nxx83-8nh", "login: ann"]
    text = "\n".join(before + line for line in ["cd /srv", *lines, "ls"])
    assert "QwQdQiZ7Q8v" not in Redactor().text(text)


@given(number=st.uuids(version=4))
@pytest.mark.parametrize(
    "place",
    [
        "login failed for user ann, request_id={0}", "trace_id={1} user=ann path=/login",
        "commit {2}\nAuthor: ann\n    Rotate the key of the wallet", 'ETag: "{1}" for /auth/login',
        "order {0} of account ann", "sha256:{1}{1} of the key file",
        '{{"alg": "SHA-256", "content": "{1}{1}", "name": "openssl"}}',
    ],
)  # fmt: skip
def test_what_diagnosis_needs_stays_beside_words_for_secrets(place: str, number: object) -> None:
    digits = str(number).replace("-", "")
    text = place.format(number, digits, digits + digits[:8])
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PUBLIC KEY-----\n"
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEVs/o5+uQbTjL3chynL4wXgUg2R9\n"
        "-----END PUBLIC KEY-----",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQCpn+Y3CXcMg0zoXyp16ruSAJDvuKdEgDZYk218 ann@laptop",
        "arn:aws:secretsmanager:eu-west-1:776346462379:secret:db-Y7x9Rh",
        "      - uses: actions/checkout@b4ffde65f46336ab88eb53be808477a3936bae11\n      # token",
        "key = FieldType.Int64  # the token of the column",
        "| password | id |\n|---|---|\n| required | kX92mQpL41 |",
    ],
)
def test_what_everybody_may_know_is_no_secret(text: str) -> None:
    assert SecretFinder().places(text) == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Save your backup codes:\n1. 6228 6588\n2. 6308 4694\n3. 1465 4729", "6308 4694"),
        ("two-factor recovery codes\n* 80zk9-0mn4o\n* ru7no-2apiw\n* w8e5z-e1yjz", "ru7no-2apiw"),
        ("$ cat ~/.config/solana/id.json\n" + str([7 * n % 256 for n in range(64)]), "7, 14, 21"),
        ("priv:\n    01:dd:ab:2f:cc:e4:92:c3:73:74:81:58:c0:ee:0c:\n    f5:cb:d8:1e", "01:dd:ab"),
    ],
)
def test_codes_and_keys_in_a_row_are_secrets(text: str, secret: str) -> None:
    assert secret not in Redactor().text(text)


@pytest.mark.parametrize(
    "record",
    [
        {"name": "client_secret", "value": "Otter#Maple71"},
        {"login": ["ann", "Otter#Maple71"], "port": 5432},
        {"password": {"plain": "Otter#Maple71"}, "host": "db1"},
        {"steps": [{"selector": "input[type=password]", "value": "Otter#Maple71"}]},
    ],
)
def test_a_field_loses_what_another_field_announces(record: dict[str, object]) -> None:
    assert "Otter#Maple71" not in str(Redactor().value(record))


def test_fields_that_announce_nothing_stay_as_they_are() -> None:
    record = {"name": "color", "value": "Otter#Maple71", "tags": ["A1b2C3d4", "beta 7"], "n": 3}
    assert Redactor().value(record) == record


def test_words_are_spelled_as_programs_are_and_drawn_texts_are_not() -> None:
    names = ("configuration", "get_user_by_id", "tracecontext", "sunflower-barcelona")
    drawn = ("ioms7aqtgpfbej1gm23", "qxzvkwjy", "KEQVwxjZq")
    assert max(map(bits_of, names)) < min(map(bits_of, drawn))


def test_distance_grows_with_words_and_lines() -> None:
    text = "password: a b c\nd " + "e " * 60 + "f"
    steps = [distance(text, 8, place) for place in (10, 12, 18, len(text))]
    assert steps == sorted(steps)
    assert steps[0] == 0
    assert steps[-1] == NEVER


SURROUNDED = (
    "the user token was read from {}",
    "The password was changed. {} Log in with your new one.",
    "auth=ok session started\n{}\nlogin done, api key in use",
)
"""Words for secrets around something else, as long logs have them."""
KEPT = (
    "https://www.example.com/search?q=board+of+directors+2021&cvid=15E6049BC806425387432B02F26CE79D",
    "https://www.example.com/wiki/Talk:Featured_log/November_2016#cite_note-Ogden20134-2",
    "https://video.example.com/watch?v=2Njmx-UuU3M",
    "my user ID is sophia_taylor_9065, please look it up",
    "User raj_sanchez_7340 wants to cancel",
    "model gpt-4o-2024-08-06 answered as gpt-4o-2024-05-13",
    'File "/home/app/run/tmp_code_1f290ade04c6d35ed398ab2aa77a9bc2.py", line 4',
    "exit code 732050 and code output: 370104",
    "Message-ID: <8wTnNYSHce73RpBnMmVf.81291607@mail.example.com>",
    "call +49 30 5550 1451 if this was not you",
    "request 778cd28d-e76f-447c-89e2-3e71d09dd015 took 12 ms",
)


@pytest.mark.parametrize("place", SURROUNDED)
@pytest.mark.parametrize("text", KEPT)
def test_what_real_runs_hold_beside_words_for_secrets_stays(place: str, text: str) -> None:
    assert text in Redactor().text(place.format(text))


@pytest.mark.parametrize("name", ["token", "api_key", "access_token", "password", "client_secret"])
@given(secret=DRAWN.map(lambda text: "".join(filter(str.isalnum, text))))
def test_parameter_of_an_address_that_names_a_secret_loses_it(name: str, secret: str) -> None:
    address = f"https://api.example.com/v2/items?page=2&{name}={secret}&sort=up"
    assert secret not in Redactor().text(address)


@pytest.mark.parametrize(
    "text",
    [
        ("password ://" + "?" * 250 + " a1B2c3d4e5f6 " * 100) * 20,
        "token http://a/" + "x1y2z3," * 10_000,
        ("pin +1 " + "0 " * 40) * 500,
        ("exit code " * 8 + "123456 pin ") * 500,
    ],
)
def test_hostile_text_near_words_for_secrets_is_cleaned_to_the_end(text: str) -> None:
    secret = "api_key=sk-proj-Zk3vQ9wLx7TbN2mRf8Hs"
    cleaned = Redactor().text(f"{text} {secret}")
    assert "Zk3vQ9wLx7" not in cleaned

"""Secrets never reach the record; everything else stays as it is."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hangs import no_hang
from hypothesis import given
from hypothesis import strategies as st

from knitbone.errors import ConfigError
from knitbone.record import events, redaction
from knitbone.record.events import ChatMessage, ModelCall, Outcome, ToolCall, encode_json
from knitbone.record.redaction import MAX_DEPTH, REDACTED, Redactor

SECRETS = [
    "sk-proj-abcDEF0123456789abcDEF0123456789",
    "sk-ant-api03-abcDEF0123456789_abcDEF0123456789",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "xoxb-123456789012-abcdefghijkl",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_credential_is_removed_wherever_it_stands(secret):
    redactor = Redactor()
    assert secret not in redactor.text(f"before {secret} after")
    event = redactor.record(
        ModelCall(
            id="1",
            input=(ChatMessage(role="user", content=f"my key is {secret}"),),
            attributes={"deep": [{"er": (secret,)}], secret: 1},
        )
    )
    assert secret not in str(event)
    assert secret.encode() not in encode_json(event)


@pytest.mark.parametrize(
    ("text", "kept", "secret"),
    [
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer", "abc.def-123456"),
        ("password = 'hunter2hunter2'", "password = '", "hunter2hunter2"),
        ("API_KEY=qwertyuiop", "API_KEY=", "qwertyuiop"),
        ("postgres://bob:s3cr3tpw@db/x", "postgres://bob:", "s3cr3tpw"),
    ],
)
def test_a_named_secret_goes_and_its_surroundings_stay(text, kept, secret):
    shown = Redactor().text(text)
    assert secret not in shown
    assert shown.startswith(kept)
    assert REDACTED in shown


@pytest.mark.parametrize(
    "key", ["api_key", "X-API-Key", "Authorization", "password", "client_secret", "Set-Cookie"]
)
def test_a_value_under_a_secret_name_is_replaced_whole(key):
    event = Redactor().record(ToolCall(id="1", name="login", arguments={key: "short", "user": "u"}))
    assert event.arguments == {key: REDACTED, "user": "u"}


def test_numbers_and_lists_under_a_secret_name_go_and_schemas_stay():
    given = {"password": 123456, "cookie": ["short"], "secret": True, "token": None}
    schema = {"password": {"type": "string"}}
    assert Redactor().value({**given, "properties": schema}) == {
        "password": REDACTED, "cookie": REDACTED, "secret": True, "token": None,
        "properties": schema,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "The secret of a good soup is time.",
        "max_tokens: 100, input_tokens: 2000000",
        "https://example.org:8080/path?password_reset=1",
        "risk-assessment of the task-list",
        "e.g. skip-connection-architectures-in-deep-networks",
    ],
)
def test_ordinary_text_is_left_alone(text):
    assert Redactor().text(text) == text


def test_the_users_own_patterns_and_secrets_are_removed():
    redactor = Redactor([r"\bPAT-\d+\b"], secrets=["correct horse battery"])
    assert redactor.text("PAT-123 said correct horse battery") == f"{REDACTED} said {REDACTED}"


def test_a_broken_pattern_is_named():
    with pytest.raises(ConfigError, match=r"record\.redact: '\(' is not a regular expression"):
        Redactor(["("])


def test_hostile_values_become_storable():
    nested: object = "end"
    for _ in range(10_000):
        nested = [nested]

    class Hostile:
        def __repr__(self):
            raise RuntimeError

    event = Redactor(max_text=1_000).record(
        ToolCall(
            id="1",
            name="t",
            arguments={"deep": nested, "big": 10**6_000, "object": Hostile(), 3: float("nan")},
            result="\ud800" + "x" * 5_000,
        )
    )
    encoded = encode_json(event)
    assert len(encoded) < 3_000
    assert f"nested deeper than {MAX_DEPTH}" in encoded.decode()
    assert event.arguments["3"] == "nan"
    assert "[4,001 of 5,001 characters not recorded; SHA-256 of all: " in event.result


def test_a_tools_answer_that_is_no_number_of_json_is_kept_in_words():
    event = Redactor().record(ToolCall(id="1", name="t", result=float("nan"), arguments=1.5))
    assert (event.result, event.arguments) == ("nan", 1.5)


def test_a_reward_that_is_no_number_of_json_loses_nothing_else():
    event = Redactor().record(Outcome(id="1", reward=float("inf"), reason="why"))
    assert encode_json(event).endswith(b'"reward":null,"reason":"why"}')


def test_the_fields_that_are_numbers_are_all_known():
    records = [events.Usage, events.Document, *get_args(events.Event)]
    declared = {
        field.name
        for record in records
        for field in msgspec.structs.fields(record)
        if float in (field.type, *get_args(field.type))
    }
    assert declared == redaction._NUMBERS


def test_a_secret_that_the_cut_would_split_is_removed():
    redactor = Redactor(max_text=20)
    assert "sk-proj" not in redactor.text("x" * 10 + " " + SECRETS[0])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_redaction_is_idempotent(text):
    redactor = Redactor()
    once = redactor.text(text)
    assert redactor.text(once) == once


@pytest.mark.parametrize("unit", ["sk-", "-----BEGIN ", "password=", "a://b:", "eyJ", "Bearer "])
def test_redaction_takes_linear_time_on_repeated_near_misses(unit):
    with no_hang():  # quadratic time is more than a minute here
        Redactor().text(unit * (800_000 // len(unit)))

"""Each form in which a name announces a secret, beside its nearest harmless one."""

import pytest

from knitbone.record.secrets.assignments import (
    rest_of_line,
    secrets_by_name,
    span_in_quotes,
    span_without_quotes,
    whole_unquoted,
)
from knitbone.record.secrets.marks import read_marks

KEY = "zQ8kT4mW1xR7bN5v"
SEED = "abandon ability able about above absent absorb abstract absurd abuse access accident"


def found_by_name(text: str) -> list[str]:
    marks = read_marks(text, text.encode("latin-1", "replace").lower())
    if marks is None:
        return []
    spans = secrets_by_name(text, marks.names, [], is_foreign=marks.is_foreign)
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('{"api_key": "blue-house-71"}', "blue-house-71"),
        (f'{{\\"api_key\\": \\"{KEY}\\"}}', KEY),
        ('("password", "blue-house-71")', "blue-house-71"),
        ('{"name": "password", "value": "hunter2"}', "hunter2"),
        ("PASSWORD=hunter2", "hunter2"),
        (f"?page=1&token={KEY}&user=ann", KEY),
        ("\npassword: hunter2\n", "hunter2"),
        ("[db]\npassword = hunter2\n", "hunter2"),
        ("\nrecovery codes: 1234", "1234"),
        ("The password is hunter2.", "hunter2"),
        ("The password for the router is hunter2.", "hunter2"),
        ("<password>hunter2</password>", "hunter2"),
        ("<key>password</key>\n<string>hunter2</string>", "hunter2"),
        ("Cookie: sid=af93kd02; theme=dark", "sid=af93kd02; theme=dark"),
        (f"Authorization: Bearer {KEY}", KEY),
        (f"Authorization: Acme {KEY}", KEY),
        ("Authorization: Basic YW5uOmh1bnRlcjI=", "YW5uOmh1bnRlcjI="),
        ("auth: Digest username=ann9, response=6629", "username=ann9, response=6629"),
        (f"send Bearer {KEY} with it", KEY),
        ("mytool --password hunter2", "hunter2"),
        ("CREATE USER ann IDENTIFIED BY 'hunter2'", "hunter2"),
        ("machine x login ann password hunter2", "hunter2"),
        ("the token zQ8kT4mW1xR7bN5vLp3Jd9Hs.", "zQ8kT4mW1xR7bN5vLp3Jd9Hs"),
        (f"seed phrase: {SEED}", SEED),
        ("curl -s -u ann:hunter2 http://x", "hunter2"),
    ],
)
def test_each_form_of_an_assignment_gives_its_secret(text: str, secret: str) -> None:
    assert found_by_name(text) == [secret]


@pytest.mark.parametrize(
    "text",
    [
        '("password", "username")',
        '{"use password", "q7&x.z": 1}',
        'the passphrase for the key is "otter mirror pickle violin"',
        '<Input v-model="form.password" :error="errors.password" />',
        '"--password value="q7,b:2"',
        'expect "*?assword:*"\nsend -- "',
        "&password>q7w2e9</password>",
        'secret "app-db" deleted',
        "mytool --password -h7unter2",
        "password = get_password()",
        'log("password" + ": " + name)',
        "The password is not known to me.",
        "the password field is required",
        "<b>password</b> a > b",
        "Cookie: a=1; b=2",
        "Authorization: Bearer token",
        "send basic understanding with it",
        "arn:aws:secret:west-2b",
        "password:\nhunter2\n",
        "mytool --password --verbose",
        "CREATE USER ann identified by 'hunter in the rye'",
        "the key zQ8kT4m",
        "seed phrase: twelve words",
        "curl -s -u ann:**** http://x",
        f"x+token+{KEY[:5]}",
    ],
)
def test_the_nearest_harmless_form_gives_none(text: str) -> None:
    assert found_by_name(text) == []


def test_a_long_value_goes_whole_though_it_is_judged_by_its_beginning() -> None:
    value = KEY * 100
    assert found_by_name(f"API_KEY={value} more") == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a1b2c3&user=ann", "a1b2c3"),
        ("a1b2c3,b:2", "a1b2c3"),
        ("a1b2c3)]", "a1b2c3"),
        ("a1b2c3.\nNext", "a1b2c3"),
        ("a1b2.c3", "a1b2.c3"),
        (r"a\b2c3\n", r"a\b2c3"),
        ("a1b2c3|less", "a1b2c3"),
    ],
)
def test_an_unquoted_value_ends_before_the_next_name_or_the_end_of_the_sentence(
    text: str, value: str
) -> None:
    span = span_without_quotes(text, 0)
    assert span is not None
    assert text[slice(*span)] == value


def test_a_quoted_value_ends_at_its_own_quote() -> None:
    text = 'say \\"no\\" now" "'
    assert span_in_quotes(text, 0, '"') == (0, text.index(' "') - 1)
    assert span_in_quotes("a\u201d", 0, "\u201c") == (0, 1)
    assert span_in_quotes('"', 0, '"') is None
    assert span_in_quotes("never closed", 0, '"') is None
    assert rest_of_line("ab cd\nef", 1) == (1, 5)
    assert whole_unquoted("abcdef gh", (1, 3)) == (1, 6)

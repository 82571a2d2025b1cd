"""How much a text looks like a secret by itself."""

from __future__ import annotations

import pytest
from hangs import no_hang

from knitbone.record.secrets.looks import Look, are_groups, look_of


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("maple!!Otter31", Look.STRONG),
        ("violin+onion+44", Look.STRONG),
        ("Harbor1987_", Look.STRONG),
        ("q%WX+Z__9RTk+MLWz+4_", Look.STRONG),
        ("k7Rm2Qx9Lw4Tn8Vb", Look.DRAWN),
        ("Harbor-onion-13", Look.LIKELY),
        ("9d48547b60cce2b33c5a394a1ce0c1b7", Look.LIKELY),
        ("onion-harbor-13", Look.FAINT),
    ],
)
def test_made_up_and_drawn_texts_look_like_secrets(text: str, look: Look) -> None:
    assert look_of(text) is look


@pytest.mark.parametrize(
    "text",
    [
        "sunflower", "2024-05-01T12:00:07.113Z", "v1.10.3-rc1", "ops@mail2.example.org",
        "https://x.example/a?b=C1d2E3", "src/utils2/Main3.java", "report-2024.pdf",
        "550e8400-e29b-41d4-a716-446655440000", "call_9aXb3Kq8Lm2Np7Rt5Vw1", "--use-pep517",
        "sha384-YHI7DjdSDQnUrMMTI5YKjw2mhhYPqBhyPOSuyNp0", "query%5B%5D1",
    ],
)  # fmt: skip
def test_versions_paths_addresses_and_identifiers_look_like_none(text: str) -> None:
    assert look_of(text) is Look.NONE


@pytest.mark.parametrize("text", ["VARCHAR2", "gpt-4o-mini-2024-07-18", "offset+42", "10**shift2"])
def test_names_and_expressions_of_programs_look_like_secrets_in_no_way(text: str) -> None:
    assert look_of(text) <= Look.LIKELY


def test_groups_of_random_characters_are_told_from_words() -> None:
    assert are_groups("k3al 2rw5 dzai d7ol")
    assert not are_groups("this code must have four words")


@pytest.mark.parametrize("unit", ["a1", "A.", "1.a", "%2F", "a@b.", "a-1_"])
def test_looking_at_a_text_takes_no_more_than_its_length(unit: str) -> None:
    with no_hang():
        for length in range(8, 129):
            look_of((unit * 64)[:length] + "é")

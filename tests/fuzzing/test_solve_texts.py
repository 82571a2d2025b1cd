"""Texts for regular expressions: ones that match, and ones that take for ever."""

import random
import re

import pytest

from knitbone.fuzzing.solve.search import slow
from knitbone.fuzzing.solve.texts import draw_matching, draw_slow
from knitbone.fuzzing.trace.terms import Term

PATTERNS = [
    r"[A-Z]{2}-\d{4}",
    r"(?:red|green|blue) (?P<n>\d+)(?: times)?",
    r"^\s*(\w+)\s*=\s*(.*?)\s*$",
    r"([a-z])\1+",
    r"[^,;\s]{3,}",
    r"\d{1,3}(?:\.\d{1,3}){3}",
    r"#(?:[0-9a-fA-F]{3}){1,2}",
    r"a|b||c",
    r"",
    r"[\w.+-]+@[\w-]+\.[\w.-]+",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_drawn_matches(pattern):
    drawn = {draw_matching(pattern, random.Random(seed)) for seed in range(50)}
    assert all(re.fullmatch(pattern, text) for text in drawn)
    assert len(drawn) > 1 or not pattern


@pytest.mark.parametrize("pattern", ["(", "[", "a{99999999999}", "(?P<n>a)(?P<n>b)"])
def test_what_cannot_be_read_is_not_drawn(pattern):
    assert draw_matching(pattern, random.Random(0)) is None
    assert draw_slow(pattern, random.Random(0)) is None


def test_a_large_repetition_stays_small():
    assert len(draw_matching(r"(?:a{1000}){1000}", random.Random(0)) or "") <= 40_000


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"n:(?:[a-z]+,?)+;", r"^(\w+\s?)*$", r"(a|aa)+b"])
def test_a_repetition_within_a_repetition_is_pumped(pattern):
    text = draw_slow(pattern, random.Random(0))
    assert text is not None
    assert len(text) > 40
    # Shorter, so that the test ends: it is nearly matched, and is not.
    short = re.sub(r"(.)\1{20,}", lambda run: run.group(1) * 12, text)
    assert re.fullmatch(pattern, short) is None
    assert re.match(pattern.rstrip("$;b"), short) is not None


@pytest.mark.parametrize(
    "pattern", [r"\d+", r"(?:ab)+", r"[a-z]+,[a-z]+", r"(a{2}){3}", r"(a+){2}"]
)
def test_a_plain_repetition_is_not_pumped(pattern):
    assert draw_slow(pattern, random.Random(0)) is None


def test_arguments_that_carry_such_a_text():
    name = Term("input", (("name",),))
    term = Term("re.fullmatch", (re.compile(r"(a+)+"), Term(".str.strip", (name,))))
    made = slow([], term, {"name": "x"}, random.Random(0))
    assert made is not None
    assert str(made["name"]).startswith("a" * 40)


NAME = Term("input", (("name",),))


@pytest.mark.parametrize(
    "term",
    [
        Term("re.fullmatch", (re.compile("b (a+)+", re.VERBOSE), NAME)),
        Term("re.fullmatch", ("b (a+)+", NAME, re.VERBOSE)),
        Term("re.split", ("b (a+)+", NAME, 0, re.VERBOSE)),
        Term("re.sub", ("b (a+)+", "", NAME, re.VERBOSE), ("flags",)),
    ],
    ids=repr,
)
def test_such_a_text_is_made_with_the_flags_of_the_expression(term):
    made = slow([], term, {"name": "x"}, random.Random(0))
    assert made is not None
    assert str(made["name"]).startswith("b" + "a" * 40)

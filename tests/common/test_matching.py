"""An expression replayed finds what ``re`` finds, and does not try what cannot match."""

import re

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.common.matching import find_all, find_one, may_match

PATTERNS = [
    r"\{.*\}",
    r"\{.*?\}",
    r"```python\n(.*?)```",
    r"^\d+\. (.*)$",
    r"Label: (\w+)",
    r"(?i)label: (\w+)",
    r"a(?i:b)c",
    r"(?:a|b)c+d",
    r"(?:ab)?c",
    r"(ab)+c",
    r"a(?=b)b",
    r"(?<=a)b",
    r"(?!a)b",
    r"a\bb|c",
    r"x*",
    r"a{2}b",
    r"(a)(b)\1",
    r"\\.",
    r"",
]
TEXTS = st.text(alphabet='ab\ncdxABC1. {}`:"python\\L', max_size=40)


@pytest.mark.parametrize("flags", [0, re.DOTALL, re.MULTILINE, re.IGNORECASE | re.DOTALL])
@pytest.mark.parametrize("source", PATTERNS)
def test_finds_what_re_finds(source, flags):
    pattern = re.compile(source, flags)

    @settings(max_examples=contract_examples() // 20)
    @given(TEXTS)
    def holds(text):
        expected = [match.span() for match in pattern.finditer(text)]
        assert [match.span() for match in find_all(pattern, [text])] == expected
        for method in ("search", "match", "fullmatch"):
            ours = [match.span() for match in find_one(pattern, method, [text])]
            theirs = getattr(pattern, method)(text)
            assert ours == ([theirs.span()] if theirs else [])

    holds()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\{.*\}", "{" * 1_000_000),
        (r"\{.*\}", "}" + "{" * 1_000_000),
        (r"```json\n(.*?)```", "```json\n" + "``json\n" * 100_000),
        (r"(\w+): (\w+)", "a" * 1_000_000),
    ],
)
def test_a_text_without_what_a_match_holds_is_not_tried(source, text):
    assert not may_match(re.compile(source, re.DOTALL), text)


def test_the_rest_behind_the_last_match_is_not_tried():
    text = "{a}" + "{" * 400
    pattern = re.compile(r"\{.*?\}", re.DOTALL)
    assert [match.group() for match in find_all(pattern, [text])] == ["{a}"]

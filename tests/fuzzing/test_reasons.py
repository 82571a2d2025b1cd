"""Which failures are one: what stands behind a wrapper, and what only names other values."""

from __future__ import annotations

from typing import Any

import pytest

from knitbone.fuzzing.complaints import reads_as_bug
from knitbone.fuzzing.reasons import WordedFailure, reason_in, same_reason
from knitbone.fuzzing.records import StackFrame


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Error executing tool weather: no such city", "no such city"),
        ('{"isError": true, "content": "Error executing tool w: no such day"}', "no such day"),
        ('{"error": {"code": 404, "message": "no such city"}}', "no such city"),
        ("{'status': 'error', 'detail': 'no such city'}", "no such city"),
        ("❌ Error: ValueError: no such city", "no such city"),
        ("MCP error -32603: no such city", "no such city"),
        ("Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'", "'a'"),
        ("no such city", "no such city"),
        ('{"isError": true, "content": "{\\"error\\": \\"no such day\\"}"}', "no such day"),
        ("Error:", "Error:"),
    ],
)
def test_the_reason_behind_its_wrappers(text: str, reason: str) -> None:
    assert reason_in(text) == reason


def said(text: str, **arguments: Any) -> WordedFailure:
    return WordedFailure(
        kind="returned", exception=None, frame=None, by=None, reason=reason_in(text),
        arguments=arguments,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (said("No city Oslo", city="oslo"), said("No city Rome", city=" rome ")),
        (said("Bad keys: ab, cd", keys={"x": ["ab", "cd"]}), said("Bad keys: ef", keys=["ef"])),
        (said("Error: row 3 of 9 is short"), said("Error: row 12 of 40 is short")),
        (said("${SANDBOX}/", path=" "), said("${SANDBOX}/a", path="a")),
    ],
)
def test_other_values_are_the_same_reason(first: WordedFailure, second: WordedFailure) -> None:
    assert same_reason(first, second)
    assert same_reason(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            said("Error executing tool t: no such city", q="a"),
            said("Error executing tool t: no such day", q="b"),
        ),
        (
            said("The start day must not be past", day="1"),
            said("The end day must not be past", day="2"),
        ),
        (said("Error: Oslo", city="Oslo"), said("Error: full", city="Rome")),
    ],
)
def test_other_words_are_another_reason(first: WordedFailure, second: WordedFailure) -> None:
    assert not same_reason(first, second)


def at(line: int, source: str, reason: str, *, by: str = "operation") -> WordedFailure:
    frame = StackFrame(file="/x/tool.py", line=line, source=source)
    return WordedFailure(
        kind="raised", exception="ValueError", frame=frame, by=by, reason=reason, arguments={}
    )


def test_a_line_that_fails_is_one_reason_and_a_raise_that_passes_words_on_is_many() -> None:
    load = "return json.loads(text)"
    assert same_reason(at(3, load, "Extra data"), at(3, load, "Expecting value"))
    assert not same_reason(at(3, load, "Extra data"), at(4, load, "Extra data"))
    own = 'raise ValueError(f"no such city: {city} ({hint})")'
    first, second = (at(3, own, f"no such city: {rest}", by="tool") for rest in ("a", "b, maybe"))
    assert same_reason(first, second)
    passed = "raise ValueError(message)"
    first, second = (at(3, passed, text, by="tool") for text in ("no such city", "no such day"))
    assert not same_reason(first, second)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Error editing: Operation() argument after ** must be a mapping, not int", True),
        ("Stop argument for islice() must be None or an integer: 0 <= x", True),
        ("ord() expected a character, but string of length 0 found", True),
        ("int() argument must be a string, a bytes-like object or a real number", True),
        ("call connect() first", False),
        ("close() was called already; open the file again", False),
        ("the argument must be a whole number", False),
    ],
)
def test_what_a_function_of_pythons_says_of_its_arguments_is_a_bug(text, is_one):
    assert reads_as_bug(text) is is_one


def test_of_what_type_an_argument_was_instead_is_no_reason_of_its_own():
    told = [
        f"Error editing: make() argument after ** must be a mapping, not {kind}"
        for kind in ("int", "str")
    ]
    first, second = (
        WordedFailure(
            kind="returned", exception=None, frame=None, by=None, reason=text, arguments={}
        )
        for text in told
    )
    assert same_reason(first, second)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("'utf-8' codec can't decode byte 0xa0 in position 109: invalid start byte",
         "'utf-8' codec can't decode bytes in position 15-16: invalid continuation byte", True),
        ("'utf-8' codec can't decode byte 0xa0 in position 1: invalid start byte",
         "'utf-8' codec can't encode character '\\ud800' in position 1: surrogates", False),
        ("'charmap' codec can't encode character '\\u20ac' in position 1: character maps to x",
         "'charmap' codec can't encode characters in position 3-4: character maps to y", True),
    ],
)  # fmt: skip
def test_one_byte_or_the_other_is_one_reason(first: str, second: str, same: bool) -> None:
    one, other = (
        WordedFailure(
            kind="returned", exception=None, frame=None, by=None, reason=text, arguments={}
        )
        for text in (first, second)
    )
    assert same_reason(one, other) is same

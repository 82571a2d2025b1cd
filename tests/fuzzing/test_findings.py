"""The judge: what counts as a failure, and which failures are one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from returned_texts import ERRORS, MAYBE, NORMAL

from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.normalise import normalise, stable
from knitbone.fuzzing.records import CallOutcome, StackFrame
from knitbone.fuzzing.returned_errors import NormalResults, reads_as_error

DOUBTFUL = "Unknown guest"


def ok(text: str) -> CallOutcome:
    return CallOutcome(status="ok", text=text)


@pytest.mark.parametrize("text", ERRORS)
def test_texts_that_are_errors(text: str) -> None:
    assert reads_as_error(text) is True


@pytest.mark.parametrize("text", MAYBE)
def test_texts_that_may_be_errors(text: str) -> None:
    assert reads_as_error(text) is None


def test_no_normal_text_is_an_error_and_few_may_be_one() -> None:
    readings = [reads_as_error(text) for text in NORMAL]
    assert True not in readings
    assert readings.count(None) <= len(NORMAL) / 5


def test_a_doubtful_text_is_an_error_beside_results_of_another_wording_only() -> None:
    results = NormalResults()
    assert not results.show_as_error(DOUBTFUL, times=3), "nothing to compare with"
    for name in ("Ann", "Bo", "Cy", "Di", "Ed", "Flo"):
        results.saw(f"{name} sits in the dining room", {"name": name})
    assert results.show_as_error(DOUBTFUL, times=1)


def test_among_labels_a_doubtful_one_must_keep_coming() -> None:
    results = NormalResults()
    for number, text in enumerate(("OK", "Created", "Accepted", "Gone", "Conflict", "Found")):
        results.saw(text, {"code": number})
    assert not results.show_as_error("Bad Request", times=2)
    assert results.show_as_error("No such code", times=9)
    assert results.show_as_label("Internal Server Error", times=2)
    assert not results.show_as_label("Error: no such code", times=2)
    assert not results.show_as_label("Internal Server Error", times=30)
    assert not NormalResults().show_as_label("Internal Server Error", times=1)
    assert results.show_as_error("Could not read the code: it is not a number", times=1)


@pytest.mark.parametrize(
    "arguments", [{"q": "missing.txt"}, {"q": {"missing.txt": "?"}}, {"q": [{"x": "missing.txt"}]}]
)
def test_what_begins_with_an_argument_says_nothing_itself(arguments) -> None:
    assert judge(ok("missing.txt=%3F"), arguments, roots=()) is None


def test_where_every_result_is_worded_freely_a_doubtful_text_must_come_back() -> None:
    results = NormalResults()
    for text in (
        "Oslo lies at the end of a long fjord",
        "Whales feed on krill during summer",
        "Cheese keeps best wrapped inside paper",
        "Seven bridges once crossed Pregel",
        "Nobody knew why lamps went dark",
        "Violins are tuned by fifths",
    ):
        results.saw(text, {})
    assert not results.show_as_error(DOUBTFUL, times=1)
    assert results.show_as_error(DOUBTFUL, times=2)


@pytest.mark.parametrize("text", ["{" * 100_000, "[" * 100_000, "[1," * 30_000, "{'a':" * 5_000])
def test_deep_nesting_is_no_error(text: str) -> None:
    assert reads_as_error(text) is False


def test_a_result_that_repeats_its_argument_is_no_error() -> None:
    outcome = CallOutcome(status="ok", text="Error: none. You said so.")
    assert judge(outcome, {"text": "Error: none."}, roots=()) is None
    assert judge(outcome, {"text": "hello"}, roots=()) is not None


def raised(message: str, *, line: int = 3, kind: str = "ValueError") -> CallOutcome:
    frame = StackFrame(file="/x/tool.py", line=line, source="int(x)")
    return CallOutcome(status="raised", exception=kind, message=message, frame=frame)


def key(outcome: CallOutcome, **arguments: Any) -> str:
    verdict = judge(outcome, arguments, roots=())
    assert verdict is not None
    return verdict.id


def test_the_same_failure_with_other_values_is_one() -> None:
    first = key(raised("invalid literal for int() with base 10: 'abc'"), x="abc")
    assert key(raised("invalid literal for int() with base 10: 'it''s'"), x="it''s") == first


@pytest.mark.parametrize("length", [1, 300, 3_000, 30_000])
def test_the_length_of_a_quoted_value_does_not_matter(length: int) -> None:
    # The message shows the path without the last slash that the argument has.
    value = "x/" * length
    message = f"[Errno 36] File name too long: {value.rstrip('/')!r}"
    assert normalise(message, {"path": value}) == "[Errno N] File name too long"


def test_another_line_type_or_message_is_another_failure() -> None:
    keys = {
        key(raised("a")),
        key(raised("a", line=4)),
        key(raised("a", kind="KeyError")),
        key(raised("b")),
    }
    assert len(keys) == 4


@pytest.mark.parametrize("status", ["rejected", "denied"])
def test_rejections_and_refusals_are_no_failures(status: Any) -> None:
    assert judge(CallOutcome(status=status, message="x"), {}, roots=()) is None


@given(value=st.text(min_size=1, max_size=40))
def test_a_message_that_ends_in_its_argument_is_the_same_for_all_arguments(value: str) -> None:
    message = "Error: no such file or directory: "
    assert normalise(message + value, {"path": value}) == normalise(message, {"path": ""})


@given(value=st.text(max_size=40))
def test_a_quoted_argument_does_not_matter(value: str) -> None:
    assert normalise(f"bad value {value!r} here", {"v": value}) == normalise(
        "bad value 'x' here", {"v": "x"}
    )


@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_do_not_matter(number: float) -> None:
    assert normalise(f"page {number} of 3 is missing", {}) == "page N of N is missing"


@given(text=st.text(max_size=300), value=st.text(max_size=20))
def test_normalising_never_fails_and_is_idempotent_on_its_own_words(text: str, value: str) -> None:
    once = normalise(text, {"v": value})
    assert normalise(once, {}) == once


def test_long_messages_and_addresses_are_made_stable() -> None:
    assert stable("<object at 0x7f3a2b1c0d00>", longest=40) == "<object at 0x…>"
    assert stable("x" * 100, longest=40) == "x" * 39 + "…"


@pytest.mark.parametrize("text", ["'", ":", "/", "a", "0x", "1.", "<value>", "\\", " ", "-1"])
def test_a_megabyte_of_anything_is_normalised_at_once(text: str) -> None:
    # Nested repetition in an expression would take hours here.
    long = text * (1_000_000 // len(text))
    assert len(normalise(long + "x", {"v": text * 50})) < 20_000
    assert len(normalise("x" + long, {})) < 20_000
    assert reads_as_error(long + "x") in (True, False, None)

"""The call that a documentation shows is the plainest that the tool takes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hangs import no_hang
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.fixing.statements import is_of_clock, oddness, plainest_call, words_in

NAMED = words_in('Seat a party: name, guests, and place ("in" or "out").')


def everything(_: Any) -> bool:
    return True


@pytest.mark.parametrize(
    ("plain", "odd"),
    [
        ("in;2", "in;-1"),
        ("in;2", "x;2"),
        ("in;2", "in;;2"),
        ("in;2", "in;02"),
        ("in;2", "in;2;"),
        ("in;2", "in;2000"),
        ("out", "word"),
        ("word", "w"),
        ("10", "1_000"),
        ("10", "7.5"),
        ("7.5", "7.123"),
        ("7.5", "-1"),
        ("2025-03-12", "2025-03-12T00:00:00.123456"),
        ("12:30", "-12:30"),
        (2, -2),
        (2, 0),
        (2, 9.51),
        (9.5, 9.51),
        (2, 2_000),
        ([2], [2, 3]),
        ([2], [-2]),
        ('[{"name": 2}]', '[{"x": 2}]'),
    ],
)
def test_what_a_person_would_write_is_plainer(plain: Any, odd: Any) -> None:
    assert oddness({"a": plain}, NAMED) < oddness({"a": odd}, NAMED)


@pytest.mark.parametrize(
    "value",
    ["", " in", "in\n", "\x00", "ünd", "w" * 41, [], {}, 1e300, 10_000, "123456", float("nan")],
)
def test_what_shows_nothing_is_not_shown(value: Any) -> None:
    call = {"a": value}
    assert oddness(call) >= 1
    assert plainest_call([call], named=(), keeps=everything, accepts=everything) is None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ({"note": "in;-1"}, {"note": "in;2"}),
        ({"number": 9.51, "precision": 1}, {"number": 2, "precision": 1}),
        ({"a": "1_000", "base": "7.5"}, {"a": "2", "base": "3"}),
        ({"value": "2", "ndigits": "-1"}, {"value": "2", "ndigits": "3"}),
        ({"day": "2025-03-12"}, {"day": "2025-03-12"}),
        ({"flag": True, "none": None}, {"flag": True, "none": None}),
    ],
)
def test_numbers_become_small_and_differ(call: dict[str, Any], expected: dict[str, Any]) -> None:
    assert plainest_call([call], named=NAMED, keeps=everything, accepts=everything) == expected


def test_a_value_that_the_tool_needs_stays() -> None:
    """A sign or a fraction is shown where nothing plainer is taken."""
    found = plainest_call(
        [{"depth": -4, "at": 7.5}], named=(), keeps=everything,
        accepts=lambda call: call["depth"] < 0 and call["at"] > 6,
    )  # fmt: skip
    assert found == {"depth": -4, "at": 10}


def test_values_of_other_calls_are_tried() -> None:
    calls = [{"note": "zq;2", "b": 1}, {"note": "in;2", "b": -7}]
    found = plainest_call(calls, named=NAMED, keeps=everything, accepts=everything)
    assert found == {"note": "in;2", "b": 1}


def test_what_is_stated_is_kept() -> None:
    found = plainest_call(
        [{"n": 40}], named=(), keeps=lambda call: call["n"] >= 30, accepts=everything
    )
    assert found is not None
    assert found["n"] in (40, 100)


def test_a_long_text_is_read_in_time() -> None:
    with no_hang():
        for text in ("1." * 50_000, "-" * 100_000, "1" * 100_000, "a_" * 50_000, "[" * 100_000):
            oddness({"a": text})


VALUES = st.one_of(
    st.integers(-20_000, 20_000),
    st.floats(allow_infinity=False),
    st.booleans(),
    st.none(),
    st.text(alphabet='ab1290-;:._/[]{}" \u00fc', max_size=12),
    st.lists(st.integers(-3, 3), max_size=3),
)
CALLS = st.lists(st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3), max_size=6)


@given(CALLS, st.integers(0, 2**32))
def test_it_is_taken_kept_and_no_odder_than_any_call_that_was(
    calls: list[dict[str, Any]], seed: int
) -> None:
    asked: list[str] = []

    def accepts(call: dict[str, Any]) -> bool:
        asked.append(repr(call))
        return call in calls or hash((seed, repr(call))) % 2 == 0

    def keeps(call: dict[str, Any]) -> bool:
        return call.get("x") != 2

    found = plainest_call(calls, named=NAMED, keeps=keeps, accepts=accepts)
    good = [call for call in calls if call and keeps(call) and oddness(call, NAMED) < 1]
    assert (found is None) == (not good)
    assert len(asked) <= 3 + 24
    if found is not None:
        assert keeps(found)
        assert accepts(found)
        assert oddness(found, NAMED) <= min(oddness(call, NAMED) for call in good)
        again = plainest_call([found], named=NAMED, keeps=keeps, accepts=accepts)
        assert again is not None
        assert oddness(again, NAMED) <= oddness(found, NAMED)
        assert list(found) in [list(call) for call in calls]


@given(
    day=st.dates(min_value=dt.date(1100, 1, 1), max_value=dt.date(2900, 1, 1)),
    written=st.sampled_from(
        ["%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%B %d, %Y", "%Y/%m/%d", "%G-W%V-%u"]
    ),
    shift=st.integers(0, 400),
    at=st.sampled_from(["{}", "{}T10:30", "on {}", "{};3"]),
)
def test_a_date_from_today_on_is_of_the_clock(
    day: dt.date, written: str, shift: int, at: str
) -> None:
    later = day + dt.timedelta(shift)
    if written.startswith("%G") and later.isocalendar().year != later.year:
        return
    assert is_of_clock(at.format(later.strftime(written)), day)
    assert not is_of_clock(at.format("2024-05-17"), dt.date(2025, 1, 1))
    assert not is_of_clock(7, day)
